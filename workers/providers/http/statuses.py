"""What an HTTP status and an error body mean, for all providers alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pydantic import JsonValue

from shared.errors import ProviderError, Scope
from shared.models.outcomes import FailureKind
from shared.text.bounded_json import loads
from workers.providers.credentials import redact

_SAID_LIMIT = 300


@dataclass(frozen=True, slots=True)
class Meaning:
    """A failure kind, whether the call may succeed later, and what to tell the user."""

    kind: FailureKind
    retryable: bool
    text: str


_MEANINGS: dict[int, Meaning] = {
    400: Meaning(FailureKind.BAD_REQUEST, False, "refused the request"),
    401: Meaning(FailureKind.CREDENTIALS, False, "refused the key"),
    402: Meaning(FailureKind.RATE_LIMITED, False, "has no credit left on this account"),
    403: Meaning(FailureKind.CREDENTIALS, False, "does not allow this to the key"),
    404: Meaning(FailureKind.BAD_REQUEST, False, "knows no such address; check base_url"),
    408: Meaning(FailureKind.TIMEOUT, True, "gave up waiting"),
    409: Meaning(FailureKind.OVERLOADED, True, "is busy with a conflicting request"),
    413: Meaning(FailureKind.CONTEXT_OVERFLOW, False, "finds the request too large"),
    429: Meaning(FailureKind.RATE_LIMITED, True, "asks for slower calls"),
    504: Meaning(FailureKind.TIMEOUT, True, "gave up waiting for its model"),
    529: Meaning(FailureKind.OVERLOADED, True, "is overloaded"),
}
_SERVER_FAULT = Meaning(FailureKind.OVERLOADED, True, "has a fault of its own")
_REDIRECT = Meaning(FailureKind.BAD_REQUEST, False, "redirects; set base_url to the final address")
_OTHER = Meaning(FailureKind.BAD_REQUEST, False, "refused the request")

# Patterns over "code type message", for statuses whose meaning is in the body.
_BODY_MEANINGS: tuple[tuple[frozenset[int], re.Pattern[str], Meaning], ...] = tuple(
    (frozenset(statuses), re.compile(pattern, re.IGNORECASE), meaning)
    for statuses, pattern, meaning in (
        (
            (400, 404, 410),
            r"model_not_found|not_found_error model:|unknown.model"
            r"|model.{0,80}(not.(found|exist|supported)|does.not.exist|decommissioned|is.not.available)"
            r"|(no|invalid|not.a.valid).model\b|no.models.loaded|DeploymentNotFound",
            Meaning(FailureKind.UNKNOWN_MODEL, False, "does not know the model"),
        ),
        (
            (400, 422),
            r"maximum.context.{0,200}(output.tokens|in.the.completion)|max_tokens.{0,20}exceed.context",
            Meaning(
                FailureKind.CONTEXT_OVERFLOW,
                False,
                "cannot hold the prompt and an answer of max_output_tokens",
            ),
        ),
        (
            (400, 413, 422, 500),
            r"context.{0,3}(length|window|size|limit)|maximum.context|too.many.(input.)?tokens|prompt.is.too.long"
            r"|input.{0,60}(exceeds|too.long).{0,60}token|token.count.{0,40}exceeds|request_too_large",
            Meaning(FailureKind.CONTEXT_OVERFLOW, False, "cannot hold so long a prompt"),
        ),
        (
            (400, 403, 422),
            r"content.?(policy|filter|management)|safety.(system|violation)|\bmoderation\b|input.was.flagged"
            r"|ResponsibleAIPolicyViolation|usage.polic(y|ies)",
            Meaning(FailureKind.REFUSAL, False, "refuses the content"),
        ),
        ((400, 403), r"credit.balance|insufficient.(credit|quota|funds)|billing", _MEANINGS[402]),
        ((429,), r"insufficient_quota|exceeded.your.current.quota|billing", _MEANINGS[402]),
        ((400,), r"api.?key.{0,20}(not.valid|invalid|expired)", _MEANINGS[401]),
    )
)


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The error object of a response, whatever its shape; missing parts are empty."""

    message: str = ""
    code: str = ""
    type: str = ""
    param: str = ""
    retry_delay_s: float | None = None

    @property
    def words(self) -> str:
        """Everything that can identify the error, in one line."""
        return " ".join(part for part in (self.code, self.type, self.message) if part)

    def unsupported(self, fields: Sequence[str]) -> str | None:
        """Which of these fields it says that it does not support, None for none."""
        named = self.param.lower()
        if named in fields:
            return named
        complaint = f"{named} {self.message.lower()}"
        return next(
            (field for field in fields if field in complaint and "support" in complaint), None
        )


def read_error(body: bytes) -> ErrorBody:
    """Read OpenAI's, Anthropic's, Gemini's, Ollama's and FastAPI's error bodies, or plain text."""
    try:
        data: object = loads(body)
    except ValueError:
        return ErrorBody(message=body[:2000].decode("utf-8", "replace"))
    return error_body_of(data)


def error_body_of(data: object) -> ErrorBody:
    """The same for a body that is JSON already."""
    if isinstance(data, list) and data:
        data = data[0]
    if not isinstance(data, dict):
        return ErrorBody(message=str(data))
    error = next((data[name] for name in ("error", "detail", "message") if data.get(name)), data)
    if error == data.get("message") and (data.get("code") or data.get("type")):
        error = data  # vLLM's, and an error event of OpenAI responses: the error is the body itself
    return _error_object(error) if isinstance(error, dict) else ErrorBody(message=str(error))


