"""A document as Markdown. Everything that models or files wrote is escaped: no image, link or tag of theirs."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator.core.document import (
    Block,
    FindingEntry,
    FindingList,
    Grid,
    Heading,
    Item,
    Items,
    Patch,
    Remark,
    Span,
    Style,
    Title,
    Words,
    clean,
    drop_unseen,
)
from orchestrator.presentation.formats.markdown_text import (
    escape,
    fenced,
    inline,
    prose,
    uncalled,
)
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import titled_document


def render(report: RunReport, words: Translator) -> str:
    """The whole result under its title."""
    return as_markdown(titled_document(report, words))


def as_markdown(blocks: Sequence[Block]) -> str:
    """The document as Markdown in which nobody's text brings an image, a link or a tag."""
    parts = (_block(shown) for shown in blocks)
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


_BOLD = frozenset({Style.STRONG, Style.GOOD, Style.BAD, Style.WARNING})


def _block(shown: Block) -> str:
    match shown:
        case Title():
            return f"# {escape(shown.text)}\n\n*{inline(shown.note)}*"
        case Heading():
            note = f"\n\n*{inline(shown.note)}*" if shown.note else ""
            return f"## {inline(shown.text)}{note}"
        case Words():
            return prose(shown.text)
        case Items():
            return "\n".join(map(_item, shown.items))
        case Grid():
            return _table(shown.heads, shown.rows)
        case Remark():
            return "".join(map(_span, shown.parts)).strip()
        case FindingList():
            return _findings(shown)
        case Patch():
            return fenced(shown.text, "diff")


def _item(item: Item) -> str:
    label = f"**{inline(item.label)}:** " if item.label else ""
    note = f" *({inline(item.note)})*" if item.note else ""
    # Only at its beginning a text could become a list of its own.
    text = inline(item.text.strip()) if label else escape(item.text.strip())
    return f"- {label}{text}{note}"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    rule = f"| {' | '.join('---' for _ in heads)} |"
    return "\n".join([_row(heads), rule, *map(_row, rows)])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(inline, cells))} |"


def _span(span: Span) -> str:
    text = span.text.strip()
    if span.style in _BOLD and text and not text.startswith("⚠"):
        return span.text.replace(text, f"**{inline(text)}**")
    return escape(span.text) if text else span.text


def _findings(shown: FindingList) -> str:
    """A table of them, and below it what is to be unfolded."""
    rows = [
        (
            entry.finding.severity.value,
            entry.where,
            entry.finding.title,
            entry.support,
            ", ".join((entry.status, *entry.marks)),
            entry.finding.id,
        )
        for entry in shown.entries
    ]
    details = (_details(entry) for entry in shown.entries)
    return "\n\n".join((_table(shown.heads, rows), *(part for part in details if part)))


def _details(entry: FindingEntry) -> str:
    finding = entry.finding
    body = [_paragraphs(finding.detail)] if finding.detail else []
    if entry.caveat:
        body.append(escape(entry.caveat.strip()))
    if entry.suggestion:
        body.append(escape(entry.suggestion))
    if finding.quote:
        body.append(fenced(finding.quote))
    if not body:
        return ""
    summary = _html(f"{finding.id} {entry.where} {finding.title}")
    inner = "\n\n".join(body)
    return f"<details><summary>{summary}</summary>\n\n{inner}\n\n</details>"


def _paragraphs(text: str) -> str:
    paragraphs = drop_unseen(text).split("\n\n")
    return "\n\n".join(escape(paragraph) for paragraph in paragraphs if paragraph.strip())


def _html(text: str) -> str:
    return uncalled(clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
