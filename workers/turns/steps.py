"""Work on one step: claim it, do it, finish it under the claim's token. A step task's whole body.

Whatever happens on the way ends in a typed outcome in the step's row; nothing is raised to Celery,
so a chord's header always returns a receipt.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from threading import Event

import structlog
from pydantic import JsonValue

from shared.allowed import Allowed
from shared.delivery.contracts import Receipt, StepPayload
from shared.delivery.live import Live
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
from shared.models.notices import Notice, as_column, notice, verbatim
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Failure, StepKind, ToolRequest, TurnRequest
from shared.providers.catalogue import provider_type
from shared.store.database import Database
from shared.store.people import missed, remind
from shared.store.steps import (
    Claim,
    Refusal,
    claim,
    finish,
    hand_back,
    is_held,
)
from workers.limits.budget_guard import BudgetGuard
from workers.limits.limited import Limited
from workers.limits.limiter import Limiter
from workers.providers.calls import Provider, ProviderCall
from workers.providers.registry import load_provider
from workers.tools.registry import ToolContext, run_tool
from workers.turns.allowance import check_entered
from workers.turns.canary import canary_of
from workers.turns.documents import StoredDocuments
from workers.turns.egress import check_allowed, without_secrets
from workers.turns.ledger import CallLedger, Counted
from workers.turns.prompting import render
from workers.turns.replies import MOST_CALLS, obtain, schema_of
from workers.turns.reuse import earlier_answer, reuse_key
from workers.turns.spool import Spool

FINISH_PATIENCE_S = 600.0
HEARTBEAT_PATIENCE_S = 60.0
MAX_PAUSE_S = 300.0
MAX_ATTEMPTS = 3
WRONG_WORKER_S = 1.0
LONGEST_MESSAGE = 2_000

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Ended:
    """How the work on a claim ended; exactly one of `reply` (JSON) and `failure`."""

    reply: str | None = None
    failure: Failure | None = None
    note: str = ""
    pause_s: float | None = None
    counted: bool = True


@dataclass
class StepWorker:
    """What a worker process needs to work on steps; shared by its threads."""

    database: Database
    presence: Presence
    spool: Spool
    limiter: Limiter | None = None
    usd_a_day: float | None = None
    live: Live | None = None
    allowed: Allowed | None = None
    kind: StepKind | None = None
    documents: StoredDocuments = field(init=False)

    def __post_init__(self) -> None:
        self.documents = StoredDocuments(self.database)

    def work(self, payload: StepPayload) -> Receipt:
        """Do a step if it is there to be done. Never raises an expected error."""
        try:
            return self._work(payload)
        except EnvironmentFault as fault:
            log.error("step.abandoned", run=payload.run, step=payload.step, why=str(fault))
            return Receipt(step=payload.step, status="abandoned")

    def _work(self, payload: StepPayload) -> Receipt:
        if not self.presence.is_known(HEARTBEAT_PATIENCE_S):
            raise EnvironmentFault("no heartbeat of this process arrives: others take its steps")
        nonce = uuid.uuid4().hex
        owner = self.presence.process_id
        claimed = self.database.run(
            lambda connection: claim(connection, payload.run, payload.step, owner, nonce)
        )
        if isinstance(claimed, Refusal):
            ready = claimed.open_steps == 0 and claimed.status in ("done", "failed")
            return Receipt(step=payload.step, status=claimed.status, ready=ready)
        failpoint("claimed")
        holding = (claimed.run, claimed.step, claimed.token)
        flag = self.presence.in_flight.add(holding)
        ledger = CallLedger(claimed, owner, self.database, self.spool)
        try:
            ended = self._outcome(ledger, flag)
            return self._finish(ledger, ended)
        finally:
            self.presence.in_flight.remove(holding)

    def _outcome(self, ledger: CallLedger, flag: Event) -> Ended:
        """The work itself, with every expected error as a typed failure."""
        claimed = ledger.claimed
        if self.kind not in (None, claimed.kind):
            # A forged message may name any step; the right message for it is published again.
            why = f"a worker for {self.kind} steps does not work on a {claimed.kind} step"
            return _failed(FailureKind.NOT_ALLOWED, why, WRONG_WORKER_S, counted=False)
        try:
            if claimed.kind is StepKind.TURN:
                request = TurnRequest.model_validate(claimed.request)
                return self._speak(ledger, request, flag)
            return self._run_tool(ToolRequest.model_validate(claimed.request), claimed)
        except ProviderError as error:
            self._note_the_wait(claimed, error)
            counted = not isinstance(error, NotYet) or error.counted
            message = as_column(error.notice or str(error)[:LONGEST_MESSAGE])
            return _failed(error.kind, message, _pause(error, ledger), counted=counted)
        except ConfigurationError as error:
            return _failed(FailureKind.BAD_REQUEST, str(error)[:LONGEST_MESSAGE])
        except EnvironmentFault:
            raise
        except QuorateError as error:
            return _failed(FailureKind.TOOL_ERROR, str(error)[:LONGEST_MESSAGE])
        except Exception as error:
            log.exception("step.bug", run=claimed.run, step=claimed.step)
            return _failed(
                FailureKind.TOOL_ERROR,
                f"internal error ({type(error).__name__}); see the worker's log",
            )

    def _note_the_wait(self, claimed: Claim, error: ProviderError) -> None:
        """Keep in the run's log that a person's time is nearly over, or that it was missed."""
        if isinstance(error, NotYet):
            told = remind if error.reminds else None
        else:
            late = error.kind is FailureKind.TIMEOUT and _asks_a_person(claimed)
            told = missed if late else None
        if told is not None:
            noted = partial(told, run=claimed.run, step=claimed.step)
            self.database.run(noted, atomic=True)

    def _speak(self, ledger: CallLedger, request: TurnRequest, flag: Event) -> Ended:
        """The participant, or its stand-in while its provider cannot be used or paid."""
        *tried, last = (request.participant, *request.participant.fallback)
        notes: list[Notice] = []
        for speaker in tried:
            try:
                return self._turn(ledger, _spoken_by(speaker, request), flag, notes)
            except ProviderError as error:
                if not _is_out_of_service(error, ledger):
                    raise
                lacks = error.kind is FailureKind.OVER_BUDGET
                code = "note_unpayable" if lacks else "note_out_of_service"
                notes.append(notice(code, who=speaker.name, kind=error.kind))
        try:
            return self._turn(ledger, _spoken_by(last, request), flag, notes)
        except ProviderError as error:
            if notes:
                why = error.notice or verbatim(str(error)[:LONGEST_MESSAGE])
                error.notice = notice("failed_after", why=why, notes=notes)
            raise

    def _turn(
        self, ledger: CallLedger, request: TurnRequest, flag: Event, before: Sequence[Notice]
    ) -> Ended:
        claimed = ledger.claimed
        participant = self._equipped(request.participant)
        check_entered(participant, self.allowed)
        provider = self._gated(load_provider(participant.provider), ledger, request)
        check_allowed(participant, claimed.promises.narrowed(request.allow_external))
        structured = provider.structured(participant)
        canary = canary_of(request, self.documents.get)
        rendered = render(
            request, self.documents.get, structured=structured, planted=canary.sentence
        )
        prompt, masked = without_secrets(rendered, participant)
        call = ProviderCall(
            participant=participant,
            role=request.role,
            round=request.round,
            reply_model=request.reply_model,
            step=f"{claimed.run}/{claimed.step}",
            system=prompt.system,
            user=prompt.user,
            stable=prompt.stable,
            reply_schema=schema_of(request.reply_model),
            max_output_tokens=participant.max_output_tokens,
            temperature=_first(participant.temperature, request.temperature),
            deadline_s=participant.timeout_s,
            limit_s=participant.timeout_s,
            brief=request.brief,
            attempt=claimed.attempts,
            age_s=claimed.age_s,
            watch=self._watcher(claimed, participant),
        )
        notes = [*before, notice("note_spoken_by", who=participant.name)] if before else []
        notes += [notice("note_adopted")] if ledger.stored else []
        notes += self._known(ledger, request, canary.removed_from(call))
        notes += masked
        failpoint("calling")
        listen = canary.listening(participant.name, ledger.keep, ledger.stored)
        most = max(1, MOST_CALLS - ledger.lost)
        notes += [notice("note_asked_again")] if ledger.lost and not ledger.reused else []
        obtained = obtain(provider, call, flag, listen, ledger.stored, most)
        notes += [notice("note_repaired")] if obtained.repaired else []
        notes += [notice("note_shortened", what=obtained.left_out)] if obtained.left_out else []
        reply = canary.without_reports(obtained.reply)
        return Ended(reply=reply.model_dump_json(exclude_defaults=True), note=_note_of(notes))

    def _watcher(self, claimed: Claim, participant: Participant) -> Callable[[str], None] | None:
        """Where a streamed answer's pieces go; None where streaming costs and nobody watches."""
        known = provider_type(participant.provider)
        if self.live is None or not known.streams:
            return None
        always = known.streams_unwatched
        return self.live.listener(claimed.run, claimed.step, age_s=claimed.age_s, always=always)

    def _gated(self, provider: Provider, ledger: CallLedger, request: TurnRequest) -> Provider:
        """The provider, guarded by the run's budget and its account's limits."""
        gated = provider if self.limiter is None else Limited(provider, self.limiter)
        if request.budgeted or self.usd_a_day is not None:
            gated = BudgetGuard(
                gated, self.database, ledger.claimed, ledger.next_attempt, self.usd_a_day
            )
        return Counted(gated, ledger)

    def _known(self, ledger: CallLedger, request: TurnRequest, call: ProviderCall) -> list[Notice]:
        """Name the call in the ledger; with `reuse`, take the answer of an identical turn."""
        if request.participant.rule_based:
            ledger.opens_for(request)
            return []
        key = reuse_key(call, request.marker)
        ledger.opens_for(request, key)
        if not request.reuse or ledger.stored:
            return []
        found = earlier_answer(self.database, key, request.reply_model)
        if found is None:
            return []
        ledger.reuses(found)
        return [notice("note_reused")]

    def _equipped(self, participant: Participant) -> Participant:
        """The participant with its large options brought in."""
        options = {name: self._resolved(value) for name, value in participant.options.items()}
        return participant.model_copy(update={"options": options}) if options else participant

    def _run_tool(self, request: ToolRequest, claimed: Claim) -> Ended:
        inputs = {name: self._resolved(value) for name, value in request.inputs.items()}
        confirm = partial(self._require_lease, claimed)
        context = ToolContext(self.documents, request.timeout_s, confirm)
        reply = run_tool(request.tool, inputs, context)
        failpoint("tool-done")
        return Ended(reply=reply.model_dump_json(exclude_defaults=True))

    def _require_lease(self, claimed: Claim) -> None:
        """Raise ToolError when the step is not this worker's any more: it stood still for long, or the run ended."""
        if not self.database.run(partial(is_held, claimed=claimed)):
            raise ToolError("somebody else is working on this step, or its run was ended")

    def _resolved(self, value: JsonValue) -> JsonValue:
        """Large inputs travel as {"document": sha256}; tools see the values themselves."""
        if isinstance(value, Mapping) and value.keys() == {"document"}:
            resolved: JsonValue = json.loads(self.documents.get(str(value["document"])))
            return resolved
        return value

    def _finish(self, ledger: CallLedger, ended: Ended) -> Receipt:
        claimed = ledger.claimed
        if ended.pause_s is not None:
            why = "" if ended.failure is None else ended.failure.message
            returned = partial(hand_back, claimed=claimed, delay_s=ended.pause_s, why=why)
            ledger.store_free()
            self.database.run(partial(returned, counted=ended.counted))
            return Receipt(step=claimed.step, status="handed back")
        tokens, cost_usd = ledger.sums()
        open_steps = self.database.run(
            lambda connection: finish(
                connection,
                claimed,
                reply=ended.reply,
                failure=ended.failure,
                note=ended.note,
                tokens=tokens,
                cost_usd=cost_usd,
                response=ledger.last_free(),
            ),
            patience_s=FINISH_PATIENCE_S,
        )
        failpoint("finished")
        if open_steps is None:
            return Receipt(step=claimed.step, status="stale")
        status = "done" if ended.failure is None else "failed"
        return Receipt(step=claimed.step, status=status, ready=open_steps == 0)


