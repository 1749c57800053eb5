"""The moderator's second opinion: a score, what the next round should be about, and what code makes of the score."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.discussion.contested import Agenda
from orchestrator.core.discussion.turn_results import TurnResult, take_turn, why_failed
from orchestrator.core.findings.stances import settle
from orchestrator.core.replay.commands import Effect, Turn, phase
from orchestrator.workflows.panel.context import (
    JUDGE_TEMPERATURE,
    POSITION,
    PanelContext,
    PanelDebate,
)
from orchestrator.workflows.panel.positions import Read, with_rivals
from orchestrator.workflows.panel.prompts import DebaterView
from orchestrator.workflows.panel.result import PanelStatement
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.views import shown
from shared.models.assessment import Assessment, Recommendation
from shared.models.findings import Finding
from shared.models.notices import Notice, notice, sentences
from shared.models.outcomes import Ending
from shared.models.planning import Moderation

# What a high score may turn into consensus: a debate that goes on, or that has no further round.
_MAY_BE_CALLED = frozenset({None, Ending.EXHAUSTED})


@dataclass(frozen=True)
class Moderated:
    """What the moderator said; None where it is not there, was not asked or did not answer."""

    moderation: Moderation | None = None
    turns: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


def moderate(
    context: PanelContext,
    number: int,
    debate: PanelDebate,
    statements: Sequence[PanelStatement],
    read: Read,
    labels: Mapping[str, str],
) -> Effect[Moderated]:
    """A second opinion on the round; nobody is asked about one that too few took part in."""
    moderator = context.moderator
    if moderator is None or len(statements) < context.rule.quorum_of(len(context.debaters)):
        return Moderated()
    yield from phase("Moderating")

    def view() -> DebaterView:
        ledger = (*debate.ledger, *read.stances)
        lines = with_rivals(read.points, ledger, read.holds, number)
        points = settle(read.points, lines, rules=context.rule.rules)
        return DebaterView(
            number=number,
            last=context.rounds,
            label="",
            others=[shown(statement, labels, points) for statement in statements],
            agenda=Agenda(points),
        )

    turn = yield from take_turn(
        Turn(
            key=f"moderation/{number}/{moderator.name}",
            participant=moderator,
            role=PanelRole.MODERATION,
            round=number,
            reply_model="moderation",
            prompt=lambda: context.prompts.moderation(moderator, view()),
            temperature=JUDGE_TEMPERATURE,
        )
    )
    if turn.failure is not None:
        why = why_failed(turn.failure)
        warning = notice("panel_did_not_moderate", who=moderator.name, round=number, why=why)
        return Moderated(turns=(turn,), warnings=(warning,))
    moderation = Moderation.model_validate(turn.result.reply)
    if moderation.consensus_score is None:
        warning = notice("panel_no_score", who=moderator.name, round=number)
        return Moderated(moderation, (turn,), (warning,))
    return Moderated(moderation, (turn,))


def consensus_called(
    context: PanelContext,
    assessment: Assessment,
    points: Sequence[Finding],
    moderation: Moderation | None,
) -> Assessment:
    """`converged` when the score reaches the threshold and no position is contested; else what the figures say.

    A score ends nothing by itself, and neither does `should_continue`: while two debaters differ about a position,
    or somebody who should have stated one is missing (which counts as differing), the debate goes on.
    """
    score = None if moderation is None else moderation.consensus_score
    threshold = context.options.consensus_threshold
    if score is None or score < threshold or assessment.ending not in _MAY_BE_CALLED:
        return assessment
    positions = {point.id for point in points if point.category == POSITION}
    contested = sorted(positions & set(assessment.open_findings))
    if contested:
        but = notice("panel_scored_but_contested", score=score, findings=contested)
        return assessment.model_copy(update={"reason": sentences(assessment.reason, but)})
    metrics = assessment.metrics.model_copy(update={"recommendation": Recommendation.CONVERGED})
    reason = notice("panel_scored", score=score, threshold=threshold)
    return assessment.model_copy(
        update={"metrics": metrics, "ending": Ending.CONVERGED, "reason": reason}
    )
