"""Which lines of a note tell what: by headings, and by the words of the lines where there are none.

A heading counts by its form as well: "Labs: repeat in a week" below PLAN is a line of the plan, "Impression: no
fracture" below RESULTS one of the results. Where a note has no heading, and below "Objective", which covers both the
examination and the results, `line_contents` decides.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import zip_longest

from shared.models.case import ChartSection, Division
from shared.patterns import regex
from workers.tools.clinical.headings import (
    division_of_title,
    divisions_by_heading,
    is_note_title,
    is_objective,
    normalised,
)
from workers.tools.clinical.line_contents import divisions_of_lines

_LONGEST = 60
_READ = 160
_MARKS = "#*=_-–—•●▪■□◆◇▶►▷○【】[]<>《》「」()：: \t\r\ufeff"
_BULLETS = ("•", "-", "–", "*", "●", "▪", "○")
_COLON = regex(r"[:：]|(?<=^[SOAP])[)/>](?=\s)|(?<=^A/P)\)|(?<=^A&P)\)")
_NUMBERING = regex(r"\s{0,8}(?:#{1,6}\s|\*\*|[(\[]?(?:\d{1,2}|[IVX]{1,4}|[가-하])[.)\]]\s?)")
_NUMBER = regex(r"\s{0,4}\d")
_READING = regex(
    r"impressions?|conclusions?|findings?|diagnosis|interpretation|comparison|판독|결론|인상"
)
_MENTIONED = frozenset(("pe", "ct", "mri", "ap", "id", "cc", "data", "echo", "ekg", "ecg", "micro"))


@dataclass(frozen=True)
class _Heading:
    """`rank` 3: capitals or a mark-up of its own, 2: alone in its line, 1: before what it heads."""

    line: int
    name: str
    division: Division
    rank: int

    @property
    def key(self) -> str:
        return normalised(self.name)


def divide(text: str) -> tuple[ChartSection, ...]:
    """Sections from the first line to the last, without gaps; none for a text without a visible character.

    A line without a visible character belongs to what stands above it.
    """
    if not text.strip():
        return ()
    lines = text.split("\n")
    headings = _accepted([heading for heading in _headings(lines) if heading])
    sections: list[ChartSection] = []
    if not headings or headings[0].line > 1:
        last = headings[0].line - 1 if headings else len(lines)
        sections += _by_contents(lines, 1, last, "", tuple(Division), Division.SUBJECTIVE)
    for heading, following in zip_longest(headings, headings[1:]):
        last = following.line - 1 if following else len(lines)
        if is_objective(heading.key):
            allowed = (Division.EXAM, Division.RESULTS)
            sections += _by_contents(
                lines, heading.line, last, heading.name, allowed, Division.EXAM
            )
        else:
            sections.append(_section(heading.name, heading.division, heading.line, last))
    return tuple(sections)


def _section(heading: str, division: Division, first: int, last: int) -> ChartSection:
    return ChartSection(heading=heading, division=division, first_line=first, last_line=last)


def _headings(lines: list[str]) -> list[_Heading | None]:
    return [_heading_of(number, line) for number, line in enumerate(lines, 1)]


def _heading_of(number: int, line: str) -> _Heading | None:
    title = _title_of(line)
    if title is None:
        return None
    key = normalised(title.name)
    division = divisions_by_heading().get(key)
    if division is None and title.may_be_unknown:
        division = division_of_title(title.name)
    if division is None or (title.bulleted and key in _MENTIONED):
        return None
    return _Heading(number, title.name, division, 1 + title.alone + title.prominent)


@dataclass(frozen=True)
class _Title:
    """The beginning of a line that has the form of a heading."""

    name: str
    colon: bool
    alone: bool
    bulleted: bool
    prominent: bool

    @property
    def fits(self) -> bool:
        """True for a short text that is no sentence, and in a list for one that heads what follows."""
        short = 0 < len(self.name) <= _LONGEST and not self.name.endswith(".")
        return short and (self.alone or (self.colon and not self.bulleted))

    @property
    def may_be_unknown(self) -> bool:
        """True where its form alone makes it a heading."""
        return self.alone and not self.bulleted and (self.prominent or self.colon)


def _title_of(line: str) -> _Title | None:
    start = line[:_READ]
    marked = _NUMBERING.match(start)
    head = (start[marked.end() :] if marked else start).strip(" \t\r\ufeff")
    bulleted = head.startswith(_BULLETS)
    name, rest, colon = _parted(head.lstrip(_MARKS))
    alone = not rest and len(line) <= _READ
    prominent = alone and (name.isupper() or start.startswith(("#", "**")))
    title = _Title(name, colon, alone, bulleted, prominent)
    # "P: 72" is a pulse.
    return None if (len(name) == 1 and _NUMBER.match(rest)) or not title.fits else title


def _parted(head: str) -> tuple[str, str, bool]:
    colon = _COLON.search(head)
    if not colon:
        return head.rstrip(_MARKS), "", False
    return head[: colon.start()].rstrip(_MARKS), head[colon.end() :].strip(_MARKS), True


def _accepted(headings: list[_Heading]) -> list[_Heading]:
    """Those that begin something new: neither the title of the note, nor a detail of what stands above them."""
    accepted: list[_Heading] = []
    for heading in headings:
        above = accepted[-1] if accepted else None
        if _is_detail(heading, above) if above else _is_title(heading):
            continue
        intake = heading.key == "vitals" and heading.rank > 1
        if intake and _before_exam(heading, headings, above):
            accepted.append(replace(heading, division=Division.SUBJECTIVE))
        else:
            accepted.append(heading)
    return accepted


def _is_title(first: _Heading) -> bool:
    return first.rank > 1 and is_note_title(first.key)


def _is_detail(heading: _Heading, above: _Heading) -> bool:
    if heading.division == above.division or heading.rank >= above.rank:
        return False
    reading = above.division == Division.RESULTS and _READING.fullmatch(heading.key)
    return bool(above.division == Division.PLAN or reading or heading.key in _MENTIONED)


def _before_exam(heading: _Heading, headings: list[_Heading], above: _Heading | None) -> bool:
    """Vital signs that are taken down with the history, before an examination with a heading of its own.

    ACI-BENCH counts this block to the subjective part; below an objective heading it is objective.
    """
    if above and above.division != Division.SUBJECTIVE:
        return False
    later = (other for other in headings if other.line > heading.line)
    return any(
        other.division == Division.EXAM and not other.key.startswith("vital") for other in later
    )


def _by_contents(
    lines: list[str],
    first: int,
    last: int,
    heading: str,
    allowed: tuple[Division, ...],
    default: Division,
) -> list[ChartSection]:
    sections: list[ChartSection] = []
    divisions = divisions_of_lines(lines[first - 1 : last], allowed, default)
    for number, division in enumerate(divisions, first):
        if sections and sections[-1].division == division:
            sections[-1] = _section(sections[-1].heading, division, sections[-1].first_line, number)
        else:
            sections.append(_section("" if sections else heading, division, number, number))
    return sections
