"""The last look at what a run's row wants a worker to do: only what this installation's own people entered."""

from __future__ import annotations

from pydantic import JsonValue

from shared.allowed import Allowed, Identity, identity_of, program_identity, suite_identity
from shared.errors import ProviderError, Scope
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant

LONGEST = 200


def check_entered(participant: Participant, allowed: Allowed | None) -> None:
    """Refuse a command, address, key place, file or profile that nobody entered. Raises ProviderError (not_allowed)."""
    identity = identity_of(participant)
    if identity is None or allowed is None or allowed.allows(identity):
        return
    raise _not_entered(f"{participant.name}: this", identity)


def check_program_entered(program: JsonValue, allowed: Allowed | None) -> None:
    """Refuse an analyser's command that nobody entered here. Raises ProviderError (not_allowed)."""
    try:
        identity = program_identity(program)
    except ValueError:
        identity = {"provider": "analyser", "command": str(program)}
    if identity is None or allowed is None or allowed.allows(identity):
        return
    raise _not_entered("This", identity)


def check_command_entered(command: JsonValue, allowed: Allowed | None) -> None:
    """Refuse a command for the project's tests that nobody entered here. Raises ProviderError (not_allowed)."""
    if allowed is None or allowed.allows(suite_identity(str(command))):
        return
    raise ProviderError(
        FailureKind.NOT_ALLOWED,
        f"This worker's own configuration does not allow it to run the tests by {command!r}"[
            :LONGEST
        ]
        + ". The run's row says so, which is not enough: submit the run again from the worker's machine.",
        scope=Scope.NOBODY,
    )


def _not_entered(this: str, identity: Identity) -> ProviderError:
    return ProviderError(
        FailureKind.NOT_ALLOWED,
        f"{this} worker's own configuration does not allow it to {_deed(identity)}. The run's row says so, which is "
        "not enough: on the worker's machine, as its account, run `quorate participants allow --config FILE` with the "
        "configuration that names it; or submit the run again from there.",
        scope=Scope.NOBODY,
    )


def _deed(identity: Identity) -> str:
    if "site" in identity:
        return f"use the browser for {identity['site']!r}"[:LONGEST]
    if identity.keys() & {"command", "program", "agent", "arguments", "env"}:
        named = identity.get("command") or [identity.get("program") or identity.get("agent")]
        return f"run the command {named!r}"[:LONGEST]
    if "script" in identity:
        return f"read the script {identity['script']!r}"[:LONGEST]
    if "base_url" in identity:
        return f"call {identity['base_url']!r} with these keys and headers"[:LONGEST]
    return f"send these keys or headers to {identity['provider']}"
