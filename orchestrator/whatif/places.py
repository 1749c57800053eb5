"""Where a run can be forked: STEP as it is typed, found in what the workflow passed.

STEP is a step's key (`critique/2/claude`), a decision's key, `round:2` (`review2/round:1`, `plan2/round:1` in a later
cycle), or the name of a stage: the first part of its steps' keys or their role (`synthesis`, `ballot`, `fixes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches

from orchestrator.core.replay.commands import Step, ToolRun
from orchestrator.core.replay.recomputation import Decided, Group, Recomputed
from orchestrator.workflows.registry import round_roles
from shared.errors import UnknownRun
from shared.patterns import regex
from shared.sentences import Sentence
from shared.tools.catalogue import find_card

# Turns around the contributions to a round.
_AROUND = frozenset({"bid", "selection", "speech", "moderation"})
_ROUND = regex(r"(?:(?P<cycle>\w+)/)?round:(?P<number>\d{1,3})")
_NAMED = 12


def discussing(role: str) -> bool:
    """True for turns that make up a round of a discussion; others may carry a round's number for people to read."""
    return role in _AROUND or role in round_roles()


@dataclass(frozen=True)
class Stop:
    """A place on the way: steps that were asked for together, or one decision; `here`: where the run stands now."""

    steps: tuple[Step, ...] = ()
    decision: str | None = None
    here: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """Its names."""
        return tuple(step.key for step in self.steps) or (str(self.decision),)

    @property
    def writes(self) -> bool:
        """True when a hand that writes is at work here."""
        tools = [step.tool for step in self.steps if isinstance(step, ToolRun)]
        return not all(find_card(tool).read_only for tool in tools)


@dataclass(frozen=True)
class ForkPlace:
    """Before which stop a fork begins; of its steps, `kept` are copied because they were asked beside STEP."""

    index: int
    kept: tuple[str, ...] = ()


def stops(walked: Recomputed) -> tuple[Stop, ...]:
    """Every stop of a run, the one where it stands now included."""
    way = [
        Stop(steps=passed.steps) if isinstance(passed, Group) else Stop(decision=passed.ask.key)
        for passed in walked.trail
        if isinstance(passed, Group | Decided)
    ]
    if walked.stage:
        way.append(Stop(steps=walked.stage, here=True))
    if walked.ask is not None:
        way.append(Stop(decision=walked.ask.key, here=True))
    return tuple(way)


def find_place(way: tuple[Stop, ...], typed: str, run: str) -> ForkPlace:
    """The place that `typed` names. Raises UnknownRun with the nearest names."""
    place = _keeping(way, lambda key: key == typed)
    if place is None and "/" in typed:  # a participant's portions, or all turns of a stage
        place = _keeping(way, lambda key: key.startswith(f"{typed}/"))
    match = _ROUND.fullmatch(typed)
    if place is None and match is not None:
        place = _round(way, match["cycle"], int(match["number"]), run)
    # A stage's own name comes first: openings have the role of ballots, and `ballot` means the ballots.
    place = place or _named(way, typed, _stage) or _named(way, typed, _role)
    if place is None:
        raise UnknownRun(
            "run {run} does not come to {typed!r}: {hint}",
            run=run,
            typed=typed,
            hint=_hint(way, typed),
        )
    return place


def _keeping(way: tuple[Stop, ...], chosen: Callable[[str], bool]) -> ForkPlace | None:
    """The first stop with a key that is chosen; the other keys of that stop are kept."""
    for index, stop in enumerate(way):
        kept = tuple(key for key in stop.keys if not chosen(key))
        if kept != stop.keys:
            return ForkPlace(index, kept)
    return None


def _named(way: tuple[Stop, ...], typed: str, name: Callable[[Step], str]) -> ForkPlace | None:
    indexes = (index for index, stop in enumerate(way) if typed in map(name, stop.steps))
    first = next(indexes, None)
    return None if first is None else ForkPlace(first)


def _hint(way: tuple[Stop, ...], typed: str) -> str:
    known = list(dict.fromkeys(_names(way)))
    folded = {name.casefold(): name for name in known}
    near = [folded[name] for name in get_close_matches(typed.casefold(), folded, n=3, cutoff=0.5)]
    if near:
        return Sentence("did you mean {names}?", names=" or ".join(near))
    return Sentence("it has {names}", names=_listed(known))


def _stage(step: Step) -> str:
    return step.key.partition("/")[0]


def _role(step: Step) -> str:
    return step.role


def _round(way: tuple[Stop, ...], cycle: str | None, number: int, run: str) -> ForkPlace:
    """The first stop of that round; of the one after the last, the stop that came instead."""
    rounds = _rounds(way, cycle)
    if number in rounds:
        return ForkPlace(rounds[number][0])
    after_last = max(rounds, default=-1) + 1
    if not rounds or number != after_last:
        where = f" in {cycle}" if cycle else ""
        named = ", ".join(f"round:{known}" for known in sorted(rounds)) or "no rounds"
        more = (
            Sentence(" (round:{number} goes on after the last one)", number=after_last)
            if rounds
            else ""
        )
        raise UnknownRun(
            "run {run} has no round {number}{where}: it has {named}{more}",
            run=run,
            number=number,
            where=where,
            named=named,
            more=more,
        )
    last = max(max(indexes) for indexes in rounds.values())
    if way[last].here:
        raise UnknownRun(
            "round {number} of run {run} is not over: wait for it, or fork it with --from "
            "round:{number}",
            number=number - 1,
            run=run,
        )
    return ForkPlace(last + 1)


def _rounds(way: tuple[Stop, ...], cycle: str | None) -> dict[int, list[int]]:
    """Where the stops of each round of a cycle's discussion stand."""
    rounds: dict[int, list[int]] = {}
    for index, stop in enumerate(way):
        for step in stop.steps[:1]:
            if discussing(step.role) and cycle_of(step.key, step.role) == cycle:
                rounds.setdefault(step.round, []).append(index)
    return rounds


def cycle_of(key: str, role: str) -> str | None:
    """`review2` of `review2/critique/1/claude`; None in a run's first cycle."""
    first = key.partition("/")[0]
    return None if first == role or not first[-1:].isdigit() else first


def _names(way: tuple[Stop, ...]) -> Iterable[str]:
    for stop in way:
        for step in stop.steps:
            cycle = cycle_of(step.key, step.role)
            if discussing(step.role):
                yield f"{cycle}/round:{step.round}" if cycle else f"round:{step.round}"
    for stop in way:
        yield from (_stage(step) for step in stop.steps if cycle_of(step.key, step.role) is None)
    for stop in way:
        yield from stop.keys


def _listed(known: list[str]) -> str:
    shown = ", ".join(known[:_NAMED])
    return shown if len(known) <= _NAMED else f"{shown} and {len(known) - _NAMED} more"
