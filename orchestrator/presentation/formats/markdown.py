"""A document as Markdown. Everything that models or files wrote is escaped: no image, link or tag of theirs.

A review is written for a pull request: what was found and who read it on top, figures folded away, and never more than
a host takes in a comment.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from orchestrator.core.document import (
    Block,
    Drawing,
    FindingList,
    Folded,
    Grid,
    Heading,
    Item,
    Items,
    Patch,
    Remark,
    Title,
    Words,
)
from orchestrator.core.lines import Span, Style, clean, patch_rows
from orchestrator.core.pictures import AnnotatedLine, AnnotatedText
from orchestrator.presentation.formats.markdown_findings import Link, findings
from orchestrator.presentation.formats.markdown_text import (
    code,
    escape,
    fenced_rows,
    html,
    inline,
    prose,
    with_code,
)
from orchestrator.presentation.formats.posting import MOST_CHARACTERS, Size, posted
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.posted_document import posted_document
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import titled_document


def render(report: RunReport, words: Translator) -> str:
    """The whole result under its title; a review as a comment on it."""
    if not report.is_of_change:
        return as_markdown(titled_document(report, words))
    return as_comment(report, words)


def as_comment(
    report: RunReport,
    words: Translator,
    most: int = MOST_CHARACTERS,
    size: Size = len,
    *,
    for_others: bool = False,
) -> str:
    """The result as it is posted, as much of it as a host takes.

    `for_others`: whoever reads the request has no access to the run, so commands that need it are left out.
    """
    place = report.published
    link = (lambda _: None) if place is None else place.link
    of_change = report.is_of_change
    blocks = posted_document(report, words) if of_change else titled_document(report, words)
    if for_others:
        blocks = [shown for shown in blocks if not _needs_the_run(shown)]
    written = partial(as_markdown, link=link, level=2)
    return posted(blocks, written, report.run.id, words, most, size)


def _needs_the_run(shown: Block) -> bool:
    """Whether all that it says is a command of Quorate."""
    return isinstance(shown, Remark) and any(
        part.style is Style.COMMAND and part.text.startswith("quorate ") for part in shown.parts
    )


def as_markdown(blocks: Sequence[Block], link: Link = lambda _: None, level: int = 1) -> str:
    """The document as Markdown in which nobody's text brings an image, a link or a tag.

    `link` gives the address of a place, where it has one; `level` is that of the title.
    """
    parts = (_block(shown, link, level) for shown in blocks)
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


_BOLD = frozenset({Style.STRONG, Style.GOOD, Style.BAD, Style.WARNING})


def _block(shown: Block, link: Link, level: int) -> str:
    match shown:
        case Title():
            return f"{'#' * level} {escape(shown.text)}\n\n*{inline(shown.note)}*"
        case Heading():
            note = f"\n\n*{inline(shown.note)}*" if shown.note else ""
            return f"{'#' * (level + 1)} {inline(shown.text)}{note}"
        case Words() | Items() | Grid() | Drawing() | AnnotatedText():
            return _text(shown)
        case Remark():
            return "".join(map(_span, shown.parts)).strip()
        case FindingList():
            return findings(shown, link)
        case Patch():
            return fenced_rows(patch_rows(shown.text), "diff")
        case Folded():
            return _folded(shown, link, level)


def _text(shown: Words | Items | Grid | Drawing | AnnotatedText) -> str:
    match shown:
        case Words():
            return prose(shown.text)
        case Items():
            return "\n".join(map(_item, shown.items))
        case Grid():
            return table(shown.heads, shown.rows)
        case Drawing():
            return _text(shown.table)
        case AnnotatedText():
            return _numbered(shown)


def _numbered(shown: AnnotatedText) -> str:
    """The text as code, with the numbers of its lines and what is said about each."""
    rows = [f"{row.number:>5}  {clean(row.text)}{_labels(row)}" for row in shown.lines()]
    head = f"<details><summary>{html(shown.name)}</summary>"
    return f"{head}\n\n{fenced_rows(rows)}\n\n</details>"


def _labels(row: AnnotatedLine) -> str:
    return f"  [{', '.join(row.labels)}]" if row.labels else ""


def _folded(shown: Folded, link: Link, level: int) -> str:
    inner = as_markdown(shown.blocks, link, level).strip()
    return f"<details><summary>{html(shown.name)}</summary>\n\n{inner}\n\n</details>"


def _item(item: Item) -> str:
    label = f"**{inline(item.label)}:** " if item.label else ""
    note = f" *({inline(item.note)})*" if item.note else ""
    # Only at its beginning a text could become a list of its own.
    text = with_code(item.text.strip(), outside=inline if label else escape)
    return f"- {label}{text}{note}"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """A table of texts."""
    rule = f"| {' | '.join('---' for _ in heads)} |"
    return "\n".join([_row(heads), rule, *map(_row, rows)])


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(inline, cells))} |"


def _span(span: Span) -> str:
    text = span.text.strip()
    if span.style is Style.COMMAND:
        return code(text) if "`" in text else f"`{text}`"
    if span.style in _BOLD and text and not text.startswith("⚠"):
        return span.text.replace(text, f"**{inline(text)}**")
    return escape(span.text) if text else span.text
