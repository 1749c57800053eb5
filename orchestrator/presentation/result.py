"""A run's result as a document: the head and the end that all have, around what its workflow's view shows."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from orchestrator.core.discussion.depth import DepthRecord
from orchestrator.core.document import Block, Grid, Heading, Item, Remark, Title, remark
from orchestrator.core.findings.verdict import GateOutcome
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.core.results import FindingsResult
from orchestrator.core.views.context import (
    RunFacts,
    ViewContext,
    WorkflowView,
    decided_by,
    listed,
    price,
)
from orchestrator.core.views.findings import GENERIC
from orchestrator.presentation.applied import applied_lines
from orchestrator.presentation.convergence import convergence_line, shortened_names, why_ended
from orchestrator.presentation.coverage import reading_summary, rule_readings
from orchestrator.presentation.depth import depth_lines
from orchestrator.presentation.durations import duration
from orchestrator.presentation.finding_entries import finding_entries
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.money import cost_of, spent
from orchestrator.presentation.questions import asked
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.step_warnings import is_cut
from orchestrator.presentation.warning_lines import warned
from orchestrator.workflows.display import display_of
from shared.models.notices import Notice
from shared.models.outcomes import RunStatus, StepStatus, Verdict
from shared.models.rows import DecisionRow, RecordRow

_BILL_HEADS = ("head_who", "head_turns", "head_failed", "head_tokens", "head_cost")
VERDICT_STYLES = {
    Verdict.APPROVED: Style.GOOD,
    Verdict.CHECKS_PASSED: Style.WARNING,
    Verdict.NOTHING_TO_REVIEW: Style.GOOD,
    Verdict.NEEDS_FIX: Style.BAD,
    Verdict.INCONCLUSIVE: Style.WARNING,
}


def view_of(report: RunReport) -> WorkflowView[Any]:
    """How the run is shown: as its workflow says, unless this version cannot read what it came to."""
    unreadable = report.run.outcome is not None and report.result is None
    return GENERIC if unreadable else display_of(report.workflow).view


def is_brief(report: RunReport, *, quiet: bool) -> bool:
    """Whether a quiet reader gets only what was asked for."""
    return quiet and not view_of(report).always_whole


def document(
    report: RunReport,
    words: Translator,
    *,
    most_findings: int | None = None,
    brief: bool = False,
    deciding: bool = False,
    closing: bool = False,
    on_page: bool = False,
) -> list[Block]:
    """The result for people; `most_findings` None shows everything, `brief` only what was asked for.

    `deciding`: with all that an open decision is about. `closing`: what came of it, for a reader of all the rest.
    `on_page`: without what a page has a place of its own for.
    """
    if report.not_asked is not None:
        return unasked_document(report, report.not_asked, words)
    view = view_of(report)
    context = view_context(report, words, most_findings=most_findings, brief=brief)
    asked_now = deciding and report.open_decision is not None
    context = replace(context, deciding=asked_now, on_page=on_page)
    if brief:
        return view.body(context)
    if closing:
        return [*_head(report, view, context, words), *_end(report, context, words)]
    return [
        *_head(report, view, context, words),
        *view.body(context),
        *(() if on_page else _course(view, context)),
        *recorded_facts(report, context, words),
        *(() if on_page else child_runs(report, words)),
        remark(""),
        *_end(report, context, words),
    ]


def titled_document(report: RunReport, words: Translator) -> list[Block]:
    """The whole result under its title, for a file that is read by itself."""
    strategy = f" · {report.strategy}" if report.strategy else ""
    stored = f"{report.run.id} · " if report.run.id else ""
    title = Title(
        words.run_title(report.run.title, report.run.workflow),
        f"{stored}{report.run.workflow}{strategy}",
    )
    return [title, *document(report, words)]


def decision_document(report: RunReport, words: Translator) -> list[Block]:
    """All that a page shows beside a decision: the head, everything that was said, and warnings; no command."""
    view = view_of(report)
    context = replace(view_context(report, words), deciding=report.open_decision is not None)
    return [
        *_head(report, view, context, words),
        *map(Remark, warned((*report.cautions, *report.warnings), words)),
        *view.body(context),
        *_course(view, context),
        *recorded_facts(report, context, words),
        *child_runs(report, words),
    ]


def course_document(report: RunReport, words: Translator) -> list[Block]:
    """How the run came about, as far as it has come; nothing where its workflow does not tell."""
    return _course(view_of(report), view_context(report, words))


def _course(view: WorkflowView[Any], context: ViewContext[Any]) -> list[Block]:
    return view.course(context) if view.course else []


def question_document(report: RunReport, words: Translator) -> list[Block]:
    """What a person sees before deciding, beside the question itself; nothing when none is open."""
    view = view_of(report)
    if report.open_decision is None or view.matter is None:
        return []
    context = replace(view_context(report, words), deciding=True)
    head = _head(report, view, context, words) if view.headline else []
    return [*head, *view.matter(context)]


def view_context(
    report: RunReport, words: Translator, *, most_findings: int | None = None, brief: bool = False
) -> ViewContext[Any]:
    """What a view is given of a run."""
    return ViewContext(
        facts=run_facts(report, words),
        result=report.result,
        words=words,
        brief=brief,
        most_findings=most_findings,
        listed=report.listed,
    )


def run_facts(report: RunReport, words: Translator) -> RunFacts:
    """What a run has in common with all others."""
    return RunFacts(
        spec=report.spec,
        steps=report.steps,
        assessments=tuple((recorded.key, recorded.figures) for recorded in report.assessments),
        findings=finding_entries(report, words),
        titles=tuple(finding.title for finding in report.findings),
        standing=frozenset(finding.id for finding in report.standing),
        ending=report.ending,
        rounds=report.rounds,
        final=report.run.status.final,
        summary=str((report.run.outcome or {}).get("summary") or ""),
        matter=report.matter,
        records=report.records,
        is_cut=is_cut(report.result or report.matter, report.steps),
    )


# ---- the head -----------------------------------------------------------------------------------


def _head(
    report: RunReport, view: WorkflowView[Any], context: ViewContext[Any], words: Translator
) -> list[Block]:
    """Verdict, figures and time, and what became of the run."""
    took = duration(report.run.worked_s, words)
    counted = view.headline(context) if view.headline else _debate(report, words)
    below = _debate(report, words) if view.headline and report.workflow.finds else ""
    notes = (below, *map(words.translate, _why_ended(report)))
    return [
        remark(_verdict(report, words), *(f" · {text}" for text in filter(None, (counted, took)))),
        *(Remark(state) for state in states(report, words)),
        *(remark(Span(f"  {text}", Style.DIM)) for text in filter(None, notes)),
        *_disclaimers(report, words),
    ]


def _verdict(report: RunReport, words: Translator) -> Span:
    """What it came to, or that it goes on."""
    if report.verdict is not None:
        style = VERDICT_STYLES.get(report.verdict, Style.STRONG)
        return Span(report.verdict.value, style)
    stage = "status_queued" if report.run.status is RunStatus.QUEUED else "running"
    return Span(words.message(stage), Style.STRONG)


def _why_ended(report: RunReport) -> tuple[Notice, ...]:
    """Why the discussion left something open, unless the gate says it."""
    stated = report.gate.reason.code == "discussion_ended_because"
    return () if report.verdict is None or stated else why_ended(report)


def _disclaimers(report: RunReport, words: Translator) -> list[Block]:
    return [
        remark(Span(f"  {words.translate(each)}", Style.STRONG))
        for each in report.workflow.disclaimers
    ]


def unasked_document(report: RunReport, why: Notice, words: Translator) -> list[Block]:
    """The result for a change about which nobody was asked: the verdict, why, and what could not be read."""
    verdict = report.verdict or Verdict.INCONCLUSIVE
    shown = Span(verdict.value, VERDICT_STYLES.get(verdict, Style.STRONG))
    remarks = [*states(report, words), *warned(report.warnings, words)]
    return [remark(shown, f" · {words.translate(why)}"), *map(Remark, remarks)]


def _debate(report: RunReport, words: Translator) -> str:
    """How it was discussed; nothing where it was not."""
    debated = report.workflow.assesses and not report.spec.panel.by_rules
    return convergence_line(report, words) if debated else ""


def states(report: RunReport, words: Translator) -> list[Line]:
    """Who started the run, what became of it, what its gate says, and what nobody read."""
    lines: list[Line] = []
    status, parent = report.run.status, report.run.parent
    if parent is not None:
        text = words.message("part_of", run=parent, step=report.run.parent_step)
        lines.append(line(Span(text, Style.DIM)))
    if status in (RunStatus.CANCELLED, RunStatus.FAILED, RunStatus.EXPIRED):
        lines.append(line(Span(words.message(f"status_{status.value}"), Style.WARNING)))
    if status is RunStatus.BLOCKED:
        reason = report.run.blocked_reason or ""
        text = words.message("status_blocked", reason=reason)
        lines.append(line(Span(text, Style.BAD)))
    gate = report.gate
    if gate.outcome is not GateOutcome.NOT_SET and report.verdict is not None:
        style = Style.GOOD if gate.outcome is GateOutcome.PASSED else Style.BAD
        text = words.message(f"gate_{gate.outcome.value}")
        lines.append(line(Span(text, style), f": {words.translate(shortened_names(gate.reason))}"))
    if report.verdict is not None:
        lines += warned(report.reading_warnings, words)
        read = (*rule_readings(report.coverage), *reading_summary(report.coverage))
        lines += [line(Span(f"  {words.translate(each)}", Style.DIM)) for each in read]
    return lines


# ---- what it wrote down, and what it started ----------------------------------------------------


def recorded_facts(report: RunReport, context: ViewContext[Any], words: Translator) -> list[Block]:
    """The facts that the workflow wrote into its journal, beside its rounds' figures."""
    most = context.most_findings
    shown = {DepthRecord.kind, *view_of(report).tells}  # by the end, or by the body
    rows = [row for row in report.records if row.kind not in shown]
    items = [
        Item(record_text(row, words), row.key, "" if row.kind == row.key else row.kind)
        for row in rows[:most]
    ]
    left_out = len(rows) - len(items)
    more = words.message("more_records", n=left_out) if left_out else ""
    return listed(words.message("records"), items, more)


