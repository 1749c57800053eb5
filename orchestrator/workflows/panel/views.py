"""What everybody is shown of a debate: letters for names, the latest arguments, contested points only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.core.discussion.contested import agenda, reasons_of_others
from orchestrator.core.discussion.labels import label_of
from orchestrator.workflows.panel.context import PanelContext, PanelDebate
from orchestrator.workflows.panel.prompts import DebaterView, LabelledReason, ShownStatement
from orchestrator.workflows.panel.result import PanelStatement
from orchestrator.workflows.panel.strategies import Hears
from shared.models.findings import Finding
from shared.models.panel import Participant


def before_round(
    context: PanelContext,
    number: int,
    debate: PanelDebate,
    debater: Participant,
    labels: Mapping[str, str],
    so_far: Sequence[PanelStatement] = (),
) -> DebaterView:
    """What a debater sees before its turn; `so_far` was said in this round already."""
    name = debater.name
    points = agenda(debate.points, debate.assessment)
    own = _own(debate, name, labels)
    if context.strategy.hears is Hears.FEEDBACK:
        feedback = _feedback(debate, labels) if debate.rounds else None
        return DebaterView(number, context.rounds, "", own, agenda=points, feedback=feedback)
    return DebaterView(
        number=number,
        last=context.rounds,
        label=label_of(labels, name),
        own=own,
        others=_all_shown(_latest_of_others(debate, name, so_far), labels, debate),
        agenda=points,
        reasons=_reasons(points.contested, debate, name, labels),
    )


def heard_by(
    context: PanelContext, debate: PanelDebate, name: str, so_far: Sequence[PanelStatement] = ()
) -> tuple[str, ...]:
    """Whose arguments a debater is shown in its next turn."""
    if context.strategy.hears is Hears.FEEDBACK:
        return ()
    return tuple(other.participant for other in _latest_of_others(debate, name, so_far))


def _latest_of_others(
    debate: PanelDebate, name: str, so_far: Sequence[PanelStatement]
) -> list[PanelStatement]:
    """Everybody else's last statement; those of this round come last: the one before is the last that is heard."""
    latest = debate.latest
    for statement in so_far:
        latest.pop(statement.participant, None)
        latest[statement.participant] = statement
    return [statement for speaker, statement in latest.items() if speaker != name]


def _feedback(debate: PanelDebate, labels: Mapping[str, str]) -> str:
    """The moderator's words; where it gave none, all arguments in a dealt order and without letters."""
    moderation = debate.feedback
    if moderation is not None and moderation.feedback:
        questions = "\n".join(f"- {question}" for question in moderation.open_questions)
        return f"{moderation.feedback}\n{questions}".strip()
    latest = debate.latest
    statements = [latest[name] for name in labels.values() if name in latest]
    return "\n".join(
        f"- {statement.position}: {statement.argument}"
        for statement in _all_shown(statements, labels, debate)
    )


def _own(debate: PanelDebate, name: str, labels: Mapping[str, str]) -> ShownStatement | None:
    """A debater's own last statement, or its opening vote."""
    if (statement := debate.latest.get(name)) is not None:
        return shown(statement, labels, debate.points)
    if (first := debate.first.get(name)) is None or (point := debate.point(first.position)) is None:
        return None
    return ShownStatement(label_of(labels, name), 0, f"{point.id}: {point.title}", "")


def _reasons(
    contested: Sequence[Finding], debate: PanelDebate, reader: str, labels: Mapping[str, str]
) -> list[LabelledReason]:
    """What others last said about each contested point, with a reason."""
    lines = reasons_of_others(contested, debate.ledger, reader)
    return [(label_of(labels, line.participant), line) for line in lines]


def _all_shown(
    statements: Iterable[PanelStatement], labels: Mapping[str, str], debate: PanelDebate
) -> list[ShownStatement]:
    return [shown(statement, labels, debate.points) for statement in statements]


def shown(
    statement: PanelStatement, labels: Mapping[str, str], points: Sequence[Finding]
) -> ShownStatement:
    """A statement under its letter; its position by id and in words."""
    titles = {point.id: point.title for point in points}
    identity = statement.holds or statement.position.strip().upper()
    known = identity in titles
    position = f"{identity}: {titles[identity]}" if known else statement.position
    label = label_of(labels, statement.participant)
    return ShownStatement(label, statement.round, position, statement.argument)


def for_ballot(debate: PanelDebate, labels: Mapping[str, str], voter: str) -> DebaterView:
    """The debate for somebody who votes: everybody's latest argument."""
    return DebaterView(
        number=len(debate.rounds),
        last=0,
        label=label_of(labels, voter),
        own=_own(debate, voter, labels),
        others=_all_shown(_latest_of_others(debate, voter, ()), labels, debate),
    )


def for_judge(debate: PanelDebate, labels: Mapping[str, str]) -> DebaterView:
    """The debate for the judge: all that was said, and how the points stand."""
    return DebaterView(
        number=len(debate.rounds),
        last=0,
        label="",
        others=_all_shown(debate.statements, labels, debate),
        agenda=agenda(debate.points, debate.assessment),
        reasons=_reasons(debate.points, debate, "", labels),
    )
