"""The scripted participant: ready replies, with latencies and faults, the same for the same step.

Its completions carry the model name `scripted`, so nobody takes one for a model's word. The script
comes inline as `options["replies"]` (see shared/providers/scripts.py); `options["seed"]` shifts the drawn
latencies.
"""

from __future__ import annotations

import functools
import hashlib
import json
import math
import random
from collections.abc import Callable, Sequence

from shared.errors import ConfigurationError, ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.options import ScriptedOptions
from shared.providers.scripts import Misbehaviour, ScriptedReply, When, load_script, parse_entries
from workers.providers.calls import Cancelled, Completion, Finish, ProviderCall
from workers.providers.guard import Guard
from workers.providers.options import options_of

MODEL = "scripted"

# Faults that a provider reports, by whether the same call may succeed later.
_RETRYABLE = frozenset(
    {FailureKind.TIMEOUT, FailureKind.UNREACHABLE, FailureKind.RATE_LIMITED, FailureKind.OVERLOADED}
)
_FREE = Usage(input_tokens=0, output_tokens=0, cached_tokens=0, cost_usd=0.0)
_PIECE_S = 0.1
_GARBAGE = "Sorry, here is what I think: {not json at all, and verdict: maybe"


def complete(call: ProviderCall, cancel: Cancelled) -> Completion:
    """The first entry that fits, after its latency. Raises ProviderError for its fault."""
    guard = Guard.of(call, cancel)
    seed, entries = _script_of(call.participant)
    entry = _entry_for(call, entries)
    if entry.fault is Misbehaviour.HANG:
        guard.pause(call.deadline_s + 1.0)
    latency_s = _latency_s(entry, call, seed)
    if call.watch is None or entry.fault is not None:
        guard.pause(latency_s)
    else:
        _speak(_text(entry), latency_s, call.watch, guard)
    return _outcome(entry, call)


def structured(participant: Participant) -> bool:
    """A script holds what it holds: the form need not be asked for."""
    del participant
    return True


Script = tuple[int, tuple[ScriptedReply, ...]]  # its seed and its entries


def _script_of(participant: Participant) -> Script:
    if participant.options.get("script"):
        return _read(participant)
    return _inline(json.dumps(participant.options), participant.name)


@functools.lru_cache(maxsize=64)  # every turn of a run brings the same one
def _inline(options: str, name: str) -> Script:
    return _read(Participant(name=name, provider=MODEL, options=json.loads(options)))


def _read(participant: Participant) -> Script:
    options = options_of(participant, ScriptedOptions)
    try:
        if options.script and not options.replies:
            return options.seed, parse_entries([*load_script(options.script)], participant.name)
        return options.seed, parse_entries(options.replies, participant.name)
    except ConfigurationError as error:
        raise ProviderError(FailureKind.BAD_REQUEST, str(error)) from error


def _entry_for(call: ProviderCall, entries: Sequence[ScriptedReply]) -> ScriptedReply:
    for entry in entries:
        if _fits(entry.when, call):
            return entry
    raise ProviderError(
        FailureKind.BAD_REQUEST,
        f"The script of {call.participant.name} has no reply for {call.role} in round "
        f"{call.round} (call {call.number}): add an entry with that `when`.",
    )


def _fits(when: When, call: ProviderCall) -> bool:
    conditions = (
        (when.participant, call.participant.name),
        (when.role, call.role),
        (when.round, call.round),
        (when.call, call.number),
        (when.attempt, call.attempt),
    )
    for wanted, actual in conditions:
        if wanted is not None and actual not in (
            wanted if isinstance(wanted, tuple) else (wanted,)
        ):
            return False
    if when.contains is None:
        return True
    needles = when.contains if isinstance(when.contains, tuple) else (when.contains,)
    prompt = "\n".join((call.system, *(message.text for message in call.messages)))
    return all(needle in prompt for needle in needles)


def _latency_s(entry: ScriptedReply, call: ProviderCall, seed: int) -> float:
    if not isinstance(entry.latency_s, tuple):
        return entry.latency_s
    identity = f"{seed}\n{call.step}\n{call.attempt}\n{call.number}"
    digest = hashlib.sha256(identity.encode()).digest()
    drawn = random.Random(digest)  # noqa: S311 - repeatable on purpose
    return drawn.uniform(*entry.latency_s)


def _speak(text: str, latency_s: float, watch: Callable[[str], None], guard: Guard) -> None:
    """Someone who watches sees the text come piece by piece; it takes as long as unwatched."""
    pieces = min(max(1, math.ceil(latency_s / _PIECE_S)), max(1, len(text)))
    size = math.ceil(len(text) / pieces)
    for number in range(pieces):
        guard.pause(latency_s / pieces)
        watch(text[number * size : (number + 1) * size])


def _text(entry: ScriptedReply) -> str:
    return entry.reply if isinstance(entry.reply, str) else json.dumps(entry.reply or {})


# What a fault that is an answer says, from the entry's text and the call's number, and why it ends.
_ANSWERS: dict[FailureKind | Misbehaviour | None, Callable[[str, int], tuple[str, Finish]]] = {
    None: lambda text, _: (text, Finish.STOP),
    Misbehaviour.GARBAGE: lambda _text, _: (_GARBAGE, Finish.STOP),
    Misbehaviour.UNPARSEABLE_ONCE: lambda text, n: (_GARBAGE if n == 1 else text, Finish.STOP),
    FailureKind.UNPARSEABLE: lambda _text, _: (_GARBAGE, Finish.STOP),
    FailureKind.EMPTY: lambda _text, _: ("", Finish.STOP),
    FailureKind.TRUNCATED: lambda text, _: (text[: len(text) // 2], Finish.LENGTH),
    FailureKind.REFUSAL: lambda _text, _: ("I will not answer this.", Finish.REFUSAL),
}


def _outcome(entry: ScriptedReply, call: ProviderCall) -> Completion:
    """The answer, or the error of a fault. A hanging entry never gets here."""
    answer = _ANSWERS.get(entry.fault)
    if answer is None:
        kind = FailureKind(str(entry.fault))
        raise ProviderError(
            kind,
            f"{call.participant.name} fails as its script says: {kind.value}.",
            retryable=kind in _RETRYABLE,
            retry_after_s=entry.retry_after_s,
        )
    text, finish = answer(_text(entry), call.number)
    return Completion(text=text, usage=entry.usage or _FREE, finish_reason=finish, model=MODEL)
