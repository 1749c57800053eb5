"""The judge's verdict, and what replaces it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from orchestrator.core.consensus.ballots import VotedEnding
from orchestrator.core.discussion.turn_results import TurnResult, take_turn, why_failed
from orchestrator.core.replay.commands import Effect, Turn, phase
from orchestrator.workflows.panel.context import JUDGE_TEMPERATURE, PanelContext, PanelDebate
from orchestrator.workflows.panel.prompts import RevealedVote
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.views import for_judge
from orchestrator.workflows.panel.voting import BROKEN_OFF, Voting, in_order_of
from shared.models.notices import Notice, notice
from shared.models.outcomes import Ending
from shared.models.planning import Judgement


@dataclass(frozen=True)
class Judged:
    """The verdict; `by` is the judge's name, `votes` where the votes had to do, None where there is none."""

    verdict: Judgement | None = None
    by: str | None = None
    choice: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    turns: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


def judge(
    context: PanelContext, debate: PanelDebate, voting: Voting, ended: VotedEnding
) -> Effect[Judged]:
    """The judge sees arguments and votes without names; a debate that was broken off is not judged."""
    if ended.ending in BROKEN_OFF:
        return Judged()
    yield from phase("Judging")
    judge, labels = context.judge, context.labels("judge")
    turn = yield from take_turn(
        Turn(
            key=f"judgement/{judge.name}",
            participant=judge,
            role=PanelRole.JUDGEMENT,
            round=len(debate.rounds),
            reply_model="judgement",
            prompt=lambda: context.prompts.judgement(
                judge,
                for_judge(debate, labels),
                in_order_of(context, "judge", debate.candidates),
                revealed(voting, labels),
            ),
            temperature=JUDGE_TEMPERATURE,
        )
    )
    if turn.failure is not None:
        warning = notice("panel_no_verdict", who=judge.name, why=why_failed(turn.failure))
        return by_votes(debate, voting, ended, turn, warning)
    verdict = Judgement.model_validate(turn.result.reply)
    stated = None if verdict.choice is None else verdict.choice.strip(" []().").upper()
    choice = stated if stated in debate.candidate_ids else None
    warnings = []
    if verdict.confidence is None:
        warnings.append(notice("panel_no_confidence", who=judge.name))
    if ended.ending is Ending.CONVERGED and agreement_on(voting, choice) is False:
        leading = voting.tally.leading
        warnings.append(
            notice("panel_verdict_against_votes", who=judge.name, choice=stated, leading=leading)
        )
    return Judged(verdict, judge.name, choice, labels, (turn,), tuple(warnings))


def agreement_on(voting: Voting, choice: str | None) -> bool | None:
    """Whether the votes agree on what the verdict amounts to; None where that is none of the positions.

    Every voter's own word counts: that somebody calls two positions the same moves nobody else's vote.
    """
    return None if choice is None else voting.tally.counts[choice].agrees


def revealed(voting: Voting, labels: Mapping[str, str]) -> tuple[RevealedVote, ...]:
    """The votes under the judge's letters."""
    return tuple(
        RevealedVote(label, vote.choice, vote.confidence, vote.reason)
        for label, name in labels.items()
        if (vote := voting.votes.get(name)) is not None
    )


def by_votes(
    debate: PanelDebate, voting: Voting, ended: VotedEnding, turn: TurnResult, warning: Notice
) -> Judged:
    """The position that everybody agreed on is the verdict without a judge; anything less is none."""
    count, position = voting.tally.count, debate.point(voting.tally.leading)
    if ended.ending is not Ending.CONVERGED or count is None or position is None:
        return Judged(turns=(turn,), warnings=(warning,))
    verdict = Judgement(
        verdict=position.title,
        choice=position.id,
        confidence=min(1.0, count.weighted),
        reasoning=f"{count.stated} of {count.expected} voted, support {count.support:.2f}",
    )
    return Judged(verdict, "votes", position.id, turns=(turn,), warnings=(warning,))
