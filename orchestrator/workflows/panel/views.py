"""What everybody is shown of a debate: letters for names, the latest arguments, contested points only."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.core.discussion.contested import Agenda, agenda
from orchestrator.core.findings.stances import RAISING
from orchestrator.workflows.panel.context import PanelContext, PanelDebate, Statement
from orchestrator.workflows.panel.prompts import DebaterView, ShownStatement, letter_of
from orchestrator.workflows.panel.strategies import Hears
from shared.models.findings import Finding, Stance
from shared.models.panel import Participant


def before_round(
    context: PanelContext,
    number: int,
    held: PanelDebate,
    debater: Participant,
    labels: Mapping[str, str],
    so_far: Sequence[Statement] = (),
) -> DebaterView:
    """What a debater sees before its turn; `so_far` was said in this round already."""
    name = debater.name
    points = agenda(held.points, held.assessment)
    feedback = context.strategy.hears is Hears.FEEDBACK
    others = [] if feedback else _latest_of_others(held, name, so_far)
    return DebaterView(
        number=number,
        last=context.rounds,
        label="" if feedback else letter_of(labels, name),
        own=_own(held, name, labels),
        others=[shown(one, labels, held.points) for one in others],
        agenda=points,
        reasons=() if feedback else reasons(points.contested, held.ledger, name, labels),
        feedback=_feedback(held, labels) if feedback and held.held else None,
    )


def heard_by(
    context: PanelContext, held: PanelDebate, so_far: Sequence[Statement]
) -> dict[str, tuple[str, ...]]:
    """Whose arguments each debater is shown in its next turn."""
    if context.strategy.hears is Hears.FEEDBACK:
        return {one.name: () for one in context.debaters}
    return {
        one.name: tuple(s.participant for s in _latest_of_others(held, one.name, so_far))
        for one in context.debaters
    }


def _latest_of_others(held: PanelDebate, name: str, so_far: Sequence[Statement]) -> list[Statement]:
    latest = {**held.latest, **{one.participant: one for one in so_far}}
    # Who spoke in this round comes last: the one before is the last that is heard.
    spoken = [one.participant for one in so_far]
    ordered = [who for who in latest if who not in spoken] + spoken
    return [latest[who] for who in ordered if who != name]


def _feedback(held: PanelDebate, labels: Mapping[str, str]) -> str:
    """The moderator's words; where it gave none, all arguments in a dealt order and without letters."""
    said = held.feedback
    if said is not None and said.feedback:
        questions = "\n".join(f"- {one}" for one in said.open_questions)
        return f"{said.feedback}\n{questions}".strip()
    latest = [held.latest[name] for name in labels.values() if name in held.latest]
    return "\n".join(
        f"- {one.position}: {one.argument}"
        for one in (shown(s, labels, held.points) for s in latest)
    )


def _own(held: PanelDebate, name: str, labels: Mapping[str, str]) -> ShownStatement | None:
    """A debater's own last statement, or its opening vote."""
    if (said := held.latest.get(name)) is not None:
        return shown(said, labels, held.points)
    if (first := held.first.get(name)) is not None:
        title = next(one.title for one in held.points if one.id == first.holds)
        return ShownStatement(letter_of(labels, name), 0, f"{first.holds}: {title}", "")
    return None


def reasons(
    contested: Sequence[Finding], ledger: Sequence[Stance], reader: str, labels: Mapping[str, str]
) -> tuple[tuple[str, Stance], ...]:
    """What others last said about each contested point, with a reason."""
    known = [one.id for one in contested]
    last = {
        (line.finding, line.participant): line
        for line in ledger
        if line.finding in known and line.participant != reader
    }
    given = [line for line in last.values() if line.reason not in ("", RAISING)]
    given.sort(key=lambda line: known.index(line.finding))
    return tuple((letter_of(labels, line.participant), line) for line in given)


def shown(one: Statement, labels: Mapping[str, str], points: Sequence[Finding]) -> ShownStatement:
    """A statement under its letter; its position by id and in words."""
    titles = {point.id: point.title for point in points}
    held = one.holds or one.position.strip().upper()
    position = f"{held}: {titles[held]}" if held in titles else one.position
    return ShownStatement(letter_of(labels, one.participant), one.round, position, one.argument)


def everything(
    context: PanelContext, held: PanelDebate, labels: Mapping[str, str], reader: str = ""
) -> DebaterView:
    """The debate for somebody who votes or judges: every debater's latest argument; the judge reads them all."""
    statements = held.statements if not reader else _latest_of_others(held, reader, ())
    return DebaterView(
        number=len(held.held),
        last=context.rounds,
        label=letter_of(labels, reader) if reader else "",
        own=_own(held, reader, labels),
        others=[shown(one, labels, held.points) for one in statements],
        agenda=agenda(held.points, held.assessment) if not reader else Agenda(()),
        reasons=() if reader else reasons(held.points, held.ledger, "", labels),
    )
