"""Carries queued calls to the batch APIs of their providers, and the answers back to the turns that wait.

Every turn worker has one, in a thread. Whatever it does is written down first: a batch whose sender was killed is
looked for at its provider and posted again only when it is not there. A courier leaves alone what this machine may not
reach or has no key for.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice

import structlog

from shared.allowed import Allowed
from shared.errors import EnvironmentFault, ProviderError
from shared.faults import failpoint
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.limits import account_of
from shared.store.batched_calls import (
    LONGEST_WAIT_S,
    BatchedFailure,
    fail_calls,
    wake_turns,
    wakeable_runs,
)
from shared.store.database import Database
from shared.store.ends import StoredResponse
from shared.store.provider_batches import (
    Lane,
    Load,
    ProviderBatch,
    SentCall,
    anything_open,
    batch_calls,
    drop_unwanted,
    end_batch,
    known_remotes,
    lanes,
    look_again,
    note_refused,
    note_sent,
    overdue_calls,
    refusals,
    store_answers,
    take_due,
    take_lane,
)
from workers.providers.batches.service import (
    BatchAccess,
    BatchEntry,
    BatchProtocol,
    BatchResult,
    SoughtBatch,
    load_batches,
    way_to_batches,
)
from workers.turns.allowance import check_entered
from workers.turns.batch_answers import came_of, failure_of, not_done, nothing_came

AT_ONCE = 100
CLOCKS_DIFFER_S = 600.0
LONGEST_REST_S = 3600.0
# After these nobody knows whether the provider has taken the batch.
_UNCLEAR = frozenset({FailureKind.OVERLOADED, FailureKind.TIMEOUT, FailureKind.UNPARSEABLE})

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class Pace:
    """How long what waits for what, in seconds.

    A lane's calls are sent once none has come for `quiet_s`, or the oldest is `longest_s` old. A provider is asked
    every `look_s`, less often when it takes long. `lease_s` is longer than posting takes.
    """

    tick_s: float = 5.0
    quiet_s: float = 20.0
    longest_s: float = 300.0
    look_s: float = 60.0
    rest_s: float = 60.0
    lease_s: float = 600.0
    settled_s: float = 60.0


@dataclass(frozen=True)
class Desk:
    """A provider's batch API with the way to it."""

    protocol: BatchProtocol
    access: BatchAccess


