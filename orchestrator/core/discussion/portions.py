"""How much of a large change a participant reads at once: all of it, one portion after another, or what is contested.

The first critique of a change that is larger than what its critic can hold is several turns, a portion each, and
together they have read all of it. Later turns are about known findings: of a large change they are shown the pieces
where those stand. Small changes are always shown whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from shared.models.findings import Finding
from shared.models.panel import Participant
from shared.models.subject import DiffPiece, Subject

INSTRUCTIONS_TOKENS = 4_000
"""Kept free for instructions, findings and the form of the answer."""
PORTION_TOKENS = 60_000
"""The most that a participant is shown at once, however much it could take: models overlook things in long texts."""
WHOLE_TOKENS = 12_000
"""A change up to that size is shown whole in every turn: what stays the same is cheap to send again."""

Portion = tuple[DiffPiece, ...]


@dataclass(frozen=True)
class Excerpt:
    """The pieces that a turn is shown, and how many more the findings stand in that did not fit."""

    pieces: Portion
    omitted: int = 0


def room(participant: Participant) -> int:
    """How many tokens of a subject can be shown at once to the participant, and to its fallbacks."""
    rooms = [_own_room(reader) for reader in (participant, *participant.fallback)]
    return max(min(rooms), 0)


def _own_room(participant: Participant) -> int:
    if participant.context_tokens is None:
        return PORTION_TOKENS
    free = participant.context_tokens - participant.max_output_tokens - INSTRUCTIONS_TOKENS
    return min(free, PORTION_TOKENS)


def size(subject: Subject) -> int:
    """Tokens of the whole diff; 0 for a change that is too small to have been cut up."""
    return sum(piece.tokens for piece in subject.pieces)


def portions(subject: Subject, participant: Participant) -> tuple[Portion, ...]:
    """What the participant reads turn by turn; nothing where it is shown the whole diff at once.

    A piece that is larger than its room, perhaps one long line, is in no portion: the file stays unread.
    """
    space = room(participant)
    if holds_whole(subject, participant):
        return ()
    packed: list[list[DiffPiece]] = []
    left = 0
    for piece in subject.pieces:
        if piece.tokens > space:
            continue
        if not packed or piece.tokens > left:
            packed.append([])
            left = space
        packed[-1].append(piece)
        left -= piece.tokens
    return tuple(map(tuple, packed))


def holds_whole(subject: Subject, participant: Participant) -> bool:
    """True when the participant can be shown the whole diff at once."""
    return not _is_cut_for(participant) or size(subject) <= room(participant)


def files_in(subject: Subject, pieces: Iterable[DiffPiece]) -> frozenset[str]:
    """The files that these pieces show whole."""
    shown = set(pieces)
    return frozenset(piece.path for piece in subject.pieces) - {
        piece.path for piece in subject.pieces if piece not in shown
    }


def excerpt(
    subject: Subject, participant: Participant, findings: Iterable[Finding], share: float = 1.0
) -> Excerpt | None:
    """Where the findings stand, in the order of the diff; None where the whole diff is shown.

    What does not fit is left out from the end of `findings` on. Without any place it is as much of the diff as fits.
    With a `share` the rest of the participant's room is left for something else.
    """
    space = int(room(participant) * share)
    if not _is_cut_for(participant) or size(subject) <= min(WHOLE_TOKENS, space):
        return None
    wanted = _wanted(subject.pieces, findings) or range(len(subject.pieces))
    left = space
    taken = []
    for index in wanted:
        if subject.pieces[index].tokens <= left:
            taken.append(index)
            left -= subject.pieces[index].tokens
    chosen = tuple(subject.pieces[index] for index in sorted(taken))
    return Excerpt(chosen, len(wanted) - len(chosen))


def _wanted(pieces: Sequence[DiffPiece], findings: Iterable[Finding]) -> Sequence[int]:
    wanted: dict[int, None] = {}
    for finding in findings:
        place = finding.place
        if place is None:
            continue
        inside = [
            index
            for index, piece in enumerate(pieces)
            if piece.path == place.path
            and (piece.lines is None or piece.lines.first <= place.line <= piece.lines.last)
        ]
        near = [index for index, piece in enumerate(pieces) if piece.path == place.path]
        wanted.update(dict.fromkeys(inside or near))
    return tuple(wanted)


def _is_cut_for(participant: Participant) -> bool:
    """People leaf through a change themselves, and what computes reads files."""
    return participant.is_model
