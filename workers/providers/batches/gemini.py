"""Gemini's batchGenerateContent with requests in line; the batch carries our name as its `displayName`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from urllib.parse import quote

from pydantic import JsonValue

from workers.providers.batches.service import (
    BatchAccess,
    BatchEntry,
    BatchProtocol,
    BatchResult,
    SoughtBatch,
)
from workers.providers.gemini import DIALECT
from workers.providers.http.payload import Payload, count, items, part, text, unreadable
from workers.providers.http.statuses import error_body_of, error_of, status_of
from workers.providers.options import model_of

MOST_CALLS = 10_000
# 20 MB in all, what stands around each request included.
MOST_BYTES = 16_000_000
_PAGE = 100
_MOST_PAGES = 100
_NOTHING_DONE = {"EXPIRED": "expired", "CANCELLED": "canceled"}
# google.rpc.Code as HTTP statuses.
_STATUSES = {
    1: 499,
    3: 400,
    4: 504,
    5: 404,
    7: 403,
    8: 429,
    9: 400,
    10: 409,
    13: 500,
    14: 503,
    16: 401,
}


class InlineBatches:
    """Satisfies the protocol of a batch API."""

    def create(self, access: BatchAccess, batch: str, requests: Sequence[BatchEntry]) -> str:
        """Post the requests in line."""
        entries: list[JsonValue] = [
            {"request": entry.body, "metadata": {"key": entry.id}} for entry in requests
        ]
        asked: Payload = {"displayName": batch, "inputConfig": {"requests": {"requests": entries}}}
        model = quote(model_of(access.call).removeprefix("models/"), safe="")
        path = f"/models/{model}:batchGenerateContent"
        return access.named(access.ask("POST", path, {"batch": asked}).get("name"))

    def results(self, access: BatchAccess, remote: str) -> Iterator[BatchResult] | None:
        """The answers of a batch that is done. Raises ProviderError for one that failed as a whole."""
        found = access.ask("GET", f"/{remote}")
        if found.get("done") is not True:
            return None
        state = _state(found)
        answers = _answers(found)
        if state in _NOTHING_DONE:
            return iter([*map(_result, answers), BatchResult("", 0, why=_NOTHING_DONE[state])])
        if found.get("error") and not answers:
            error = error_body_of(found)
            raise error_of(access.participant.name, _status(found["error"]), {}, error)
        if not answers:
            raise unreadable(
                access.participant.name, "says that a batch is done, and has no answers"
            )
        return map(_result, answers)

    def find(self, access: BatchAccess, sought: SoughtBatch) -> str | None:
        """By the display name."""
        token = ""
        for _ in range(_MOST_PAGES):
            page = access.ask("GET", f"/batches?pageSize={_PAGE}{token}")
            for entry in items(page.get("operations")):
                if part(entry, "metadata", "displayName") == sought.id:
                    return access.named(part(entry, "name"))
            following = text(page.get("nextPageToken"))
            if not following:
                return None
            token = f"&pageToken={quote(following, safe='')}"
        return None

    def cancel(self, access: BatchAccess, remote: str) -> None:
        """Ask for it."""
        access.ask("POST", f"/{remote}:cancel", {})

    def forget(self, access: BatchAccess, remote: str) -> None:
        """Delete the batch, requests and answers."""
        access.delete(f"/{remote}")


def _state(found: Payload) -> str:
    """`SUCCEEDED` of BATCH_STATE_SUCCEEDED, which some versions call JOB_STATE_SUCCEEDED."""
    return text(part(found, "metadata", "state")).rpartition("_STATE_")[2]


def _answers(found: Payload) -> list[JsonValue]:
    """Wherever they are: in the response, or in the output that the metadata repeats; in one list or two."""
    for holder in (found.get("response"), part(found, "metadata", "output")):
        responses = part(holder, "inlinedResponses")
        answers = items(responses) or items(part(responses, "inlinedResponses"))
        if answers:
            return answers
    return []


def _status(error: JsonValue) -> int:
    """A google.rpc.Status as an HTTP status; some of its codes are statuses already."""
    code = count(part(error, "code")) or 0
    if code >= 400:
        return code
    return _STATUSES.get(code) or status_of(error_body_of({"error": error}))


def _result(answer: JsonValue) -> BatchResult:
    name, response, error = (
        text(part(answer, "metadata", "key")),
        part(answer, "response"),
        part(answer, "error"),
    )
    if isinstance(response, dict):
        return BatchResult(name, 200, response)
    body: Payload = {"error": error or {"message": "no reason given"}}
    return BatchResult(name, _status(error), body)


BATCHES = {"gemini": BatchProtocol(DIALECT, InlineBatches(), MOST_CALLS, MOST_BYTES)}
