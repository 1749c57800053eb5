"""What a service refuses, as the errors that the same command raises here: the same sentences and exit codes."""

from __future__ import annotations

import ssl
from collections.abc import Mapping

import httpx

from shared.build import BUILD_HEADER, read_build, this_build
from shared.errors import (
    CredentialsRejected,
    DecisionConflict,
    EnvironmentFault,
    NotAllowed,
    QuorateError,
    UnknownRun,
    UserError,
)
from shared.sentences import Sentence

ROWS = "/api/v1/rows/"
AWAY = frozenset({429, 502, 503, 504})
"""Statuses of a service, or of the proxy before it, that will answer later."""
_ERRORS: Mapping[str, type[QuorateError]] = {
    "unauthenticated": CredentialsRejected,
    "no-credentials": CredentialsRejected,
    "forbidden": NotAllowed,
    "not-found": UnknownRun,
    "conflict": DecisionConflict,
    "invalid": UserError,
    "body-too-large": UserError,
}
_OF_ANOTHER_VERSION = frozenset({"not-found", "method-not-allowed", "malformed-request", "invalid"})
"""What a service of another version says to what it does not know."""
LONGEST_DETAIL = 4_000


class ServiceAway(EnvironmentFault):
    """The service does not answer now; it may later, unless asking again is of no use (`for_good`)."""

    def __init__(self, sentence: str, /, *, for_good: bool = False, **values: object) -> None:
        super().__init__(sentence, **values)
        self.for_good = for_good


def unanswered(error: httpx.TransportError) -> ServiceAway:
    """What a request came to that was not answered."""
    refused = _refused_certificate(error)
    if refused is not None:
        return ServiceAway(
            "the service's certificate is not trusted: {refused}. SSL_CERT_FILE names the authority "
            "of a team's own",
            refused=refused,
            for_good=True,
        )
    if isinstance(error, httpx.UnsupportedProtocol | httpx.ProxyError):
        return ServiceAway("the service cannot be asked: {error}", error=error, for_good=True)
    if _has_cause(error, ssl.SSLError):
        return ServiceAway(
            "the service does not speak TLS as expected: {error}. Is its address http:// or https://?",
            error=error,
            for_good=True,
        )
    return ServiceAway("the service does not answer: {why}", why=str(error) or type(error).__name__)


def raise_for(answer: httpx.Response | httpx.TransportError) -> None:
    """Raise QuorateError unless the service did what was asked."""
    if isinstance(answer, httpx.TransportError):
        raise unanswered(answer)
    if answer.is_success or answer.status_code == httpx.codes.NOT_MODIFIED:
        return
    if answer.is_redirect:
        raise EnvironmentFault(
            "{host} redirects to {place}: name the service's own address. The token was not sent "
            "there",
            host=answer.url.host,
            place=_place_of(answer),
        )
    raise _refusal(answer)


def _refusal(answer: httpx.Response) -> QuorateError:
    """What the service states as the reason, as the error of a command here."""
    problem, is_away = _problem(answer), answer.status_code in AWAY
    detail, code = problem.get("detail"), problem.get("code")
    if not isinstance(detail, str) or not isinstance(code, str):
        kind = ServiceAway if is_away else EnvironmentFault
        return kind(
            "{host} answers {status}, and not as Quorate does: is it the service's address?",
            host=answer.url.host,
            status=answer.status_code,
        )
    if code in _OF_ANOTHER_VERSION and (fault := _version_fault(answer)) is not None:
        return fault
    known = ServiceAway if is_away else _ERRORS.get(code, EnvironmentFault)
    return known(detail[:LONGEST_DETAIL])


def _version_fault(answer: httpx.Response) -> EnvironmentFault | None:
    """Why a service knows no rows of ours: it is of another release."""
    if not answer.url.path.startswith(ROWS):
        return None
    stated, own = answer.headers.get(BUILD_HEADER), this_build()
    theirs = None if stated is None else read_build(stated)
    if theirs is not None and (theirs.release, theirs.contract) == (own.release, own.contract):
        return None
    named = (
        "another version"
        if theirs is None
        else Sentence("version {version}", version=theirs.release)
    )
    return EnvironmentFault(
        "the service is of {named} of Quorate, and this command of {release}: bring both to one "
        "version",
        named=named,
        release=own.release,
    )


def _place_of(answer: httpx.Response) -> str:
    """Where a redirect leads, without what may be in its path."""
    try:
        place = answer.url.join(answer.headers.get("location", ""))
    except httpx.InvalidURL:
        return "no address"
    return f"{place.scheme}://{place.netloc.decode('ascii', 'replace')}"


def _refused_certificate(error: BaseException) -> str | None:
    if (cause := _has_cause(error, ssl.SSLCertVerificationError)) is not None:
        return str(getattr(cause, "verify_message", "")) or str(cause)
    # httpcore tells the error's words only.
    text = str(error)
    return text if "CERTIFICATE_VERIFY_FAILED" in text else None


def _has_cause(error: BaseException, kind: type[BaseException]) -> BaseException | None:
    seen: BaseException | None = error
    while seen is not None:
        if isinstance(seen, kind):
            return seen
        seen = seen.__cause__ or seen.__context__
    return None


def _problem(answer: httpx.Response) -> Mapping[str, object]:
    try:
        content = answer.json()
    except (ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}
