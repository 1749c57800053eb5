"""Somebody's text inside our Markdown: nothing of it becomes an image, a link, a tag, a mention or an address.

`escape` shows a line verbatim. `prose` keeps what a participant's own Markdown is for (paragraphs, lists, code),
because an answer with a program in it is to be read as one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from orchestrator.core.document import clean, drop_unseen
from shared.models.letters import spelled_out
from shared.patterns import regex

# What makes emphasis, code, links, images, tags, headings, tables, mentions and addresses.
_SPECIAL = regex(r"([\\`*_{}\[\]<>#!|~&@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
_LEADING = regex(r"^(\s*)([-+=]|\d+[.)](?=\s|$))")
# The same without what only shapes a text.
_LINKING = regex(r"([\\\[\]<>#!~&@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
# Hosts look for `@name` and `#12` in the page that came of it, where no backslash is left: GitHub calls the person.
# A blank without a width between the two is seen by the host and by nobody else.
_CALLING = regex(r"(?<=[@#])(?=\w)")
_APART = "&#8203;"
_FENCE = regex(r"^(\s*)(`{3,}|~{3,})([^`~]*)$")
_QUOTE = regex(r"^( {0,3}(?:> ?)+)(.*)$", re.DOTALL)
_TITLE = regex(r"^( {0,3})(#{1,6})(?=\s|$)")
_UNDERLINE = regex(r"^\s*(=+|-+)\s*$")
_TICKS = regex(r"`+")
_UNSAFE = regex(r"[^\w.~:/?#@!$&'*+,;=%-]", re.ASCII)
_KIND = regex(r"[\w+#.-]{0,24}")


def escape(text: str) -> str:
    """One line of somebody's text as Markdown that shows exactly that text."""
    escaped = inline(text)
    return _LEADING.sub(lambda lead: f"{lead[1]}{lead[2][:-1]}\\{lead[2][-1]}", escaped)


def inline(text: str) -> str:
    """The same within a line, where nothing can begin a list."""
    return uncalled(_SPECIAL.sub(r"\\\1", clean(text)))


def uncalled(markup: str) -> str:
    """Finished Markdown or HTML in which `@name` calls nobody and `#12` leads nowhere."""
    return _CALLING.sub(_APART, markup)


def html(text: str) -> str:
    """One line of somebody's text between tags of ours."""
    return uncalled(clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def code(text: str) -> str:
    """One line of somebody's text as code, also in a table."""
    shown = clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return f"<code>{uncalled(_SPECIAL.sub(_as_reference, shown))}</code>"


def _as_reference(special: re.Match[str]) -> str:
    sign = special[0]
    return sign if sign in "&#;<>" else f"&#{ord(sign)};"


def linked(text: str, address: str) -> str:
    """A link of ours: to an address that we made, or that one of our analysers names."""
    safe = _UNSAFE.sub(lambda sign: f"%{ord(sign[0]):02X}", address)
    return f"[{code(text)}]({safe})"


def fenced(text: str, kind: str = "") -> str:
    """A block of code that its content cannot close."""
    return fenced_rows(spelled_out(text).rstrip().split("\n"), kind)


def fenced_rows(rows: Sequence[str], kind: str = "") -> str:
    """The same of rows in which everything can be seen."""
    text = "\n".join(rows)
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{kind}\n{text}\n{fence}"


def prose(text: str) -> str:
    """A text of several lines with its own paragraphs, lists, emphasis and code; its headings stand below ours.

    Code blocks are rewritten at the margin, so that we and any renderer agree on where they end.
    """
    done: list[str] = []
    code: list[str] | None = None
    opening: re.Match[str] | None = None
    for row in drop_unseen(text).strip("\n").split("\n"):
        if code is None:
            opening = _FENCE.match(row)
            if opening is None:
                done.append(_line(row))
            else:
                code = []
        elif opening is not None and _closes(row, opening[2]):
            done.append(_code(code, opening))
            code = None
        else:
            code.append(row)
    if code is not None and opening is not None:
        done.append(_code(code, opening))
    return "\n".join(done)


def _closes(row: str, mark: str) -> bool:
    stripped = row.strip()
    return len(stripped) >= len(mark) and set(stripped) == {mark[0]}


def _code(lines: list[str], opening: re.Match[str]) -> str:
    indent, kind = opening[1], _KIND.match(opening[3].strip())
    text = "\n".join(row.removeprefix(indent) for row in lines)
    return fenced(text, kind[0] if kind else "")


def _line(row: str) -> str:
    """A line outside of code blocks. Every line is closed in itself: no code span reaches into the next."""
    quote = _QUOTE.match(row)
    if quote is not None:
        return quote[1] + _line(quote[2])
    title = _TITLE.match(row)
    if title is not None:
        level = "#" * min(len(title[2]) + 2, 6)
        return f"{title[1]}{level}{_spans(row[title.end() :])}"
    return f"\\{row.strip()}" if _UNDERLINE.match(row) else _spans(row)


def _spans(text: str) -> str:
    """Code spans that end on the line stay, other backticks are shown; everything else is kept from linking."""
    runs = list(_TICKS.finditer(text))
    closers = _closers(runs)
    out: list[str] = []
    at = 0
    for number, opened in enumerate(runs):
        if opened.start() < at:
            continue
        out.append(_kept(text[at : opened.start()]))
        closed = closers[number]
        at = opened.end() if closed is None else closed.end()
        out.append("\\`" * len(opened[0]) if closed is None else text[opened.start() : at])
    out.append(_kept(text[at:]))
    return "".join(out)


def _kept(text: str) -> str:
    """Emphasis stays, nothing links."""
    return uncalled(_LINKING.sub(r"\\\1", text))


def _closers(runs: list[re.Match[str]]) -> list[re.Match[str] | None]:
    """For each run of backticks the next one of its length."""
    seen: dict[int, re.Match[str]] = {}
    closers: list[re.Match[str] | None] = []
    for run in reversed(runs):
        closers.append(seen.get(len(run[0])))
        seen[len(run[0])] = run
    return closers[::-1]
