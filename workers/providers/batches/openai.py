"""OpenAI's batches: chat completions and responses. What is asked goes up as a file, what is answered comes as two.

The batch carries our name in its metadata, by which one that was perhaps posted is found.
"""

from __future__ import annotations

import itertools
import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from workers.providers.batches.service import (
    BatchAccess,
    BatchEntry,
    BatchProtocol,
    BatchResult,
    SoughtBatch,
)
from workers.providers.http.converse import Dialect
from workers.providers.http.payload import Payload, count, items, part, text
from workers.providers.http.statuses import error_body_of, one_line, status_of
from workers.providers.openai import DIALECT as CHAT
from workers.providers.openai_responses import DIALECT as RESPONSES

# Of 50,000 and 200 MB that it takes: a worker holds a batch in memory while it is posted.
MOST_CALLS = 10_000
MOST_BYTES = 64_000_000
METADATA = "quorate"
_PAGE = 100
_MOST_PAGES = 100
_OVER = frozenset({"completed", "failed", "expired", "cancelled"})
_NOTHING_DONE = {"batch_expired": "expired", "batch_cancelled": "canceled"}
_FILES = ("output_file_id", "error_file_id")


@dataclass(frozen=True)
class FileBatches:
    """Satisfies the protocol of a batch API. `endpoint` is what each line asks."""

    endpoint: str

    def create(self, access: BatchAccess, batch: str, requests: Sequence[BatchEntry]) -> str:
        """Upload the lines, then post the batch. A file whose batch is refused is deleted."""
        file = _uploaded(access, f"quorate-{batch}.jsonl", self._lines(requests))
        asked: Payload = {
            "input_file_id": file,
            "endpoint": self.endpoint,
            "completion_window": "24h",
            "metadata": {METADATA: batch},
        }
        try:
            return access.named(access.ask("POST", "/batches", asked).get("id"))
        except ProviderError as error:
            if error.charged is False and error.kind not in (
                FailureKind.OVERLOADED,
                FailureKind.TIMEOUT,
            ):
                access.delete(f"/files/{file}")
            raise

    def _lines(self, requests: Sequence[BatchEntry]) -> bytes:
        lines = (
            {"custom_id": entry.id, "method": "POST", "url": self.endpoint, "body": entry.body}
            for entry in requests
        )
        text_lines = (json.dumps(line, ensure_ascii=False) for line in lines)
        return "".join(f"{line}\n" for line in text_lines).encode("utf-8", "replace")

    def results(self, access: BatchAccess, remote: str) -> Iterator[BatchResult] | None:
        """The lines of both files. Raises ProviderError (bad_request) for a file that it refused as a whole."""
        found = access.ask("GET", f"/batches/{remote}")
        status = text(found.get("status"))
        if status not in _OVER:
            return None
        if status == "failed":
            first = next(iter(items(part(found, "errors", "data"))), None)
            why = one_line(text(part(first, "message"))) or "no reason given"
            raise ProviderError(
                FailureKind.BAD_REQUEST,
                f"{access.participant.name}'s provider refused the batch: {why}",
            )
        files = [found[name] for name in _FILES if found.get(name)]
        read = (access.lines(f"/files/{access.named(file)}/content") for file in files)
        lines = itertools.chain.from_iterable(read)
        if status == "completed":
            return map(_result, lines)
        # Calls that neither file names were not answered in time, or were stopped.
        return self._all(map(_result, lines), "expired" if status == "expired" else "canceled")

    def _all(self, results: Iterator[BatchResult], why: str) -> Iterator[BatchResult]:
        yield from results
        yield BatchResult("", 0, why=why)

    def find(self, access: BatchAccess, sought: SoughtBatch) -> str | None:
        """By the metadata."""
        after = ""
        for _ in range(_MOST_PAGES):
            page = access.ask("GET", f"/batches?limit={_PAGE}{after}")
            entries = items(page.get("data"))
            for entry in entries:
                if part(entry, "metadata", METADATA) == sought.id:
                    return access.named(part(entry, "id"))
            if not page.get("has_more") or not entries or _is_before(entries[-1], sought):
                return None
            after = f"&after={access.named(part(entries[-1], 'id'))}"
        return None

    def cancel(self, access: BatchAccess, remote: str) -> None:
        """Ask for it; what is under way is still answered."""
        access.ask("POST", f"/batches/{remote}/cancel")

    def forget(self, access: BatchAccess, remote: str) -> None:
        """Delete its files: the batch itself, which holds no text, cannot be deleted."""
        found = access.ask("GET", f"/batches/{remote}")
        for name in ("input_file_id", *_FILES):
            if found.get(name):
                access.delete(f"/files/{access.named(found[name])}")


def _is_before(entry: Any, sought: SoughtBatch) -> bool:
    """Whether a batch was created before ours can have been."""
    created = count(part(entry, "created_at"))
    return created is not None and created < sought.since.timestamp()


def _uploaded(access: BatchAccess, name: str, content: bytes) -> str:
    """A file for a batch, as a form (RFC 7578)."""
    boundary = uuid.uuid4().hex
    form = (
        f'--{boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n'
        f'--{boundary}\r\ncontent-disposition: form-data; name="file"; filename="{name}"\r\n'
        "content-type: application/jsonl\r\n\r\n"
    ).encode()
    body = b"".join((form, content, f"\r\n--{boundary}--\r\n".encode()))
    named = {"content-type": f"multipart/form-data; boundary={boundary}"}
    return access.named(access.exchange("POST", "/files", body, named).get("id"))


def _result(line: Payload) -> BatchResult:
    name, error = text(line.get("custom_id")), line.get("error")
    status, body = count(part(line, "response", "status_code")), part(line, "response", "body")
    if status is not None and isinstance(body, dict):
        return BatchResult(name, status, body)
    code = text(part(error, "code"))
    if code in _NOTHING_DONE:
        return BatchResult(name, 0, why=_NOTHING_DONE[code])
    found: Payload = {"error": error or {"message": "no reason given"}}
    return BatchResult(name, status_of(error_body_of(found)), found)


def _batches(dialect: Dialect[Any], endpoint: str) -> BatchProtocol:
    return BatchProtocol(dialect, FileBatches(endpoint), MOST_CALLS, MOST_BYTES)


BATCHES = {
    "openai": _batches(CHAT, "/v1/chat/completions"),
    "openai-responses": _batches(RESPONSES, "/v1/responses"),
}
