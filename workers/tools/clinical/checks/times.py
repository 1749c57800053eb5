"""Checks of dates: what comes before what it follows, and what lies after the visit that tells of it."""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import islice

from shared.models.case import Division, LensPoint, TimelineEvent
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.calendar_dates import find_written_dates
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.points import point

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
_EITHER_WAY = regex(r"(\d{1,2})[/.-](\d{1,2})[/.-]((?:19|20)\d\d)")
_PLANNED = regex(
    r"\bwill\b|schedul|follow[- ]?up|appointment|planned|plan to|\bnext\b|return|due|until|expir|예정|예약|추적"
    r"|다음",
    re.I,
)
_TO_COME = regex(
    r"\b(?:follow(?:ing)?[- ]?up|f/?u|rtc|return\w{0,3}|recheck|next (?:visit|appointment)|appointment|scheduled"
    r"|will be seen|see (?:you|him|her|them) (?:on|again))\b[^\n]{0,40}\Z"
    r"|(?:예약|재진|외래|추적|다음|재방문)[^\n]{0,20}\Z",
    re.I,
)
_PLAINLY_TO_COME = regex(
    r"\b(?:return to (?:the )?(?:clinic|office)|rtc|(?:follow(?:ing)?[- ]?up|next) (?:appointment|visit)"
    r"|will (?:be seen|return|follow up))\b[^\n]{0,20}\Z|(?:재진|재방문|외래) ?(?:예약|예정)[^\n]{0,10}\Z",
    re.I,
)
"""Such a day is to come wherever it is told."""
_COMES_AFTER = regex(
    r"[^\n.]{0,12}(?:예약|외래|재진|내원 ?예정|follow[- ]?up|f/?u\b|appointment)", re.I
)
_HAS_BEEN = regex(
    r"\b(?:last|previous\w{0,2}|prior|since|was|were|seen|had|missed|from|completed|performed|cancell?ed|dated|showed"
    r"|reviewed|no[- ]show|did not)\b|지난|이전|시행|했|았|었|미내원|최근",
    re.I,
)
"""A visit that is to come, and what places it in the past all the same."""
_STAYS = frozenset({"admission", "discharge"})
_PAST_KINDS = frozenset({"result", "onset", "birth", "admission"})
_RETURNS = frozenset({"visit", "admission"})
_DONE = regex(
    r"\b(?:was|were) (?:\w{3,12}ly )?(?:performed|done|removed|placed|given|started|stopped|drawn|obtained|repeated"
    r"|extubated|intubated|transfused|transferred|taken)\b|\bunderwent\b|(?:시행|제거|투여|수혈)(?:함|하였|했|받)",
    re.I,
)
"""What was done to a patient while in hospital."""
_SEEN = frozenset({"visit", "admission", "discharge"})
_YEAR = regex(r"\d{4}")
_NEAR = 60
_MOST_DATES = 2000


def dates_contradict(view: LensView) -> list[LensPoint]:
    """Two events in an order that cannot be: discharged before admitted, born after an operation.

    A date whose day and month may be either way round counts where both ways contradict.
    """
    by_kind: dict[str, list[TimelineEvent]] = defaultdict(list)
    for event in islice(view.inputs.timeline.events, _MOST_DATES):
        if _days(event):
            by_kind[event.kind].append(event)
    pairs: list[tuple[TimelineEvent, TimelineEvent]] = []
    wrong: set[TimelineEvent] = set()
    for before, after in _ORDER:
        pair = _out_of_order(by_kind[before], by_kind[after])
        # One wrong date contradicts many others, and is one defect.
        if pair and not wrong & set(pair):
            pairs.append(pair)
            wrong |= set(pair)
    return [_reversed(*pair) for pair in pairs]


def _out_of_order(
    starts: list[TimelineEvent], ends: list[TimelineEvent]
) -> tuple[TimelineEvent, TimelineEvent] | None:
    """The first of the one kind and the last of the other where they cannot both be right."""
    if not starts or not ends:
        return None
    start, end = min(starts, key=_days), max(ends, key=_days)
    return (start, end) if _is_after(start, end) else None


def _is_after(event: TimelineEvent, other: TimelineEvent) -> bool:
    """Whether it is later whichever way round the days and months are."""
    return all(a > b for a, b in zip(_days(event), _days(other), strict=True))


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


def after_the_stay(view: LensView) -> list[LensPoint]:
    """Something is told as done on a day after the discharge, in a chart that tells of nothing later."""
    events = _dated(view)
    left = _last_of(events, "discharge")
    if left is None or _last_of(events, "admission") is None:
        return []
    late = [event for event in events if _day(event) > _day(left)]
    if _RETURNS.isdisjoint(event.kind for event in late):
        done = (event for event in late if _DONE.search(view.sentence(event.span)))
        return [_reversed(event, left) for event in islice(done, 1)]
    return []


def _last_of(events: list[TimelineEvent], kind: str) -> TimelineEvent | None:
    return max((event for event in events if event.kind == kind), key=_day, default=None)


def follow_up_before_the_visit(view: LensView) -> list[LensPoint]:
    """The plan names a day to come back that lies before the visit it was made at."""
    events = [event for event in islice(view.inputs.timeline.events, _MOST_DATES) if _days(event)]
    coming = [event for event in events if _is_to_come(view, event)]
    last = _last_visit(events, coming)
    early = [] if last is None else [event for event in coming if _is_after(last, event)]
    return [_reversed(last, early[0])] if last is not None and early else []


def _last_visit(events: list[TimelineEvent], coming: list[TimelineEvent]) -> TimelineEvent | None:
    """The last day on which the patient was seen."""
    visits = (event for event in events if event.kind in _SEEN and event not in coming)
    return max(visits, key=_days, default=None)


def _is_to_come(view: LensView, event: TimelineEvent) -> bool:
    """Whether the plan speaks of that day as one to come."""
    start, end = event.span.start, event.span.end
    first, last = view.chart.sentence_at(start)
    if _HAS_BEEN.search(view.sentence(event.span)):
        return False
    before = view.chart.text[max(first, start - _NEAR) : start]
    if view.chart.division_at(start) is not Division.PLAN:
        return _PLAINLY_TO_COME.search(before) is not None
    after = view.chart.text[end : min(last, end + _NEAR)]
    return bool(_TO_COME.search(before) or _COMES_AFTER.match(after))


def date_impossible(view: LensView) -> list[LensPoint]:
    """A date that no calendar has, its year in full."""
    for written in islice(find_written_dates(view.chart.text), _MOST_DATES):
        span = view.chart.span(written.start, written.end)
        if written.iso is None and _YEAR.search(span.text):
            message = notice("lens_date_impossible", date=span.text)
            return [point("date_impossible", Severity.MINOR, message, (span,), category=CATEGORY)]
    return []


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


def _date_text(event: TimelineEvent) -> str:
    """As it is written, and where that is no date as calendars have them, which day that is."""
    written, date = f"'{event.span.text}'", event.date
    return written if date in (None, event.span.text) else f"{written} ({date})"


def _reversed(first: TimelineEvent, second: TimelineEvent) -> LensPoint:
    return point(
        "dates_contradict",
        Severity.MAJOR,
        notice("lens_dates_contradict", first=_date_text(first), second=_date_text(second)),
        (first.span, second.span),
        category=CATEGORY,
    )
