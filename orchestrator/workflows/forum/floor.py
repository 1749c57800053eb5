"""Who gets the floor: the orchestrator's wish where it is fair, a rule where it is not. Pure tables and counts.

The rule among those who may speak: who had the floor least, then who has asked longest, then the panel's order. Whoever
asked `patience` rounds in a row in vain is chosen before anybody else, the longest waiting first; so of n participants
nobody asks more than patience + n - 1 rounds in a row in vain.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum

from orchestrator.workflows.forum.result import BY_RULE, FloorRound, RecordedBid

NEAR_ENOUGH = 0.75
SHORTEST_BEGINNING = 3


@dataclass(frozen=True)
class FloorStanding:
    """A participant before the floor is given.

    `waiting`: rounds in a row that it has asked in, this one included, without being chosen; `floors`: how often it had
    the floor; `last`: it had it last.
    """

    name: str
    asks: bool
    reason: str
    waiting: int
    floors: int
    last: bool


class Why(StrEnum):
    """Why the chosen speaker was chosen."""

    WISHED = "wished"
    NEAREST_NAME = "nearest_name"
    CALLED_ON = "called_on"
    WAITED_TOO_LONG = "waited_too_long"
    UNKNOWN_NAME = "unknown_name"
    DID_NOT_ASK = "did_not_ask"
    TWICE_IN_A_ROW = "twice_in_a_row"
    TOO_EARLY_TO_END = "too_early_to_end"
    NO_SELECTION = "no_selection"


BY_ORCHESTRATOR = frozenset({Why.WISHED, Why.NEAREST_NAME, Why.CALLED_ON})


@dataclass(frozen=True)
class FloorChoice:
    """Who speaks and why; `wished` and `reason` are the orchestrator's own words."""

    speaker: str
    why: Why
    wished: str | None = None
    reason: str = ""

    @property
    def by(self) -> str:
        """Who decided: the orchestrator or the rule."""
        return "orchestrator" if self.why in BY_ORCHESTRATOR else BY_RULE


def standings(
    names: Sequence[str], past: Sequence[FloorRound], bids: Sequence[RecordedBid]
) -> tuple[FloorStanding, ...]:
    """Everybody's standing, in the panel's order, after the rounds so far and the bids for this one.

    A round in which a participant's answer is missing neither counts as asked nor ends its waiting.
    """
    waiting = dict.fromkeys(names, 0)
    for earlier in past:
        _wait(waiting, earlier.bids)
        if earlier.selected is not None:
            waiting[earlier.selected] = 0
    _wait(waiting, bids)
    floors = [earlier.selected for earlier in past if earlier.selected is not None]
    own = {bid.participant: bid for bid in bids}
    return tuple(
        FloorStanding(
            name=name,
            asks=own[name].asks,
            reason=own[name].reason,
            waiting=waiting[name],
            floors=floors.count(name),
            last=floors[-1:] == [name],
        )
        for name in names
    )


def _wait(waiting: dict[str, int], bids: Sequence[RecordedBid]) -> None:
    for bid in bids:
        if bid.asks:
            waiting[bid.participant] += 1
        elif bid.missing is None:
            waiting[bid.participant] = 0


def eligible(everybody: Sequence[FloorStanding]) -> tuple[FloorStanding, ...]:
    """Those who may be given the floor: all who ask, not the last speaker while others ask; anybody if nobody asks."""
    asking = [standing for standing in everybody if standing.asks] or list(everybody)
    others = [standing for standing in asking if not standing.last]
    return tuple(others or asking)


def due(everybody: Sequence[FloorStanding], patience: int) -> tuple[FloorStanding, ...]:
    """Those who must be chosen now, the longest waiting first."""
    starving = [each for each in everybody if each.asks and each.waiting > patience]
    return tuple(sorted(starving, key=lambda standing: -standing.waiting))


def by_rule(everybody: Sequence[FloorStanding]) -> str:
    """Who speaks when nobody's judgement can be followed."""
    return min(eligible(everybody), key=lambda each: (each.floors, -each.waiting)).name


def choose(
    everybody: Sequence[FloorStanding], wished: str | None, patience: int, reason: str = ""
) -> FloorChoice:
    """The next speaker. `wished` is the name that the orchestrator gave, None when it gave none."""
    known = (
        None if wished is None else match_name(wished, [standing.name for standing in everybody])
    )
    if (must := _must_speak(everybody, known, patience)) is not None:
        return FloorChoice(must, Why.WAITED_TOO_LONG, wished, reason)
    if wished is None:
        return FloorChoice(by_rule(everybody), Why.NO_SELECTION)
    if known is None:
        return FloorChoice(by_rule(everybody), Why.UNKNOWN_NAME, wished, reason)
    if (refused := _refused(everybody, known)) is not None:
        return FloorChoice(by_rule(everybody), refused, wished, reason)
    return FloorChoice(known, _granted(everybody, known, wished), wished, reason)


def _must_speak(everybody: Sequence[FloorStanding], known: str | None, patience: int) -> str | None:
    """The one who has waited too long, when the wish is for nobody who has waited as long."""
    starving = due(everybody, patience)
    longest = [standing.name for standing in starving if standing.waiting == starving[0].waiting]
    return longest[0] if longest and known not in longest else None


def _refused(everybody: Sequence[FloorStanding], known: str) -> Why | None:
    """Why the wish cannot be followed, if it cannot."""
    if known in [standing.name for standing in eligible(everybody)]:
        return None
    standing = next(standing for standing in everybody if standing.name == known)
    return Why.TWICE_IN_A_ROW if standing.last and standing.asks else Why.DID_NOT_ASK


def _granted(everybody: Sequence[FloorStanding], known: str, wished: str) -> Why:
    if not any(standing.asks for standing in everybody):
        return Why.CALLED_ON
    return Why.WISHED if _folded(known) == _folded(wished) else Why.NEAREST_NAME


# ---- names --------------------------------------------------------------------------------------


def match_name(wanted: str, names: Sequence[str]) -> str | None:
    """The participant that a name means: exactly, as its first word, as an only beginning, or as the only near one."""
    folded = {_folded(name): name for name in names}
    for form in (wanted, *re.split(r"[\s,(—–]", wanted.strip(), maxsplit=1)[:1]):
        if (same := folded.get(_folded(form))) is not None:
            return same
    sought = _folded(wanted)
    if not sought:
        return None
    meant = _only_beginning(sought, folded) or _only_near(sought, folded)
    return None if meant is None else folded[meant]


def _only_beginning(sought: str, names: Iterable[str]) -> str | None:
    begun = [name for name in names if name.startswith(sought) or sought.startswith(name)]
    long_enough = len(begun) == 1 and min(len(begun[0]), len(sought)) >= SHORTEST_BEGINNING
    return begun[0] if long_enough else None


def _only_near(sought: str, names: Iterable[str]) -> str | None:
    near = [name for name in names if SequenceMatcher(None, sought, name).ratio() >= NEAR_ENOUGH]
    return near[0] if len(near) == 1 else None


def _folded(name: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", name).casefold() if c.isalnum())
