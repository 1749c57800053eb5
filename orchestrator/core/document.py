"""What people read, as data: styled lines that are safe to show, and the blocks of a result's document.

A view returns blocks, a format renders them, the terminal decides about colour. What models, files and people wrote
cannot steer a terminal: every span is cleaned when it is made, so nothing can forget it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.pictures import AnnotatedText, Picture
from shared.models.findings import Finding, Severity
from shared.models.letters import UNSEEN, spelled, spelled_out
from shared.patterns import regex

# ECMA-48 control sequences, strings (OSC, DCS, ...) and two-character escapes, in their 7-bit form.
_ESCAPES = regex(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]", re.DOTALL
)


class Style(StrEnum):
    """What a span is; the terminal knows a colour for each."""

    PLAIN = "plain"
    STRONG = "strong"
    DIM = "dim"
    GOOD = "good"
    BAD = "bad"
    WARNING = "warning"
    PLACE = "place"
    COMMAND = "command"
    ADDED = "added"
    REMOVED = "removed"
    VOICE_1 = "voice_1"
    VOICE_2 = "voice_2"
    VOICE_3 = "voice_3"
    VOICE_4 = "voice_4"
    VOICE_5 = "voice_5"


SEVERITY_STYLES = {
    Severity.CRITICAL: Style.BAD,
    Severity.MAJOR: Style.WARNING,
    Severity.MINOR: Style.PLAIN,
    Severity.INFO: Style.DIM,
}
VOICES = (Style.VOICE_1, Style.VOICE_2, Style.VOICE_3, Style.VOICE_4, Style.VOICE_5)


def voice(name: str, everybody: Sequence[str]) -> Style:
    """The style of a participant's name, the same everywhere; one outside the panel has none of its own."""
    return VOICES[everybody.index(name) % len(VOICES)] if name in everybody else Style.STRONG


@dataclass(frozen=True)
class Span:
    """A piece of one line in one style."""

    text: str
    style: Style = Style.PLAIN

    def __post_init__(self) -> None:
        """Whatever the text was, it is now one line without control characters."""
        object.__setattr__(self, "text", clean(self.text))


Line = tuple[Span, ...]


def line(*parts: str | Span) -> Line:
    """A line of plain texts and spans."""
    return tuple(part if isinstance(part, Span) else Span(part) for part in parts)


def block(text: str, *, indent: str = "", style: Style = Style.PLAIN) -> list[Line]:
    """A text of several lines."""
    return [line(indent, Span(row, style)) for row in _split(drop_unseen(text))]


def exact(text: str) -> list[Line]:
    """A patch as it is: nothing is dropped, what would not be seen is spelled out, `+` and `-` are coloured."""
    return [line(Span(row, _patch_style(row))) for row in patch_rows(text)]


def patch_rows(text: str) -> list[str]:
    """The rows of a patch, what would not be seen spelled out.

    An empty line of the context is a blank alone, which is the patch's own.
    """
    return [row if row != spelled(" ") else " " for row in _split(spelled_out(text))]


def plain(lines: Iterable[Line]) -> str:
    """The lines without styles, each ended by a newline."""
    return "".join("".join(span.text for span in shown) + "\n" for shown in lines)


def clean(text: str) -> str:
    """One line: escape sequences and unseen characters are gone, newlines and tabs are blanks."""
    return drop_unseen(text).replace("\n", " ").replace("\t", "    ")


def drop_unseen(text: str) -> str:
    """The text without escape sequences and unseen characters; newlines and tabs stay. Idempotent."""
    text = _ESCAPES.sub("", text.replace("\r\n", "\n"))
    while (seen := UNSEEN.sub("", text)) != text:  # what one leaves out brings others together
        text = seen
    return text


