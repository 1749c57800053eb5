"""Work on one step: claim it, do it, finish it under the claim's token. A step task's whole body.

Whatever happens on the way ends in a typed outcome in the step's row; nothing is raised to Celery,
so a chord's header always returns a receipt.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from functools import partial
from threading import Event

import structlog
from pydantic import ValidationError

from shared.delivery.contracts import HANDED_BACK, Receipt, StepPayload
from shared.delivery.presence import Presence
from shared.errors import (
    ConfigurationError,
    EnvironmentFault,
    NotYet,
    ProviderError,
    QuorateError,
    ToolError,
)
from shared.faults import failpoint
from shared.logs import bound
from shared.models.notices import as_column, of_error
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure, StepKind, ToolRequest, TurnRequest
from shared.store.ends import StepEnd, finish_steps
from shared.store.people import missed, remind
from shared.store.processes import SILENCE_S
from shared.store.steps import Claim, Refusal, WantedStep, claim_steps, hand_back, is_held
from shared.tools.card import ToolKind
from shared.tools.catalogue import find_card
from workers.gathering import Gatherer
from workers.tools.registry import ToolContext, run_tool
from workers.turns.allowance import check_command_entered, check_program_entered
from workers.turns.answers import AnswerStore
from workers.turns.code_facts import StoredCodeFacts
from workers.turns.ledger import CallLedger
from workers.turns.passages import StoredPassages
from workers.turns.spool import Spool
from workers.turns.turn import LONGEST_MESSAGE, MAX_ATTEMPTS, Ended, TurnWorker, is_used_up

FINISH_PATIENCE_S = 600.0
HEARTBEAT_PATIENCE_S = 60.0
MAX_PAUSE_S = 300.0
WRONG_WORKER_S = 1.0
ABANDONED = "abandoned"

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class HeldStep:
    """A claimed step that this process works on; `flag` is set when it is lost, or its run cancelled.

    `request` is what the step asks for, or why that could not be read.
    """

    ledger: CallLedger
    flag: Event
    request: TurnRequest | ToolRequest | ValidationError

    @property
    def holding(self) -> tuple[str, str, int]:
        """What presence knows it by."""
        claimed = self.ledger.claimed
        return claimed.run, claimed.step, claimed.token


@dataclass
class StepWorker:
    """What a worker process needs to work on steps; shared by its threads.

    `around_ends` is entered for each commit of ends, with what they set off. A claim that took `stood_still_s` seconds
    is not relied upon: this process may have been stopped meanwhile.
    """

    turns: TurnWorker
    presence: Presence
    spool: Spool
    kind: StepKind | None = None
    around_ends: Callable[[], AbstractContextManager[object]] = nullcontext
    stood_still_s: float = SILENCE_S / 2

    def __post_init__(self) -> None:
        self.database = self.turns.database
        self._ends = Gatherer("ends", self._finish_all, around=self.around_ends)
        self._answers = AnswerStore(self.database, self.spool)

    def close(self) -> None:
        """Commit what has ended. Nothing may be worked on any more."""
        self._answers.close()
        self._ends.close()

    def work(self, payload: StepPayload) -> Receipt:
        """Do a step if it is there to be done. Never raises an expected error."""
        [taken] = self.take([payload])
        return taken if isinstance(taken, Receipt) else self.perform(taken).result()

    def take(self, payloads: Sequence[StepPayload]) -> list[HeldStep | Receipt]:
        """Claim steps with one statement: what is there to be done, and has to be performed; receipts of the rest.

        Never raises an expected error.
        """
        wanted = [WantedStep(step.run, step.step, uuid.uuid4().hex) for step in payloads]
        owner = self.presence.process_id
        asked_at = time.monotonic()
        try:
            if not self.presence.is_known(HEARTBEAT_PATIENCE_S):
                raise EnvironmentFault(
                    "no heartbeat of this process arrives: others take its steps"
                )
            given = self.database.run(partial(claim_steps, wanted=wanted, owner=owner))
        except EnvironmentFault as fault:
            return [_abandoned(step.run, step.step, fault) for step in wanted]
        failpoint("claimed")
        taken = [
            self._held(claimed) if isinstance(claimed, Claim) else _refused(payload.step, claimed)
            for payload, claimed in zip(payloads, given, strict=True)
        ]
        if time.monotonic() - asked_at > self.stood_still_s:
            # Whoever is stopped is taken for dead, and others may have its steps: a heartbeat that came before these
            # were noted has not flagged them.
            self.presence.look()
        return taken

    def perform(self, held_step: HeldStep) -> Future[Receipt]:
        """Do a held step. Its end is committed soon after this returns, together with those of others.

        The receipt comes with the commit, in another thread. Never raises an expected error.
        """
        receipt: Future[Receipt] = Future()
        receipt.add_done_callback(lambda _: self.presence.in_flight.remove(held_step.holding))
        try:
            with bound(run=held_step.holding[0], step=held_step.holding[1]):
                ended = self._outcome(held_step)
                _log_end(ended)
            if ended.pause_s is not None:
                receipt.set_result(self._hand_back(held_step.ledger, ended, ended.pause_s))
            else:
                accepted = self._ends.put(_end_of(held_step.ledger, ended))
                accepted.add_done_callback(partial(_receive, receipt, held_step.ledger, ended))
        except EnvironmentFault as fault:
            receipt.set_result(_abandoned(*held_step.holding[:2], fault))
        except BaseException as bug:
            receipt.set_exception(bug)
            raise
        return receipt

    def _held(self, claimed: Claim) -> HeldStep:
        ledger = CallLedger(claimed, self.presence.process_id, self._answers)
        flag = self.presence.in_flight.add((claimed.run, claimed.step, claimed.token))
        return HeldStep(ledger, flag, _read(claimed))

    def _finish_all(self, ends: Sequence[StepEnd]) -> Sequence[int | None]:
        failpoint("ends-gathered")
        accepted = self.database.run(partial(finish_steps, ends=ends), patience_s=FINISH_PATIENCE_S)
        failpoint("finished")
        return accepted

    def _outcome(self, held_step: HeldStep) -> Ended:
        """The work itself, with every expected error as a typed failure."""
        ledger, request, claimed = held_step.ledger, held_step.request, held_step.ledger.claimed
        if self.kind not in (None, claimed.kind):
            # A forged message may name any step; the right message for it is published again.
            why = f"a worker for {self.kind} steps does not work on a {claimed.kind} step"
            return _failed(FailureKind.NOT_ALLOWED, why, WRONG_WORKER_S, counted=False)
        try:
            if isinstance(request, TurnRequest):
                return self.turns.speak(ledger, request, held_step.flag)
            return self._run_tool(request, claimed)
        except ProviderError as error:
            self._note_the_wait(claimed, error)
            counted = not isinstance(error, NotYet) or error.counted
            message = as_column(error.notice or str(error)[:LONGEST_MESSAGE])
            return _failed(error.kind, message, _pause(error, ledger), counted=counted)
        except ConfigurationError as error:
            return _failed(FailureKind.BAD_REQUEST, _column(error))
        except EnvironmentFault:
            raise
        except QuorateError as error:
            return _failed(FailureKind.TOOL_ERROR, _column(error))
        except Exception as error:
            log.exception("step.bug")
            return _failed(
                FailureKind.TOOL_ERROR,
                f"internal error ({type(error).__name__}); see the worker's log",
            )

    def _note_the_wait(self, claimed: Claim, error: ProviderError) -> None:
        """Keep in the run's log that a person's time is nearly over, or that it was missed."""
        if isinstance(error, NotYet):
            note = remind if error.reminds else None
        else:
            late = error.kind is FailureKind.TIMEOUT and _asks_a_person(claimed)
            note = missed if late else None
        if note is not None:
            write = partial(note, run=claimed.run, step=claimed.step)
            self.database.run(write, atomic=True)

    def _run_tool(self, request: ToolRequest | ValidationError, claimed: Claim) -> Ended:
        if isinstance(request, ValidationError):
            raise request
        inputs = {
            name: self.turns.documents.resolved(value) for name, value in request.inputs.items()
        }
        card = find_card(request.tool)
        if card.command is not None:
            check = (
                check_program_entered if card.kind is ToolKind.COMMAND else check_command_entered
            )
            check(inputs.get(card.command), self.turns.allowed)
        confirm = partial(self._require_lease, claimed)
        context = ToolContext(
            self.turns.documents,
            request.timeout_s,
            confirm,
            passages=StoredPassages(self.database),
            code=StoredCodeFacts(self.database),
        )
        reply = run_tool(request.tool, inputs, context)
        failpoint("tool-done")
        return Ended(reply=reply.model_dump_json(exclude_defaults=True))

    def _require_lease(self, claimed: Claim) -> None:
        """Raise ToolError when the step is not this worker's any more: it stood still for long, or the run ended."""
        if not self.database.run(partial(is_held, claimed=claimed)):
            raise ToolError("somebody else is working on this step, or its run was ended")

    def _hand_back(self, ledger: CallLedger, ended: Ended, pause_s: float) -> Receipt:
        why = "" if ended.failure is None else ended.failure.message
        ledger.store_free()
        returned = partial(hand_back, claimed=ledger.claimed, delay_s=pause_s, why=why)
        self.database.run(partial(returned, counted=ended.counted))
        return Receipt(step=ledger.claimed.step, status=HANDED_BACK)


