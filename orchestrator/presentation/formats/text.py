"""A document as lines: for a terminal, a pipe, a file. Findings stand one a line, as editors and CI read them."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from orchestrator.core.document import (
    SEVERITY_STYLES,
    Block,
    FindingEntry,
    FindingList,
    Grid,
    Heading,
    Item,
    Items,
    Line,
    Patch,
    Remark,
    Span,
    Style,
    Title,
    Words,
    block,
    exact,
    line,
    plain,
)
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import document, question_document
from orchestrator.presentation.tables import table
from orchestrator.presentation.wrapping import folded

DEFAULT_MAX_FINDINGS = 3
"""F1 is highest there on recorded reviewers (docs/design/findings.md): a fourth and fifth are mostly wrong."""


def render(report: RunReport, words: Translator) -> str:
    """The whole result without styles, its lines as long as they are."""
    return plain(as_lines(document(report, words)))


def result_lines(
    report: RunReport,
    *,
    words: Translator,
    max_findings: int | None,
    brief: bool = False,
    width: int | None = None,
) -> list[Line]:
    """The result for a terminal; `max_findings` None shows everything, `brief` only what was asked for."""
    return as_lines(document(report, words, most_findings=max_findings, brief=brief), width)


def question_lines(report: RunReport, words: Translator, width: int | None = None) -> list[Line]:
    """What a person sees before deciding, beside the question itself."""
    return as_lines(question_document(report, words), width)


def as_lines(blocks: Sequence[Block], width: int | None = None) -> list[Line]:
    """The document as styled lines, wrapped between words to `width` cells except for findings and patches.

    A blank line stands before each heading but the first block.
    """
    lines: list[Line] = []
    for shown in blocks:
        if isinstance(shown, Heading) and lines and lines[-1] != line(""):
            lines.append(line(""))
        made = _lines(shown)
        whole = width is None or isinstance(shown, FindingList | Patch)
        lines += made if whole or width is None else folded(made, width)
    return lines


def _lines(shown: Block) -> list[Line]:
    match shown:
        case Title():
            return [line(Span(shown.text, Style.STRONG), Span(f"  {shown.note}", Style.DIM))]
        case Heading():
            return [_heading(shown)]
        case Words():
            return block(shown.text.strip("\n"), indent=shown.indent)
        case Items():
            return list(chain.from_iterable(map(_item_lines, shown.items)))
        case Grid():
            return [line("  ", *row) for row in table(shown.heads, shown.rows)]
        case Remark():
            return [shown.parts]
        case FindingList():
            return list(map(finding_line, shown.entries))
        case Patch():
            return exact(shown.text)


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


def finding_line(entry: FindingEntry) -> Line:
    """`path:line: SEVERITY rule title (2/3, contested, weak) F1 [caveat]`"""
    finding = entry.finding
    return line(
        Span(entry.where, Style.PLACE),
        ": ",
        Span(finding.severity.value, SEVERITY_STYLES[finding.severity]),
        f" {finding.rule} " if finding.rule else " ",
        Span(finding.title, Style.STRONG),
        Span(
            f" ({', '.join((entry.support, *entry.states))}) {finding.id}{entry.caveat}", Style.DIM
        ),
    )
