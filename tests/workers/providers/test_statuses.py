"""Statuses, error bodies and waiting times of several providers, as pure values."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from shared.errors import Scope
from shared.models.outcomes import FailureKind
from workers.providers.credentials import redact
from workers.providers.http.statuses import ErrorBody, error_of, one_line, read_error, retry_after_s

NOW = datetime(2026, 11, 21, 12, 0, 0, tzinfo=UTC)

BODIES: list[tuple[int, object, FailureKind]] = [
    (
        400,
        {"error": {"message": "This model's maximum context length is 8192 tokens", "code": None}},
        FailureKind.CONTEXT_OVERFLOW,
    ),
    (
        400,
        {"type": "error", "error": {"type": "x", "message": "prompt is too long: 2 tokens > 1"}},
        FailureKind.CONTEXT_OVERFLOW,
    ),
    (
        400,
        {"error": {"code": 400, "message": "The input token count (9) exceeds the maximum"}},
        FailureKind.CONTEXT_OVERFLOW,
    ),
    (
        413,
        {"type": "error", "error": {"type": "request_too_large", "message": "Too large"}},
        FailureKind.CONTEXT_OVERFLOW,
    ),
    (
        404,
        {"type": "error", "error": {"type": "not_found_error", "message": "model: x"}},
        FailureKind.UNKNOWN_MODEL,
    ),
    (404, {"error": {"message": "The model `x` does not exist"}}, FailureKind.UNKNOWN_MODEL),
    (404, {"error": "model 'x' not found, try pulling it first"}, FailureKind.UNKNOWN_MODEL),
    (
        404,
        {"error": {"code": 404, "message": "models/x is not found for API version v1beta"}},
        FailureKind.UNKNOWN_MODEL,
    ),
    (404, {"detail": "Not Found"}, FailureKind.BAD_REQUEST),
    (
        400,
        [{"error": {"code": 400, "message": "API key not valid.", "status": "INVALID_ARGUMENT"}}],
        FailureKind.CREDENTIALS,
    ),
    (
        400,
        {"error": {"code": "content_filter", "message": "The response was filtered"}},
        FailureKind.REFUSAL,
    ),
    (
        400,
        {"error": {"type": "x", "message": "Your credit balance is too low"}},
        FailureKind.RATE_LIMITED,
    ),
    (429, {"error": {"code": "insufficient_quota", "message": "no"}}, FailureKind.RATE_LIMITED),
    (  # OpenRouter: the key is good, the text is not
        403,
        {"error": {"code": 403, "message": "requires moderation. Your input was flagged"}},
        FailureKind.REFUSAL,
    ),
    (
        400,
        {
            "error": {
                "code": "content_filter",
                "innererror": {"code": "ResponsibleAIPolicyViolation"},
            }
        },
        FailureKind.REFUSAL,
    ),
    (
        404,
        {"error": {"code": "DeploymentNotFound", "message": "The API deployment does not exist"}},
        FailureKind.UNKNOWN_MODEL,
    ),
    (
        400,
        {
            "object": "error",
            "message": "This model's maximum context length is 4096 tokens. However, you requested 8192",
            "type": "BadRequestError",
            "code": 400,
        },
        FailureKind.CONTEXT_OVERFLOW,
    ),
    (
        400,
        {
            "type": "error",
            "error": {
                "type": "invalid_request_error",
                "message": "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
            },
        },
        FailureKind.CONTEXT_OVERFLOW,
    ),
    (400, {"error": "No models loaded. Please load a model"}, FailureKind.UNKNOWN_MODEL),
    (418, "teapot", FailureKind.BAD_REQUEST),
    (599, None, FailureKind.OVERLOADED),
]


@pytest.mark.parametrize(("status", "body", "kind"), BODIES)
def test_the_body_says_more_than_the_status(status: int, body: object, kind: FailureKind) -> None:
    error = error_of("gpt", status, {}, read_error(json.dumps(body).encode()))
    assert error.kind is kind


def test_an_answer_too_long_for_the_window_is_told_from_a_prompt_too_long_for_it() -> None:
    window = "This model's maximum context length is 8192 tokens. However, "
    for rest, said in (
        ("you requested 8192 output tokens and your prompt contains 9", "max_output_tokens"),
        ("your messages resulted in 9000 tokens", "so long a prompt"),
    ):
        told = error_of("gpt", 400, {}, read_error(json.dumps({"error": window + rest}).encode()))
        assert (told.kind, said in str(told)) == (FailureKind.CONTEXT_OVERFLOW, True)


@pytest.mark.parametrize(
    "body", [b"", b"<html>Bad gateway</html>", b"\xff\xfe", b"[]", b"{}", b"[1"]
)
def test_a_body_that_is_no_error_object_is_quoted_in_one_line(body: bytes) -> None:
    error = error_of("gpt", 502, {}, read_error(body))
    assert error.kind is FailureKind.OVERLOADED
    assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("headers", "delay", "expected"),
    [
        ({"retry-after": "20"}, None, 20.0),
        ({"retry-after": "0.5"}, None, 0.5),
        ({"retry-after-ms": "1500", "retry-after": "9"}, None, 1.5),
        ({"retry-after": "Sat, 21 Nov 2026 12:00:30 GMT"}, None, 30.0),
        ({"retry-after": "Sat, 21 Nov 2026 11:00:00 GMT"}, None, 0.0),
        ({"retry-after": "Fri, 31 Dec 9999 23:59:59 GMT"}, None, 366 * 86_400.0),
        ({"retry-after": "soon"}, None, None),
        ({"retry-after": "-5"}, None, None),
        ({"retry-after": "nan"}, None, None),
        ({"retry-after": "9" * 400}, None, 366 * 86_400.0),
        ({}, 34.0, 34.0),
        ({}, None, None),
    ],
)
def test_how_long_to_wait_is_read_from_wherever_it_stands(
    headers: dict[str, str], delay: float | None, expected: float | None
) -> None:
    assert retry_after_s(headers, ErrorBody(retry_delay_s=delay), NOW) == expected


def test_geminis_retry_info_is_understood() -> None:
    body = {"error": {"code": 429, "message": "q", "details": [{"retryDelay": "1m4.5s"}]}}
    assert read_error(json.dumps(body).encode()).retry_delay_s == 64.5


def test_a_key_in_an_error_text_is_hidden() -> None:
    said = (
        "Incorrect API key provided: sk-proj-ab***xyz9. (Bearer abc.def) AIzaSyB-123456789 hunter22"
    )
    assert redact(said, ["hunter22"]) == "Incorrect API key provided: ***. (*** *** ***"
    error = error_of("gpt", 401, {}, ErrorBody(message=said), ["hunter22"])
    assert "hunter22" not in str(error)
    assert "xyz9" not in str(error)


def test_what_a_key_is_not_allowed_is_about_the_call_and_a_refused_key_about_the_account() -> None:
    scopes = [error_of("gpt", status, {}, ErrorBody()).scope for status in (401, 403)]
    assert scopes == [Scope.ACCOUNT, Scope.CALL]


def test_foreign_text_becomes_one_short_printable_line() -> None:
    assert one_line("a\n\tb\x1b[31m  c") == "a b [31m c"
    assert len(one_line("x" * 10_000)) == 300
