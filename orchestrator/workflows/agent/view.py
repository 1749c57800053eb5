"""How an agent's run is shown: what was found, written and changed, then the path that led there."""

from __future__ import annotations

from orchestrator.core.document import (
    SEVERITY_STYLES,
    Block,
    Heading,
    Item,
    Patch,
    Words,
    remark,
)
from orchestrator.core.views.context import WorkflowView, figures, listed
from orchestrator.workflows.agent.course import AgentView, course
from orchestrator.workflows.agent.live import LIVE
from orchestrator.workflows.agent.records import IntentRecord, TransitionRecord
from orchestrator.workflows.agent.result import AgentResult, how_ended
from orchestrator.workflows.display import WorkflowDisplay
from shared.models.agent import CodeHit, CommandReport, ExaminedPoint
from shared.models.findings import Place
from shared.models.notices import notice

MOST_HITS = 10
CONTEXT_ABOVE = 2
"""Lines that a search shows above the one that it found."""
MOST_OUTPUT = 40
"""Rows of a command's output that are shown."""


def headline(view: AgentView) -> str:
    """How many modes, and what was changed."""
    result = view.result
    if result is None:
        return ""
    changed = view.message("agent_changed_files", n=len(result.files)) if result.files else ""
    return figures(view.message("agent_modes_counted", n=len(result.path)), changed)


def body(view: AgentView) -> list[Block]:
    """What it came to; how it came about is `course`."""
    result = view.result
    if result is None:
        return matter(view)
    blocks: list[Block] = []
    for part in result.texts:
        title = view.message(f"agent_text_{part.title}", by=part.by)
        blocks += [Words(part.text)] if view.brief else [Heading(title), Words(part.text)]
    blocks += _hits(view, result.hits)
    blocks += listed(view.message("agent_seen"), [_point(view, point) for point in result.points])
    blocks += listed(view.message("agent_items"), _items(view, result))
    facts = [Item(view.translate(fact)) for fact in result.facts]
    blocks += listed(view.message("agent_facts"), facts)
    if view.brief:
        return blocks
    blocks += _change(view, result)
    for report in result.commands if view.spoken else result.commands[-1:]:
        blocks += _command(view, report)
    needs = [Item(view.translate(need)) for need in result.needs]
    blocks += listed(view.message("agent_missing"), needs)
    return blocks


def _hits(view: AgentView, hits: tuple[CodeHit, ...]) -> list[Block]:
    if not hits:
        return []
    shown = hits if view.everything else hits[:MOST_HITS]
    items = [Item(_found(hit), _place(hit.place), " ".join(hit.ways)) for hit in shown]
    more = len(hits) - len(shown)
    note = view.message("agent_more_hits", n=more) if more else ""
    return listed(view.message("agent_places"), items, note)


def _found(hit: CodeHit) -> str:
    """The definition, or the line of a text."""
    return _row_of(hit) if hit.kind == "text" or hit.symbol is None else hit.symbol


def _row_of(hit: CodeHit) -> str:
    """Of a text with the lines around it, the one that was found."""
    rows = hit.text.split("\n")
    above = min(CONTEXT_ABOVE, hit.place.line - 1)
    return (rows[above] if above < len(rows) else hit.text).strip() or hit.text.strip().split("\n")[
        0
    ]


def _place(place: Place) -> str:
    return place.shown


def _point(view: AgentView, point: ExaminedPoint) -> Item:
    text = view.translate(point.message)
    advice = "" if point.advice is None else f" — {view.translate(point.advice)}"
    place = "" if point.place is None else _place(point.place)
    style = SEVERITY_STYLES[point.severity]
    return Item(f"{text}{advice}", point.severity.value, figures(place, point.rule), style)


def _items(view: AgentView, result: AgentResult) -> list[Item]:
    return [
        Item(
            item.item,
            view.word(f"agent_item_{item.state}", item.state),
            figures(
                ", ".join(map(_place, item.places)),
                "" if item.reason is None else view.translate(item.reason),
            ),
        )
        for item in result.items
    ]


def _change(view: AgentView, result: AgentResult) -> list[Block]:
    if not result.patch:
        return []
    committed = [
        view.message("agent_committed", commit=made.commit[:12], branch=made.branch)
        for made in result.commits
    ]
    note = committed[-1] if committed else view.message("agent_uncommitted_patch")
    blocks: list[Block] = [Heading(view.message("agent_patch"), note), Patch(result.patch)]
    if result.tests is not None:
        failed = result.tests.failed + result.tests.errors
        tests = view.message("agent_tests_ran", passed=result.tests.passed, failed=failed)
        share = None if result.coverage is None else result.coverage.share
        covered = (
            "" if share is None else view.message("agent_coverage", percent=round(share * 100))
        )
        blocks.append(remark(figures(tests, covered)))
    return blocks


def _command(view: AgentView, report: CommandReport) -> list[Block]:
    failures = [] if report.tests is None else report.tests.failures
    ended = view.translate(notice("agent_ran", command=report.command, end=how_ended(report)))
    heading = Heading(ended, report.walls)
    if failures:
        items = [
            Item(failure.message, failure.name, _place(failure.place) if failure.place else "")
            for failure in failures
        ]
        return [*listed(heading.text, items)]
    if report.succeeded and not view.everything:
        return [heading]
    rows = report.output.strip().split("\n")[-MOST_OUTPUT:]
    return [heading, Words("\n".join(rows))] if report.output.strip() else [heading]


def matter(view: AgentView) -> list[Block]:
    """What is decided on: the patch and why, or what a mode brought."""
    shown = view.facts.matter
    if shown is None:
        return []
    words: list[Block] = [Words(shown.explanation)] if shown.explanation else []
    return [*words, Patch(shown.patch)] if shown.patch else words


DISPLAY = WorkflowDisplay(
    AgentResult,
    WorkflowView(
        body,
        headline=headline,
        matter=matter,
        course=course,
        tells=frozenset({IntentRecord.kind, TransitionRecord.kind}),
    ),
    LIVE,
)