def _read(claimed: Claim) -> TurnRequest | ToolRequest | ValidationError:
    """What a step asks for. Read before a thread waits for its answer: reading leaves 12 kB of stack behind."""
    model = TurnRequest if claimed.kind is StepKind.TURN else ToolRequest
    try:
        return model.model_validate_json(claimed.request)
    except ValidationError as error:
        return error


def _log_end(ended: Ended) -> None:
    """Of a failure only its kind: its message may quote what a model said."""
    kind = "" if ended.failure is None else ended.failure.kind.value
    if ended.pause_s is not None:
        log.debug("step.put_off", kind=kind, pause_s=round(ended.pause_s, 1))
    elif kind:
        log.info("step.failed", kind=kind)
    else:
        log.debug("step.done")


def _end_of(ledger: CallLedger, ended: Ended) -> StepEnd:
    tokens, cost_usd = ledger.sums()
    return StepEnd(
        ledger.claimed,
        reply=ended.reply,
        failure=ended.failure,
        note=ended.note,
        tokens=tokens,
        cost_usd=cost_usd,
        responses=ledger.free,
    )


def _receive(
    receipt: Future[Receipt], ledger: CallLedger, ended: Ended, accepted: Future[int | None]
) -> None:
    """Say what came of a step's end."""
    claimed = ledger.claimed
    if (fault := accepted.exception()) is not None:
        receipt.set_result(_abandoned(claimed.run, claimed.step, fault))
    elif (open_steps := accepted.result()) is None:
        receipt.set_result(Receipt(step=claimed.step, status="stale"))
    else:
        status = "done" if ended.failure is None else "failed"
        failure = "" if ended.failure is None else ended.failure.kind.value
        receipt.set_result(
            Receipt(step=claimed.step, status=status, ready=open_steps == 0, failure=failure)
        )


