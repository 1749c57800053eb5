"""Before anything is stored or paid: what limits and contexts forbid, and what a large change will take."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pydantic import TypeAdapter

from orchestrator.application.prepare import PreparedRun
from orchestrator.application.unasked import unasked_report
from orchestrator.core.discussion.estimate import INSTEAD, Estimate, ExpectedCall, estimate
from orchestrator.core.discussion.portions import portions
from orchestrator.core.discussion.preflight import (
    ForbiddenCall,
    Limit,
    obstacles,
    shortfall,
    too_few_calls,
)
from orchestrator.core.parts import CastReport
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import workflow_of
from shared.errors import UserError
from shared.models.case import Case
from shared.models.deliberation import Question
from shared.models.notices import Notice, notice
from shared.models.run import Budget, RunSpec
from shared.models.subject import Subject
from shared.models.workspace import CodingTask
from shared.providers.prices import expected_usd
from shared.text.amounts import dollars, exact_dollars
from shared.text.tokens import estimated_tokens

LARGE_TOKENS = 50_000
"""A subject from which on a run says what it will take before it begins."""


def subject_tokens(spec: RunSpec, documents: Mapping[str, bytes]) -> int:
    """What every participant reads of the subject, in tokens: the diff, the question with its files, or the chart."""
    kind = workflow_of(spec).subject
    if kind is SubjectKind.CHANGE:
        subject = Subject.model_validate_json(documents[spec.subject])
        return estimated_tokens(documents[subject.diff].decode("utf-8", "replace"))
    if kind is SubjectKind.CASE:
        case = Case.model_validate_json(documents[spec.subject])
        return estimated_tokens(documents[case.chart].decode("utf-8", "replace"))
    if kind is SubjectKind.TASK:
        return estimated_tokens(CodingTask.model_validate_json(documents[spec.subject]).text)
    question = Question.model_validate_json(documents[spec.subject])
    files = (documents[file.document].decode("utf-8", "replace") for file in question.contexts)
    return estimated_tokens("\n".join((question.text, *files)))


def check(spec: RunSpec, documents: Mapping[str, bytes]) -> tuple[Notice, ...]:
    """What is to be said loudly before the run begins. Raises UserError when somebody cannot make its first call."""
    tokens = subject_tokens(spec, documents)
    calls = workflow_of(spec).calls_of(spec, tokens)
    if calls is None:
        return ()
    refuse(calls, spec.budget, Translator(spec.language))
    large = _large(spec, documents, tokens, calls) if tokens > LARGE_TOKENS and calls else ()
    return (*large, *short_of(calls, spec))


@dataclass(frozen=True)
class RunEstimate:
    """What a prepared run would take (None: nobody can say), and why it could not even begin.

    `instead` is what the larger run would take that it may save.
    """

    spec: RunSpec
    estimate: Estimate | None
    obstacles: tuple[str, ...]
    instead: Estimate | None = None


@dataclass(frozen=True)
class Foretold:
    """What a run would take, and who would take part; or its result, where nobody has to be asked (`report`)."""

    title: str
    cast_report: CastReport
    foreseen: RunEstimate | None = None
    report: RunReport | None = None


def foretell(prepared: PreparedRun) -> Foretold:
    """What would come of a prepared run; nothing is stored or started."""
    report = unasked_report(prepared) if prepared.is_change else None
    foreseen = estimate_run(prepared) if report is None else None
    return Foretold(prepared.title, prepared.cast_report, foreseen, report)


def estimate_run(prepared: PreparedRun) -> RunEstimate:
    """Reckon; nothing is stored or started."""
    # No generator replays this specification, so its version does not matter.
    spec = prepared.make_spec(workflow_version=0)
    tokens = subject_tokens(spec, prepared.documents)
    calls = workflow_of(spec).calls_of(spec, tokens)
    reasons = forbidden(calls or (), spec.budget, Translator(spec.language))
    foreseen = None if calls is None else estimate(calls, expected_usd)
    return RunEstimate(spec, foreseen, reasons, _instead(spec, tokens))


def with_what_it_saves(spec: RunSpec, documents: Mapping[str, bytes]) -> RunSpec:
    """The same with the estimate of the larger run that it may save, for its receipt."""
    larger = _instead(spec, subject_tokens(spec, documents))
    if larger is None:
        return spec
    label = TypeAdapter(Estimate).dump_python(larger, mode="json")
    return spec.model_copy(update={"labels": {**spec.labels, INSTEAD: label}})


def _instead(spec: RunSpec, tokens: int) -> Estimate | None:
    workflow = workflow_of(spec)
    larger = workflow.run.instead(spec)
    calls = None if larger is None else workflow.calls_of(larger, tokens)
    return None if calls is None else estimate(calls, expected_usd)


def refuse(calls: Iterable[ExpectedCall], budget: Budget, words: Translator) -> None:
    """Raise UserError that names every call of those which a limit or a context forbids."""
    if reasons := forbidden(calls, budget, words):
        raise UserError("\n".join((words.message("before_start"), *reasons)))


def forbidden(calls: Iterable[ExpectedCall], budget: Budget, words: Translator) -> tuple[str, ...]:
    """Why calls that are made in any case cannot be made, a sentence each."""
    return tuple(_reason(call, words) for call in obstacles(calls, budget, expected_usd))


def short_of(calls: Iterable[ExpectedCall], spec: RunSpec) -> tuple[Notice, ...]:
    """What the calls together may exceed though each of them does not."""
    calls, notices = tuple(calls), []
    together = shortfall(calls, spec.budget, expected_usd)
    if together is not None:
        cost = exact_dollars(round(together, 6))
        notices.append(notice("before_together", cost=cost))
    needed = too_few_calls(calls, spec.budget)
    if needed is not None and not spec.reuse:
        limit = f"{spec.budget.max_calls:,}"
        notices.append(notice("before_calls", needed=f"{needed:,}", limit=limit))
    return tuple(notices)


def _reason(call: ForbiddenCall, words: Translator) -> str:
    name = call.participant.name
    match call.limit:
        case Limit.MONEY:
            answer = f"{call.participant.max_output_tokens:,}"
            cost, limit = exact_dollars(round(call.need, 6)), exact_dollars(call.allowed)
            return words.message("before_money", name=name, cost=cost, answer=answer, limit=limit)
        case Limit.PRICE:
            model = call.participant.model or call.participant.provider
            return words.message("before_price", name=name, model=model)
        case Limit.TOKENS:
            need, limit = f"{call.need:,.0f}", f"{call.allowed:,.0f}"
            return words.message("before_tokens", name=name, need=need, limit=limit)
        case Limit.CONTEXT:
            need, limit = f"{call.need:,.0f}", f"{call.allowed:,.0f}"
            return words.message("before_context", name=name, need=need, limit=limit)


def _large(
    spec: RunSpec, documents: Mapping[str, bytes], tokens: int, calls: Sequence[ExpectedCall]
) -> tuple[Notice, ...]:
    """How large the subject is, who reads it in portions, and what that will take."""
    notices = [notice("large_subject", tokens=f"{tokens:,}")]
    if workflow_of(spec).subject is SubjectKind.CHANGE:
        subject = Subject.model_validate_json(documents[spec.subject])
        read = {critic.name: len(portions(subject, critic)) for critic in spec.panel.critics}
        names = ", ".join(f"{name} ({count})" for name, count in read.items() if count > 1)
        if names:
            notices.append(notice("large_portions", names=names))
    foreseen = estimate(calls, expected_usd)
    cost = foreseen.cost_usd
    takes = notice(
        "large_takes",
        calls=_range(foreseen.calls.low, foreseen.calls.high),
        tokens=_range(foreseen.input_tokens.low, foreseen.input_tokens.high),
        cost="" if cost is None else f", {dollars(cost.low)} - {dollars(cost.high)}",
    )
    return (*notices, takes)


def _range(low: float, high: float) -> str:
    return f"{int(low):,} - {int(high):,}"
