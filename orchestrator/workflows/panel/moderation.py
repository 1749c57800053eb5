"""The moderator's turn: a score, and what the next round should be about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.discussion.contested import Agenda
from orchestrator.core.discussion.turn_results import TurnResult, why_failed
from orchestrator.core.findings.stances import settle
from orchestrator.core.replay.commands import Effect, Turn, phase, single
from orchestrator.workflows.panel.context import (
    JUDGE_TEMPERATURE,
    PanelContext,
    PanelDebate,
    Statement,
)
from orchestrator.workflows.panel.positions import Read, with_rivals
from orchestrator.workflows.panel.prompts import DebaterView
from orchestrator.workflows.panel.roles import PanelRole
from orchestrator.workflows.panel.views import shown
from shared.models.notices import Notice, notice
from shared.models.planning import Moderation


@dataclass(frozen=True)
class Moderated:
    """What the moderator said; None where it is not there, was not asked or did not answer."""

    said: Moderation | None = None
    heard: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


def moderate(
    context: PanelContext,
    number: int,
    held: PanelDebate,
    statements: Sequence[Statement],
    read: Read,
    labels: Mapping[str, str],
) -> Effect[Moderated]:
    """A second opinion on the round; nobody is asked about one that too few took part in."""
    moderator = context.moderator
    if moderator is None or len(statements) < context.rule.quorum_of(len(context.debaters)):
        return Moderated()
    yield from phase("Moderating")

    def view() -> DebaterView:
        said = (*held.ledger, *read.stances)
        points = settle(read.points, with_rivals(read.points, said, read.holds, number))
        return DebaterView(
            number=number,
            last=context.rounds,
            label="",
            others=[shown(one, labels, points) for one in statements],
            agenda=Agenda(points),
        )

    result = yield from single(
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
    heard = (TurnResult(moderator.name, result),)
    if result.failure is not None:
        warning = notice(
            "panel_did_not_moderate",
            who=moderator.name,
            round=number,
            why=why_failed(result.failure),
        )
        return Moderated(heard=heard, warnings=(warning,))
    said = Moderation.model_validate(result.reply)
    if said.consensus_score is None:
        warning = notice("panel_no_score", who=moderator.name, round=number)
        return Moderated(said, heard, (warning,))
    return Moderated(said, heard)