def _error_object(error: Mapping[str, object]) -> ErrorBody:
    def first(*names: str) -> str:
        return str(next((error[name] for name in names if error.get(name)), ""))

    return ErrorBody(
        message=_message_of(error),
        code=first("code", "status"),
        type=first("type", "status"),
        param=first("param"),
        retry_delay_s=_retry_info(error.get("details")),
    )


def _message_of(error: Mapping[str, object]) -> str:
    """The message; with what the service that a router called said (OpenRouter's metadata.raw)."""
    message, metadata = str(error.get("message") or error), error.get("metadata")
    raw = metadata.get("raw") if isinstance(metadata, dict) else None
    return f"{message}: {raw}" if isinstance(raw, str) and raw else message


def _retry_info(details: object) -> float | None:
    """Gemini's google.rpc.RetryInfo: {"retryDelay": "34s"}."""
    for item in details if isinstance(details, list) else ():
        if isinstance(item, dict) and isinstance(item.get("retryDelay"), str):
            return _seconds(item["retryDelay"])
    return None


def meaning_of(status: int, error: ErrorBody) -> Meaning:
    """What the status says, unless the body says it more exactly."""
    for statuses, pattern, meaning in _BODY_MEANINGS:
        if status in statuses and pattern.search(error.words[:2000]):
            return meaning
    if status in _MEANINGS:
        return _MEANINGS[status]
    if status >= 500:
        return _SERVER_FAULT
    return _REDIRECT if 300 <= status < 400 else _OTHER


def error_of(
    participant: str,
    status: int,
    headers: Mapping[str, str],
    error: ErrorBody,
    secrets: Iterable[str] = (),
) -> ProviderError:
    """The response as a typed error with one clear line, no key in it."""
    meaning = meaning_of(status, error)
    words = one_line(redact(error.message, secrets))
    return ProviderError(
        meaning.kind,
        f"{participant} {meaning.text} (HTTP {status}){': ' + words if words else ''}",
        retryable=meaning.retryable,
        retry_after_s=(
            retry_after_s(headers, error, datetime.now(UTC)) if meaning.retryable else None
        ),
        charged=False,
        # 403 is about what was asked for: another model of the same account may be allowed.
        scope=Scope.CALL if status == 403 else Scope.ACCOUNT,
    )


def error_in(
    participant: str,
    payload: Mapping[str, JsonValue],
    headers: Mapping[str, str],
    secrets: Iterable[str] = (),
) -> ProviderError | None:
    """The error that an answer with status 200, or an event of its stream, reports; None if none.

    OpenRouter and others report an upstream fault so; a stream has no other way.
    """
    choices = payload.get("choices")
    reported = _error_beside(choices, payload.get("error")) if choices else payload
    if reported is None or not (reported.get("error") or reported.get("object") == "error"):
        return None
    error = error_body_of(reported)
    failure = error_of(participant, status_of(error), headers, error, secrets)
    failure.charged = None if choices else failure.charged  # half an answer may have its price
    return failure


def _error_beside(choices: JsonValue, error: JsonValue) -> Mapping[str, JsonValue] | None:
    """What half an answer says of its end: OpenRouter puts it into the choice or beside the choices."""
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and isinstance(choice.get("error"), dict):
            return {"error": choice["error"]}
    # Whatever the choice calls its end. An error without any word is a form that was filled in.
    empty = isinstance(error, dict) and not any(error.values())
    return {"error": error} if error and not empty else None


_STATUS = re.compile(r"[45][0-9]{2}")


def status_of(error: ErrorBody) -> int:
    """The status that an error object without one stands for; 500 for what nobody knows."""
    if _STATUS.fullmatch(error.code):
        return int(error.code)
    return STATUS_OF_TYPE.get(error.type) or STATUS_OF_TYPE.get(error.code) or 500


# Anthropic's and OpenAI's error types and codes where no status is given.
STATUS_OF_TYPE = {
    "invalid_request_error": 400,
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "api_error": 500,
    "server_error": 500,
    "internal_error": 500,
    "invalid_prompt": 400,
    "context_length_exceeded": 400,
    "content_filter": 400,
    "model_not_found": 404,
    "invalid_api_key": 401,
    "insufficient_quota": 402,
    "timeout_error": 504,
    "overloaded_error": 529,
}


def one_line(text: str, limit: int = _SAID_LIMIT) -> str:
    """Foreign text as one short printable line."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text[: limit * 4]).split())
    return flat if len(flat) <= limit else flat[: limit - 1] + "…"


def retry_after_s(headers: Mapping[str, str], error: ErrorBody, now: datetime) -> float | None:
    """How long the provider asks to wait, in seconds; None when it does not say."""
    if (milliseconds := _seconds(headers.get("retry-after-ms", ""))) is not None:
        return milliseconds / 1000
    asked = headers.get("retry-after", "")
    if (seconds := _seconds(asked)) is not None:
        return seconds
    if asked:
        try:
            at = parsedate_to_datetime(asked)
        except ValueError:
            pass
        else:
            at = at if at.tzinfo else at.replace(tzinfo=UTC)
            return min(max((at - now).total_seconds(), 0.0), _LONGEST_S)
    return error.retry_delay_s


_LONGEST_S = 366 * 86_400.0
_DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s?)?")


def _seconds(text: str) -> float | None:
    """`20`, `0.5`, `34s`, `6m0s` as seconds, a year at most; None for anything else."""
    duration = _DURATION.fullmatch(text.strip())
    if not duration or not duration.group(0):
        return None
    hours, minutes, seconds = (float(part or 0) for part in duration.groups())
    return min(hours * 3600 + minutes * 60 + seconds, _LONGEST_S)
