"""A person as a participant: the turn waits in the inbox and holds nothing; the answer comes as a stored response.

`complete` never answers. It gives the turn back (`NotYet`), and the step waits in Postgres without a task, a thread
or a lease. `quorate answer` stores what the person wrote as the step's response (shared/store/people.py) and makes
the step ready; the worker that takes it then adopts the response like one that an earlier attempt has paid for, and
parses it as tolerantly as a model's text. What cannot be parsed goes back to the inbox once, with the objection.
"""

from __future__ import annotations

from shared.errors import NotYet
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from workers.providers.registry import Cancelled, Completion, ProviderCall

# Nobody has to look before that: an answer makes the step ready at once.
WAIT_S = 3600.0


def complete(call: ProviderCall, cancel: Cancelled) -> Completion:  # noqa: ARG001 - the protocol's signature
    """Raise NotYet: somebody has to answer first."""
    asked = "a person's answer" if not call.repair else "a usable answer, the last one was none"
    raise NotYet(
        FailureKind.RATE_LIMITED,
        f"{call.participant.name} waits for {asked}: `quorate inbox`.",
        retry_after_s=WAIT_S,
    )


def structured(participant: Participant) -> bool:  # noqa: ARG001 - the protocol's signature
    """Never: a person is told what is asked."""
    return False
