"""Anthropic's Message Batches.

A batch carries no name of ours. One that was perhaps posted is known by the `custom_id`s in its results, which are
there once it has ended.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from pydantic import JsonValue

from workers.providers.anthropic import DIALECT
from workers.providers.batches.service import (
    BatchAccess,
    BatchEntry,
    BatchProtocol,
    BatchResult,
    SoughtBatch,
    not_to_be_said,
)
from workers.providers.http.payload import Payload, items, part, text
from workers.providers.http.statuses import error_body_of, status_of

PATH = "/v1/messages/batches"
# Of 100,000 and 256 MB that it takes: a worker holds a batch in memory while it is posted.
MOST_CALLS = 10_000
MOST_BYTES = 64_000_000
_PAGE = 100
_MOST_PAGES = 100
_NOTHING_DONE = frozenset({"expired", "canceled"})


class MessageBatches:
    """Satisfies the protocol of a batch API."""

    def create(self, access: BatchAccess, batch: str, requests: Sequence[BatchEntry]) -> str:
        """Post it. The name is not sent: there is no field for it."""
        del batch
        entries: list[JsonValue] = [
            {"custom_id": request.id, "params": request.body} for request in requests
        ]
        return access.named(access.ask("POST", PATH, {"requests": entries}).get("id"))

    def results(self, access: BatchAccess, remote: str) -> Iterator[BatchResult] | None:
        """Its lines once it has ended. `results_url` is not followed: a key goes to the known address only."""
        if access.ask("GET", f"{PATH}/{remote}").get("processing_status") != "ended":
            return None
        return (_result(line) for line in access.lines(f"{PATH}/{remote}/results"))

    def find(self, access: BatchAccess, sought: SoughtBatch) -> str | None:
        """Look into the unknown batches of that size; wait for those that have not ended."""
        for entry in _listed(access):
            if not _is_since(entry, sought.since):
                break
            name = text(entry.get("id"))
            if name in sought.known or _size(entry) != len(sought.calls):
                continue
            if entry.get("processing_status") != "ended":
                why = f"the batch {name} may be ours, which shows when it has ended"
                raise not_to_be_said(access.participant.name, why)
            first = next(iter(access.lines(f"{PATH}/{access.named(name)}/results")), {})
            if text(first.get("custom_id")) in sought.calls:
                return name
        return None

    def cancel(self, access: BatchAccess, remote: str) -> None:
        """Ask for it; what is under way is still answered."""
        access.ask("POST", f"{PATH}/{remote}/cancel")

    def forget(self, access: BatchAccess, remote: str) -> None:
        """Delete the batch, requests and results."""
        access.delete(f"{PATH}/{remote}")


def _listed(access: BatchAccess) -> Iterator[Payload]:
    """The newest first."""
    after = ""
    for _ in range(_MOST_PAGES):
        page = access.ask("GET", f"{PATH}?limit={_PAGE}{after}")
        entries = [entry for entry in items(page.get("data")) if isinstance(entry, dict)]
        yield from entries
        if not page.get("has_more") or not entries:
            return
        after = f"&after_id={access.named(page.get('last_id'))}"


def _is_since(entry: Payload, since: datetime) -> bool:
    """False for a batch that is older; one whose age cannot be read may be ours."""
    try:
        return datetime.fromisoformat(text(entry.get("created_at"))) >= since
    except (ValueError, TypeError):
        return True


def _size(entry: Payload) -> int:
    counts = entry.get("request_counts")
    numbers = counts.values() if isinstance(counts, dict) else ()
    return sum(number for number in numbers if isinstance(number, int))


def _result(line: Payload) -> BatchResult:
    kind, name = text(part(line, "result", "type")), text(line.get("custom_id"))
    if kind in _NOTHING_DONE:
        return BatchResult(name, 0, why=kind)
    if kind == "succeeded":
        message = part(line, "result", "message")
        return BatchResult(name, 200, message if isinstance(message, dict) else {})
    error = part(
        line, "result", "error"
    )  # {"type": "error", "error": {...}}, or the inner object itself
    body: Payload = error if isinstance(error, dict) else {"error": {"message": "no reason given"}}
    return BatchResult(name, status_of(error_body_of(body)), body)


BATCHES = {"anthropic": BatchProtocol(DIALECT, MessageBatches(), MOST_CALLS, MOST_BYTES)}
