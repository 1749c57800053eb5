"""A comment that a host accepts: what fills most and says least is left out first, and what is left out is said."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from orchestrator.core.document import (
    Block,
    FindingEntry,
    FindingList,
    Folded,
    Patch,
    Words,
    remark,
)
from orchestrator.core.views.context import shortened
from orchestrator.presentation.locale.translator import Translator

MOST_CHARACTERS = 65_000
"""GitHub takes 65,536 in a comment, and a workflow that posts it adds its own marks."""
_SHORT = 300

Written = Callable[[Sequence[Block]], str]
Size = Callable[[str], int]


def posted(
    blocks: Sequence[Block],
    write: Written,
    run: str,
    words: Translator,
    most: int = MOST_CHARACTERS,
    size: Size = len,
) -> str:
    """The document as `write` writes it, as much of it as a comment takes: `most`, as the host measures `size`."""
    text = write(blocks)
    if size(text) <= most:
        return text
    left_out = remark(words.message("left_out_of_comment", run=run))
    for shorter in _shorter(blocks):
        text = write([*shorter, left_out])
        if size(text) <= most:
            break
    return text


def _shorter(blocks: Sequence[Block]) -> Iterator[Sequence[Block]]:
    """The document without its figures, then without the patch, then with less and less of the findings."""
    rest: list[Block] = [shown for shown in blocks if not isinstance(shown, Folded)]
    yield rest
    rest = [shown for shown in rest if not isinstance(shown, Patch)]
    yield rest
    rest = [_briefly(shown) for shown in rest]
    yield rest
    most = max((len(b.entries) for b in rest if isinstance(b, FindingList)), default=0)
    while most:
        most //= 2
        yield [_first(shown, most) for shown in rest]
    yield []


def _briefly(shown: Block) -> Block:
    match shown:
        case Words():
            return replace(shown, text=shortened(shown.text, 10 * _SHORT))
        case FindingList():
            return replace(shown, entries=tuple(map(_brief_entry, shown.entries)))
        case _:
            return shown


def _brief_entry(entry: FindingEntry) -> FindingEntry:
    objections = tuple(
        replace(objection, reason=shortened(objection.reason, _SHORT))
        for objection in entry.objections
    )
    return replace(
        entry,
        finding=entry.finding.model_copy(update={"quote": None}),
        why=shortened(entry.why, _SHORT),
        suggestion=shortened(entry.suggestion, _SHORT),
        objections=objections,
        patch="",
    )


def _first(shown: Block, most: int) -> Block:
    return replace(shown, entries=shown.entries[:most]) if isinstance(shown, FindingList) else shown
