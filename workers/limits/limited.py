"""A provider whose calls keep to the limits of its account and to its breaker.

A turn that has to wait longer than a moment is given back (`NotYet`): it holds neither a slot of its provider nor a
thread, and nobody after it waits for it.
"""

from __future__ import annotations

import dataclasses
import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime

from shared.errors import ConfigurationError, NotYet, ProviderError, Scope
from shared.models.notices import notice, verbatim
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.catalogue import provider_type
from shared.providers.limits import account_of, limits_of
from shared.providers.options import AccountLimits
from workers.limits.headers import cooldown_s
from workers.limits.limiter import Limiter, Permit, permit_name
from workers.limits.state import (
    Admission,
    AdmissionRequest,
    AdmissionVerdict,
    CallEnd,
    Effect,
    Settled,
)
from workers.providers.calls import Cancelled, Completion, Provider, ProviderCall
from workers.providers.credentials import forget_kept_keys, key_mark
from workers.providers.guard import Guard

IN_PLACE_S = 1.0
IN_PLACE_ALTOGETHER_S = 2.0
LONGEST_BLOCK_S = 300.0
MAX_REFUSALS = 6
EXPECTED_OUTPUT_TOKENS = 1000
_SPREAD = 0.1

# What a failure says about its account; what is not listed is a refusal of this very call.
EFFECTS: dict[FailureKind, Effect] = {
    FailureKind.UNREACHABLE: Effect.FAILED,
    FailureKind.OVERLOADED: Effect.FAILED,
    FailureKind.TIMEOUT: Effect.FAILED,
    FailureKind.CREDENTIALS: Effect.FATAL,
    FailureKind.RATE_LIMITED: Effect.LIMITED,
    FailureKind.CANCELLED: Effect.NEUTRAL,
    FailureKind.DEADLINE: Effect.NEUTRAL,
    FailureKind.TOOL_ERROR: Effect.NEUTRAL,
    FailureKind.OVER_BUDGET: Effect.NEUTRAL,
}


@dataclass(frozen=True, slots=True)
class Limited:
    """A provider within its account's limits; satisfies the provider's protocol."""

    provider: Provider
    limiter: Limiter

    def structured(self, participant: Participant) -> bool:
        """As the provider says."""
        return self.provider.structured(participant)

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        """Ask the provider when its account allows it.

        Raises NotYet when the call has to wait longer than a moment, ProviderError as the provider does.
        """
        if not is_limited(call.participant):
            return self.provider.complete(call, cancel)
        started = time.monotonic()
        permit = _admitted(self.limiter, call, cancel)
        left_s = max(call.deadline_s - (time.monotonic() - started), 0.0)
        rest = dataclasses.replace(call, deadline_s=left_s)
        return _made(self.limiter, permit, self.provider, rest, cancel)


def is_limited(participant: Participant) -> bool:
    """True for participants that cost, and those whose options state a limit."""
    return provider_type(participant.provider).billable or _limits(participant).any


def _limits(participant: Participant) -> AccountLimits:
    try:
        return limits_of(participant)
    except ConfigurationError as error:
        raise ProviderError(FailureKind.BAD_REQUEST, str(error)) from None


def _asked(call: ProviderCall) -> AdmissionRequest:
    participant = call.participant
    return AdmissionRequest(
        permit=permit_name(),
        account=account_of(participant),
        limits=_limits(participant),
        tokens=call.prompt_tokens + min(call.max_output_tokens, EXPECTED_OUTPUT_TOKENS),
        names=(participant.provider, participant.name),
        key=key_mark(participant),
    )


def _admitted(limiter: Limiter, call: ProviderCall, cancel: Cancelled) -> Permit:
    guard = Guard.of(call, cancel)
    asked = _asked(call)
    waited_s = 0.0
    while True:
        answer, permit = limiter.ask(asked)
        if permit is not None:
            return permit
        patient = answer.verdict in (AdmissionVerdict.WAIT, AdmissionVerdict.BLOCKED)
        if (
            not patient
            or answer.wait_s > IN_PLACE_S
            or waited_s + answer.wait_s > IN_PLACE_ALTOGETHER_S
        ):
            raise _not_admitted(call, answer)
        guard.pause(answer.wait_s)
        waited_s += answer.wait_s


