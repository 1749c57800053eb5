"""Times that are told relative to the visit: "3 days ago", "for 2 weeks", "post-op day 2", "3일 전", "2주간".

A month is counted as 30 days and a year as 365: nobody who says "two months ago" means a day.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shared.patterns import regex


@dataclass(frozen=True)
class RelativeTime:
    """From `start` to `end` of a text; `days` before the visit are negative. `kind` as of `TimelineEvent`, or empty."""

    start: int
    end: int
    days: float
    kind: str = ""


_NUMBER_WORDS = {
    "a": 1,
    "an": 1,
    "one": 1,
    "two": 2,
    "couple": 2,
    "three": 3,
    "four": 4,
    "five": 5,
    "six": 6,
    "seven": 7,
    "eight": 8,
    "nine": 9,
    "ten": 10,
    "eleven": 11,
    "twelve": 12,
    "한": 1,
    "두": 2,
    "세": 3,
    "네": 4,
    "하루": 1,
    "이틀": 2,
    "사흘": 3,
    "나흘": 4,
    "닷새": 5,
    "열흘": 10,
    "보름": 15,
    "일주일": 7,
}
_DAYS = {
    "h": 1 / 24,
    "d": 1,
    "w": 7,
    "mo": 30,
    "y": 365,
    "시간": 1 / 24,
    "일": 1,
    "주일": 7,
    "주": 7,
    "개월": 30,
    "달": 30,
    "년": 365,
}
_COUNT = (
    r"(?P<{0}>\d{{1,3}}(?:\.5)?|an?|one|two|(?:a )?couple(?: of)?|three|four|five|six|seven|eight|nine|ten|eleven"
    r"|twelve)"
)
_UNIT = r"(?P<{0}>hours?|hrs?|days?|weeks?|wks?|months?|years?|yrs?)"
_KOREAN = (
    r"(?:(?P<{0}>\d{{1,3}}|한|두|세|네) ?(?P<{1}>시간|일|주일|주|개월|달|년)|(?P<{2}>하루|이틀|사흘|나흘|닷새|열흘|보름"
    r"|일주일))"
)
_VISIT = r"(?:presentation|admission|the visit|arrival|this visit|being seen)"
_RELATIVE = regex(
    rf"\b{_COUNT.format('ago_n')}[ -]{_UNIT.format('ago_u')} (?:ago\b|(?:prior|earlier|before|previously)(?: to)?"
    rf"(?: {_VISIT})?\b)"
    rf"|\b(?:for|over|during|within|in|x) ?(?:the )?(?P<lasting>past |last |previous )?"
    r"(?:approximately |about |around )?"
    rf"{_COUNT.format('for_n')}[ -]{_UNIT.format('for_u')}\b"
    rf"|\b{_COUNT.format('hist_n')}[ -]{_UNIT.format('hist_u')}(?: \(s\))?[ -](?:history|h/o|hx)\b"
    r"|(?<![\w.])x ?(?P<x_n>\d{1,3}) ?(?P<x_u>h|d|wk?|mo|yr?)s?\b(?=[ ,.;)]|$)"
    r"|\b(?:post[- ]?op(?:erative)?(?: day)?|POD) ?#? ?(?P<pod>\d{1,3})\b"
    r"|\b(?:hospital day|HD) ?#? ?(?P<hd>\d{1,3})\b"
    r"|\b(?P<word>yesterday|last night|this morning|today|tonight|last week|last month|last year)\b"
    rf"|{_KOREAN.format('k_n', 'k_u', 'k_w')} ?(?P<k_how>전부터|전|간|동안|째|후)"
    r"|수술 ?후 ?(?P<k_pod>\d{1,3})일|입원 ?(?P<k_hd>\d{1,3})일 ?째"
    r"|(?P<k_word>어제|전일(?=부터|에)|작일|오늘|금일|지난주|지난달|작년)",
    re.IGNORECASE,
)
_WORDS: dict[str, float] = {
    "yesterday": -1,
    "last night": -1,
    "this morning": 0,
    "today": 0,
    "tonight": 0,
    "last week": -7,
    "last month": -30,
    "last year": -365,
    "어제": -1,
    "작일": -1,
    "전일": -1,
    "오늘": 0,
    "금일": 0,
    "지난주": -7,
    "지난달": -30,
    "작년": -365,
}
_FUTURE = regex(
    r"(?i)(?:follow(?:ing)?[- ]?up|return|recheck|repeat|come back|see (?:him|her|them|you|the patient)|again"
    r"|appointment|continue\w*|prescri\w+|every|daily|course|추적|재진|외래)"
)
_DOSED = regex(
    r"(?i)\d ?(?:mg|mcg|g|mL|units?|tabs?|caps?|puffs?)\b|\b(?:BID|TID|QID|QD|PO|IV|q\d{1,2}h)\b"
)
_BACK = 60


def find_relative_times(text: str) -> Iterator[RelativeTime]:
    """All of them, in order; how long a treatment is to go on is none."""
    for match in _RELATIVE.finditer(text):
        time = _read(text, match)
        if time is not None:
            yield time


def _read(text: str, match: re.Match[str]) -> RelativeTime | None:
    start, end = match.span()
    if match["ago_n"]:
        return RelativeTime(start, end, -_days(match["ago_n"], match["ago_u"]))
    if match["hist_n"]:
        return RelativeTime(start, end, -_days(match["hist_n"], match["hist_u"]), "onset")
    if match["for_n"]:
        return _lasting(text, match)
    if match["x_n"]:
        return _times(text, match)
    word = match["word"] or match["k_word"]
    if word:
        return RelativeTime(start, end, _WORDS[word.lower()])
    return _counted_days(match) or _korean(match)


def _counted_days(match: re.Match[str]) -> RelativeTime | None:
    """The days since an operation, which was on day 0, or in hospital, where the first is the day of admission."""
    operation, stay = match["pod"] or match["k_pod"], match["hd"] or match["k_hd"]
    if operation:
        return RelativeTime(*match.span(), -float(operation), "procedure")
    if stay:
        return RelativeTime(*match.span(), -float(max(int(stay) - 1, 0)), "admission")
    return None


def _lasting(text: str, match: re.Match[str]) -> RelativeTime | None:
    """ "for 2 weeks" began then; "in 2 weeks" is to come; how long something is to be taken is neither."""
    future_preposition = match.group()[:3].lower() in ("in ", "wit")
    line = max(text.rfind("\n", 0, match.start()), text.rfind(". ", 0, match.start()))
    future = _FUTURE.search(text, max(line, match.start() - _BACK, 0), match.start())
    days = _days(match["for_n"], match["for_u"])
    if future_preposition and not match["lasting"]:
        return RelativeTime(*match.span(), days) if future else None
    if future and not match["lasting"]:
        return None
    return RelativeTime(*match.span(), -days, "onset")


def _times(text: str, match: re.Match[str]) -> RelativeTime | None:
    """ "x3d" after a complaint; after a dose it is how long that is to be taken."""
    line = text.rfind("\n", 0, match.start())
    if _DOSED.search(text, max(line, match.start() - _BACK, 0), match.start()):
        return None
    return RelativeTime(*match.span(), -_days(match["x_n"], match["x_u"]), "onset")


def _korean(match: re.Match[str]) -> RelativeTime | None:
    days = _days(match["k_n"] or match["k_w"], match["k_u"] or "")
    match match["k_how"]:
        case "전":
            return RelativeTime(*match.span(), -days)
        case "후":
            return RelativeTime(*match.span(), days)
        case _:
            return RelativeTime(*match.span(), -days, "onset")


def _days(count: str, unit: str) -> float:
    key = count.lower().removeprefix("a ").removesuffix(" of")
    number = _NUMBER_WORDS[key] if key in _NUMBER_WORDS else float(count)
    if not unit:
        return number
    short = unit if unit in _DAYS else {"m": "mo"}.get(unit[0].lower(), unit[0].lower())
    return number * _DAYS[short]
