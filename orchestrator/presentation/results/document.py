"""A result as a list of blocks. A workflow says once what there is to read; text and Markdown follow from it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from orchestrator.core.document import Line, Span, Style, block, line
from orchestrator.presentation.formats.markdown_text import escape, inline, prose
from orchestrator.presentation.tables import table


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
    """A table."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Remark:
    """One line of our own."""

    parts: Line


Block = Heading | Words | Items | Grid | Remark


def remark(*parts: str | Span) -> Remark:
    """A line of plain texts and spans."""
    return Remark(line(*parts))


def items(label: str, texts: Iterable[str]) -> tuple[Item, ...]:
    """An entry of the same label for each text."""
    return tuple(Item(text, label) for text in texts)


def as_lines(blocks: Sequence[Block]) -> list[Line]:
    """The document as styled lines; a blank line stands before each heading but the first block."""
    lines: list[Line] = []
    for one in blocks:
        match one:
            case Heading():
                if lines and lines[-1] != line(""):
                    lines.append(line(""))
                note = Span(f"  {one.note}", Style.DIM) if one.note else Span("")
                lines.append(line(Span("── ", Style.DIM), Span(one.text, Style.STRONG), note))
            case Words():
                lines += block(one.text.strip("\n"), indent=one.indent)
            case Items():
                lines += [entry for item in one.items for entry in _item_lines(item)]
            case Grid():
                lines += [line("  ", *row) for row in table(one.heads, one.rows)]
            case Remark():
                lines.append(one.parts)
    return lines


def _item_lines(item: Item) -> list[Line]:
    first, *rest = block(item.text.strip(), style=item.style)
    label = f"  {item.label}: " if item.label else "  - "
    note = [Span(f" ({item.note})", Style.DIM)] if item.note else []
    head = [*first, *note] if not rest else [*first]
    lines = [line(label, *head), *(line("    ", *one) for one in rest)]
    return [*lines[:-1], line(*lines[-1], *note)] if rest else lines


def as_markdown(blocks: Sequence[Block]) -> str:
    """The document as Markdown in which nobody's text brings an image, a link or a tag."""
    parts = (_markdown(one) for one in blocks)
    return "\n\n".join(part for part in parts if part.strip()) + "\n"


def _markdown(one: Block) -> str:
    match one:
        case Heading():
            return f"## {inline(one.text)}" + (f"\n\n*{inline(one.note)}*" if one.note else "")
        case Words():
            return prose(one.text)
        case Items():
            return "\n".join(_markdown_item(item) for item in one.items)
        case Grid():
            rows = [one.heads, tuple("---" for _ in one.heads), *one.rows]
            return "\n".join(_markdown_row(row, n == 1) for n, row in enumerate(rows))
        case Remark():
            return "".join(_markdown_span(span) for span in one.parts).strip()


def _markdown_item(item: Item) -> str:
    label = f"**{inline(item.label)}:** " if item.label else ""
    note = f" *({inline(item.note)})*" if item.note else ""
    # Only at its beginning a text could become a list of its own.
    text = inline(item.text.strip()) if label else escape(item.text.strip())
    return f"- {label}{text}{note}"


def _markdown_row(row: Sequence[str], rule: bool) -> str:
    return f"| {' | '.join(cell if rule else inline(cell) for cell in row)} |"


def _markdown_span(span: Span) -> str:
    text = span.text.strip()
    if span.style is Style.STRONG and text:
        return span.text.replace(text, f"**{inline(text)}**")
    return escape(span.text) if text else span.text
