"""Checks of dates: what comes before what it follows, and what lies after the visit that tells of it."""

from __future__ import annotations

import re
from collections import defaultdict
from datetime import date
from itertools import islice

from shared.models.case import LensPoint, TimelineEvent
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.checks.view import LensView, point

CATEGORY = "dates"
_ORDER = (
    ("birth", "admission"),
    ("birth", "visit"),
    ("birth", "procedure"),
    ("birth", "onset"),
    ("birth", "result"),
    ("admission", "discharge"),
    ("birth", "discharge"),
    ("birth", "death"),
    ("admission", "death"),
)
"""Kinds of events of which the first comes first."""
_WRITTEN = regex(
    r"(?<![\d/.-])(?P<year>(?:19|20)\d\d)[-/.](?P<month>\d{1,2})[-/.](?P<day>\d{1,2})(?![\d/-])"
    r"|(?<![\d/.-])(?P<m>\d{1,2})/(?P<d>\d{1,2})/(?P<y>(?:19|20)\d\d)(?![\d/-])"
    r"|(?P<yk>(?:19|20)\d\d) ?년 ?(?P<mk>\d{1,2}) ?월 ?(?P<dk>\d{1,2}) ?일"
)
_EITHER_WAY = regex(r"(\d{1,2})[/.-](\d{1,2})[/.-]((?:19|20)\d\d)")
_PLANNED = regex(
    r"\bwill\b|schedul|follow[- ]?up|appointment|planned|plan to|\bnext\b|return|due|until|expir|예정|예약|추적"
    r"|다음",
    re.I,
)
_FIELDS = (("year", "y", "yk"), ("month", "m", "mk"), ("day", "d", "dk"))
_STAYS = frozenset({"admission", "discharge"})
_PAST_KINDS = frozenset({"result", "onset", "birth", "admission"})
_MOST_DATES = 2000


def dates_contradict(view: LensView) -> list[LensPoint]:
    """Two events in an order that cannot be: discharged before admitted, born after an operation.

    A date whose day and month may be either way round counts where both ways contradict.
    """
    by_kind: dict[str, list[TimelineEvent]] = defaultdict(list)
    for event in islice(view.inputs.timeline.events, _MOST_DATES):
        if _days(event):
            by_kind[event.kind].append(event)
    return [
        _reversed(start, end)
        for before, after in _ORDER
        if by_kind[before] and by_kind[after]
        for start in (min(by_kind[before], key=_days),)
        for end in (max(by_kind[after], key=_days),)
        if all(one > other for one, other in zip(_days(start), _days(end), strict=True))
    ]


def after_the_visit(view: LensView) -> list[LensPoint]:
    """A result or an onset that is dated after the visit whose note tells of it."""
    events = _dated(view)
    visits = [event for event in events if event.kind == "visit"]
    if not visits or any(event.kind in _STAYS for event in events):
        return []
    last = max(visits, key=_day)
    late = [event for event in events if _day(event) > _day(last) and _is_past(view, event)]
    return [_reversed(late[0], last)] if late else []


def _is_past(view: LensView, event: TimelineEvent) -> bool:
    """Whether an event is of a kind that a note tells after it, and nothing around it speaks of the future."""
    return event.kind in _PAST_KINDS and not _PLANNED.search(view.sentence(event.span))


def date_impossible(view: LensView) -> list[LensPoint]:
    """A date that no calendar has."""
    for match in islice(_WRITTEN.finditer(view.chart.text), _MOST_DATES):
        year, month, day = (int(next(filter(None, match.group(*names)))) for names in _FIELDS)
        if not (_exists(year, month, day) or (match["m"] and _exists(year, day, month))):
            span = view.chart.span(match.start(), match.end())
            told = notice("lens_date_impossible", date=span.text)
            return [point("date_impossible", Severity.MINOR, told, (span,), category=CATEGORY)]
    return []


def _exists(year: int, month: int, day: int) -> bool:
    try:
        date(year, month, day)
    except ValueError:
        return False
    return True


def _dated(view: LensView) -> list[TimelineEvent]:
    """The events of which the whole day is known."""
    events = (event for event in view.inputs.timeline.events if _day(event))
    return list(islice(events, _MOST_DATES))


def _day(event: TimelineEvent) -> str:
    """The day of an event; empty where only a month or a year is known."""
    return event.date[:10] if event.date and len(event.date) >= len("2024-03-07") else ""


def _days(event: TimelineEvent) -> tuple[str, ...]:
    """The day of an event with the month first, and with the day first; empty where it is not known."""
    if _day(event):
        return (_day(event), _day(event))
    match = _EITHER_WAY.fullmatch(event.span.text)
    if match is None:
        return ()
    first, second, year = match[1].zfill(2), match[2].zfill(2), match[3]
    return (f"{year}-{first}-{second}", f"{year}-{second}-{first}")


def _reversed(first: TimelineEvent, second: TimelineEvent) -> LensPoint:
    return point(
        "dates_contradict",
        Severity.MAJOR,
        notice(
            "lens_dates_contradict",
            first=first.span.text,
            first_date=first.date or first.span.text,
            second=second.span.text,
            second_date=second.date or second.span.text,
        ),
        (first.span, second.span),
        category=CATEGORY,
    )
