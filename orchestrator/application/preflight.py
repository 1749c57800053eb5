"""Before anything is stored or paid: what limits and contexts forbid, and what a large change will take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.core.discussion.estimate import ExpectedCall, estimate
from orchestrator.core.discussion.portions import portions
from orchestrator.core.discussion.preflight import (
    ForbiddenCall,
    Limit,
    obstacles,
    shortfall,
    too_few_calls,
)
from orchestrator.presentation.locale.words import say
from orchestrator.presentation.money import dollars
from orchestrator.workflows import EXPECTED
from shared.errors import UserError
from shared.models.deliberation import Question
from shared.models.run import Budget, RunSpec
from shared.models.subject import Subject
from shared.providers.prices import exact_dollars, expected_usd
from shared.text.tokens import estimated_tokens

LARGE_TOKENS = 50_000
"""A subject from which on a run says what it will take before it begins."""


def subject_tokens(spec: RunSpec, documents: Mapping[str, bytes]) -> int:
    """What every participant reads of the subject, in tokens: the diff, or the question with its files."""
    if spec.workflow == "review":
        subject = Subject.model_validate_json(documents[spec.subject])
        return estimated_tokens(documents[subject.diff].decode("utf-8", "replace"))
    question = Question.model_validate_json(documents[spec.subject])
    files = (documents[one.document].decode("utf-8", "replace") for one in question.contexts)
    return estimated_tokens("\n".join((question.text, *files)))


def check(spec: RunSpec, documents: Mapping[str, bytes]) -> tuple[str, ...]:
    """What is to be said loudly before the run begins. Raises UserError when somebody cannot make its first call."""
    course = EXPECTED.get(spec.workflow)
    if course is None:
        return ()
    tokens = subject_tokens(spec, documents)
    calls = tuple(course(spec, tokens))
    refuse(calls, spec.budget, spec.language)
    told = _large(spec, documents, tokens) if tokens > LARGE_TOKENS and calls else ()
    return (*told, *short_of(calls, spec))


def refuse(calls: Iterable[ExpectedCall], budget: Budget, language: str) -> None:
    """Raise UserError that names every call of those which a limit or a context forbids."""
    if reasons := forbidden(calls, budget, language):
        raise UserError("\n".join((say("before_start", language), *reasons)))


def forbidden(calls: Iterable[ExpectedCall], budget: Budget, language: str) -> tuple[str, ...]:
    """Why calls that are made in any case cannot be made, a sentence each."""
    return tuple(_told(one, language) for one in obstacles(calls, budget, expected_usd))


def short_of(calls: Iterable[ExpectedCall], spec: RunSpec) -> tuple[str, ...]:
    """What the calls together may exceed though each of them does not."""
    calls, language, told = tuple(calls), spec.language, []
    together = shortfall(calls, spec.budget, expected_usd)
    if together is not None:
        cost = exact_dollars(round(together, 6))
        told.append(say("before_together", language, cost=cost))
    needed = too_few_calls(calls, spec.budget)
    if needed is not None and not spec.reuse:
        limit = f"{spec.budget.max_calls:,}"
        told.append(say("before_calls", language, needed=f"{needed:,}", limit=limit))
    return tuple(told)


def _told(one: ForbiddenCall, language: str) -> str:
    name = one.participant.name
    match one.limit:
        case Limit.MONEY:
            answer = f"{one.participant.max_output_tokens:,}"
            cost, limit = exact_dollars(round(one.need, 6)), exact_dollars(one.allowed)
            return say("before_money", language, name=name, cost=cost, answer=answer, limit=limit)
        case Limit.PRICE:
            model = one.participant.model or one.participant.provider
            return say("before_price", language, name=name, model=model)
        case Limit.TOKENS:
            need, limit = f"{one.need:,.0f}", f"{one.allowed:,.0f}"
            return say("before_tokens", language, name=name, need=need, limit=limit)
        case Limit.CONTEXT:
            need, limit = f"{one.need:,.0f}", f"{one.allowed:,.0f}"
            return say("before_context", language, name=name, need=need, limit=limit)


def _large(spec: RunSpec, documents: Mapping[str, bytes], tokens: int) -> tuple[str, ...]:
    """How large the subject is, who reads it in portions, and what that will take."""
    language = spec.language
    told = [say("large_subject", language, tokens=f"{tokens:,}")]
    if spec.workflow == "review":
        subject = Subject.model_validate_json(documents[spec.subject])
        read = {critic.name: len(portions(subject, critic)) for critic in spec.panel.critics}
        names = ", ".join(f"{name} ({count})" for name, count in read.items() if count > 1)
        if names:
            told.append(say("large_portions", language, names=names))
    found = estimate(spec, tokens, expected_usd, EXPECTED)
    if found is not None:
        low, high = (f"{int(value):,}" for value in (found.calls.low, found.calls.high))
        inputs = f"{int(found.input_tokens.low):,}", f"{int(found.input_tokens.high):,}"
        cost = found.cost_usd
        usd = "" if cost is None else f", {dollars(cost.low)} - {dollars(cost.high)}"
        told.append(
            say(
                "large_takes",
                language,
                calls=f"{low} - {high}",
                tokens=f"{inputs[0]} - {inputs[1]}",
                cost=usd,
            )
        )
    return tuple(told)
