"""What people read, as data: the blocks of a result's document.

A view returns blocks, a format renders them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.core.pictures import AnnotatedText, Picture
from shared.models.findings import Finding, Severity

SEVERITY_STYLES = {
    Severity.CRITICAL: Style.BAD,
    Severity.MAJOR: Style.WARNING,
    Severity.MINOR: Style.PLAIN,
    Severity.INFO: Style.DIM,
}


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
