"""What lenses and critics say as claims of the panel, each with the places that show it. All of it is checked by code.

A critic's point whose quotation or span id does not exist keeps its words and loses its weight, as in a review.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from orchestrator.core.findings.evidence import Checked, not_counted
from orchestrator.core.findings.merging import Raised
from orchestrator.workflows.case.records import PointGround
from orchestrator.workflows.case.roles import LENSES, CaseRole
from shared.models.case import CHART, ChartSpan, LensPoint, LensResult
from shared.models.critique import CritiquePoint
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.notices import Notice, notice

LONGEST_TITLE = 300
SHORTEST_QUOTE = 3


@dataclass(frozen=True)
class ChartText:
    """The chart's text, in which quotations are looked for: word for word, whatever the spacing and the case."""

    text: str

    def locate(self, quote: str) -> ChartSpan | None:
        """The first place where the words stand; None where they do not."""
        words = quote.strip().strip("\"'“”‘’").strip()
        if len(words) < SHORTEST_QUOTE:
            return None
        at = self.text.find(words)
        if at >= 0:
            return self.span(at, at + len(words))
        spaced = re.compile(r"\s+".join(map(re.escape, words.split())), re.IGNORECASE)
        match = spaced.search(self.text)
        return None if match is None else self.span(match.start(), match.end())

    def span(self, start: int, end: int) -> ChartSpan:
        """The quotation that stands there."""
        line = self.text.count("\n", 0, start) + 1
        return ChartSpan(start=start, end=end, line=line, text=self.text[start:end])

    def holds(self, span: ChartSpan) -> bool:
        """Whether a span says what stands at its place."""
        return self.text[span.start : span.end] == span.text and span.end > span.start


@dataclass(frozen=True)
class CheckedPoint:
    """A claim with what its evidence is worth, and what it rests on (the finding's name comes with the merge)."""

    checked: Checked
    ground: PointGround
    shown: bool


@dataclass(frozen=True)
class PointReader:
    """Reads points: `spans` are those of the preprocessing by their ids, `unmasked` puts identifiers back."""

    chart: ChartText
    spans: Mapping[str, ChartSpan]
    round: int
    known_lenses: frozenset[str] = field(default_factory=frozenset)

    def of_lens(self, tool: str, point: LensPoint) -> CheckedPoint:
        """A point of a lens. One that names a place that says something else does not count either."""
        first = point.spans[0]
        title = f"{point.kind.replace('_', ' ')}: {first.text}"
        finding = RaisedFinding(
            title=_short(title),
            severity=point.severity,
            category=point.category,
            rule=point.kind,
            place=Place(path=CHART, line=first.line),
            quote=first.text,
        )
        raised = Raised(
            LENSES,
            self.round,
            finding,
            CaseRole.CRITIQUE,
            message=point.message,
            advice=point.advice,
        )
        in_chart = [span for span in point.spans if span.source == CHART]
        astray = not all(map(self.chart.holds, in_chart))
        checked = (
            self._without_weight(raised, notice("case_span_astray", who=tool)) if astray else None
        )
        ground = PointGround(
            finding="",
            spans=point.spans,
            sources=point.sources,
            reference=point.citation,
            lens=tool,
        )
        return CheckedPoint(checked or Checked(raised), ground, shown=not astray)

    def of_critic(self, name: str, point: CritiquePoint) -> CheckedPoint:
        """A point of a critic: all its ids and its quotation must exist."""
        spans, problem = self._places(point)
        first = spans[0] if spans else None
        finding = RaisedFinding(
            title=_short(point.point),
            detail=point.point if len(point.point) > LONGEST_TITLE else point.cohort,
            severity=point.severity,
            category=point.category,
            place=Place(path=CHART, line=first.line) if first else None,
            quote=first.text if first else None,
            suggestion=point.action or None,
        )
        raised = Raised(name, self.round, finding, CaseRole.CRITIQUE)
        ground = PointGround(
            finding="",
            spans=spans,
            cohort=point.cohort,
            lens=point.lens if point.lens in self.known_lenses else None,
            actions=((name, point.action),) if point.action else (),
        )
        if problem is None:
            return CheckedPoint(Checked(_capped(raised, first)), ground, shown=first is not None)
        return CheckedPoint(self._without_weight(raised, problem), ground, shown=False)

    def _places(self, point: CritiquePoint) -> tuple[tuple[ChartSpan, ...], Notice | None]:
        """The places that a point names, its quotation's first, and what is wrong with one of them."""
        named = {each: self.spans.get(each) for each in map(str.strip, point.spans) if each}
        quoted = self.chart.locate(point.quote or "")
        spans = tuple(filter(None, (quoted, *named.values())))
        if unknown := tuple(each for each, span in named.items() if span is None):
            return spans, notice("case_span_unknown", spans=unknown)
        if point.quote and quoted is None:
            return spans, notice("quote_not_in_words")
        return spans, None

    @staticmethod
    def _without_weight(raised: Raised, problem: Notice) -> Checked:
        claim = raised.finding
        lowered = replace(
            raised, finding=claim.model_copy(update={"severity": Severity.INFO, "quote": None})
        )
        return Checked(lowered, not_counted(claim.severity, [raised.participant], problem))


def _capped(raised: Raised, first: ChartSpan | None) -> Raised:
    """What is missing cannot be quoted, and what shows nothing is not grave."""
    claim = raised.finding
    if first is not None or claim.severity.rank >= Severity.MINOR.rank:
        return raised
    return replace(raised, finding=claim.model_copy(update={"severity": Severity.MINOR}))


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST_TITLE else f"{line[: LONGEST_TITLE - 1]}…"


def lens_points(
    reader: PointReader, results: Mapping[str, LensResult], tools: Iterable[str]
) -> list[CheckedPoint]:
    """What these tools found, in their order."""
    return [
        reader.of_lens(tool, point)
        for tool in tools
        if tool in results
        for point in results[tool].points
    ]


def joined_ground(first: PointGround | None, second: PointGround) -> PointGround:
    """Both grounds of one finding: every place once, the first of each other field."""
    if first is None:
        return second
    return PointGround(
        finding=first.finding,
        spans=_once((*first.spans, *second.spans)),
        sources=_once((*first.sources, *second.sources)),
        reference=first.reference or second.reference,
        cohort=first.cohort or second.cohort,
        lens=first.lens or second.lens,
        actions=tuple(dict.fromkeys((*first.actions, *second.actions))),
    )


def _once(spans: Iterable[ChartSpan]) -> tuple[ChartSpan, ...]:
    return tuple({(span.source, span.start, span.end): span for span in spans}.values())
