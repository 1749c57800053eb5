"""How a lens says something: one builder of points, and one point for one defect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from shared.models.case import ChartSpan, LensPoint
from shared.models.findings import Severity
from shared.models.notices import Notice


def point(
    kind: str,
    severity: Severity,
    message: Notice,
    spans: Iterable[ChartSpan],
    *,
    category: str,
    advice: Notice | None = None,
    citation: str = "",
) -> LensPoint:
    """A point; its spans in the order of the text, each once."""
    ordered = sorted({(span.start, span.end): span for span in spans}.items())
    return LensPoint(
        kind=kind,
        severity=severity,
        category=category,
        message=message,
        advice=advice,
        spans=tuple(span for _, span in ordered),
        citation=citation,
    )


def first_of_each(points: Iterator[tuple[object, LensPoint]]) -> list[LensPoint]:
    """Of points with the same key the first: what a chart repeats is said once."""
    kept: dict[object, LensPoint] = {}
    for key, raised in points:
        kept.setdefault(key, raised)
    return list(kept.values())


def once_each(points: Iterable[LensPoint], shared_places: int) -> list[LensPoint]:
    """One defect is one point: of those that share so many places the first. A list that is only information stays."""
    kept: list[LensPoint] = []
    for raised in points:
        listed = raised.severity is Severity.INFO and len(raised.spans) > 1
        grave = (other for other in kept if other.severity is not Severity.INFO)
        if listed or not any(_shared(raised, other) >= shared_places for other in grave):
            kept.append(raised)
    return kept


def _shared(first: LensPoint, second: LensPoint) -> int:
    places = ({(span.start, span.end) for span in raised.spans} for raised in (first, second))
    return len(set.intersection(*places))