def record_text(row: RecordRow, words: Translator) -> str:
    """`Answered: ann, bob; Least: 2`"""
    fields: dict[str, Any] = words.in_words(row.body)
    return "; ".join(f"{words.field(name)}: {_value(value)}" for name, value in fields.items())


def _value(value: Any) -> str:
    if isinstance(value, list) and not any(isinstance(entry, list | dict) for entry in value):
        return ", ".join(map(_value, value)) or "-"
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def child_runs(report: RunReport, words: Translator) -> list[Block]:
    """The runs that it started: what came of each, and what it cost."""
    if not report.children:
        return []
    names = ("run", "workflow", "status", "verdict", "cost", "title")
    rows = tuple(
        (
            child.run.id,
            child.run.workflow,
            words.message(f"state_{child.run.status.value}"),
            child.run.verdict or "-",
            cost_of(child.usage, words) or "-",
            words.run_title(child.run.title, child.run.workflow),
        )
        for child in report.children
    )
    return [Heading(words.message("children")), Grid(heads(names, words), rows)]


# ---- the end ------------------------------------------------------------------------------------


def _end(report: RunReport, context: ViewContext[Any], words: Translator) -> list[Block]:
    """Who is being waited for, the decision, what was applied, warnings, costs, and where there is more."""
    lines = [
        *still_working(report, words),
        *decision_lines(report, context, words),
        *applied_lines(report, words),
        *warned((*(report.cautions if context.everything else ()), *report.warnings), words),
    ]
    if context.on_page:
        return [Remark(shown) for shown in lines]
    more = "" if context.everything else " --all"
    return [
        *(Remark(shown) for shown in lines),
        *(usage_by_participant(report, context, words) if context.everything else ()),
        *(Remark(shown) for shown in spent(report.usage, words, below=bool(report.children))),
        *(Remark(shown) for shown in depth_lines(report, words)),
        details(report, words, more),
    ]


