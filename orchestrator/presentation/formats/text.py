"""A document as lines: for a terminal, a pipe, a file. Findings stand one a line, as editors and CI read them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain

from orchestrator.core.document import (
    SEVERITY_STYLES,
    Block,
    Drawing,
    FindingEntry,
    FindingList,
    FindingWords,
    Folded,
    Grid,
    Heading,
    Item,
    Items,
    Objection,
    Patch,
    Remark,
    Title,
    Words,
)
from orchestrator.core.lines import Line, Span, Style, block, exact, line, plain
from orchestrator.core.pictures import AnnotatedText
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import document, question_document
from orchestrator.presentation.tables import table
from orchestrator.presentation.wrapping import folded
from shared.patterns import regex

DEFAULT_MAX_FINDINGS = 3
"""Of a panel's findings: F1 is highest there on recorded reviewers (docs/design/findings.md); later ones are mostly
wrong."""


MAX_RULE_FINDINGS = 50
"""Of what rules found there is a line each, as from a linter."""


def render(report: RunReport, words: Translator) -> str:
    """The whole result without styles, its lines as long as they are."""
    return plain(as_lines(document(report, words)))


def result_lines(
    report: RunReport,
    *,
    words: Translator,
    max_findings: int | None,
    brief: bool = False,
    deciding: bool = False,
    width: int | None = None,
) -> list[Line]:
    """The result for a terminal; `max_findings` None shows everything, `brief` only what was asked for.

    `deciding`: with all that an open decision is about.
    """
    shown = document(report, words, most_findings=max_findings, brief=brief, deciding=deciding)
    return as_lines(shown, width)


def closing_lines(report: RunReport, words: Translator, width: int | None = None) -> list[Line]:
    """What came of a run, for somebody who has read all the rest at its question."""
    return as_lines(document(report, words, closing=True), width)


def question_lines(report: RunReport, words: Translator, width: int | None = None) -> list[Line]:
    """What a person sees before deciding, beside the question itself."""
    return as_lines(question_document(report, words), width)


def as_lines(blocks: Sequence[Block], width: int | None = None) -> list[Line]:
    """The document as styled lines, wrapped between words to `width` cells, except for patches.

    A blank line stands before each heading and each finding of which more than a line is said.
    """
    lines: list[Line] = []
    for shown in blocks:
        made = as_lines(shown.blocks, width) if isinstance(shown, Folded) else _lines(shown, width)
        if _stands_apart(shown) and lines and lines[-1] != line(""):
            lines.append(line(""))
        hanging = _HANGING.get(type(shown), 0)
        whole = width is None or isinstance(shown, Patch | Folded | Grid | Drawing)
        lines += made if whole or width is None else folded(made, width, hanging)
    return lines


_HASHES = regex(r"^index ([0-9a-f]{7})[0-9a-f]*\.\.([0-9a-f]{7})[0-9a-f]*")
_SAME_NAME = regex(r"^(diff --git a/(.{1,200})) b/\2$")
_Table = Grid | Drawing
_Unfolded = Title | Heading | Words | Items | _Table | Remark | FindingList | Patch | AnnotatedText
_HANGING: Mapping[type[Block], int] = {FindingList: 4, Remark: 2}


def _stands_apart(shown: Block) -> bool:
    return isinstance(shown, Heading | Folded | AnnotatedText) or (
        isinstance(shown, FindingList) and shown.detailed
    )


def _lines(shown: _Unfolded, width: int | None) -> list[Line]:
    match shown:
        case Title():
            return [line(Span(shown.text, Style.STRONG), Span(f"  {shown.note}", Style.DIM))]
        case Heading():
            return [_heading(shown)]
        case Words():
            return block(shown.text.strip("\n"), indent=shown.indent)
        case Items():
            return list(chain.from_iterable(map(_item_lines, shown.items)))
        case Grid() | Drawing():
            return _grid(shown.table if isinstance(shown, Drawing) else shown, width)
        case Remark():
            return [shown.parts]
        case FindingList():
            return _findings(shown)
        case Patch() | AnnotatedText():
            return _verbatim(shown, width)


def _briefly(row: Line) -> Line:
    """A row of a patch at a terminal: a file's name once, and of the hashes of its states their beginnings."""
    (span,) = row
    text = _SAME_NAME.sub(r"\1", _HASHES.sub(r"index \1..\2", span.text))
    return (Span(text, span.style),)


def _verbatim(shown: Patch | AnnotatedText, width: int | None) -> list[Line]:
    if isinstance(shown, Patch):
        rows = exact(shown.text)
        return rows if width is None else list(map(_briefly, rows))
    return [_heading(Heading(shown.name)), *_numbered(shown)]


