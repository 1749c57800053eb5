"""Secret ballots before the judge: everybody commits at once, then all votes are revealed without names."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.consensus.choices import PositionVote, Tally, tally
from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.turn_results import (
    TurnResult,
    absences,
    over_budget,
    turn_results,
)
from orchestrator.core.findings.stances import latest
from orchestrator.core.replay.commands import Effect, Turn, phase, together
from orchestrator.workflows.panel.context import PanelContext, PanelDebate
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.views import everything
from shared.models.findings import Finding, Position
from shared.models.notices import Notice, notice
from shared.models.outcomes import Ending
from shared.models.panel import Participant
from shared.models.planning import ChoiceBallot
from shared.models.steps import StepResult

# After these there is nobody, or nothing, to vote with.
NO_VOTE = frozenset({Ending.DEGRADED, Ending.OVER_BUDGET})


@dataclass(frozen=True)
class Voting:
    """The votes by debater (None: it did not vote), what they add up to, and whether they were cast in secret."""

    votes: Mapping[str, PositionVote | None]
    tally: Tally
    secret: bool
    quotes: Mapping[str, str | None]
    heard: tuple[TurnResult, ...] = ()
    labels: Mapping[str, Mapping[str, str]] | None = None
    warnings: tuple[Notice, ...] = ()
    over_budget: bool = False


def vote(context: PanelContext, held: PanelDebate) -> Effect[Voting]:
    """Ballots where the strategy holds them; otherwise everybody's last position is its vote."""
    ending = None if held.assessment is None else held.assessment.ending
    if not context.has_ballot or ending in NO_VOTE or held.refused:
        return Voting(positions_held(held), _count(context, held, positions_held(held)), False, {})
    yield from phase("Voting")
    labels = {one.name: context.labels(f"ballot/{one.name}") for one in context.debaters}
    results = yield from together(
        ballot(context, held, debater, labels[debater.name]) for debater in context.debaters
    )
    turns = turn_results(context.debaters, results)
    known = {one.id for one in held.candidates}
    votes: dict[str, PositionVote | None] = {}
    quotes: dict[str, str | None] = {}
    unknown = []
    for turn in turns:
        cast = read_ballot(turn.result, known)
        votes[turn.participant] = cast
        if turn.result.reply is not None:
            quotes[turn.participant] = ChoiceBallot.model_validate(turn.result.reply).quote
            if cast is None:
                unknown.append(notice("panel_voted_for_nothing", who=turn.participant))
    return Voting(
        votes=votes,
        tally=_count(context, held, votes),
        secret=True,
        quotes=quotes,
        heard=turns,
        labels=labels,
        warnings=(*absences(turns, notice("in_ballot")), *unknown),
        over_budget=over_budget(results),
    )


def ballot(
    context: PanelContext, held: PanelDebate, debater: Participant, labels: Mapping[str, str]
) -> Turn:
    """One debater's ballot; the positions stand in an order of its own."""
    return Turn(
        key=f"ballot/{debater.name}",
        participant=debater,
        role=PanelRole.BALLOT,
        round=len(held.held),
        reply_model="ballot.choice",
        prompt=lambda: context.prompts.ballot(
            debater,
            everything(context, held, labels, debater.name),
            in_order_of(context, debater.name, held.candidates),
        ),
        temperature=0.0,
    )


def in_order_of(
    context: PanelContext, reader: str, candidates: Sequence[Finding]
) -> tuple[Finding, ...]:
    """The positions in an order that depends on who reads them: the first one on a list is chosen too often."""
    by_id = {one.id: one for one in candidates}
    order = shuffled_labels(context.spec.seed, f"positions/{reader}", list(by_id))
    return tuple(by_id[identity] for identity in order.values())


def read_ballot(result: StepResult, known: set[str]) -> PositionVote | None:
    """A vote; for NONE a vote against all of them, for an id that does not exist no vote."""
    if result.reply is None:
        return None
    said = ChoiceBallot.model_validate(result.reply)
    choice = said.choice.strip(" []().")
    if choice == "NONE":
        return PositionVote(None, (), said.confidence, said.reason)
    if choice not in known:
        return None
    same = tuple(one for one in (other.strip().upper() for other in said.same) if one in known)
    return PositionVote(choice, same, said.confidence, said.reason)


def positions_held(held: PanelDebate) -> dict[str, PositionVote | None]:
    """Votes from the debate itself: what each holds, and the positions that it last agreed to."""
    choices: dict[str, PositionVote | None] = {}
    for name, holds in held.holds.items():
        statement = held.latest.get(name)
        agreed = tuple(
            one.id
            for one in held.candidates
            if latest(held.ledger, one).get(name) is Position.AGREE and one.id != holds
        )
        confidence = statement.confidence if statement else held.first[name].confidence
        choices[name] = PositionVote(
            holds, agreed, confidence, statement.changed_because if statement else ""
        )
    return choices


def _count(
    context: PanelContext, held: PanelDebate, votes: Mapping[str, PositionVote | None]
) -> Tally:
    return tally(
        context.debaters,
        votes,
        [one.id for one in held.candidates],
        threshold=context.options.consensus_threshold,
        quorum=context.rule.quorum_of(len(context.debaters)),
    )


def first_tally(context: PanelContext, held: PanelDebate) -> Tally:
    """What the first votes, before the debate, added up to."""
    firsts: dict[str, PositionVote | None] = {
        name: PositionVote(one.holds, (), one.confidence) for name, one in held.first.items()
    }
    everything_proposed = list(dict.fromkeys(one.holds for one in held.first.values()))
    return tally(
        context.debaters,
        firsts,
        everything_proposed,
        threshold=context.options.consensus_threshold,
        quorum=context.rule.quorum_of(len(context.debaters)),
    )
