"""One turn: the participant or its stand-in, its prompt, its guarded call, and what is made of the answer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event

from shared.allowed import Allowed
from shared.delivery.live import Live
from shared.errors import NotYet, ProviderError
from shared.faults import failpoint
from shared.models.notices import Notice, as_column, notice, verbatim
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Failure, TurnRequest
from shared.providers.catalogue import provider_type
from shared.store.database import Database
from shared.store.steps import Claim
from workers.limits.budget_guard import BudgetGuard
from workers.limits.limited import Limited
from workers.limits.limiter import Limiter
from workers.providers.calls import Provider, ProviderCall
from workers.providers.registry import load_provider
from workers.turns.allowance import check_entered
from workers.turns.batched import Batched, BatchQueue, is_batched_call
from workers.turns.canary import Canary, canary_of
from workers.turns.documents import StoredDocuments
from workers.turns.egress import check_allowed, without_secrets
from workers.turns.ledger import CallLedger, Counted
from workers.turns.prompting import render
from workers.turns.replies import MOST_CALLS, obtain, schema_of
from workers.turns.reuse import earlier_answer, reuse_key

MAX_ATTEMPTS = 3
LONGEST_MESSAGE = 2_000


@dataclass(frozen=True)
class Ended:
    """How the work on a claim ended; exactly one of `reply` (JSON) and `failure`."""

    reply: str | None = None
    failure: Failure | None = None
    note: str = ""
    pause_s: float | None = None
    counted: bool = True


@dataclass
class TurnWorker:
    """What a process needs to let participants speak; shared by its threads."""

    database: Database
    limiter: Limiter | None = None
    usd_a_day: float | None = None
    live: Live | None = None
    allowed: Allowed | None = None

    def __post_init__(self) -> None:
        self.documents = StoredDocuments(self.database)

    def speak(self, ledger: CallLedger, request: TurnRequest, flag: Event) -> Ended:
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
        notes += self._known(ledger, request, call, canary)
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
        claimed = ledger.claimed
        batched = is_batched_call(request.participant)
        gated: Provider = provider if self.limiter is None else Limited(provider, self.limiter)
        if batched:  # its limits are those of the batch API, which the courier keeps
            gated = BatchQueue(provider, self.database, ledger)
        if request.budgeted or self.usd_a_day is not None:
            attempt = ledger.next_batched_attempt if batched else ledger.next_attempt
            gated = BudgetGuard(gated, self.database, claimed, attempt, self.usd_a_day)
        if batched:
            gated = Batched(gated, self.database, claimed, MAX_ATTEMPTS)
        return Counted(gated, ledger)

    def _known(
        self, ledger: CallLedger, request: TurnRequest, call: ProviderCall, canary: Canary
    ) -> list[Notice]:
        """Name the call in the ledger; with `reuse`, take the answer of an identical turn.

        An answer that costs nothing is not kept, so nobody could find it.
        """
        if not provider_type(request.participant.provider).billable:
            ledger.opens_for(request)
            return []
        key = reuse_key(canary.removed_from(call), request.marker)
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
        options = {
            name: self.documents.resolved(value) for name, value in participant.options.items()
        }
        if all(options[name] is value for name, value in participant.options.items()):
            return participant
        return participant.model_copy(update={"options": options})


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
    spent = last or is_used_up(error, ledger)
    return down and spent


def is_used_up(error: ProviderError, ledger: CallLedger) -> bool:
    return bool(error.charged) and ledger.left <= 0


def _note_of(notes: Sequence[Notice]) -> str:
    return as_column(notice("notes", parts=notes)) if notes else ""


def _first(*values: float | None) -> float | None:
    return next((value for value in values if value is not None), None)
