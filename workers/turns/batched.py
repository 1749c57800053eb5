"""A participant whose calls go through its provider's batch API: the turn waits as a person's does, and holds nothing.

`Batched` never answers. A call that nobody knows is queued by `BatchQueue` (within the budget: what it may cost at most
is put aside until its answer is there), and the turn given back. The courier (workers/turns/courier.py) stores what
came of it and makes the step ready; the next claim adopts the answer like one that an earlier attempt has paid for, or
raises the failure here.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from dataclasses import dataclass
from functools import partial

from shared.errors import NotYet, ProviderError
from shared.models.notices import notice, of_column
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.catalogue import provider_type
from shared.store.batched_calls import (
    BatchedCall,
    BatchedState,
    acknowledge_failure,
    batched_state,
    queue_call,
)
from shared.store.database import Database
from shared.store.steps import Claim
from workers.providers.batches.service import load_batches
from workers.providers.calls import Cancelled, Completion, Provider, ProviderCall
from workers.providers.http.converse import quirks_of
from workers.turns.ledger import CallLedger

# Nobody has to look before that: the courier makes the step ready.
WAIT_S = 3600.0
ARRIVING_S = 1.0


@dataclass(frozen=True, slots=True)
class Batched:
    """A provider whose answers come through a batch; satisfies the provider's protocol.

    `queue` is asked for a call that is not known yet; `attempts` is how many the step may have.
    """

    queue: Provider
    database: Database
    claimed: Claim
    attempts: int

    def structured(self, participant: Participant) -> bool:
        """As the provider says."""
        return self.queue.structured(participant)

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        """Raise NotYet while the answer is awaited, ProviderError when there will be none."""
        look = partial(
            batched_state,
            claimed=self.claimed,
            number=call.number,
            participant=call.participant.name,
        )
        state = self.database.run(look)
        if state is None:
            return self.queue.complete(call, cancel)
        if state.failure is not None:
            raise self._failed(state)
        # An answer that was stored after this claim read the others is adopted by the next one.
        raise waiting(call.participant.name, ARRIVING_S if state.status == "answered" else WAIT_S)

    def _failed(self, state: BatchedState) -> ProviderError:
        failure = state.failure
        assert failure is not None
        again = failure.retryable and self.claimed.attempts < self.attempts
        self.database.run(partial(acknowledge_failure, call=state.id, again=again))
        return ProviderError(
            failure.kind,
            failure.message,
            retryable=failure.retryable,
            charged=failure.charged,
            notice=of_column(failure.message),
        )


@dataclass(frozen=True, slots=True)
class BatchQueue:
    """Queues calls for the next batch; satisfies the provider's protocol."""

    provider: Provider
    database: Database
    ledger: CallLedger

    def structured(self, participant: Participant) -> bool:
        """As the provider says."""
        return self.provider.structured(participant)

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:  # noqa: ARG002 - the protocol's signature
        """Queue the call and raise NotYet. Raises ProviderError for what a single call could not send either."""
        protocol = load_batches(call.participant.provider)
        if protocol is None:
            raise ProviderError(
                FailureKind.BAD_REQUEST,
                f"{call.participant.name}: the provider {call.participant.provider!r} has no batch API that this "
                "version knows; take `batch` out of its options.",
            )
        whole = dataclasses.replace(call, watch=None)
        request = protocol.dialect.build(whole, quirks_of(whole))
        participant = call.participant.model_copy(update={"fallback": ()})
        claimed = self.ledger.claimed
        queued = BatchedCall(
            id=self.ledger.next_batched_call,
            run=claimed.run,
            step=claimed.step,
            token=claimed.token,
            number=call.number,
            participant=participant.model_dump_json(),
            lane=lane_of(participant),
            request_sha=self.ledger.request_sha,
            body=request.body,
        )
        self.database.run(partial(queue_call, call=queued))
        raise waiting(call.participant.name, WAIT_S)


def is_batched_call(participant: Participant) -> bool:
    """Whether the participant's calls go through a batch."""
    options = provider_type(participant.provider).options
    return "batch" in options.model_fields and participant.options.get("batch") is True


def lane_of(participant: Participant) -> str:
    """Equal for participants whose calls fit into one batch: same provider, model, address, key and account."""
    options = participant.options
    steering = provider_type(participant.provider).options.steering(
        options, participant.model or ""
    )
    place = [participant.provider, participant.model, steering, options.get("account")]
    return hashlib.sha256(json.dumps(place, sort_keys=True, default=str).encode()).hexdigest()[:32]


def waiting(name: str, look_in_s: float) -> NotYet:
    """Why a turn is given back."""
    return NotYet(
        FailureKind.RATE_LIMITED,
        f"{name} waits for its provider's batch.",
        retry_after_s=look_in_s,
        notice=notice("waits_batch", who=name),
    )