class Courier:
    """What a process needs to carry calls; `tick` may be called by any number of couriers at once."""

    def __init__(
        self,
        database: Database,
        *,
        allowed: Allowed | None = None,
        paused: Callable[[], Sequence[str]] = tuple,
        pace: Pace | None = None,
    ) -> None:
        """`paused` gives the names of participants, providers and accounts that an operator paused."""
        self._database = database
        self._allowed = allowed
        self._paused = paused
        self._pace = pace or Pace()
        self._stop = threading.Event()

    def stop(self) -> None:
        """End soon; a request under way is given up."""
        self._stop.set()

    def run(self) -> None:
        """Work until `stop`. A thread's whole body."""
        while not self._stop.wait(self._pace.tick_s):
            try:
                self.tick()
            except EnvironmentFault as fault:
                log.warning("courier.waits", why=str(fault))
            except Exception:
                # The outermost place of its thread: what a bug stops today, the next tick tries again.
                log.exception("courier.bug")

    def tick(self) -> None:
        """Do everything that is due now. Raises EnvironmentFault."""
        if not self._database.run(anything_open):
            return
        self._database.run(drop_unwanted)
        self._give_up(self._database.run(partial(overdue_calls, older_than_s=LONGEST_WAIT_S)))
        self._send()
        self._follow()
        for run in self._database.run(wakeable_runs):
            self._database.run(partial(wake_turns, run=run), atomic=True)

    def _give_up(self, calls: Sequence[str]) -> None:
        if calls:
            failure = nothing_came("batch_not_sent", FailureKind.TIMEOUT)
            self._database.run(partial(fail_calls, calls=calls, failure=failure))

    # ---- to the provider --------------------------------------------------------------------------

    def _send(self) -> None:
        paused = self._paused()
        for lane in self._database.run(partial(lanes, paused=paused)):
            desk = self._desk(lane.participant)
            if desk is None or account_of(lane.participant) in paused:
                continue
            if self._is_complete(lane, desk.protocol):
                self._carry(lane, desk, paused)

    def _is_complete(self, lane: Lane, protocol: BatchProtocol) -> bool:
        full = lane.calls >= protocol.most_calls or lane.size >= protocol.most_bytes
        return full or lane.newest_s >= self._pace.quiet_s or lane.oldest_s >= self._pace.longest_s

    def _carry(self, lane: Lane, desk: Desk, paused: Sequence[str]) -> None:
        batch = uuid.uuid4().hex
        calls = self._database.run(
            partial(
                take_lane,
                lane=lane,
                batch=batch,
                load=Load(desk.protocol.most_calls, desk.protocol.most_bytes),
                paused=paused,
                lease_s=self._pace.lease_s,
            ),
            atomic=True,
        )
        if not calls:
            return
        failpoint("batch-taken")
        requests = [BatchEntry(call.id, json.loads(call.body)) for call in calls]
        try:
            remote = desk.protocol.service.create(desk.access, batch, requests)
        except ProviderError as error:
            self._not_taken(batch, calls, error)
            return
        failpoint("batch-posted")
        self._database.run(
            partial(note_sent, batch=batch, remote=remote, look_in_s=self._pace.look_s)
        )
        log.info("batch.sent", batch=batch, remote=remote, calls=len(calls))

    def _not_taken(self, batch: str, calls: Sequence[SentCall], error: ProviderError) -> None:
        """Sort out a post that failed: perhaps it arrived, it may be tried again, or never."""
        log.warning("batch.not_sent", batch=batch, calls=len(calls), why=str(error))
        if error.charged is not False or error.kind in _UNCLEAR:
            self._look_in(batch, self._pace.settled_s)
        elif error.retryable:
            times = self._database.run(partial(refusals, batch=batch))
            rest_s = min(self._pace.rest_s * 2.0 ** min(times, 10), LONGEST_REST_S)
            asked_s = rest_s if error.retry_after_s is None else error.retry_after_s
            self._database.run(partial(note_refused, batch=batch, again_in_s=asked_s))
        else:
            self._end(batch, calls, failure_of(error))

    # ---- from the provider ------------------------------------------------------------------------

    def _follow(self) -> None:
        elsewhere: list[str] = []
        while not self._stop.is_set():
            taking = partial(take_due, lease_s=self._pace.lease_s, others=elsewhere)
            batch = self._database.run(taking)
            if batch is None:
                return
            desk = self._desk(batch.participant)
            if desk is None:
                elsewhere.append(batch.lane)
                self._look_in(batch.id, self._pace.tick_s)
            elif batch.sought:
                self._seek(batch, desk)
            else:
                self._look(batch, desk)

    def _seek(self, batch: ProviderBatch, desk: Desk) -> None:
        """Find out whether the provider has a batch whose sender died or heard nothing."""
        calls = self._database.run(partial(batch_calls, batch=batch.id))
        if batch.age_s > LONGEST_WAIT_S or not calls:
            self._end(batch.id, calls, nothing_came("batch_unanswered", FailureKind.UNREACHABLE))
            return
        known = self._database.run(partial(known_remotes, lane=batch.lane))
        since = datetime.now(UTC) - timedelta(seconds=batch.age_s + CLOCKS_DIFFER_S)
        names = frozenset(call.id for call in calls)
        sought = SoughtBatch(batch.id, names, frozenset(known), since)
        try:
            remote = desk.protocol.service.find(desk.access, sought)
        except ProviderError as error:
            log.warning("batch.sought", batch=batch.id, why=str(error))
            self._look_in(batch.id, self._later_s(batch))
            return
        if remote is not None:
            log.info("batch.found", batch=batch.id, remote=remote)
            self._database.run(partial(note_sent, batch=batch.id, remote=remote, look_in_s=0.0))
        else:
            log.info("batch.never_arrived", batch=batch.id)
            self._database.run(partial(note_refused, batch=batch.id, again_in_s=0.0))

    def _look(self, batch: ProviderBatch, desk: Desk) -> None:
        """Ask how a batch stands; store what came of it."""
        assert batch.remote is not None
        try:
            results = desk.protocol.service.results(desk.access, batch.remote)
            if results is None:
                self._wait_on(batch, desk)
                return
            rest = self._store(batch, desk, results)
        except ProviderError as error:
            self._not_heard(batch, error)
            return
        failpoint("answers-stored")
        left = self._database.run(partial(batch_calls, batch=batch.id))
        self._end(batch.id, left, rest)
        try:
            desk.protocol.service.forget(desk.access, batch.remote)
        except ProviderError as error:
            log.info("batch.not_deleted", remote=batch.remote, why=str(error))

    def _wait_on(self, batch: ProviderBatch, desk: Desk) -> None:
        """Nothing yet: stop what nobody waits for, give up what takes longer than any batch may."""
        assert batch.remote is not None
        too_late = batch.age_s > LONGEST_WAIT_S
        stopping = not batch.cancelled and (too_late or not batch.wanted)
        if stopping:
            log.info("batch.cancelled", batch=batch.id, remote=batch.remote)
            desk.protocol.service.cancel(desk.access, batch.remote)
        if too_late:
            calls = self._database.run(partial(batch_calls, batch=batch.id))
            self._end(batch.id, calls, nothing_came("batch_expired", FailureKind.TIMEOUT))
        else:
            self._look_in(batch.id, self._later_s(batch), cancelled=stopping)

    def _not_heard(self, batch: ProviderBatch, error: ProviderError) -> None:
        log.warning("batch.not_heard", batch=batch.id, remote=batch.remote, why=str(error))
        if error.kind is FailureKind.BAD_REQUEST or batch.age_s > LONGEST_WAIT_S:
            calls = self._database.run(partial(batch_calls, batch=batch.id))
            self._end(batch.id, calls, failure_of(error))
        else:
            self._look_in(batch.id, self._later_s(batch))

    def _store(
        self, batch: ProviderBatch, desk: Desk, results: Iterator[BatchResult]
    ) -> BatchedFailure:
        """Keep what came, a hundred answers with one commit; what the calls fail with of which nothing is known.

        Done again after a crash, it counts once.
        """
        rest = nothing_came("batch_unanswered", FailureKind.UNREACHABLE)
        waiting = {
            call.id: call for call in self._database.run(partial(batch_calls, batch=batch.id))
        }
        while some := list(islice(results, AT_ONCE)):
            answers: list[StoredResponse] = []
            for result in some:
                if not result.id and result.status == 0:
                    rest = not_done(result.why)
                call = waiting.pop(result.id, None)
                if call is None:
                    continue
                came = came_of(call, result, desk.protocol)
                if isinstance(came, BatchedFailure):
                    self._database.run(partial(fail_calls, calls=[call.id], failure=came))
                else:
                    answers.append(came)
            if answers:
                self._database.run(partial(store_answers, answers=answers), atomic=True)
            failpoint("some-answers-stored")
        return rest

    # ---- both -------------------------------------------------------------------------------------

    def _desk(self, participant: Participant) -> Desk | None:
        """The way to the participant's provider; None where this machine may not go or has no key."""
        protocol = load_batches(participant.provider)
        if protocol is None:
            return None
        access = BatchAccess(protocol.dialect, participant, way_to_batches(), self._stop)
        try:
            check_entered(participant, self._allowed)
            protocol.dialect.request(participant, "GET", "/", b"", {})
        except ProviderError as error:
            log.debug("batch.elsewhere", participant=participant.name, why=str(error))
            return None
        return Desk(protocol, access)

    def _look_in(self, batch: str, seconds: float, *, cancelled: bool = False) -> None:
        self._database.run(partial(look_again, batch=batch, due_s=seconds, cancelled=cancelled))

    def _later_s(self, batch: ProviderBatch) -> float:
        """A tenth of the time that it has taken so far, within bounds."""
        return min(max(self._pace.look_s, batch.age_s / 10), self._pace.look_s * 5)

    def _end(self, batch: str, left: Sequence[SentCall], failure: BatchedFailure) -> None:
        if left:
            names = [call.id for call in left]
            self._database.run(partial(fail_calls, calls=names, failure=failure))
        self._database.run(partial(end_batch, batch=batch))
