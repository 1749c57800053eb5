"""What a service refuses, as the errors that the same command raises here: the same sentences and exit codes."""

from __future__ import annotations

from collections.abc import Mapping

import httpx

from shared.errors import (
    CredentialsRejected,
    DecisionConflict,
    EnvironmentFault,
    NotAllowed,
    QuorateError,
    UnknownRun,
    UserError,
)

_ERRORS: Mapping[str, type[QuorateError]] = {
    "unauthenticated": CredentialsRejected,
    "no-credentials": CredentialsRejected,
    "forbidden": NotAllowed,
    "not-found": UnknownRun,
    "conflict": DecisionConflict,
    "invalid": UserError,
    "body-too-large": UserError,
}


def raise_for(answer: httpx.Response | httpx.TransportError) -> None:
    """Raise QuorateError unless the service did what was asked."""
    if isinstance(answer, httpx.TransportError):
        raise EnvironmentFault(
            f"the service does not answer: {str(answer) or type(answer).__name__}"
        )
    if answer.is_success or answer.status_code == httpx.codes.NOT_MODIFIED:
        return
    problem = _problem(answer)
    detail, code = problem.get("detail"), problem.get("code")
    if not isinstance(detail, str) or not isinstance(code, str):
        raise EnvironmentFault(
            f"{answer.url.host} answers {answer.status_code}, and not as Quorate does: is it the service's address?"
        )
    raise _ERRORS.get(code, EnvironmentFault)(detail)


def _problem(answer: httpx.Response) -> Mapping[str, object]:
    try:
        content = answer.json()
    except ValueError:
        return {}
    return content if isinstance(content, dict) else {}