def _refused(step: str, refusal: Refusal) -> Receipt:
    ready = refusal.open_steps == 0 and refusal.status in ("done", "failed")
    return Receipt(step=step, status=refusal.status, ready=ready)


def _abandoned(run: str, step: str, fault: BaseException) -> Receipt:
    log.error("step.abandoned", run=run, step=step, why=str(fault))
    return Receipt(step=step, status=ABANDONED, failure=ABANDONED)


def _column(error: QuorateError) -> str:
    """What a step's failure keeps of an error."""
    return as_column(of_error(error.sentence, LONGEST_MESSAGE))


def _failed(
    kind: FailureKind, message: str, pause_s: float | None = None, *, counted: bool = True
) -> Ended:
    failure = Failure(kind=kind, message=message)
    return Ended(failure=failure, pause_s=pause_s, counted=counted)


def _asks_a_person(claimed: Claim) -> bool:
    participant = json.loads(claimed.request).get("participant", {})
    return bool(participant.get("provider") == "person")


def _pause(error: ProviderError, ledger: CallLedger) -> float | None:
    """How long a step waits before it is tried again; None when it is not. Attempts bound it.

    A call that used up its whole time is not repeated: it was paid, and its round has waited long enough. One whose
    answer was lost is made at most once more: both may have been charged.
    """
    claimed = ledger.claimed
    if is_used_up(error, ledger):
        return None
    if isinstance(error, NotYet) and not error.counted:
        return error.retry_after_s
    if not error.retryable or error.kind is FailureKind.TIMEOUT or claimed.attempts >= MAX_ATTEMPTS:
        return None
    asked = error.retry_after_s if error.retry_after_s is not None else 2.0**claimed.attempts
    return asked if asked <= MAX_PAUSE_S else None
