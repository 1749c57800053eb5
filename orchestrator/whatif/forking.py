"""Continue a run another way: which results are copied, and whether other options still ask for them.

A fork keeps the seed of its origin: letters and fences of the copied turns follow from it. Its rounds are judged again
under its own rules, and the copied results must be exactly what these rules would have asked for: the prefix is
replayed before anything is stored. Nothing that wrote, and no approval of it, is ever copied.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from pydantic import JsonValue

from orchestrator.core.discussion.estimate import ExpectedCall, expected_calls
from orchestrator.core.replay.commands import Decide, Turn
from orchestrator.core.replay.recomputation import Recomputed, asks
from orchestrator.core.replay.replay import Entry, Journal
from orchestrator.whatif.places import ForkPlace, Stop, find_place, stops
from orchestrator.whatif.recording import Recording, without_records
from orchestrator.whatif.replaying import Spare, spare_of
from orchestrator.workflows.registry import WORKFLOWS, workflow_of
from shared.errors import UserError
from shared.models.run import ASK, RunSpec
from shared.text.tokens import estimated_tokens

DECISION = "decision"
# What a fork's title begins with, by language; a fork of a fork says it once.
_FORK_OF = {"en": "fork of {run}: ", "ko": "{run}에서 갈라짐: "}


@dataclass(frozen=True)
class ForkPlan:
    """A fork that can be stored. `then` names what it goes on with, `calls` are those of models among it."""

    origin: str
    at: str
    spec: RunSpec
    title: str
    steps: tuple[str, ...]
    decisions: tuple[str, ...]
    then: tuple[str, ...]
    taken_over: tuple[Spare, ...]
    calls: tuple[ExpectedCall, ...] = ()


@dataclass(frozen=True)
class Prefix:
    """What of a run comes before STEP: the keys of its ended steps, and of its answered decisions."""

    at: str
    steps: tuple[str, ...]
    decisions: tuple[str, ...]


def prefix_of(recording: Recording, at: str) -> Prefix:
    """What comes before STEP. Raises UserError where a fork may not begin."""
    before, place = _way_to(recording, at)
    keys = [key for stop in before for key in stop.keys if stop.decision is None]
    ended = {key for key, entry in recording.journal.steps.items() if entry.result is not None}
    return Prefix(
        at=at,
        steps=tuple(key for key in (*keys, *place.kept) if key in ended),
        decisions=tuple(str(stop.decision) for stop in before if stop.decision is not None),
    )


def _way_to(recording: Recording, at: str) -> tuple[tuple[Stop, ...], ForkPlace]:
    spec = recording.spec
    if not workflow_of(spec).run.expected:
        raise UserError(
            "run {run} takes a fix back: what writes is not repeated in a fork",
            run=recording.run.id,
        )
    walked = recording.follow(spec, anew=False)
    way = stops(walked)
    decided = _of_policy(way, at) if workflow_of(spec).decisions else None
    place = decided or find_place(way, at, recording.run.id)
    for index, stop in enumerate(way[: place.index + (at != DECISION)]):
        if stop.writes or (index < place.index and _approved(recording, stop)):
            earlier = stop.decision or DECISION
            raise UserError(
                "{at} comes after the decision to apply a fix, and a fork copies neither an approval nor "
                "what wrote: fork before it, with --from {earlier}",
                at=at,
                earlier=earlier,
            )
    return way[: place.index], place


def _of_policy(way: tuple[Stop, ...], at: str) -> ForkPlace | None:
    """Where a policy decided without a question: before what it led to."""
    if at != DECISION or any(stop.decision for stop in way):
        return None
    led_to = (
        index
        for index, stop in enumerate(way)
        if stop.writes or any(key.startswith("plan/2/") for key in stop.keys)
    )
    return ForkPlace(next(led_to, len(way)))


def _approved(recording: Recording, stop: Stop) -> bool:
    answer = recording.journal.answers.get(stop.decision or "")
    return answer is not None and workflow_of(recording.spec).writes(answer.choice)


def plan_fork(recording: Recording, prefix: Prefix, spec: RunSpec) -> ForkPlan:
    """The fork of a run at STEP under `spec`. Raises UserError when the copied results contradict it."""
    at, steps, decisions = prefix.at, prefix.steps, prefix.decisions
    spec = fresh(spec)
    copied = _as_copied(without_records(recording.journal, frozenset(steps), frozenset(decisions)))
    walked = recording.follow(spec, journal=copied)
    _must_fit(recording, at, walked)
    return ForkPlan(
        origin=recording.run.id,
        at=at,
        spec=labelled(spec, recording, at, len(steps)),
        title=_title(recording),
        steps=steps,
        decisions=decisions,
        then=_then(walked),
        taken_over=tuple(spare_of(recording.rows[key]) for key in steps),
        calls=tuple(_calls(walked, recording.document)),
    )


def fresh(spec: RunSpec) -> RunSpec:
    """For the workflow as this version has it."""
    version = WORKFLOWS[spec.workflow].version
    return spec.model_copy(update={"workflow_version": version})


def inheritable(spec: RunSpec) -> RunSpec:
    """What a fork takes over of its origin's specification before other options.

    Not a policy that applies without a question, which was given for the origin's fix; and not the reuse of stored
    answers: the fork's first turn would be answered with the very answer that it is to replace.
    """
    decision = spec.decision
    if workflow_of(spec).writes(decision.mode):
        decision = decision.model_copy(update={"mode": ASK})
    return spec.model_copy(update={"decision": decision, "reuse": False})


def labelled(spec: RunSpec, recording: Recording, at: str, copied: int) -> RunSpec:
    """The specification with its origin; the origin's batch is not the fork's."""
    kept = {name: value for name, value in recording.spec.labels.items() if name != "batch"}
    own = {name: value for name, value in spec.labels.items() if name not in recording.spec.labels}
    origin: dict[str, JsonValue] = {
        "forked_from": recording.run.id,
        "forked_at": at,
        "copied_steps": copied,
    }
    return spec.model_copy(update={"labels": {**kept, **own, **origin}})


def _title(recording: Recording) -> str:
    title = recording.run.title
    origin = recording.spec.labels.get("forked_from")
    for prefix in _FORK_OF.values():
        title = title.removeprefix(prefix.format(run=origin))
    prefix = _FORK_OF.get(recording.spec.language, _FORK_OF["en"])
    return prefix.format(run=recording.run.id) + title


def _as_copied(journal: Journal) -> Journal:
    """The results as the fork will find them: at its own beginning, and paid for already."""
    entries = {
        key: Entry(
            entry.fingerprint,
            None if entry.result is None else entry.result.model_copy(update={"elapsed_s": 0.0}),
        )
        for key, entry in journal.steps.items()
    }
    return replace(journal, steps=entries)


# ---- do the other options still ask for what is copied? ------------------------------------------


def _must_fit(recording: Recording, at: str, walked: Recomputed) -> None:
    if walked.misfits:
        key = walked.misfits[0]
        raise UserError(
            "with these options {key} would be a different turn from the recorded one: fork at it, "
            "with --from {key}, or earlier",
            key=key,
        )
    if walked.unneeded or walked.undecided:
        key = (walked.unneeded or walked.undecided)[0]
        raise UserError(
            "with these options {key} would not have been asked before {at}: {why}. Fork earlier, or "
            "leave these options out",
            key=key,
            at=at,
            why=_why(walked),
        )
    for decided in walked.decided:
        if _other_question(recording, decided.ask):
            key = decided.ask.key
            raise UserError(
                "with these options the decision {key} would show something other than what was "
                "answered: fork at it, with --from {key}",
                key=key,
            )


def _why(walked: Recomputed) -> str:
    last = list(walked.rounds.items())[-1:]
    if last and last[0][1].assessment.ending is not None:
        key, record = last[0]
        return f"the discussion would have ended as {record.assessment.ending} with {key}"
    if walked.missing:
        return f"{', '.join(step.key for step in walked.missing)} would come first"
    return "the run takes another path"


def _other_question(recording: Recording, ask: Decide) -> bool:
    """True when the question differs from the one that this code would put to the origin's person."""
    walked = recording.follow(recording.spec, anew=False)
    before = next((decided.ask for decided in walked.decided if decided.ask.key == ask.key), None)
    return before is None or asks(before) != asks(ask)


def _calls(walked: Recomputed, document: Callable[[str], bytes]) -> Iterator[ExpectedCall]:
    """What the fork asks first, with the prompts that it will send."""
    for step in walked.missing:
        if isinstance(step, Turn) and not step.participant.rule_based:
            prompt = step.prompt()
            texts = (
                document(part.document).decode("utf-8", "replace")
                if part.document is not None
                else part.text or ""
                for part in (*prompt.system, *prompt.user)
            )
            tokens = estimated_tokens("\n".join(texts))
            yield from expected_calls((step.participant,), step.role, tokens, certain=True)


def _then(walked: Recomputed) -> tuple[str, ...]:
    if walked.ask is not None:
        return (walked.ask.key,)
    return tuple(step.key for step in walked.missing)
