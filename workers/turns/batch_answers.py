"""What a provider's batch says of a call, as an answer that is stored or as the failure that its turn will raise."""

from __future__ import annotations

from shared.errors import ProviderError
from shared.models.notices import as_column, notice
from shared.models.outcomes import FailureKind
from shared.store.batched_calls import ATTEMPT, BatchedFailure
from shared.store.ends import StoredResponse
from shared.store.provider_batches import SentCall
from workers.providers.batches.service import BatchProtocol, BatchResult, blank_call
from workers.providers.http.converse import learn
from workers.providers.http.statuses import error_body_of, error_in, error_of


def came_of(
    call: SentCall, result: BatchResult, protocol: BatchProtocol
) -> StoredResponse | BatchedFailure:
    """An answer as it is stored, or why there is none."""
    participant, blank = call.participant, blank_call(call.participant)
    if result.status == 0:
        return not_done(result.why)
    if result.status != 200:
        error = error_body_of(result.body)
        fixed = learn(protocol.dialect, blank, result.status, error, frozenset())
        failure = failure_of(error_of(participant.name, result.status, {}, error))
        return failure.model_copy(update={"retryable": failure.retryable or fixed})
    try:
        reported = error_in(participant.name, result.body, {})
        if reported is not None:
            raise reported
        completion = protocol.dialect.read(result.body, blank)
    except ProviderError as unusable:
        charged = unusable.charged is not False
        return failure_of(unusable).model_copy(update={"charged": charged})
    return StoredResponse(
        run=call.run,
        step=call.step,
        token=call.token,
        worker="courier",
        participant=participant.name,
        provider=participant.provider,
        model=completion.model or participant.model,
        request_sha=call.request_sha,
        content=completion.packed(),
        usage=completion.usage,
        attempt=f"{ATTEMPT}{call.id}",
    )


def failure_of(error: ProviderError) -> BatchedFailure:
    return BatchedFailure(
        kind=error.kind,
        message=as_column(error.notice or str(error)[:2000]),
        retryable=error.retryable,
        charged=bool(error.charged),
    )


def not_done(why: str) -> BatchedFailure:
    if why == "expired":
        return nothing_came("batch_expired", FailureKind.TIMEOUT)
    return nothing_came("batch_canceled", FailureKind.CANCELLED)


def nothing_came(code: str, kind: FailureKind) -> BatchedFailure:
    return BatchedFailure(kind=kind, message=as_column(notice(code)))
