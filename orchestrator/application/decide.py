"""A person's answers: to a decision, and to a turn that waits for them. The row first, then the signal that resumes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from orchestrator.application.backend import Backend
from orchestrator.application.report import load_report
from orchestrator.application.reviewed_files import require_reviewed_files
from orchestrator.core.discussion.spoken import reply_of
from orchestrator.presentation.report import RunReport
from orchestrator.workflows.registry import decision_choices, picking_words
from shared.errors import DecisionConflict, UnknownRun, UserError
from shared.models.decision import DecisionAnswer, DecisionQuestion
from shared.models.rows import DecisionRow
from shared.store.database import Connection
from shared.store.decisions import answer_decision
from shared.store.listed_decisions import list_decisions
from shared.store.people import answer_turn
from shared.store.views import find_run
from shared.store.waiting_turns import WaitingTurn, waiting_turns


@dataclass(frozen=True)
class DecisionRequest:
    """An answer. `key` None: the open decision, else the last one, since an answer may be repeated.

    `only` and `without` pick findings. `shown_sha256` None: what is shown now.
    """

    run: str
    choice: str
    actor: str
    channel: str
    key: str | None = None
    message: str = ""
    only: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    shown_sha256: str | None = None


def decide(backend: Backend, request: DecisionRequest) -> DecisionRow:
    """Record an answer to exactly what was shown, and wake the run.

    Raises UserError for a choice that is not offered, UnknownRun, DecisionConflict when another answer stands or when
    files that the answer would change in place were edited since.
    """
    report = backend.read(lambda connection: load_report(connection, request.run))
    decision = decision_of(report, request.key)
    only = selection_of(decision, request)
    choice = decision_choices().get(request.choice)
    if choice is not None and choice.writes and decision.answer is None:
        require_reviewed_files(backend, report, only)
    answer = DecisionAnswer(
        choice=request.choice,
        actor=request.actor,
        channel=request.channel,
        message=request.message,
        only=only,
    )
    shown = decision.shown_sha256 if request.shown_sha256 is None else request.shown_sha256
    row = backend.write(
        lambda connection: answer_decision(connection, decision.run_id, decision.key, answer, shown)
    )
    # Lost, it costs a second: the sweeper finds answered decisions by itself.
    backend.wake(decision.run_id)
    return row


@dataclass(frozen=True)
class BulkAnswer:
    """The decisions that took an answer, those that do not offer it, and those that were settled meanwhile."""

    answered: tuple[DecisionRow, ...]
    left: tuple[DecisionRow, ...]
    settled: tuple[str, ...] = ()


def decide_all(
    backend: Backend,
    choice: str,
    actor: str,
    message: str = "",
    batch: str | None = None,
    *,
    channel: str = "cli",
) -> BulkAnswer:
    """Give every open decision (of a batch) that offers it the same answer, and wake the runs. As `decide_listed`."""
    rows = backend.read(partial(list_decisions, batch=batch, with_shown=False))
    answer = DecisionAnswer(choice=choice, actor=actor, channel=channel, message=message)
    return decide_listed(backend, answer, rows)


def decide_listed(
    backend: Backend, answer: DecisionAnswer, rows: Iterable[DecisionRow]
) -> BulkAnswer:
    """Give those decisions that offer it the same answer, as far as they still ask what they asked; wake the runs.

    Raises UserError for an answer that lets something be changed for good: that is given to what was shown, one by one.
    """
    known = decision_choices()
    if answer.choice not in known:
        raise UserError(
            "{choice!r} is no answer to anything: choose one of {known}",
            choice=answer.choice,
            known=", ".join(known),
        )
    if known[answer.choice].writes:
        raise UserError(
            "{choice} changes files, so it is answered run by run, after a look at what is shown",
            choice=answer.choice,
        )
    answered, left, settled = [], [], []
    for row in rows:
        if answer.choice not in row.question.get("options", ()):
            left.append(row)
            continue
        try:
            answered.append(backend.write(partial(_answer_row, row=row, answer=answer)))
        except (DecisionConflict, UnknownRun):
            settled.append(row.run_id)
            continue
        backend.wake(row.run_id)
    return BulkAnswer(tuple(answered), tuple(left), tuple(settled))


def _answer_row(connection: Connection, row: DecisionRow, answer: DecisionAnswer) -> DecisionRow:
    return answer_decision(connection, row.run_id, row.key, answer, row.shown_sha256)


def decision_of(report: RunReport, key: str | None) -> DecisionRow:
    """The decision that is meant; without a key the open one, else the last. Raises UnknownRun or UserError."""
    if key is not None:
        named = next((row for row in report.decisions if row.key == key), None)
        if named is None:
            raise UnknownRun("run {run} has no decision {key!r}", run=report.run.id, key=key)
        return named
    if report.decision is None:
        raise UserError(
            "run {run} asks nothing (it is {status}): `quorate inbox` shows what is open",
            run=report.run.id,
            status=report.run.status,
        )
    return report.decision


def selection_of(decision: DecisionRow, request: DecisionRequest) -> tuple[str, ...] | None:
    """The findings that are picked; None for all. Raises UserError for one that cannot be."""
    only, without = request.only, request.without
    if only is None and not without:
        return None
    if request.choice not in picking_words():
        named = ", ".join(picking_words())
        raise UserError(
            "--only and --except pick some of what is offered: they go with {named}", named=named
        )
    selectable = DecisionQuestion.model_validate(decision.question).selectable
    wanted = selectable if only is None else tuple(only)
    _require_selectable((*wanted, *without), selectable)
    if not (picked := tuple(name for name in wanted if name not in without)):
        raise UserError("nothing is left of what is offered: give the other answer instead")
    return picked


def _require_selectable(names: Sequence[str], selectable: Sequence[str]) -> None:
    if unknown := [name for name in names if name not in selectable]:
        offered = ", ".join(selectable) or "none"
        raise UserError(
            "{unknown} cannot be selected here (selectable: {offered})",
            unknown=", ".join(unknown),
            offered=offered,
        )


# ---- a person's own turn ------------------------------------------------------------------------


@dataclass(frozen=True)
class TurnAnswer:
    """What a person says in a turn of their own. `step` None: the one turn of the run that waits."""

    run: str
    text: str
    actor: str
    step: str | None = None


def take_turn(backend: Backend, answer: TurnAnswer) -> tuple[str, str]:
    """Store the answer and wake the run; the names of the run and of the step.

    Raises UserError when several turns wait and none is named, DecisionConflict when none waits (any more).
    """
    run = backend.read(lambda connection: find_run(connection, answer.run)).id
    turn = backend.read(lambda connection: _chosen(connection, run, answer.step))
    # The step's own name reaches the transaction, which says why it cannot be answered (any more).
    key = turn.step if turn is not None else str(answer.step)
    reply = answer.text if turn is None else reply_of(answer.text, turn.reply_model)
    backend.write(lambda connection: answer_turn(connection, run, key, reply, answer.actor))
    backend.wake(run)
    return run, key


def waiting_turn(backend: Backend, run: str, step: str) -> WaitingTurn:
    """The turn that waits. Raises UnknownRun, DecisionConflict when it does not wait (any more)."""

    def read(connection: Connection) -> WaitingTurn:
        name = find_run(connection, run).id
        turn = _chosen(connection, name, step)
        if turn is None:
            raise DecisionConflict(
                "turn {step} of run {name} does not wait for a person (any more)",
                step=step,
                name=name,
            )
        return turn

    return backend.read(read)


def _chosen(connection: Connection, run: str, step: str | None) -> WaitingTurn | None:
    waiting = waiting_turns(connection, run=run)
    if step is not None:
        return next((turn for turn in waiting if turn.step == step), None)
    return only_turn(run, waiting)


def only_turn(run: str, waiting: Sequence[WaitingTurn]) -> WaitingTurn:
    """The one turn of the run that waits. Raises DecisionConflict where none does, UserError where several do."""
    if len(waiting) == 1:
        return waiting[0]
    if not waiting:
        raise DecisionConflict(
            "run {run} is not waiting for a person's turn: `quorate inbox` shows those that are",
            run=run,
        )
    named = ", ".join(turn.step for turn in waiting)
    raise UserError("run {run} waits for several answers; name one: {named}", run=run, named=named)
