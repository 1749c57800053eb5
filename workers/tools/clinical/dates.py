"""Everything in a chart that has a time, and what happened then (docs/design/case-numbers.md)."""

from __future__ import annotations

import re
from datetime import date, timedelta

from shared.models.case import TimelineEvent
from shared.patterns import regex
from workers.tools.clinical.calendar_dates import WrittenDate, find_written_dates
from workers.tools.clinical.chart import Chart
from workers.tools.clinical.relative_dates import RelativeTime, find_relative_times

_MANY = 5_000
"""More times than any chart has; what comes after them in a text is not read."""
_KINDS = regex(
    r"(?i)(?P<birth>\bborn\b|\bbirth\b|\bdob\b|생년월일|출생|생일)"
    r"|(?P<death>\bdied\b|\bdeath\b|\bexpired\b|사망)"
    r"|(?P<discharge>\bdischarged?\b|\bd/c(?='?d\b| date\b|:)|퇴원)"
    r"|(?P<admission>\badmi(?:t|tted|ssion)\b|\bhospitali[sz](?:ed|ation)\b|입원)"
    r"|(?P<procedure>\bsurger(?:y|ies)\b|\boperat(?:ion|ed)\b|\bbiops(?:y|ied)\b"
    r"|\b\w{3,20}(?:ectomy|plasty|ostomy|otomy|oscopy)\b"
    r"|\bprocedure\b|\bunderwent\b|\btransplant\w{0,5}\b|\brepair\b|수술|시술|절제술|내시경)"
    r"|(?P<result>\blabs?\b|\blaborator(?:y|ies)\b|\bx-?rays?\b|\bradiographs?\b|\bCT\b|\bMRI\b|\bECG\b|\bEKG\b"
    r"|\bultrasound\b|\bechocardiogra(?:m|phy)\b|\bcultures?\b"
    r"|\b(?:m?g|mmol|mEq|U|IU)/d?L\b|\bresults?\b|\bshow(?:s|ed)\b|검사|촬영|결과|초음파)"
    r"|(?P<drug>\bstarted on\b"
    r"|\bprescribed\b|\bmg\b(?!/)|\bantibiotics?\b|\bvaccin\w{0,6}\b|\bdoses?\b|투여|처방|복용)"
    r"|(?P<visit>\bvisit\b|\bseen\b|\bpresents?\b|\bpresented\b|\bpresenting\b|\bencounter\b"
    r"|\bdate of (?:service|exam)\b|\b(?:clinic|letter|note) date\b|(?<![a-z] )\bdate ?[:：]|진료일"
    r"|\bfollow[- ]?up\b|\bappointment\b|내원|진료|방문|외래)"
    r"|(?P<onset>\bonset\b|\bbegan\b|\bstarted\b|\bdeveloped\b|\bnoticed\b|\bpain\b|\bsymptoms?\b|\bsince\b"
    r"|\bhistory of\b|\bcomplain\w{0,4}\b|\binjur(?:y|ed)\b|\bfell\b|발생|시작|부터|통증|증상|호소)"
)
_JOINED = regex(
    r"(?i)(?: (?:was|were|is|has been) (?:[a-z]{3,12}ed|done|taken))?(?: ?(?:date|day|일자|일시|날짜|일))?"
    r"[ \t]*[:：=]?[ \t]*(?:on|in|at|since|by)?(?: the)? ?"
)
_NEAR = 80
_LONGEST_TEXT = 160


def find_dates(chart: Chart) -> tuple[TimelineEvent, ...]:
    """The events in the order of the text: `date` where the calendar is named, `offset_days` where the visit is."""
    times: list[WrittenDate | RelativeTime] = [
        *find_written_dates(chart.text),
        *find_relative_times(chart.text),
    ]
    times.sort(key=lambda time: (time.start, isinstance(time, RelativeTime)))
    before: list[WrittenDate | RelativeTime | None] = [None, *times]
    apart = [
        time for earlier, time in zip(before, times, strict=False) if not _within(time, earlier)
    ]
    return tuple(_event(chart, time) for time in apart[:_MANY])


def ambiguous_dates(chart: Chart) -> tuple[WrittenDate, ...]:
    """Those whose day and month could be either way round."""
    return tuple(written for written in find_written_dates(chart.text) if written.ambiguous)


def in_order(events: tuple[TimelineEvent, ...]) -> tuple[TimelineEvent, ...]:
    """By time; what is told relative to the visit stands by its date where the visit has one, else after the dates.

    What has no time comes last, in the order of the text.
    """
    visit = visit_date(events)
    return tuple(sorted(events, key=lambda event: _time_key(event, visit)))


def visit_date(events: tuple[TimelineEvent, ...]) -> date | None:
    """The day of the visit: that of the first event called so, else of the first admission, where it is a day."""
    for kind in ("visit", "admission"):
        for event in events:
            if event.kind == kind and event.date and len(event.date) >= len("2024-03-04"):
                return date.fromisoformat(event.date[:10])
    return None


def _within(time: WrittenDate | RelativeTime, before: WrittenDate | RelativeTime | None) -> bool:
    return before is not None and time.start < before.end


def _event(chart: Chart, time: WrittenDate | RelativeTime) -> TimelineEvent:
    start, end = chart.sentence_at(time.start)
    kind = _kind(chart.text, time, start, end)
    span, text = chart.span(time.start, time.end), _extract(chart.text, time, start, end)
    if isinstance(time, RelativeTime):
        return TimelineEvent(span=span, kind=time.kind or kind, offset_days=time.days, text=text)
    return TimelineEvent(span=span, kind=kind, date=time.iso, text=text)


def _kind(text: str, time: WrittenDate | RelativeTime, start: int, end: int) -> str:
    """By the nearest word of the sentence that names a kind."""
    first, last = max(start, time.start - _NEAR), min(end, time.end + _NEAR)
    matches = [
        match
        for match in _KINDS.finditer(text, first, last)
        if match.end() <= time.start or match.start() >= time.end
    ]
    if not matches:
        return "other"
    nearest = min(matches, key=lambda match: _distance(text, time, match))
    return nearest.lastgroup or "other"


def _distance(text: str, time: WrittenDate | RelativeTime, match: re.Match[str]) -> int:
    """In characters; nothing where only a preposition stands between: "discharged on", "admitted:"."""
    if match.end() <= time.start and _JOINED.fullmatch(text, match.end(), time.start):
        return 0
    return max(time.start - match.end(), match.start() - time.end)


def _extract(text: str, time: WrittenDate | RelativeTime, start: int, end: int) -> str:
    """The sentence, or what stands around the time in a long one."""
    if end - start > _LONGEST_TEXT:
        start = max(start, time.start - _LONGEST_TEXT // 2)
        end = min(end, start + _LONGEST_TEXT)
    return " ".join(text[start:end].split())


def _time_key(event: TimelineEvent, visit: date | None) -> tuple[int, str, float]:
    offset = event.offset_days
    if event.date:
        return (0, event.date, 0.0)
    if offset is not None and visit is not None:
        day = _day(visit, offset)
        return (0, day, offset) if day else (1, "", offset)
    return (1, "", offset) if offset is not None else (2, "", 0.0)


def _day(visit: date, offset: float) -> str | None:
    try:
        return (visit + timedelta(days=round(offset))).isoformat()
    except OverflowError:
        return None
