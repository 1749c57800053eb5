"""A person as a participant: the turn waits in the inbox and holds nothing; the answer comes as a stored response.

`complete` never answers. It gives the turn back (`NotYet`), and the step waits in Postgres without a task, a thread
or a lease. `quorate answer` stores what the person wrote as the step's response (shared/store/people.py) and makes
the step ready; the worker that takes it then adopts the response like one that an earlier attempt has paid for, and
parses it as tolerantly as a model's text. What cannot be parsed goes back to the inbox once, with the objection.

The option `answer_within_s` is the turn's own deadline: the turn wakes up once when a quarter of it is left, to remind,
and at its end, which is a timeout: somebody who did not answer is missing, and never agrees.
"""

from __future__ import annotations

from shared.errors import NotYet, ProviderError
from shared.models.notices import notice
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.options import PersonOptions
from workers.providers.calls import Cancelled, Completion, ProviderCall
from workers.providers.options import options_of

# Nobody has to look before that: an answer makes the step ready at once.
WAIT_S = 3600.0
REMINDED_AT = 0.75


def complete(call: ProviderCall, cancel: Cancelled) -> Completion:  # noqa: ARG001 - the protocol's signature
    """Raise NotYet: somebody has to answer first. Past the turn's own deadline: ProviderError (timeout)."""
    name, limit_s = (
        call.participant.name,
        options_of(call.participant, PersonOptions).answer_within_s,
    )
    if limit_s is not None and call.age_s >= limit_s:
        raise ProviderError(
            FailureKind.TIMEOUT, f"{name} did not answer in time (within {in_words(limit_s)})."
        )
    asked = "a person's answer" if not call.repair else "a usable answer, the last one was none"
    reminds = limit_s is not None and call.age_s >= limit_s * REMINDED_AT
    raise NotYet(
        FailureKind.RATE_LIMITED,
        f"{name} waits for {asked}: `quorate inbox`.",
        retry_after_s=_next_look_s(call.age_s, limit_s),
        reminds=reminds,
        notice=notice("waits_usable" if call.repair else "waits_person", who=name),
    )


def _next_look_s(age_s: float, limit_s: float | None) -> float:
    """Until the reminder, the end, or an hour: whichever comes first."""
    if limit_s is None:
        return WAIT_S
    moments = (limit_s * REMINDED_AT, limit_s)
    return min(WAIT_S, min(moment for moment in moments if moment > age_s) - age_s)


def in_words(seconds: float) -> str:
    """`4 h`, `90 min`, `2 d`: the largest unit that says it exactly, seconds otherwise."""
    for unit, length in (("d", 86_400), ("h", 3600), ("min", 60)):
        if seconds >= length and seconds % length == 0:
            return f"{seconds / length:g} {unit}"
    return f"{seconds:g} s"


def structured(participant: Participant) -> bool:  # noqa: ARG001 - the protocol's signature
    """Never: a person reads what is asked."""
    return False
