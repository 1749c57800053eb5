"""Findings in a document, and what a workflow shows that has no view of its own."""

from __future__ import annotations

from typing import Any

from orchestrator.core.document import Block, FindingEntry, FindingList, Span, Style, Words, remark
from orchestrator.core.results import WorkflowResult
from orchestrator.core.views.context import ViewContext, WorkflowView

FINDING_HEADS = (
    *("head_severity", "head_where", "head_finding", "head_support", "head_status", "head_id"),
)


def finding_list(view: ViewContext[Any], entries: tuple[FindingEntry, ...]) -> FindingList:
    """Findings under the heads of their columns."""
    return FindingList(entries, tuple(map(view.message, FINDING_HEADS)))


def findings(view: ViewContext[Any]) -> list[Block]:
    """The findings that the panel did not reject, as many as are wanted."""
    entries = view.facts.findings
    first = entries[: view.most_findings]
    shown = tuple(entry for entry in first if view.everything or not entry.faint)
    blocks: list[Block] = []
    if shown:
        blocks.append(finding_list(view, shown))
    elif view.facts.assessments:
        blocks.append(remark(Span(view.message("no_findings"), Style.DIM)))
    if len(entries) > len(shown):
        more = view.message("more", n=len(entries) - len(shown))
        blocks.append(remark(Span(more, Style.DIM)))
    if view.facts.rejected:
        rejected = view.message("rejected", n=view.facts.rejected)
        blocks.append(remark(Span(rejected, Style.DIM)))
    return blocks


def summary(view: ViewContext[WorkflowResult]) -> list[Block]:
    """Nothing is known of the workflow but what all have in common."""
    words: list[Block] = [Words(view.facts.summary)] if view.facts.summary else []
    return [*words, *(findings(view) if view.facts.findings else ())]


GENERIC = WorkflowView(summary)
