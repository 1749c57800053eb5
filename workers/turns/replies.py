"""From a model's text to a reply: tolerant in form, strict in substance.

Fences, prose around the object, trailing commas, NaN, the case of fixed words and a lone text
where a list belongs are forgiven. A missing verdict, another word, a broken object, the same key
with two values or two different objects are not: such a text goes back once with the objection,
and then counts as no answer.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, get_args, get_origin

from pydantic import JsonValue, ValidationError

from shared.errors import ProviderError
from shared.models.deliberation import SpokenReply
from shared.models.notices import notice
from shared.models.outcomes import FailureKind
from shared.models.replies import REPLY_MODELS
from shared.models.reply_bounds import bounded, is_within
from shared.models.wire import ForeignWire
from shared.text.bounded_json import storable
from shared.text.unfinished import ANEW
from workers.providers.calls import (
    Cancelled,
    Completion,
    Finish,
    Message,
    Provider,
    ProviderCall,
    ReplySchema,
)
from workers.turns.json_text import AmbiguousJsonError, find_objects
from workers.turns.reply_schema import adapted, plain_schema, strict_schema

# Twice what the longest answers of today's models come to (128,000 tokens); it is read within a second.
MAX_REPLY_CHARS = 1_000_000
MOST_CALLS = 2
_QUOTED_LIMIT = 20_000


@dataclass(frozen=True, slots=True)
class ReplyProblem:
    """Why a text is not a reply, in a sentence that its author can act on."""

    message: str


def model_named(reply_model: str) -> type[ForeignWire]:
    """The reply model of that name. Raises KeyError: the name comes from our own workflow."""
    return REPLY_MODELS[reply_model]


@functools.cache
def schema_of(reply_model: str) -> ReplySchema:
    """The reply model as JSON schema, for structured output and for a prompt. Raises KeyError."""
    plain = plain_schema(model_named(reply_model).model_json_schema())
    name = "".join(c if c.isalnum() else "_" for c in reply_model)
    return ReplySchema(name=name, strict=strict_schema(plain), plain=plain)


@dataclass(frozen=True, slots=True)
class Parsed:
    """A reply; whether it was given `in_words` instead of as JSON; what was `left_out` of one too long."""

    reply: ForeignWire
    in_words: bool = False
    left_out: tuple[str, ...] = ()


def parse(text: str, reply_model: str) -> ForeignWire | ReplyProblem:
    """The reply that the text holds, or what is wrong with it."""
    judged = judge(text, reply_model)
    return judged if isinstance(judged, ReplyProblem) else judged.reply


def judge(text: str, reply_model: str) -> Parsed | ReplyProblem:
    """`parse`, and how the reply was given."""
    if len(text) > MAX_REPLY_CHARS:
        return ReplyProblem(f"the answer has {len(text)} characters, allowed are {MAX_REPLY_CHARS}")
    try:
        objects = find_objects(text)
    except AmbiguousJsonError as error:
        return _in_words(text, reply_model) or ReplyProblem(str(error))
    fields = model_named(reply_model).model_fields.keys()
    if not any(candidate.keys() & fields for candidate in objects) and (
        spoken := _in_words(text, reply_model)
    ):
        return spoken
    if not objects:
        return ReplyProblem("there is no JSON object in the answer")
    replies, problems = _validated(objects, reply_model, within=is_within(text))
    return _only(replies, objects) if replies else problems[-1]


def _only(
    replies: Sequence[Parsed], objects: Sequence[dict[str, JsonValue]]
) -> Parsed | ReplyProblem:
    """The one reply that all objects of a text agree on."""
    first = replies[0]
    if any(other.reply != first.reply for other in replies) or _contradicted(first.reply, objects):
        return ReplyProblem("the answer holds several different objects; give exactly one")
    return first


def _contradicted(reply: ForeignWire, objects: Sequence[dict[str, JsonValue]]) -> bool:
    """Whether another object of the text, usable or not, makes another choice (`ACCEPT` next to `REVISE`)."""
    for name, choices in _choices(type(reply)).items():
        chosen = str(getattr(reply, name)).casefold()
        stated = {str(other[name]).casefold() for other in objects if name in other}
        if (stated & choices) - {chosen}:
            return True
    return False


@functools.cache
def _choices(model: type[ForeignWire]) -> Mapping[str, frozenset[str]]:
    """The fields that are one of a few words, and which those are."""
    return {
        name: frozenset(str(word).casefold() for word in get_args(field.annotation))
        for name, field in model.model_fields.items()
        if get_origin(field.annotation) is Literal
    }


def _in_words(text: str, reply_model: str) -> Parsed | None:
    """The reply that a text means whose model may be answered in words; never a spoilt JSON object."""
    model = model_named(reply_model)
    if not issubclass(model, SpokenReply):
        return None
    fields = "|".join(map(re.escape, model.model_fields))
    if re.search(rf'"(?:{fields})"\s*:', text):
        return None
    spoken = model.from_text(storable(text))
    if spoken is None:
        return None
    kept, left_out = bounded(spoken.model_dump(mode="json"))
    reply = model.model_validate(kept) if left_out else spoken
    return Parsed(reply, in_words=True, left_out=left_out)


def _validated(
    objects: Sequence[dict[str, JsonValue]], reply_model: str, *, within: bool
) -> tuple[list[Parsed], list[ReplyProblem]]:
    model = model_named(reply_model)
    schema = schema_of(reply_model).plain
    replies: list[Parsed] = []
    problems: list[ReplyProblem] = []
    for candidate in objects:
        if not candidate.keys() & model.model_fields.keys():
            expected = ", ".join(f"`{name}`" for name in model.model_fields)
            problems.append(ReplyProblem(f"the object has none of the fields {expected}"))
            continue
        fields, left_out = (candidate, ()) if within else bounded(candidate)
        try:
            reply = model.model_validate(adapted(fields, schema))
        except ValidationError as error:
            problems.append(ReplyProblem(_objections(error)))
        else:
            replies.append(Parsed(reply, left_out=left_out))
    return replies, problems


def _objections(error: ValidationError) -> str:
    return "; ".join(
        f"`{'.'.join(str(part) for part in item['loc'])}`: {item['msg']}"
        for item in error.errors(include_input=False, include_url=False)[:8]
    )


@dataclass(frozen=True, slots=True)
class Obtained:
    """A usable reply, all completions that it took, whether it was asked for twice, what was left out."""

    reply: ForeignWire
    completions: tuple[Completion, ...]
    repaired: bool
    left_out: tuple[str, ...] = ()


def obtain(
    provider: Provider,
    call: ProviderCall,
    cancel: Cancelled,
    on_completion: Callable[[Completion], None],
    stored: Sequence[Completion] = (),
    most: int = MOST_CALLS,
) -> Obtained:
    """Ask, judge, ask at most once more (never, with `most` 1), all within the call's deadline.

    `on_completion` gets every new completion before it is judged, so that the caller can store
    what was paid. `stored` are completions of an earlier attempt at the same step, oldest first:
    they are taken instead of calling. Raises ProviderError: what the provider raised, or refusal,
    truncated, empty, unparseable.
    """
    ends_at = time.monotonic() + call.deadline_s
    completions: list[Completion] = []
    present = call
    while True:
        if len(completions) < len(stored):
            completion = stored[len(completions)]
        else:
            completion = provider.complete(present, cancel)
            on_completion(completion)
        completions.append(completion)
        _check_usable(call, completion)
        judged = judge(completion.text, call.reply_model)
        if isinstance(judged, Parsed):
            _check_whole(call, completion, judged)
            return Obtained(judged.reply, tuple(completions), len(completions) > 1, judged.left_out)
        if len(completions) > 1:
            error = _unusable(call, f"answered twice in an unusable form: {judged.message}")
            error.notice = notice("unusable_twice", who=call.participant.name, why=judged.message)
            raise error
        why = f"answered in an unusable form ({judged.message})"
        if len(completions) >= most:
            raise _unusable(
                call, f"{why}; an answer before it was lost, so it is not asked a third time"
            )
        left_s = ends_at - time.monotonic()
        if left_s <= 0:
            raise _unusable(call, f"{why} and no time was left to ask again")
        if call.watch is not None:
            call.watch(ANEW)
        present = dataclasses.replace(
            call, repair=_repair(completion.text, judged), deadline_s=left_s
        )


def _unusable(call: ProviderCall, what: str) -> ProviderError:
    return ProviderError(FailureKind.UNPARSEABLE, f"{call.participant.name} {what}.")


def _check_usable(call: ProviderCall, completion: Completion) -> None:
    name = call.participant.name
    if completion.finish_reason is Finish.REFUSAL:
        raise ProviderError(FailureKind.REFUSAL, f"{name} refused to answer.")
    if completion.finish_reason is Finish.LENGTH:
        raise ProviderError(
            FailureKind.TRUNCATED,
            f"{name}'s answer was cut off at {call.max_output_tokens} tokens: "
            "raise max_output_tokens.",
        )
    if not completion.text.strip():
        raise ProviderError(FailureKind.EMPTY, f"{name} answered nothing.")


def _check_whole(call: ProviderCall, completion: Completion, judged: Parsed) -> None:
    """A JSON object that closes is whole. Words may stop anywhere: that they do not, somebody has to say."""
    if completion.finish_reason is Finish.OTHER and judged.in_words:
        raise ProviderError(
            FailureKind.TRUNCATED,
            f"{call.participant.name}'s answer may be incomplete: its provider does not say that it ended "
            "by itself.",
        )


def _repair(text: str, problem: ReplyProblem) -> tuple[Message, ...]:
    return (
        Message("assistant", text[:_QUOTED_LIMIT]),
        Message(
            "user",
            f"That answer cannot be used: {problem.message}. Give the same answer again as exactly "
            "one JSON object of the required form, and nothing else.",
        ),
    )
