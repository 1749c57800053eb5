"""A run's document (`core/document.py`) in the parts of a page: findings as cards, patches and words in colours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from orchestrator.core.document import (
    Block,
    FindingEntry,
    FindingList,
    Folded,
    Heading,
    Remark,
)
from orchestrator.core.pictures import AnnotatedText
from orchestrator.presentation.formats.html import BlockRenderers, block_markup
from orchestrator.presentation.formats.html_text import text as escaped
from orchestrator.presentation.locale.translator import Translator
from orchestrator.web.pages.markdown import prose
from orchestrator.web.pages.patch_view import PatchView
from orchestrator.web.pages.rendering import environment

_LEVEL = 3
"""Of headings within a part; the part's own is one above."""


@dataclass(frozen=True)
class DocumentPart:
    """A part of the document under its name (empty: before every heading); `folded`: few want it."""

    name: str
    note: str
    markup: Markup
    folded: bool = False


@dataclass
class _Group:
    name: str
    note: str
    blocks: list[Block] = field(default_factory=list)
    folded: bool = False


@dataclass(frozen=True)
class PickBoxes:
    """Findings as cards; those that an answer may pick have a box, which is part of the form of that id.

    `code` is the page at which places of findings are looked up, if there is one; `boxed` are those whose boxes were
    shown so far.
    """

    words: Translator
    selectable: tuple[str, ...] = ()
    picked: frozenset[str] | None = None
    form: str = ""
    code: str = ""
    boxed: set[str] = field(default_factory=set)

    @property
    def left(self) -> tuple[tuple[str, bool], ...]:
        """What can be picked and had no card, and whether it is picked."""
        return tuple(
            (name, self._is_on(name)) for name in self.selectable if name not in self.boxed
        )

    @property
    def renderers(self) -> BlockRenderers:
        """How blocks are shown beside these cards."""
        return BlockRenderers(self.cards, self.patch, prose_markup)

    def cards(self, shown: FindingList, placed: Callable[[str], str]) -> str:
        """The findings of a list; `placed` makes links of the places in escaped text."""
        entries = [(entry, self._state(entry)) for entry in shown.entries]

        def at(text: str) -> Markup:
            return Markup(placed(escaped(text)))  # noqa: S704 - escaped first

        return _macro(
            "findings.html", "cards", entries, shown, self.form, self.words.message, at, self.code
        )

    def patch(self, text: str) -> str:
        """A patch in one column and, where it is short enough, in two."""
        return _macro("patch.html", "patch", PatchView.of(text), self.words.message)

    def _state(self, entry: FindingEntry) -> str:
        """Whether it can be picked, and whether it is; its box is shown once."""
        name = entry.finding.id
        if name not in self.selectable or name in self.boxed:
            return ""
        self.boxed.add(name)
        return "on" if self._is_on(name) else "off"

    def _is_on(self, name: str) -> bool:
        return self.picked is None or name in self.picked


def _macro(template: str, name: str, *given: object) -> str:
    return str(getattr(environment().get_template(template).module, name)(*given))


def prose_markup(text: str) -> str:
    """Somebody's words, as `BlockRenderers` wants them."""
    return f'<div class="prose">{prose(text)}</div>'


def document_parts(
    blocks: Sequence[Block], words: Translator, boxes: PickBoxes
) -> tuple[DocumentPart, ...]:
    """Each heading with what follows it; what nobody put under one comes first."""
    groups = [_Group("", "")]
    for block in blocks:
        match block:
            case Heading():
                groups.append(_Group(block.text, block.note))
            case Folded():
                groups += [_Group(block.name, "", list(block.blocks), folded=True), _Group("", "")]
            case AnnotatedText():
                groups += [_Group("", "", [block]), _Group("", "")]
            case _:
                groups[-1].blocks.append(block)
    marked = ((each, document_markup(each.blocks, words, boxes)) for each in groups)
    return tuple(
        DocumentPart(each.name, each.note, markup, each.folded) for each, markup in marked if markup
    )


def document_markup(blocks: Sequence[Block], words: Translator, boxes: PickBoxes) -> Markup:
    """The blocks, to stand within `.document`; empty where they show nothing."""
    markup = block_markup(blocks, words, boxes.renderers, level=_LEVEL)
    return Markup(markup.strip())  # noqa: S704 - every text was escaped or sanitised


def headline_and_rest(blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """The remarks that every document begins with, and the document."""
    places = (n for n, block in enumerate(blocks) if not isinstance(block, Remark))
    first = next(places, len(blocks))
    return list(blocks[:first]), list(blocks[first:])
