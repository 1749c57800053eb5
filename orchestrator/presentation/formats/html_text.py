"""Somebody's text inside our page: whatever it was, nothing of it is markup."""

from __future__ import annotations

import re
from html import escape

from orchestrator.core.lines import Span, Style, clean, drop_unseen
from shared.patterns import regex

_FENCE = regex(r"^\s*(`{3,}|~{3,})[^`~]*$")
_ITEM = regex(r"^\s{0,3}(?:[-*+]|\d{1,3}[.)])\s+(?=\S)")
_TITLE = regex(r"^\s{0,3}#{1,6}\s+")
_SHAPED = regex(r"`([^`\n]{1,2000})`|\*\*([^*\n]{1,2000})\*\*")


def text(content: str) -> str:
    """One line of text, also within an attribute."""
    return escape(clean(content), quote=True)


def attribute(name: str, value: str) -> str:
    """An attribute of ours, with whatever value."""
    return f' {name}="{text(value)}"'


def span(shown: Span) -> str:
    """A styled piece of a line."""
    if shown.style is Style.PLAIN:
        return text(shown.text)
    kind = "code" if shown.style is Style.COMMAND else "span"
    return f'<{kind} class="s-{shown.style.value}">{text(shown.text)}</{kind}>'


def prose(content: str) -> str:
    """A text of several lines: its paragraphs, lists, code and strong words; links and everything else as written."""
    parts: list[str] = []
    rows: list[str] = []
    fence: str | None = None
    for row in drop_unseen(content).strip("\n").split("\n"):
        opening = _FENCE.match(row)
        if fence is None and opening is None:
            rows.append(row)
        elif fence is None and opening is not None:
            parts += _paragraphs(rows)
            rows, fence = [], opening[1]
        elif fence is not None and row.strip() and set(row.strip()) == {fence[0]}:
            parts.append(preformatted("\n".join(rows)))
            rows, fence = [], None
        else:
            rows.append(row)
    parts += _paragraphs(rows) if fence is None else [preformatted("\n".join(rows))]
    return "".join(parts)


def preformatted(content: str) -> str:
    """A text whose layout means something."""
    return f'<pre tabindex="0"><code>{escape(drop_unseen(content))}</code></pre>'


def _paragraphs(rows: list[str]) -> list[str]:
    parts: list[str] = []
    group: list[str] = []
    for row in [*rows, ""]:
        listed = bool(_ITEM.match(row))
        if group and (not row.strip() or listed != bool(_ITEM.match(group[0]))):
            parts.append(_group(group))
            group = []
        if row.strip():
            group.append(row)
    return parts


def _group(rows: list[str]) -> str:
    if _ITEM.match(rows[0]):
        entries = "".join(f"<li>{shaped(_ITEM.sub('', row))}</li>" for row in rows)
        return f"<ul>{entries}</ul>"
    return f"<p>{'<br>'.join(shaped(_TITLE.sub('', row)) for row in rows)}</p>"


def shaped(row: str) -> str:
    """Code and strong words. What is escaped first holds neither backticks nor asterisks that were not there."""
    return _SHAPED.sub(_shape, text(row))


def _shape(match: re.Match[str]) -> str:
    return f"<strong>{match[2]}</strong>" if match[1] is None else f"<code>{match[1]}</code>"
