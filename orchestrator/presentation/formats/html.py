"""A document as one self-contained page: it loads nothing, runs nothing, and nobody's text in it is markup.

The page forbids itself every request and every script (its content security policy knows the hash of its one style).
A text with numbered lines stands beside the rest where there is room, and places in it are links.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import resources
from itertools import chain, takewhile

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
from orchestrator.core.lines import Style, clean, exact
from orchestrator.core.pictures import (
    AnnotatedText,
    Bars,
    Chronology,
    Columns,
    Lanes,
    Machine,
    Picture,
    Plots,
    VotesOverRounds,
)
from orchestrator.core.views.context import figures
from orchestrator.presentation.formats.html_bars import bars, columns
from orchestrator.presentation.formats.html_findings import FindingCards, annotated
from orchestrator.presentation.formats.html_lanes import lanes
from orchestrator.presentation.formats.html_machine import machine
from orchestrator.presentation.formats.html_pictures import chronology, plots
from orchestrator.presentation.formats.html_text import attribute, prose, shaped, span, text
from orchestrator.presentation.formats.html_votes import votes
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import titled_document

_FEWEST_CONTENTS = 4
"""A page of fewer parts needs no contents."""
_TOP = 2
"""The level of the parts' headings, below the page's title."""
_SHORT_CELL = 12
"""A cell of a date, a number or a word is not broken."""


@dataclass(frozen=True)
class BlockRenderers:
    """What a page may show its own way: findings (with what makes links of places), patches, and somebody's words."""

    findings: Callable[[FindingList, Callable[[str], str]], str]
    patch: Callable[[str], str]
    words: Callable[[str], str]


def render(report: RunReport, words: Translator) -> str:
    """The whole result as a page of its own."""
    began = f"{report.run.created_at:%Y-%m-%d %H:%M %Z}"  # a page may be printed and kept
    blocks = titled_document(report, words)
    dated = (
        replace(shown, note=figures(shown.note, began)) if isinstance(shown, Title) else shown
        for shown in blocks
    )
    return as_page(list(dated), words)


def as_page(blocks: Sequence[Block], words: Translator) -> str:
    """The document as an HTML page."""
    title = next((shown for shown in blocks if isinstance(shown, Title)), Title("Quorate"))
    main, aside = _body(blocks, words, _PLAIN)
    return "\n".join(
        (
            "<!doctype html>",
            f"<html{attribute('lang', words.language)}>",
            _head(clean(title.text)),
            f'<body><a class="skip" href="#content">{text(words.message("page_skip"))}</a>',
            f'<div class="sheet"><div class="{"page with-text" if aside else "page"}">{_title(title)}',
            f'<main id="content" tabindex="-1">{main}</main>{aside}',
            "</div></div></body></html>",
            "",
        )
    )


def fragment(
    blocks: Sequence[Block], words: Translator, renderers: BlockRenderers | None = None
) -> str:
    """The document without its title, as a part of another page that has our style (`page.css`)."""
    main, aside = _body(blocks, words, renderers or _PLAIN)
    return f'<div class="with-text"><div>{main}</div>{aside}</div>' if aside else main


def drawing(shown: Drawing, words: Translator) -> str:
    """A picture as a part of another page, with its table folded away below it."""
    table = _Page(words, frozenset(), frozenset()).table(shown.table)
    summary = f"<summary>{text(words.message('page_as_table'))}</summary>"
    picture = f'<div class="scroll" tabindex="0">{_drawn(shown.picture)}</div>'
    return f'{picture}<details class="as-table">{summary}{table}</details>'


def _body(blocks: Sequence[Block], words: Translator, renderers: BlockRenderers) -> tuple[str, str]:
    """What is read, and the texts beside it; empty where there are none."""
    texts = [shown for shown in blocks if isinstance(shown, AnnotatedText)]
    rest = [shown for shown in blocks if not isinstance(shown, Title | AnnotatedText)]
    page = _Page(words, frozenset(shown.path for shown in texts), _finding_ids(blocks), renderers)
    aside = f'<div class="beside">{"".join(map(annotated, texts))}</div>' if texts else ""
    return page.main(rest, texts), aside


