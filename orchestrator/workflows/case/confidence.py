"""How far a critique is to be believed: the weighted mean of five shares that code can count, times what was looked at.

    confidence = tools x sum(weight x share) / sum(weight), over the shares that there is something to measure by

| share | counted | weight |
| --- | --- | --- |
| `spans` | points of the critique whose ids and quotations all exist in the chart, of all its points | 0.30 |
| `severity` | CRITICAL and MAJOR findings that a lens raised or two voices support, of all of them | 0.20 |
| `answers` | tool runs and turns that brought something, of those that were asked | 0.20 |
| `agreement` | mean position (agree 1, partial 0.5, else 0) of those who read on what lenses found | 0.20 |
| `feedback` | 1 without open instructions, else 1 / (1 + their number) | 0.10 |

`tools` is the share of the tools that the chart calls for (the router's facts) that have looked at it. It multiplies:
however good a critique is, it says nothing of what nobody looked at, for want of budget or because a tool failed.

A lens that abstains from everything brought nothing. Silence on what a lens found is 0 where it is CRITICAL or MAJOR,
since positions on that are asked for again, and does not count elsewhere.

The shares are counts, not a model's estimate of itself: what a model calls its confidence is not a measure of its being
right (Xiong et al. 2024, arXiv 2306.13063). The weights are chosen, not learned: evidence counts for most.

`basis` says whose critique it is a confidence of. Where no critic read the chart it is one in what was computed, which
says nothing of what rules do not look for; where no lens could look either (another language, nothing recognised,
failures) nobody judged the chart, and the confidence is 0.
"""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.core.findings.stances import VALUES
from orchestrator.workflows.case.critique import CritiqueHistory
from orchestrator.workflows.case.result import Basis, CaseConfidence, ConfidencePart
from orchestrator.workflows.case.roles import LENSES
from orchestrator.workflows.case.state import GraphState
from shared.models.findings import Finding, FindingStatus, Severity

WEIGHTS = {"spans": 0.3, "severity": 0.2, "answers": 0.2, "agreement": 0.2, "feedback": 0.1}
_DIGITS = 4


@dataclass(frozen=True)
class ConfidenceFacts:
    """What is counted: `answered` of `asked` steps, and the feedback's open instructions.

    `readers` are the critics that read, whether they answered or not. The chart calls for `called` tools, of which
    `unrun` did not look at it.
    """

    history: CritiqueHistory
    basis: Basis
    readers: tuple[str, ...]
    answered: int
    asked: int
    open_instructions: int = 0
    called: int = 0
    unrun: int = 0


def basis_of(history: CritiqueHistory, state: GraphState) -> Basis:
    """Who judged the chart. A lens has nothing to look at where nothing was recognised."""
    if history.last:
        return "critics"
    recognised = bool(state.chart.mentions or state.chart.measurements)
    looked = recognised and any(result.looked for result in state.results.values())
    return "lenses" if looked else "nobody"


def confidence(facts: ConfidenceFacts) -> CaseConfidence:
    """The confidence of a critique with its parts."""
    if facts.basis == "nobody":
        answers = _part("answers", facts.answered, facts.asked)
        return CaseConfidence(value=0.0, basis=facts.basis, parts=(answers,))
    written, grave = facts.history.written, grave_findings(facts.history)
    supported = sum(is_supported(finding, facts.history) for finding in grave)
    parts = (
        _part("spans", written.shown if written else 0, written.raised if written else 0),
        _part("severity", supported, len(grave)),
        _part("answers", facts.answered, facts.asked),
        _agreement(facts),
        ConfidencePart(
            name="feedback",
            value=round(1 / (1 + facts.open_instructions), _DIGITS),
            weight=WEIGHTS["feedback"],
            count=facts.open_instructions,
        ),
    )
    measured = [(part.value, WEIGHTS[part.name]) for part in parts if part.value is not None]
    mean = sum(share * weight for share, weight in measured) / sum(w for _, w in measured)
    tools = _tools(facts)
    value = mean if tools.value is None else mean * tools.value
    return CaseConfidence(value=round(value, _DIGITS), basis=facts.basis, parts=(*parts, tools))


def grave_findings(history: CritiqueHistory) -> tuple[Finding, ...]:
    """What counts, is CRITICAL or MAJOR, and was not rejected."""
    return tuple(
        finding
        for finding in history.standing
        if finding.severity.rank <= Severity.MAJOR.rank
        and finding.status is not FindingStatus.REJECTED
    )


def is_supported(finding: Finding, history: CritiqueHistory) -> bool:
    """Whether a lens raised it, or two voices support it."""
    positions = history.positions(finding).values()
    supporting = sum(VALUES.get(position, 0.0) > 0 for position in positions)
    return LENSES in finding.raised_by or supporting > 1


def _agreement(facts: ConfidenceFacts) -> ConfidencePart:
    """Where the critics that read stand on what the lenses found; silence on a grave point is no support."""
    grave = {finding.id for finding in grave_findings(facts.history)}
    values = [
        0.0 if position is None else VALUES.get(position, 0.0)
        for finding in facts.history.standing
        if LENSES in finding.raised_by
        for position in map(facts.history.positions(finding).get, facts.readers)
        if position is not None or finding.id in grave
    ]
    if not values:
        return ConfidencePart(name="agreement", value=None, weight=WEIGHTS["agreement"])
    return ConfidencePart(
        name="agreement",
        value=round(sum(values) / len(values), _DIGITS),
        weight=WEIGHTS["agreement"],
        count=sum(value > 0 for value in values),
        total=len(values),
    )


def _tools(facts: ConfidenceFacts) -> ConfidencePart:
    """How many of the tools that the chart calls for have looked at it."""
    return _part("tools", facts.called - facts.unrun, facts.called)


def _part(name: str, count: int, total: int) -> ConfidencePart:
    value = round(count / total, _DIGITS) if total else None
    return ConfidencePart(
        name=name, value=value, weight=WEIGHTS.get(name), count=count, total=total
    )
