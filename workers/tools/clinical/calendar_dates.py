"""Dates of the calendar as English and Korean notes write them.

`3/4/2024` is the third of April or March the fourth. Another date of the same chart may say which (`25/4/2024`); where
none does, only the year is known. With points between the numbers (`3.4.2024`) the day comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from shared.patterns import regex


@dataclass(frozen=True)
class WrittenDate:
    """A date from `start` to `end` of a text: ISO as far as it is known, None where there is no such day.

    `ambiguous`: day and month could be either way round.
    """

    start: int
    end: int
    iso: str | None
    ambiguous: bool = False


_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<{0}>[Jj]an(?:uary)?|[Ff]eb(?:ruary)?|[Mm]ar(?:ch)?|[Aa]pr(?:il)?|May|[Jj]une?|[Jj]uly?|[Aa]ug(?:ust)?"
    r"|[Ss]ept?(?:ember)?|[Oo]ct(?:ober)?|[Nn]ov(?:ember)?|[Dd]ec(?:ember)?)\.?"
)
_YEAR = r"(?:19|20)\d\d"
_DATE = regex(
    r"(?<![\d./-])(?:"
    rf"(?P<iso_y>{_YEAR})(?P<iso_sep>[-/]|\. ?)(?P<iso_m>\d{{1,2}})(?P=iso_sep)(?P<iso_d>\d{{1,2}})(?![\d/-])"
    r"|(?P<a>\d{1,2})(?P<sep>[/.-])(?P<b>\d{1,2})(?P=sep)(?P<y>(?:19|20)\d\d|(?<=/)\d\d)(?![\d/-])"
    rf"|(?P<ko_y>{_YEAR}|\d\d)년 ?(?P<ko_m>\d{{1,2}})월(?: ?(?P<ko_d>\d{{1,2}})일)?"
    rf"|(?P<ko_year>{_YEAR})년"
    rf"|(?P<dm_d>\d{{1,2}})(?:st|nd|rd|th)?[ -](?:of )?{_MONTH.format('dm_m')}[ ,-]{{1,2}}(?P<dm_y>{_YEAR})(?!\d)"
    r")"
    rf"|\b{_MONTH.format('md_m')} (?P<md_d>\d{{1,2}})(?:st|nd|rd|th)?,? (?P<md_y>{_YEAR})(?!\d)"
    rf"|\b{_MONTH.format('my_m')},? (?:of )?(?P<my_y>{_YEAR})(?!\d)"
    rf"|\b(?:[Ii]n|[Ss]ince|[Yy]ear|[Uu]ntil|[Dd]uring|circa) (?P<year>{_YEAR})(?![\d/.-]\d|\d)"
)
_TIME = regex(
    r"(?:,? (?:at )?|T)(?P<h>[01]?\d|2[0-3]):(?P<m>[0-5]\d)(?::[0-5]\d)?(?: ?(?P<half>[AaPp])\.?[Mm]\b\.?)?"
    r"| ?(?:(?P<ko_half>오전|오후) ?)?(?P<ko_h>\d{1,2})시(?: ?(?P<ko_min>\d{1,2})분)?"
)
_PIVOT = 70
"""Two digits of a year below it are of this century."""
_NOON = 12
_HALVES = {"a": 1, "p": 2, "오전": 1, "오후": 2}
_LAST_MONTH = 12
_LAST_HOUR = 23


def find_written_dates(text: str) -> Iterator[WrittenDate]:
    """All of them, in order."""
    matches = list(_DATE.finditer(text))
    day_first = _day_first(matches)
    for match in matches:
        written = _read(match, day_first)
        time = _TIME.match(text, match.end()) if written.iso and len(written.iso) == _FULL else None
        clock = _clock(time) if time else None
        if time and clock:
            yield WrittenDate(match.start(), time.end(), f"{written.iso}T{clock}")
        else:
            yield written


_FULL = len("2024-03-04")


def _day_first(matches: list[re.Match[str]]) -> bool | None:
    """Which way round the dates with slashes are; None where no date says so, or they say different things."""
    pairs = [(int(m["a"]), int(m["b"])) for m in matches if m["a"] and m["sep"] != "."]
    day, month = any(a > _LAST_MONTH for a, _ in pairs), any(b > _LAST_MONTH for _, b in pairs)
    return None if day == month else day


def _read(match: re.Match[str], day_first: bool | None) -> WrittenDate:
    if match["a"]:
        return _numeric(match, day_first)
    for prefix in ("iso", "ko", "dm", "md", "my"):
        if match[f"{prefix}_m"]:
            day = None if prefix == "my" else match[f"{prefix}_d"]
            iso = _iso(_full_year(match[f"{prefix}_y"]), _month(match[f"{prefix}_m"]), day)
            return WrittenDate(match.start(), match.end(), iso)
    start = match.start("year") if match["year"] else match.start()
    return WrittenDate(start, match.end(), match["year"] or match["ko_year"])


def _numeric(match: re.Match[str], day_first: bool | None) -> WrittenDate:
    first, second, year = int(match["a"]), int(match["b"]), _full_year(match["y"])
    if match["sep"] == "." or first > _LAST_MONTH:
        return WrittenDate(match.start(), match.end(), _iso(year, second, str(first)))
    if second > _LAST_MONTH or first == second or day_first is False:
        return WrittenDate(match.start(), match.end(), _iso(year, first, str(second)))
    if day_first:
        return WrittenDate(match.start(), match.end(), _iso(year, second, str(first)))
    return WrittenDate(match.start(), match.end(), str(year), ambiguous=True)


def _full_year(year: str) -> int:
    number = int(year)
    short = len(year) <= len("24")
    return number + (2000 if number < _PIVOT else 1900) if short else number


def _month(written: str) -> int:
    return int(written) if written.isdigit() else _MONTHS.index(written[:3].lower()) + 1


def _iso(year: int, month: int, day: str | None) -> str | None:
    """None for a day that no calendar has."""
    try:
        whole = date(year, month, int(day) if day else 1)
    except ValueError:
        return None
    return whole.isoformat() if day else whole.isoformat()[:7]


def _clock(time: re.Match[str]) -> str | None:
    hour = int(time["h"] or time["ko_h"])
    minute = int(time["m"] or time["ko_min"] or 0)
    half = _HALVES.get((time["half"] or time["ko_half"] or "").lower(), 0)
    if half:
        hour = hour % _NOON + (half - 1) * _NOON
    return f"{hour:02}:{minute:02}" if hour <= _LAST_HOUR else None