def _numbered(shown: AnnotatedText) -> list[Line]:
    """`  12  the line  [F1, F3]`"""
    rows = list(shown.lines())
    room = len(str(len(rows)))
    return [
        line(
            Span(f"  {row.number:>{room}}  ", Style.DIM),
            row.text,
            Span(f"  [{', '.join(row.labels)}]" if row.labels else "", Style.STRONG),
        )
        for row in rows
    ]


def _grid(grid: Grid, width: int | None) -> list[Line]:
    room = None if width is None else width - 2
    return [line("  ", *row) for row in table(grid.heads, grid.rows, room, spare=grid.spare)]


def _findings(shown: FindingList) -> list[Line]:
    lines: list[Line] = []
    pages: set[str] = set()
    for entry in shown.entries:
        lines += _finding(entry, shown)
        if not shown.detailed:
            new = [rule.page for rule in entry.rules if rule.page and rule.page not in pages]
            pages.update(new)
            lines += [line("    ", Span(page, Style.DIM)) for page in new]
    return lines[shown.detailed :]


def _heading(heading: Heading) -> Line:
    note = Span(f"  {heading.note}", Style.DIM) if heading.note else Span("")
    return line(Span("── ", Style.DIM), Span(heading.text, Style.STRONG), note)


def _item_lines(item: Item) -> list[Line]:
    first, *rest = block(item.text.strip(), style=item.style)
    label = f"  {item.label}: " if item.label else "  - "
    note = [Span(f" ({item.note})", Style.DIM)] if item.note else []
    head = [*first, *note] if not rest else [*first]
    lines = [line(label, *head), *(line("    ", *more) for more in rest)]
    return [*lines[:-1], line(*lines[-1], *note)] if rest else lines


def _finding(entry: FindingEntry, shown: FindingList) -> list[Line]:
    """The finding in a line, and what is said of it indented below."""
    code = [line("    ", Span(entry.code_line, Style.PLACE))] if shown.in_code else []
    code = code if entry.code_line else []
    code += [line("    ", Span(entry.alike, Style.DIM))] if entry.alike else []
    if not shown.detailed:
        return [finding_line(entry), *code]
    words = shown.words
    quote = entry.code_line if shown.quoted else ""
    return [
        line(""),
        finding_line(entry),
        *code,
        *((line("    ", Span(f"“{quote}”", Style.PLACE)),) if quote else ()),
        *(block(entry.why.strip(), indent="    ") if entry.why.strip() else ()),
        *chain.from_iterable(_labelled(label, text) for label, text in _terms(entry, words)),
    ]


def _terms(entry: FindingEntry, words: FindingWords) -> list[tuple[str, str]]:
    """What is said of it besides why, each with its label."""
    terms = [(words.suggestion, entry.suggestion)]
    terms += [(words.rules, rule.page) for rule in entry.rules]
    terms += [(words.carried, entry.carried)]
    terms += [(words.objections, _objection(objection)) for objection in entry.objections]
    return [(label, text) for label, text in terms if text.strip()]


def _labelled(label: str, text: str) -> list[Line]:
    """`label: text`; a text of several rows keeps its layout below its label."""
    name = Span(f"{label}:", Style.DIM)
    rows = block(text.strip("\n").rstrip(), indent="      ")
    if len(rows) > 1:
        return [line("    ", name), *rows]
    return [line("    ", name, f" {text.strip()}")]


def _objection(objection: Objection) -> str:
    how = f" ({objection.how})" if objection.how else ""
    reason = f": {objection.reason}" if objection.reason else ""
    return f"{objection.participant}{how}{reason}"


def _rules_before_title(entry: FindingEntry) -> str:
    """The codes as a linter writes them; a check that is named in words ends with a colon."""
    if not entry.rules:
        return " "
    in_words = any(" " in rule.code or not rule.code.isascii() for rule in entry.rules)
    return f" {entry.rule_codes}{':' if in_words else ''} "


def finding_line(entry: FindingEntry) -> Line:
    """`path:line: SEVERITY rule title (2/3, contested, weak) F1 [caveat]`"""
    finding = entry.finding
    states = ", ".join(state for state in (entry.support, *entry.states) if state)
    return line(
        Span(entry.where, Style.PLACE),
        ": ",
        Span(finding.severity.value, SEVERITY_STYLES[finding.severity]),
        _rules_before_title(entry),
        Span(entry.title_beside_rule, Style.STRONG),
        Span(f"{f' ({states})' if states else ''} {finding.id}{entry.caveat}", Style.DIM),
    )
