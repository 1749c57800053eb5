"""Who held which position in each round, and who changed: also while the debate goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.document import Block, Drawing, Grid, Heading
from orchestrator.core.pictures import VoterPath, VotesOverRounds
from orchestrator.core.views.context import ViewContext
from orchestrator.workflows.panel.context import POSITION
from orchestrator.workflows.panel.positions import read_round
from orchestrator.workflows.panel.result import PanelResult
from orchestrator.workflows.panel.roles import PanelRole
from shared.models.findings import Finding
from shared.models.planning import Argument, OpeningVote

PanelView = ViewContext[PanelResult]
_NOTHING = "-"


@dataclass(frozen=True)
class HeldInRound:
    """What each held after a round, by the positions' ids; None for none of them. Whoever is missing was."""

    name: str
    held: Mapping[str, str | None]


def course(view: PanelView) -> list[Block]:
    """Nothing before anybody has taken a position."""
    rounds, points = _so_far(view) if view.result is None else _of_result(view, view.result)
    names = tuple(dict.fromkeys(name for each in rounds for name in each.held))
    if not names:
        return []
    positions = [point for point in points if point.category == POSITION]
    return [
        Heading(view.message("votes_over_rounds")),
        Drawing(_picture(view, rounds, names, positions), _table(view, rounds, names)),
    ]


def _of_result(view: PanelView, result: PanelResult) -> tuple[list[HeldInRound], Sequence[Finding]]:
    rounds = [
        HeldInRound(_named(view, each.number), {s.participant: s.holds for s in each.statements})
        for each in result.rounds
    ]
    return [*_opening(view, result), *rounds, *_ballot(view, result)], result.points


def _opening(view: PanelView, result: PanelResult) -> list[HeldInRound]:
    """The blind vote; without one the first positions are those of the first round."""
    first = {} if result.receipt is None else result.receipt.first_votes
    opening = {name: vote.position for name, vote in first.items()}
    return [HeldInRound(_named(view, 0), opening)] if opening and _opened(view) else []


def _ballot(view: PanelView, result: PanelResult) -> list[HeldInRound]:
    cast = {vote.participant: vote.position for vote in result.votes if vote.voted}
    shown = result.votes_secret and cast
    return [HeldInRound(view.message("votes_ballot"), cast)] if shown else []


def _opened(view: PanelView) -> bool:
    return any(step.round == 0 for step in view.facts.replies(PanelRole.BALLOT))


def _so_far(view: PanelView) -> tuple[list[HeldInRound], Sequence[Finding]]:
    """As the workflow reads the replies that there are."""
    replies: dict[int, dict[str, Argument | OpeningVote]] = {}
    for step in view.facts.replies(PanelRole.BALLOT):
        if step.round == 0:
            vote = OpeningVote.model_validate(step.reply)
            replies.setdefault(0, {})[step.participant] = vote
    for step in view.facts.replies(PanelRole.ARGUMENT):
        argument = Argument.model_validate(step.reply)
        replies.setdefault(step.round, {})[step.participant] = argument
    points: Sequence[Finding] = ()
    positions: dict[str, str] = {}
    rounds = []
    for number in sorted(replies):
        read = read_round(points, replies[number], number, positions)
        points = read.points
        positions |= read.holds
        rounds.append(HeldInRound(_named(view, number), dict(read.holds)))
    return rounds, points


def _named(view: PanelView, number: int) -> str:
    if number == 0:
        return view.message("votes_opening")
    return view.message("round_n", n=number)


def _picture(
    view: PanelView,
    rounds: Sequence[HeldInRound],
    names: Sequence[str],
    positions: Sequence[Finding],
) -> VotesOverRounds:
    lanes = _lanes(view, rounds, positions)
    changed = [name for name in names if len(set(_course_of(rounds, name))) > 1]
    return VotesOverRounds(
        name=view.message("votes_map", n=len(rounds), who=", ".join(changed) or _NOTHING),
        rounds=tuple(each.name for each in rounds),
        positions=tuple(title for _, title in lanes),
        voters=tuple(_path(rounds, name, [identity for identity, _ in lanes]) for name in names),
    )


def _lanes(
    view: PanelView, rounds: Sequence[HeldInRound], positions: Sequence[Finding]
) -> list[tuple[str | None, str]]:
    """The positions that anybody held, with their titles."""
    chosen = {identity for each in rounds for identity in each.held.values()}
    lanes: list[tuple[str | None, str]] = [
        (point.id, f"{point.id} {point.title}") for point in positions if point.id in chosen
    ]
    return [*lanes, (None, view.message("none_of_them"))] if None in chosen else lanes


def _path(rounds: Sequence[HeldInRound], name: str, lanes: Sequence[str | None]) -> VoterPath:
    places = {identity: place for place, identity in enumerate(lanes)}
    course = (places.get(each.held[name]) if name in each.held else None for each in rounds)
    return VoterPath(name, tuple(course))


def _course_of(rounds: Sequence[HeldInRound], name: str) -> list[str | None]:
    return [each.held[name] for each in rounds if name in each.held]


def _table(view: PanelView, rounds: Sequence[HeldInRound], names: Sequence[str]) -> Grid:
    heads = (view.message("head_who"), *(each.name for each in rounds))
    return Grid(heads, tuple((name, *_cells(view, rounds, name)) for name in names))


def _cells(view: PanelView, rounds: Sequence[HeldInRound], name: str) -> list[str]:
    """`P1`, and `P1 → P3` where it changed."""
    cells, before = list[str](), ""
    for each in rounds:
        if name not in each.held:
            cells.append(_NOTHING)
            continue
        now = each.held[name] or view.message("none_of_them")
        cells.append(f"{before} → {now}" if before not in ("", now) else now)
        before = now
    return cells
