"""How a panel run is shown: the verdict with its reasons and its dissent, the votes, and whether the debate helped."""

from __future__ import annotations

from orchestrator.core.document import Block, Grid, Heading, Item, Words, remark
from orchestrator.core.lines import Span, Style
from orchestrator.core.views.context import (
    WorkflowView,
    confidence,
    figures,
    listed,
    sentence,
    shortened,
    texts,
    voices,
)
from orchestrator.core.views.impact import ImpactView, impact, position_in_words
from orchestrator.workflows.display import WorkflowDisplay
from orchestrator.workflows.panel.course import PanelView, course
from orchestrator.workflows.panel.live import LIVE
from orchestrator.workflows.panel.result import (
    NO_POSITION,
    PanelDissent,
    PanelResult,
    PanelRound,
    PanelStatement,
    PanelVote,
)
from orchestrator.workflows.panel.roles import PanelRole

SHORT = 60


def body(view: PanelView) -> list[Block]:
    """The verdict first, then why, then who does not share it."""
    result = view.result
    if result is None:
        return [] if view.brief else _so_far(view)
    blocks = [*_verdict(view, result), *_consensus(view, result), *_dissent(view, result)]
    if view.brief:
        return blocks
    return [*blocks, *_votes(view, result), *_rounds(view, result), *_impact(view, result)]


def _verdict(view: PanelView, result: PanelResult) -> list[Block]:
    if not result.verdict:
        none = Span(view.message("no_verdict"), Style.WARNING)
        return [remark(none, f": {view.translate(result.reason)}")]
    blocks = sentence(view.message("verdict"), result.verdict)
    if not view.brief:
        blocks.append(remark(Span(_decided(view, result), Style.DIM)))
    if result.reasoning:
        blocks += [Heading(view.message("reasoning")), Words(result.reasoning)]
    return blocks


def _decided(view: PanelView, result: PanelResult) -> str:
    by = result.decided_by
    judged = None if by in (None, "votes") else view.message("judged_by", who=by)
    return figures(
        confidence(view, result.confidence),
        view.message("verdict_by_votes") if by == "votes" else judged,
        view.translate(result.reason),
    )


def _consensus(view: PanelView, result: PanelResult) -> list[Block]:
    judge = view.message("according_to_judge")
    entries = [
        Item(point.text, note=(point.id or "") if point.by == "ledger" else judge)
        for point in result.consensus_points
    ]
    return listed(view.message("consensus_points"), entries)


def _dissent(view: PanelView, result: PanelResult) -> list[Block]:
    opinions = [_opinion(view, opinion) for opinion in result.dissenting_opinions]
    return listed(view.message("dissent"), opinions)


def _opinion(view: PanelView, opinion: PanelDissent) -> Item:
    reason = f" — {opinion.reason}" if opinion.reason else ""
    voted = opinion.by == "vote"
    nothing = voted and opinion.text == NO_POSITION
    text = view.message("none_of_them") if nothing else opinion.text
    note = confidence(view, opinion.confidence) if voted else view.message("according_to_judge")
    return Item(f"{text}{reason}", opinion.participant or "", note)


def _votes(view: PanelView, result: PanelResult) -> list[Block]:
    if not any(vote.voted for vote in result.votes):
        return []
    supports = [
        Item(
            _title(result, position),
            position,
            view.message("position_support", support=count.support),
        )
        for position, count in result.agreement.positions.items()
    ]
    how = view.message("votes_secret" if result.votes_secret else "votes_last")
    note = figures(how, voices(view, result.effective_votes, len(result.votes)))
    votes = [_vote(view, result, vote) for vote in result.votes]
    return [
        *listed(view.message("votes"), votes, note),
        *listed(view.message("positions"), supports),
    ]


def _vote(view: PanelView, result: PanelResult, vote: PanelVote) -> Item:
    if not vote.voted:
        return Item(view.message("no_vote"), vote.participant, style=Style.WARNING)
    position = vote.position
    choice = f"{position} {_title(result, position)}" if position else view.message("none_of_them")
    reason = f" — {vote.reason}" if vote.reason else ""
    return Item(f"{choice}{reason}", vote.participant, confidence(view, vote.confidence))


def _title(result: PanelResult, position: str) -> str:
    return shortened(result.title_of(position) or "", SHORT)


def _so_far(view: PanelView) -> list[Block]:
    """Everybody's last position while there is no result."""
    latest = {step.participant: step.reply or {} for step in view.facts.replies(PanelRole.ARGUMENT)}
    entries = [
        Item(
            str(reply.get("position") or ""),
            name,
            confidence(view, reply.get("confidence")),
        )
        for name, reply in latest.items()
    ]
    return listed(view.message("positions"), entries)


def _rounds(view: PanelView, result: PanelResult) -> list[Block]:
    if not result.rounds:
        return []
    heads = tuple(map(view.message, ("head_round", "head_score", "head_moderator", "head_said")))
    table = (
        Heading(view.message("timeline")),
        Grid(heads, tuple(_round(panel_round) for panel_round in result.rounds)),
    )
    if not view.spoken:
        return [*table]
    return [
        *table,
        *(block for panel_round in result.rounds for block in _statements(view, panel_round)),
    ]


def _round(panel_round: PanelRound) -> tuple[str, ...]:
    score = panel_round.moderation.consensus_score if panel_round.moderation else None
    return (
        str(panel_round.number),
        f"{panel_round.assessment.metrics.overall_score:.2f}",
        "-" if score is None else f"{score:.2f}",
        ", ".join(statement.participant for statement in panel_round.statements) or "-",
    )


def _statements(view: PanelView, panel_round: PanelRound) -> list[Block]:
    def heading(statement: PanelStatement) -> Heading:
        title = view.message("speech_of", who=statement.participant, n=panel_round.number)
        return Heading(title, shortened(statement.position, SHORT))

    return texts((heading(statement), statement.argument) for statement in panel_round.statements)


def _impact(view: PanelView, result: PanelResult) -> list[Block]:
    receipt = result.receipt
    if receipt is None:
        return []
    shown = ImpactView(
        receipt,
        first={
            name: position_in_words(vote.position, result.title_of)
            for name, vote in receipt.first_votes.items()
        },
        changes=receipt.changes,
        price_of_change=receipt.cost_per_changed_vote,
    )
    return impact(view, shown)


DISPLAY = WorkflowDisplay(PanelResult, WorkflowView(body, course=course), LIVE)