def block_markup(
    blocks: Sequence[Block], words: Translator, renderers: BlockRenderers, *, level: int
) -> str:
    """The blocks as markup for a page that has a frame of its own; their headings are of that level."""
    paths = frozenset(shown.path for shown in blocks if isinstance(shown, AnnotatedText))
    page = _Page(words, paths, _finding_ids(blocks), renderers, level)
    return "".join(map(page.block, blocks))


def _finding_ids(blocks: Iterable[Block]) -> frozenset[str]:
    lists = [shown for shown in _flat(blocks) if isinstance(shown, FindingList)]
    return frozenset(entry.finding.id for shown in lists for entry in shown.entries)


def _flat(blocks: Iterable[Block]) -> Iterable[Block]:
    return chain.from_iterable(
        _flat(shown.blocks) if isinstance(shown, Folded) else (shown,) for shown in blocks
    )


def _head(name: str) -> str:
    style = _style()
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    return (
        '<head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        '<meta name="color-scheme" content="light dark"><meta name="referrer" content="no-referrer">'
        f"<title>{text(name)}</title><style>{style}</style></head>"
    )


@cache
def _style() -> str:
    return resources.files(__package__ or "").joinpath("page.css").read_text(encoding="utf-8")


def _title(shown: Title) -> str:
    return f'<header class="top"><h1>{text(shown.text)}</h1><p>{text(shown.note)}</p></header>'


def _finding_cards(shown: FindingList, placed: Callable[[str], str]) -> str:
    return FindingCards(shown, placed).render()


def _patch(patch: str) -> str:
    rows = "\n".join("".join(map(span, row)) for row in exact(patch))
    return f'<pre class="patch" tabindex="0"><code>{rows}</code></pre>'


_PLAIN = BlockRenderers(_finding_cards, _patch, prose)


