"""The judge's verdict, and what stands in for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from orchestrator.core.discussion.turn_results import TurnResult, why_failed
from orchestrator.core.replay.commands import Effect, Turn, phase, single
from orchestrator.workflows.panel.context import JUDGE_TEMPERATURE, PanelContext, PanelDebate
from orchestrator.workflows.panel.ending import PanelEnding
from orchestrator.workflows.panel.prompts import RevealedVote
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.views import everything
from orchestrator.workflows.panel.voting import Voting, in_order_of
from shared.models.notices import Notice, notice
from shared.models.outcomes import Ending
from shared.models.planning import Judgement

_NOT_JUDGED = frozenset({Ending.DEGRADED, Ending.OVER_BUDGET})


@dataclass(frozen=True)
class Judged:
    """The verdict; `by` is the judge's name, `votes` where the votes had to do, None where there is none."""

    verdict: Judgement | None
    by: str | None
    choice: str | None = None
    labels: Mapping[str, str] | None = None
    heard: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


def judge(
    context: PanelContext, held: PanelDebate, voting: Voting, ended: PanelEnding
) -> Effect[Judged]:
    """The judge sees arguments and votes without names; a debate that was broken off is not judged."""
    if ended.ending in _NOT_JUDGED:
        return Judged(None, None)
    yield from phase("Judging")
    labels = context.labels("judge")
    somebody = context.judge
    result = yield from single(
        Turn(
            key=f"judgement/{somebody.name}",
            participant=somebody,
            role=PanelRole.JUDGEMENT,
            round=len(held.held),
            reply_model="judgement",
            prompt=lambda: context.prompts.judgement(
                somebody,
                everything(context, held, labels),
                in_order_of(context, "judge", held.candidates),
                revealed(voting, labels),
            ),
            temperature=JUDGE_TEMPERATURE,
        )
    )
    heard = (TurnResult(somebody.name, result),)
    if result.failure is not None:
        why = why_failed(result.failure)
        warning = notice("panel_no_verdict", who=somebody.name, why=why)
        return by_votes(held, voting, ended, heard, warning)
    said = Judgement.model_validate(result.reply)
    choice = None if said.choice is None else said.choice.strip(" []().").upper()
    known = choice in {one.id for one in held.candidates}
    warnings = []
    if said.confidence is None:
        warnings.append(notice("panel_no_confidence", who=somebody.name))
    judged = Judged(said, somebody.name, choice if known else None, labels, heard)
    if ended.ending is Ending.CONVERGED and agrees_with(voting, judged) is False:
        warnings.append(
            notice(
                "panel_verdict_against_votes",
                who=somebody.name,
                choice=choice,
                leading=voting.tally.leading,
            )
        )
    return replace(judged, warnings=tuple(warnings))


def agrees_with(voting: Voting, judged: Judged) -> bool | None:
    """Whether the votes agree on what the verdict amounts to; None where that is none of the positions.

    Every voter's own word counts: that somebody calls two positions the same moves nobody else's vote.
    """
    if judged.choice is None:
        return None
    return voting.tally.counts[judged.choice].converged


def revealed(voting: Voting, labels: Mapping[str, str]) -> tuple[RevealedVote, ...]:
    """The votes under the judge's letters."""
    return tuple(
        RevealedVote(label, vote.choice, vote.confidence, vote.reason)
        for label, name in labels.items()
        if (vote := voting.votes.get(name)) is not None
    )


def by_votes(
    held: PanelDebate,
    voting: Voting,
    ended: PanelEnding,
    heard: tuple[TurnResult, ...],
    warning: Notice,
) -> Judged:
    """The position that everybody agreed on is the verdict without a judge; anything less is none."""
    count, leading = voting.tally.count, voting.tally.leading
    if ended.ending is not Ending.CONVERGED or count is None or leading is None:
        return Judged(None, None, heard=heard, warnings=(warning,))
    position = next(one.title for one in held.points if one.id == leading)
    verdict = Judgement(
        verdict=position,
        choice=leading,
        confidence=min(1.0, count.weighted),
        reasoning=f"{count.stated} of {count.expected} voted, support {count.support:.2f}",
    )
    return Judged(verdict, "votes", leading, heard=heard, warnings=(warning,))