def _failed(
    kind: FailureKind, message: str, pause_s: float | None = None, *, counted: bool = True
) -> Ended:
    failure = Failure(kind=kind, message=message)
    return Ended(failure=failure, pause_s=pause_s, counted=counted)


def _note_of(notes: Sequence[Notice]) -> str:
    return as_column(notice("notes", parts=notes)) if notes else ""


def _asks_a_person(claimed: Claim) -> bool:
    return bool(claimed.request.get("participant", {}).get("provider") == "person")


def _spoken_by(speaker: Participant, request: TurnRequest) -> TurnRequest:
    if speaker is request.participant:
        return request
    return request.model_copy(update={"participant": speaker})


def _is_out_of_service(error: ProviderError, ledger: CallLedger) -> bool:
    """True when another participant should speak.

    The key is refused, the breaker open, the call beyond the budget, or nothing is tried again.
    """
    if isinstance(error, NotYet):
        return error.counted
    if error.kind in (FailureKind.CREDENTIALS, FailureKind.OVER_BUDGET):
        return True
    down = error.kind in (FailureKind.UNREACHABLE, FailureKind.OVERLOADED)
    last = not error.retryable or ledger.claimed.attempts >= MAX_ATTEMPTS
    spent = last or _is_used_up(error, ledger)
    return down and spent


def _is_used_up(error: ProviderError, ledger: CallLedger) -> bool:
    return bool(error.charged) and ledger.left <= 0


def _pause(error: ProviderError, ledger: CallLedger) -> float | None:
    """How long a step waits before it is tried again; None when it is not. Attempts bound it.

    A call that used up its whole time is not repeated: it was paid, and its round has waited long enough. One whose
    answer was lost is made at most once more: both may have been charged.
    """
    claimed = ledger.claimed
    if _is_used_up(error, ledger):
        return None
    if isinstance(error, NotYet) and not error.counted:
        return error.retry_after_s
    if not error.retryable or error.kind is FailureKind.TIMEOUT or claimed.attempts >= MAX_ATTEMPTS:
        return None
    asked = error.retry_after_s if error.retry_after_s is not None else 2.0**claimed.attempts
    return asked if asked <= MAX_PAUSE_S else None


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)
