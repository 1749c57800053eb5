"""Somebody's text inside our Markdown: nothing of it becomes an image, a link, a tag, a mention or an address.

`escape` shows a line verbatim. `prose` keeps what a participant's own Markdown is for (paragraphs, lists, code),
because an answer with a program in it is to be read as one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from orchestrator.core.lines import clean, drop_unseen
from shared.models.letters import spelled_out
from shared.patterns import regex

# What makes emphasis, code, links, images, tags, headings, tables, mentions and addresses.
_SPECIAL = regex(r"([\\`*_{}\[\]<>#!|~&@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
_LEADING = regex(r"^(\s*)([-+=]|\d+[.)](?=\s|$))")
# The same without what only shapes a text.
_LINKING = regex(r"([\\\[\]<>#!~&@]|:(?=//)|(?<=www)\.)", re.IGNORECASE)
# Hosts look for `@name`, `#12`, `GH-12` and `!12` in the page that came of it, where no backslash is left: GitHub calls
# the person. A blank without a width between the two is seen by the host and by nobody else.
_CALLING = regex(r"(?<=[@#])(?=\w)|(?<=\bGH-)(?=\d)|(?<=!)(?=\d)", re.IGNORECASE)
_APART = "&#8203;"
# What closes a formula. One that a digit follows closes none, so the amounts of our own figures stay as they are.
_FORMULA = regex(r"\$(?!\d)")
_FENCE = regex(r"^(\s*)(`{3,}|~{3,})([^`~]*)$")
_ITEM = regex(r"^\s*(?:[-*+]|\d+[.)])\s")
_SENTENCE = regex(r"\w[.!?]\s*$")
_QUOTE = regex(r"^( {0,3}(?:> ?)+)(.*)$", re.DOTALL)
_TITLE = regex(r"^( {0,3})(#{1,6})(?=\s|$)")
_UNDERLINE = regex(r"^\s*(=+|-+)\s*$")
_TICKS = regex(r"`+")
_UNSAFE = regex(r"[^\w.~:/?#@!$&'*+,;=%-]", re.ASCII)
# Hosts draw diagrams and maps of other kinds, and offer a `suggestion` to be committed as it stands.
_LANGUAGES = frozenset(
    """
    bash c c++ console cpp cs csharp css csv diff dockerfile elixir erlang go graphql groovy haskell hcl html http ini
    java javascript js json jsonc jsx julia kotlin kt less lua make makefile markdown md nix objc ocaml patch perl php
    plaintext powershell proto protobuf py python r rb rs ruby rust sass scala scss sh shell sql svelte swift terraform
    tex text toml ts tsx txt typescript vue xml yaml yml zig zsh
    """.split()
)


def escape(text: str) -> str:
    """One line of somebody's text as Markdown that shows exactly that text."""
    escaped = inline(text)
    return _LEADING.sub(lambda lead: f"{lead[1]}{lead[2][:-1]}\\{lead[2][-1]}", escaped)


def inline(text: str) -> str:
    """The same within a line, where nothing can begin a list."""
    return uncalled(_SPECIAL.sub(r"\\\1", clean(text)))


def uncalled(markup: str) -> str:
    """Finished Markdown or HTML in which `@name` calls nobody, `#12` leads nowhere and `$x$` is no formula."""
    return _FORMULA.sub("<span>$</span>", _CALLING.sub(_APART, markup))


def html(text: str) -> str:
    """One line of somebody's text between tags of ours."""
    return uncalled(clean(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def code(text: str) -> str:
    """One line of somebody's text as code, also in a table."""
    shown = _SPECIAL.sub(_as_reference, clean(text)).replace("$", "&#36;")
    return f"<code>{shown}</code>"


def _as_reference(special: re.Match[str]) -> str:
    """The sign as its number. In code nobody is called, but `name@host.org` would become an address."""
    after = special.string[special.end() :]
    apart = _APART if special[0] == "@" and after and not after[0].isspace() else ""
    return f"&#{ord(special[0])};{apart}"


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
    indent, kind = opening[1], opening[3].strip().lower()
    text = "\n".join(row.removeprefix(indent) for row in lines)
    return fenced(text, kind if kind in _LANGUAGES else "")


def looks_like_code(text: str) -> bool:
    """Whether rows of code stand there without a fence: indented ones, or several that are no sentences or lists."""
    rows = text.strip("\n").split("\n")
    if len(rows) < 2 or any(_FENCE.match(row) or _ITEM.match(row) for row in rows):
        return False
    indented = any(row[:1] in (" ", "\t") and row.strip() for row in rows[1:])
    return indented or not any(not row.strip() or _SENTENCE.search(row) for row in rows)


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


def with_code(text: str, outside: Callable[[str], str] = inline) -> str:
    """One line of somebody's text with its code as code; all else verbatim, its beginning as `outside` has it."""
    out: list[str] = []
    for piece, is_code in _pieces(clean(text)):
        if is_code:
            out.append(code(piece.strip("`")))
        elif piece:
            out.append(inline(piece) if out else outside(piece))
    return "".join(out)


def html_with_code(text: str) -> str:
    """The same between tags of ours."""
    return "".join(
        code(piece.strip("`")) if is_code else html(piece)
        for piece, is_code in _pieces(clean(text))
    )


def _spans(text: str) -> str:
    """Code spans that end on the line stay, other backticks are shown; everything else is kept from linking."""
    return "".join(
        piece if is_code else _kept(piece).replace("`", "\\`") for piece, is_code in _pieces(text)
    )


def _pieces(text: str) -> Iterator[tuple[str, bool]]:
    """The text in pieces, and which of them are code spans; backticks that nothing closes are none."""
    runs = list(_TICKS.finditer(text))
    closers = _closers(runs)
    at = 0
    for number, opened in enumerate(runs):
        closed = closers[number]
        if opened.start() >= at and closed is not None:
            yield text[at : opened.start()], False
            yield text[opened.start() : closed.end()], True
            at = closed.end()
    yield text[at:], False


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