def details(report: RunReport, words: Translator, more: str = "") -> Block:
    """Where there is more."""
    command = Span(f"quorate show {report.run.id}{more}", Style.COMMAND)
    return remark(f"{words.message('details')}: ", command)


def still_working(report: RunReport, words: Translator) -> list[Line]:
    """Who is being waited for; held-up turns are listed elsewhere, with the reason."""
    if report.run.status.final:
        return []
    working = dict.fromkeys(
        step.participant
        for step in report.steps
        if step.status == StepStatus.LEASED or (step.status == StepStatus.PENDING and not step.note)
    )
    return [line(words.message("still_at_it", who=", ".join(working)))] if working else []


def decision_lines(report: RunReport, context: ViewContext[Any], words: Translator) -> list[Line]:
    """The open decision, else the last answer."""
    if report.open_decision is not None:
        return open_decision(report.open_decision, words)
    answer = report.result.decision if isinstance(report.result, FindingsResult) else None
    if report.result is None or answer is None:
        return []
    version = report.result.decided_version
    about = (
        words.message("decision") if version is None else words.message("decision_about", n=version)
    )
    return [line(Span(f"{about}: ", Style.STRONG), decided_by(context, answer))]


def open_decision(decision: DecisionRow, words: Translator) -> list[Line]:
    """What is asked, how to answer and until when."""
    question = decision.question
    options = "|".join(question.get("options") or ())
    lines = [
        line(
            Span(f"{words.message('decision')}: {asked(decision, words)}", Style.STRONG),
            f" — {words.message('answer_with')}: ",
            Span(f"quorate decide {decision.run_id} {options}", Style.COMMAND),
        )
    ]
    if decision.deadline_at is not None:
        when = f"{decision.deadline_at:%Y-%m-%d %H:%M %Z}"
        until = words.message("until", when=when, choice=question.get("on_timeout"))
        lines.append(line(Span(f"  {until}", Style.DIM)))
    return lines


def usage_by_participant(
    report: RunReport, context: ViewContext[Any], words: Translator
) -> list[Block]:
    """Turns, tokens and cost of each participant, from the result."""
    bill = report.result.bill if report.result else None
    if bill is None or not bill.by:
        return []
    rows = tuple(
        (
            name,
            str(share.turns),
            str(share.failed),
            "-" if share.tokens is None else f"{share.tokens:,}",
            price(context, share.cost_usd),
        )
        for name, share in bill.by.items()
    )
    heads = tuple(map(words.message, _BILL_HEADS))
    return [Heading(words.message("by_participant")), Grid(heads, rows)]
