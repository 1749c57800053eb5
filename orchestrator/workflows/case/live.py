"""How a case is followed: the graph's nodes as phases, what each tool brought, and what the critics raise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from orchestrator.core.document import SEVERITY_STYLES
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.core.views.context import shortened, took_s
from orchestrator.core.views.live import SHORT, LiveView, RenderContext, Reply, Station, note
from orchestrator.workflows.case.roles import CaseRole
from shared.models.findings import Severity
from shared.models.rows import StepRow

NODES = (
    *("chart_structurer", "evidence", "diagnosis_treatment", "evidence_2nd"),
    *("intervention_checker", "critic", "reflect"),
)
"""The parts of the graph that a run goes through as its phases."""
ReplySummary = Callable[[Reply, RenderContext], str]


def _count(reply: Reply, name: str) -> int:
    entries = reply.get(name)
    return len(entries) if isinstance(entries, list) else 0


def _counted(word: str, name: str) -> ReplySummary:
    """`12 passages`, of the list in a field of the reply."""
    return lambda reply, context: context.message(word, n=_count(reply, name))


def _chart(reply: Reply, context: RenderContext) -> str:
    return context.message(
        "case_chart_read",
        sections=_count(reply, "sections"),
        mentions=_count(reply, "mentions"),
        values=_count(reply, "measurements"),
    )


def _coverage(reply: Reply, context: RenderContext) -> str:
    items = [item for item in reply.get("items") or () if isinstance(item, Mapping)]
    problems = [item for item in items if item.get("status") != "unfounded"]
    if not problems:
        return context.message("case_no_problems")
    covered = sum(item.get("status") == "covered" for item in problems)
    return context.message("case_covered", n=covered, all=len(problems))


def _vectors(reply: Reply, context: RenderContext) -> str:
    if "vectors" in reply:
        return context.message("case_vectors_counted", n=_count(reply, "vectors"))
    return context.message("case_vectors_missing", n=_count(reply, "places"))


def _feedback(reply: Reply, context: RenderContext) -> str:
    if reply.get("ok"):
        return context.message("case_feedback_ok")
    requested = map(str, reply.get("requested_tools") or ())
    wanted = ", ".join(context.words.word(f"case_node_{tool}", tool) for tool in requested)
    mended = "; ".join(map(str, reply.get("patch_instructions") or ()))
    return context.message(
        "case_sent_back", why=shortened("; ".join(filter(None, (wanted, mended))), SHORT)
    )


def _routing(reply: Reply, context: RenderContext) -> str:
    choices = [choice for choice in reply.get("tools") or () if isinstance(choice, Mapping)]
    tools = [str(choice.get("tool")) for choice in choices if choice.get("run", True)]
    picked = [context.words.word(f"case_node_{tool}", tool) for tool in tools]
    return context.message("case_tools_picked", names=", ".join(picked) or "-")


def _ended(summary: ReplySummary) -> Callable[[StepRow, Reply, RenderContext], list[Line]]:
    """`preprocess.timeline: 12 events (0.1 s)`"""

    def lines(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
        took = Span(f" ({context.message('seconds', s=took_s(step) or 0.0)})", Style.DIM)
        name = Span(
            context.words.word(f"case_node_{step.participant}", step.participant),
            context.voice(step),
        )
        return [line(name, f": {summary(reply, context)}", took, note(step, context))]

    return lines


_PREPARED = {
    "preprocess.timeline": "events",
    "preprocess.evidence": "spans",
    "preprocess.record_gaps": "gaps",
}


def _preprocessed(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    """`timeline: 12 events`; a reply leaves out what is empty."""
    name = _PREPARED.get(step.participant, "")
    summary = _counted(f"case_{name}_counted", name) if name else _nothing
    return _ended(summary)(step, reply, context)


def _nothing(_reply: Reply, _context: RenderContext) -> str:
    return ""


def _critique(step: StepRow, reply: Reply, context: RenderContext) -> list[Line]:
    """How many points, and each of them, before code has checked its quotations."""
    points = [point for point in reply.get("critique_points") or () if isinstance(point, Mapping)]
    head = _ended(_counted("case_points_raised", "critique_points"))(step, reply, context)
    return [*head, *(_point(point) for point in points)]


def _point(point: Mapping[str, Any]) -> Line:
    stated = str(point.get("severity") or Severity.MINOR).strip().upper()
    severity = next((each for each in Severity if each.value == stated), Severity.MINOR)
    text = shortened(str(point.get("point") or ""), SHORT)
    return line("  ", Span(severity.value, SEVERITY_STYLES[severity]), f" {text}")


LIVE = LiveView(
    ends={
        CaseRole.STRUCTURING: _ended(_chart),
        CaseRole.RETRIEVAL: _ended(_counted("case_passages_counted", "passages")),
        CaseRole.EMBEDDING: _ended(_vectors),
        CaseRole.INTERVENTIONS: _ended(_coverage),
        CaseRole.PREPROCESSING: _preprocessed,
        CaseRole.LENS: _ended(_counted("case_points_raised", "points")),
        CaseRole.DIAGNOSIS: _ended(_counted("case_diagnoses_counted", "diagnoses")),
        CaseRole.TREATMENT: _ended(_counted("case_treatments_counted", "treatments")),
        CaseRole.REWRITING: _ended(_counted("case_queries", "queries")),
        CaseRole.ROUTING: _ended(_routing),
        CaseRole.CRITIQUE: _critique,
        CaseRole.FEEDBACK: _ended(_feedback),
        CaseRole.VERIFICATION: _ended(_counted("case_solutions_counted", "solutions")),
    },
    silent=frozenset(
        {
            *(CaseRole.STRUCTURING, CaseRole.EMBEDDING, CaseRole.RETRIEVAL),
            CaseRole.INTERVENTIONS,
            *(CaseRole.PREPROCESSING, CaseRole.DIAGNOSIS, CaseRole.TREATMENT, CaseRole.LENS),
        }
    ),
    phases=frozenset(NODES),
    course=(
        Station(("chart_structurer",), (CaseRole.STRUCTURING,)),
        Station(
            ("evidence", "evidence_2nd", "intervention_checker"),
            (CaseRole.RETRIEVAL, CaseRole.INTERVENTIONS),
        ),
        Station(("diagnosis_treatment",), (CaseRole.DIAGNOSIS, CaseRole.TREATMENT)),
        Station(("critic",), (CaseRole.CRITIQUE, CaseRole.ROUTING, CaseRole.LENS)),
        Station(("reflect",), (CaseRole.FEEDBACK, CaseRole.VERIFICATION)),
    ),
)