def _split(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


def _patch_style(text: str) -> Style:
    if text.startswith(("+++", "---", "diff --git", "index ")):
        return Style.STRONG
    if text.startswith("@@"):
        return Style.DIM
    return {"+": Style.ADDED, "-": Style.REMOVED}.get(text[:1], Style.PLAIN)


# ---- blocks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Title:
    """What the document is about, and of which run."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class Heading:
    """A part's name, and what is to be known of it at a glance."""

    text: str
    note: str = ""


@dataclass(frozen=True)
class Words:
    """Somebody's own text: shown as it was written, as far as that is safe."""

    text: str
    indent: str = ""


@dataclass(frozen=True)
class Item:
    """One entry of a list: `label: text (note)`."""

    text: str
    label: str = ""
    note: str = ""
    style: Style = Style.PLAIN


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Grid:
    """A table; the columns of these numbers are left out, one by one, where there is no room for all."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    spare: tuple[int, ...] = ()


@dataclass(frozen=True)
class Drawing:
    """A table of which a page also draws a picture."""

    picture: Picture
    table: Grid


@dataclass(frozen=True)
class Remark:
    """One line of our own."""

    parts: Line


@dataclass(frozen=True)
class Objection:
    """Somebody who does not share a finding, with the reason; `how` where it is not plain disagreement."""

    participant: str
    how: str = ""
    reason: str = ""


@dataclass(frozen=True)
class NamedRule:
    """An analyser's rule as `tool/code`, and the page that the analyser names for it."""

    code: str
    page: str = ""


def beside_rules(title: str, codes: Iterable[str]) -> str:
    """A title where its rules are shown too: analysers end theirs with the rule's code."""
    endings = (f" ({code.rpartition('/')[2]})" for code in codes)
    return title.removesuffix(next(filter(title.endswith, endings), ""))


@dataclass(frozen=True)
class FindingEntry:
    """A finding as a reader meets it: `support` of the independent voices carry it, `status` says what became of it.

    An `evident` status goes without saying. `marks` tell how far it is to be believed, `why` what is wrong,
    `suggestion` what is to be done, `supporters` and, in words, `carried` who carries it, `objections` who does not.
    `like` names one that says nearly the same, `again` are the names that later reviews gave it, `patch` is a usable
    fix of it alone, `rules` are those of all analysers that say it. Where nothing is `carried` rules alone have looked;
    without a `support` there is one voice. Where not everything is shown, a `faint` one is only counted, and so is a
    `weak` one after the first of a panel's. `alike` tells, in words, where else the same rule says the same, of which
    nothing more is shown.
    """

    finding: Finding
    support: str = ""
    status: str = ""
    evident: bool = False
    marks: tuple[str, ...] = ()
    caveat: str = ""
    why: str = ""
    suggestion: str = ""
    supporters: tuple[str, ...] = ()
    carried: str = ""
    objections: tuple[Objection, ...] = ()
    like: str = ""
    again: tuple[str, ...] = ()
    patch: str = ""
    rules: tuple[NamedRule, ...] = ()
    faint: bool = False
    weak: bool = False
    alike: str = ""

    @property
    def states(self) -> tuple[str, ...]:
        """What is to be said of it."""
        return self.marks if self.evident else (self.status, *self.marks)

    @property
    def title_beside_rule(self) -> str:
        """The title where its rules are shown too."""
        return beside_rules(self.finding.title, (rule.code for rule in self.rules))

    @property
    def rule_codes(self) -> str:
        """`bandit/B110, ruff/E722`"""
        return ", ".join(rule.code for rule in self.rules)

    @property
    def code_line(self) -> str:
        """What is quoted, in one line."""
        return " ".join((self.finding.quote or "").split())

    @property
    def where(self) -> str:
        """Its place, or that it has none."""
        place = self.finding.place
        return place.shown if place else "-"


@dataclass(frozen=True)
class FindingWords:
    """The words around findings: the labels of what is said of one, and in `heads` a table's columns by their names."""

    suggestion: str
    rules: str
    carried: str
    objections: str
    heads: Mapping[str, str]


@dataclass(frozen=True)
class FindingList:
    """Findings, what to read first on top; `detailed`: with all that is said of each, `quoted`: and its quotation.

    Markdown and pages quote in any case. `in_code`: each has its line of code, as rules quote it.
    """

    entries: tuple[FindingEntry, ...]
    words: FindingWords
    detailed: bool = False
    quoted: bool = False
    in_code: bool = False


@dataclass(frozen=True)
class Patch:
    """A change to files, verbatim."""

    text: str


@dataclass(frozen=True)
class Folded:
    """A part that few readers want: folded away below its name where that can be."""

    name: str
    blocks: tuple[Block, ...]


Table = Grid | Drawing
Block = (
    Title | Heading | Words | Items | Table | Remark | FindingList | Patch | AnnotatedText | Folded
)


def remark(*parts: str | Span) -> Remark:
    """A line of plain texts and spans."""
    return Remark(line(*parts))