@dataclass
class _Page:
    """Blocks become sections; `paths` are the texts on the page that places can lead to, `ids` the findings."""

    words: Translator
    paths: frozenset[str]
    ids: frozenset[str]
    renderers: BlockRenderers = _PLAIN
    level: int = _TOP
    parts: list[str] = field(default_factory=list)

    def main(self, blocks: Sequence[Block], texts: Sequence[AnnotatedText]) -> str:
        """The headline, the contents, and each heading with what follows it as a section."""
        headline = list(takewhile(lambda shown: isinstance(shown, Remark | Words), blocks))
        sections: list[list[str]] = [[]]
        for shown in blocks[len(headline) :]:
            if isinstance(shown, Heading | Folded) or _is_break(shown):
                sections.append([])
            sections[-1].append(self.block(shown))
        first, *rest = ("".join(parts) for parts in sections)
        lines = "".join(map(self.block, headline))
        return "".join(
            (
                f'<div class="headline">{lines}</div>' if lines else "",
                self._contents(texts),
                self._first(first),
                *(f"<section>{part}</section>" for part in rest),
            )
        )

    def _first(self, markup: str) -> str:
        """What stands before every heading: findings, whose heading is for those who hear the page."""
        if not markup or not self.ids:
            return markup
        return f'<h2 class="heard" id="findings">{text(self.words.message("page_findings"))}</h2>{markup}'

    def _contents(self, texts: Sequence[AnnotatedText]) -> str:
        """Where the parts are."""
        links = [f'<li><a href="#s{n}">{name}</a></li>' for n, name in enumerate(self.parts, 1)]
        links += [f'<li><a href="#{text(each.path)}">{text(each.name)}</a></li>' for each in texts]
        if len(links) < _FEWEST_CONTENTS:
            return ""
        name = self.words.message("page_contents")
        head = f"<nav{attribute('aria-label', name)}><details><summary>{text(name)}</summary>"
        return f"{head}<ul>{''.join(links)}</ul></details></nav>"

    def block(self, shown: Block) -> str:
        """One block as markup."""
        match shown:
            case Heading():
                return self._heading(shown)
            case Remark():
                return self._remark(shown)
            case FindingList():
                return self.renderers.findings(shown, self._placed)
            case Folded():
                return self._folded(shown)
            case Title() | Words() | Patch() | AnnotatedText():
                return self._own_text(shown)
            case Items() | Grid() | Drawing():
                return self._entries(shown)

    def _folded(self, shown: Folded) -> str:
        """A part that opens; its own headings are below its name, and not among the contents."""
        inner = replace(self, level=self.level + 1)
        summary = f"<summary>{self._heading(Heading(shown.name))}</summary>"
        return f"<details>{summary}{''.join(map(inner.block, shown.blocks))}</details>"

    def _entries(self, shown: Items | Grid | Drawing) -> str:
        match shown:
            case Items():
                return f"<ul>{''.join(map(self._item, shown.items))}</ul>"
            case Grid():
                return self.table(shown)
            case Drawing():
                drawing = _drawn(shown.picture)
                around = f'<div class="scroll" tabindex="0">{drawing}</div>' if drawing else ""
                return around + self.table(shown.table)

    def _heading(self, shown: Heading) -> str:
        name = shaped(shown.text)
        note = f" <small>{text(shown.note)}</small>" if shown.note else ""
        if self.level > _TOP:
            return f"<h{self.level}>{name}{note}</h{self.level}>"
        self.parts.append(text(shown.text))
        return f'<h{_TOP} id="s{len(self.parts)}">{name}{note}</h{_TOP}>'

    def _remark(self, shown: Remark) -> str:
        content = "".join(map(span, shown.parts)).strip()
        if not content:
            return ""
        warning = any(part.style in (Style.WARNING, Style.BAD) for part in shown.parts)
        kind = "remark warned" if warning else "remark inset" if _is_inset(shown) else "remark"
        return f'<p class="{kind}">{self._placed(content)}</p>'

    def _item(self, item: Item) -> str:
        label = f"<strong>{self._placed(text(item.label))}:</strong> " if item.label else ""
        note = f" <small>({self._placed(text(item.note))})</small>" if item.note else ""
        shown = item.text.strip()
        content = prose(shown) if "\n" in shown else self._placed(shaped(shown))
        styled = content if item.style is Style.PLAIN else _styled(item.style, content)
        return f"<li>{label}{styled}{note}</li>"

    def table(self, grid: Grid) -> str:
        """A table of which every cell is text."""
        heads = "".join(f'<th scope="col">{text(head)}</th>' for head in grid.heads)
        rows = "".join(f"<tr>{''.join(map(self._cell, row))}</tr>" for row in grid.rows)
        head = f"<thead><tr>{heads}</tr></thead>"
        return f'<div class="scroll" tabindex="0"><table>{head}<tbody>{rows}</tbody></table></div>'

    def _cell(self, content: str) -> str:
        kept = ' class="short"' if len(content) <= _SHORT_CELL else ""
        return f"<td{kept}>{self._placed(text(content))}</td>"

    def _own_text(self, shown: Title | Words | Patch | AnnotatedText) -> str:
        match shown:
            case Title():
                return _title(shown)
            case Words():
                return f'<div class="words">{self.renderers.words(shown.text)}</div>'
            case Patch():
                return self.renderers.patch(shown.text)
            case AnnotatedText():
                return annotated(shown)

    def _placed(self, markup: str) -> str:
        """Escaped text in which places on this page and the names of findings are links."""
        for path in self.paths:
            at = re.compile(rf"(?<![\w:/-]){re.escape(text(path))}:(\d{{1,7}})(?![\d:])")
            markup = at.sub(
                lambda place: f'<a class="place" href="#L{place[1]}">{place[0]}</a>', markup
            )
        if markup in self.ids:
            return f'<a href="#{markup}">{markup}</a>'
        return markup


def _drawn(picture: Picture) -> str:
    match picture:
        case Chronology():
            return chronology(picture)
        case Bars():
            return bars(picture)
        case Plots():
            return plots(picture)
        case Columns():
            return columns(picture)
        case Lanes():
            return lanes(picture)
        case Machine():
            return machine(picture)
        case VotesOverRounds():
            return votes(picture)


def _is_break(shown: Block) -> bool:
    """An empty line between parts."""
    return isinstance(shown, Remark) and not any(part.text.strip() for part in shown.parts)


def _is_inset(shown: Remark) -> bool:
    """Whether it belongs to what stands before it."""
    return shown.parts[0].text.startswith("    ")


def _styled(style: Style, content: str) -> str:
    return f'<span class="s-{style.value}">{content}</span>'
