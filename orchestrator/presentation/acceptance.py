"""What people accepted of each participant's findings, as a document."""

from __future__ import annotations

from collections.abc import Iterator

from orchestrator.core.document import Block, Grid, Heading, Title, remark
from orchestrator.core.lines import Span, Style
from orchestrator.evaluation.acceptance import (
    FEWEST_DECISIONS,
    FEWEST_FINDINGS,
    AcceptanceHistory,
    AcceptedShare,
    ParticipantHistory,
)
from orchestrator.presentation.locale.translator import Translator

NOTHING = "-"


def history_document(history: AcceptanceHistory, words: Translator) -> list[Block]:
    """Everybody's record, in all and by kind."""
    title = Title(words.message("history_title"), words.message("history_scope"))
    if history.total is None:
        return [title, remark(Span(words.message("history_none"), Style.DIM))]
    enough = words.message("history_enough", findings=FEWEST_FINDINGS, decisions=FEWEST_DECISIONS)
    return [
        title,
        *_people(history, words),
        *_kinds(history, words),
        remark(Span(enough, Style.DIM)),
    ]


def _people(history: AcceptanceHistory, words: Translator) -> Iterator[Block]:
    assert history.total is not None
    everybody = (
        words.message("history_everybody"),
        NOTHING,
        NOTHING,
        *_share(history.total),
        NOTHING,
    )
    names = ("participant", "model", "decisions", "offered", "accepted", "share", "weight")
    yield Grid(
        _heads(names, words),
        (
            *(
                (
                    row.name,
                    row.model or row.provider,
                    f"{row.decisions:,}",
                    *_share(row.total),
                    words.message("history_too_few") if row.weight is None else f"{row.weight:.2f}",
                )
                for row in history.participants
            ),
            everybody,
        ),
    )


def _kinds(history: AcceptanceHistory, words: Translator) -> Iterator[Block]:
    for kind in ("severity", "category"):
        rows = [
            (row.name, row.model or row.provider, name, *_share(share))
            for row in history.participants
            for name, share in _by(row, kind).items()
        ]
        yield Heading(words.message(f"history_by_{kind}"))
        names = ("participant", "model", kind, "offered", "accepted", "share")
        yield Grid(_heads(names, words), tuple(rows))


def _by(row: ParticipantHistory, kind: str) -> dict[str, AcceptedShare]:
    return row.by_severity if kind == "severity" else row.by_category


def _share(share: AcceptedShare) -> tuple[str, str, str]:
    interval = f"{share.share:.2f} ({share.low:.2f} - {share.high:.2f})"
    return f"{share.offered:,}", f"{share.accepted:,}", interval


def _heads(names: tuple[str, ...], words: Translator) -> tuple[str, ...]:
    return tuple(words.message(f"history_{name}") for name in names)
