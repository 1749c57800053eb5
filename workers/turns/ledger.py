"""The calls of one claim: what was paid is stored before it is read, everything is counted.

A call whose answer was lost, and that may still have been charged, is kept as well (`Finish.LOST`): its usage
is unknown, which is not zero, and it counts among the calls that a step may make (`left`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from shared.errors import ProviderError
from shared.faults import failpoint
from shared.models.panel import Participant
from shared.models.steps import TurnRequest, Usage
from shared.providers.catalogue import provider_type
from shared.store.batched_calls import ATTEMPT, call_id
from shared.store.ends import StoredResponse
from shared.store.steps import Claim
from workers.providers.calls import Cancelled, Completion, Finish, Provider, ProviderCall
from workers.turns.answers import AnswerStore
from workers.turns.replies import MOST_CALLS

_Number = TypeVar("_Number", int, float)


class CallLedger:
    """Completions of one claim, those of earlier attempts (`stored`) included; `lost` counts those that never came.

    `reused`: what is stored is another run's, and costs nothing here.
    """

    def __init__(self, claimed: Claim, owner: str, answers: AnswerStore) -> None:
        """`owner` is this process, as presence knows it."""
        self.claimed = claimed
        kept = [Completion.unpacked(content) for content in claimed.responses]
        self.stored = [answer for answer in kept if answer.finish_reason is not Finish.LOST]
        self.lost = len(kept) - len(self.stored)
        self._owner = owner
        self._answers = answers
        self._request: TurnRequest | None = None
        self.request_sha = ""
        self.reused = False
        self._calls: list[Completion] = []
        self._made = 0
        self._free: list[StoredResponse] = []

    def opens_for(self, request: TurnRequest, request_sha: str = "") -> None:
        """Name the turn whose calls are to be kept, and what an identical one would be found by."""
        self._request = request
        self.request_sha = request_sha

    def reuses(self, completion: Completion) -> None:
        """Take an answer that another run has paid for: it is adopted, and costs nothing here."""
        self.stored = [completion]
        self.reused = True

    def next_attempt(self) -> str:
        """The name that the next call's usage row will have."""
        return f"{self.claimed.token}:{self._made + 1}"

    @property
    def next_batched_call(self) -> str:
        """The name of the call that this claim queues for its provider's batch API."""
        return call_id(self.claimed)

    def next_batched_attempt(self) -> str:
        """The name that the usage row of that call will have."""
        return f"{ATTEMPT}{self.next_batched_call}"

    @property
    def left(self) -> int:
        """How many more calls the step may make that are paid: one is asked, one more mends it, none is a third."""
        return MOST_CALLS - self.lost - len(self.stored) - len(self._calls)

    def lose(self, participant: Participant) -> None:
        """Keep that a call was made whose answer is lost, and that may have been charged."""
        assert self._request is not None
        self.lost += 1
        self._made += 1
        gone = Completion(
            text="", usage=Usage(), finish_reason=Finish.LOST, model=participant.model
        )
        self._answers.store(self._response(gone, self._request, gone.packed(), found_by=""))
        failpoint("loss-stored")

    def keep(self, completion: Completion) -> None:
        """Take a new completion: a paid one is committed now, a free one with the step's end."""
        assert self._request is not None
        self._calls.append(completion)
        self._made += 1
        failpoint("response-received")
        if self._request.participant.rule_based:
            return
        if provider_type(self._request.participant.provider).billable:
            self._answers.store(self._response(completion, self._request, completion.packed()))
        else:
            self._free.append(self._response(completion, self._request, b""))
        failpoint("response-stored")

    @property
    def free(self) -> tuple[StoredResponse, ...]:
        """The calls that cost nothing, to be committed with the step's end."""
        return tuple(self._free)

    def store_free(self) -> None:
        """Count the free calls of a claim that does not end its step."""
        for response in self._free:
            self._answers.store(response)

    def sums(self) -> tuple[int | None, float | None]:
        """Tokens and money of all calls; unknown as soon as one of them is unknown."""
        if self.reused and not self.lost:
            return 0, 0.0
        usage = [completion.usage for completion in (*self.stored, *self._calls)]
        usage += [Usage()] * self.lost
        tokens = [count for u in usage for count in (u.input_tokens, u.output_tokens)]
        return _sum(tokens), _sum([u.cost_usd for u in usage])

    def _response(
        self,
        completion: Completion,
        request: TurnRequest,
        content: bytes,
        found_by: str | None = None,
    ) -> StoredResponse:
        claimed = self.claimed
        return StoredResponse(
            run=claimed.run,
            step=claimed.step,
            token=claimed.token,
            worker=self._owner,
            participant=request.participant.name,
            provider=request.participant.provider,
            model=completion.model or request.participant.model,
            request_sha=self.request_sha if found_by is None else found_by,
            content=content,
            usage=completion.usage,
            attempt=f"{claimed.token}:{self._made}",
        )


def _sum(amounts: Sequence[_Number | None]) -> _Number | None:
    """None where there is nothing to add, or something unknown."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if known and len(known) == len(amounts) else None


@dataclass(frozen=True, slots=True)
class Counted:
    """A provider whose lost calls are kept in the ledger. Satisfies the provider's protocol."""

    provider: Provider
    ledger: CallLedger

    def structured(self, participant: Participant) -> bool:
        """As the provider says."""
        return self.provider.structured(participant)

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        """Ask. Raises as the provider does, once a call that may have been charged is kept."""
        try:
            return self.provider.complete(call, cancel)
        except ProviderError as error:
            if error.charged and provider_type(call.participant.provider).billable:
                self.ledger.lose(call.participant)
            raise