def _not_admitted(call: ProviderCall, answer: Admission) -> ProviderError:
    name = call.participant.name
    spread = random.random() * _SPREAD * answer.wait_s  # noqa: S311 - jitter, not a secret
    wait_s = answer.wait_s + spread
    match answer.verdict:
        case AdmissionVerdict.PAUSED:
            paused = answer.detail
            message = f"{name} waits: an operator paused '{paused}' (`quorate participants resume {paused}`)."
            shown = notice("waits_paused", who=name, name=paused)
            return NotYet(FailureKind.RATE_LIMITED, message, retry_after_s=wait_s, notice=shown)
        case AdmissionVerdict.OPEN:
            return _open(name, answer, wait_s)
        case AdmissionVerdict.PROBING:
            cause = _cause(answer)
            message = (
                f"{name} waits: another turn is testing whether its provider is back ({cause})."
            )
            shown = notice("waits_probing", who=name, why=cause)
            return NotYet(FailureKind.OVERLOADED, message, retry_after_s=wait_s, notice=shown)
        case _ if answer.verdict is AdmissionVerdict.BLOCKED and answer.wait_s > LONGEST_BLOCK_S:
            return ProviderError(
                FailureKind.RATE_LIMITED,
                f"{name}'s provider asks for no calls within the next {answer.wait_s / 60:.0f} minutes.",
            )
    code, why = "waits_asked", "its provider asked for a pause"
    if answer.verdict is AdmissionVerdict.WAIT:
        code, why = "waits_limit", "its account's limit (rpm, tpm or parallel) is used up"
    return NotYet(
        FailureKind.RATE_LIMITED,
        f"{name} waits {wait_s:.0f} s: {why}.",
        retry_after_s=wait_s,
        notice=notice(code, who=name, s=wait_s),
    )


def _cause(answer: Admission) -> str:
    """The failure that opened a breaker, in its own words, which its provider has freed of keys."""
    return answer.failure_text.rstrip(".") or answer.detail or FailureKind.UNREACHABLE


def _open(name: str, answer: Admission, wait_s: float) -> ProviderError:
    kind, cause = _kind(answer.detail), _cause(answer)
    again = f"it is tried again in {wait_s:.0f} s"
    if kind is FailureKind.CREDENTIALS:
        shown = notice("key_refused", who=name, why=cause, s=wait_s)
        message = f"{name}'s key was refused a moment ago ({cause}); {again}."
        return ProviderError(kind, message, notice=shown)
    return NotYet(
        kind,
        f"{name}'s provider failed repeatedly ({cause}); {again}.",
        retry_after_s=wait_s,
        counted=True,
        notice=notice("waits_failing", who=name, why=cause, s=wait_s),
    )


def _kind(word: str) -> FailureKind:
    try:
        return FailureKind(word)
    except ValueError:  # others write to Redis as well
        return FailureKind.UNREACHABLE


def _made(
    limiter: Limiter, permit: Permit, provider: Provider, call: ProviderCall, cancel: Cancelled
) -> Completion:
    asked = permit.asked
    try:
        completion = provider.complete(call, cancel)
    except ProviderError as error:
        settled = limiter.settle(permit, _failure(permit, error))
        waiting = _waiting(error, settled)
        if waiting is None:
            raise
        raise waiting from error
    except BaseException:
        limiter.settle(permit, CallEnd(asked, permit.bucket, Effect.NEUTRAL))
        raise
    counts = (completion.usage.input_tokens, completion.usage.output_tokens)
    known = [count for count in counts if count is not None]
    limiter.settle(
        permit,
        CallEnd(
            asked,
            permit.bucket,
            Effect.SUCCESS,
            tokens=sum(known) - asked.tokens if len(known) == len(counts) else 0,
            duration_s=time.monotonic() - permit.since,
            cooldown_s=cooldown_s(completion.limits, datetime.now(UTC)),
        ),
    )
    return completion


def effect_of(error: ProviderError) -> Effect:
    """What a failure says about its account: by its kind, where it says more than that this call failed."""
    if error.scope is Scope.NOBODY:
        return Effect.UNASKED
    effect = EFFECTS.get(error.kind, Effect.ANSWERED)
    if effect is Effect.LIMITED and not error.retryable:
        return Effect.ANSWERED  # no credit: waiting does not help
    if effect is Effect.FATAL and error.scope is Scope.CALL:
        return Effect.ANSWERED  # the key is known, and not allowed this
    return effect


def _failure(permit: Permit, error: ProviderError) -> CallEnd:
    effect = effect_of(error)
    if error.kind is FailureKind.CREDENTIALS:
        forget_kept_keys()
    return CallEnd(
        permit.asked,
        permit.bucket,
        effect,
        tokens=-permit.asked.tokens if effect is not Effect.FAILED else 0,
        retry_after_s=error.retry_after_s,
        why=error.kind.value,
        failure_text=str(error),
    )


def _waiting(error: ProviderError, settled: Settled) -> NotYet | None:
    """A call that was too fast waits without losing an attempt, unless that has gone on for long."""
    limited_by = EFFECTS.get(error.kind) is Effect.LIMITED and error.retryable
    if not limited_by or settled.refusals > MAX_REFUSALS or settled.wait_s > LONGEST_BLOCK_S:
        return None
    spread = 1.0 + random.random()  # noqa: S311 - jitter, not a secret
    message = str(error).rstrip(".")
    return NotYet(
        error.kind,
        f"{message}; it is asked again in {settled.wait_s + spread:.0f} s.",
        retry_after_s=settled.wait_s + spread,
        notice=notice(
            "asked_again", why=error.notice or verbatim(message), s=settled.wait_s + spread
        ),
    )
