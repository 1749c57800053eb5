"""Anthropic's, OpenAI's and Gemini's batch APIs, as their documentation has them, over what a stand-in knows."""

from __future__ import annotations

import email
import email.policy
import json
from collections.abc import Iterator
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

from tests.support.batch_stand import (
    REPLY,
    TOKENS_IN,
    TOKENS_OUT,
    Answer,
    BatchStand,
    Body,
    HeldBatch,
    created,
)

NOT_FOUND: Answer = (404, {"error": {"type": "not_found_error", "message": "no such batch"}}, {})


def route(
    stand: BatchStand, method: str, target: str, body: bytes, headers: dict[str, str]
) -> Answer:
    path, query = urlsplit(target).path, parse_qs(urlsplit(target).query)
    if path.startswith("/v1/messages/batches"):
        return anthropic(stand, method, path.removeprefix("/v1/messages/batches"), body, query)
    if path.startswith(("/v1beta/models/", "/v1beta/batches")):
        return gemini(stand, method, path.removeprefix("/v1beta"), body)
    return openai(stand, method, path.removeprefix("/v1"), body, headers)


# ---- Anthropic ----------------------------------------------------------------------------------


def anthropic(
    stand: BatchStand, method: str, rest: str, body: bytes, query: dict[str, list[str]]
) -> Answer:
    name, _, verb = rest.strip("/").partition("/")
    if method == "POST" and not name:

        def accept() -> Answer:
            entries = json.loads(body)["requests"]
            batch = stand.accept({entry["custom_id"]: entry["params"] for entry in entries})
            return 200, message_batch(batch), {}

        return created(stand, accept)
    if not name:
        live = [batch for batch in reversed(stand.batches) if not batch.deleted]
        after = query.get("after_id", [""])[0]
        names = [batch.id for batch in live]
        start = names.index(after) + 1 if after in names else 0
        page = live[start : start + int(query.get("limit", ["20"])[0])]
        more = start + len(page) < len(live)
        last = page[-1].id if page else None
        return (
            200,
            {"data": [message_batch(b) for b in page], "has_more": more, "last_id": last},
            {},
        )
    batch = stand.find(name)
    if batch is None:
        return NOT_FOUND
    if method == "DELETE":
        batch.deleted = True
        return 200, {"id": name, "type": "message_batch_deleted"}, {}
    if verb == "cancel":
        batch.cancelled = True
    if verb == "results":
        return 200, lines(message_result(batch, name) for name in known(batch)), {}
    return 200, message_batch(batch), {}


def known(batch: HeldBatch) -> list[str]:
    """The calls that have a result, the last one first: no provider keeps the order."""
    return [name for name in reversed(batch.requests) if name not in batch.missing]


def message_batch(batch: HeldBatch) -> Body:
    counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
    words = {"answered": "succeeded", "expired": "expired", "canceled": "canceled"}
    for name in batch.requests:
        over = batch.state != "in_progress"
        counts[words.get(batch.outcomes.get(name, ""), "errored") if over else "processing"] += 1
    return {
        "id": batch.id,
        "type": "message_batch",
        "processing_status": "in_progress" if batch.state == "in_progress" else "ended",
        "request_counts": counts,
        "created_at": datetime.now(UTC).isoformat(),
        "results_url": "http://192.0.2.1/never/followed",
    }


def message_result(batch: HeldBatch, name: str) -> Body:
    outcome = batch.outcomes[name]
    if outcome in ("expired", "canceled"):
        return {"custom_id": name, "result": {"type": outcome}}
    if outcome != "answered":
        kind, _, words = outcome.partition(":")
        error = {"type": "error", "error": {"type": kind, "message": words or kind}}
        return {"custom_id": name, "result": {"type": "errored", "error": error}}
    message = {
        "id": f"msg_{name}",
        "type": "message",
        "role": "assistant",
        "model": batch.requests[name]["model"],
        "content": [{"type": "text", "text": batch_reply(batch.requests[name])}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT},
    }
    return {"custom_id": name, "result": {"type": "succeeded", "message": message}}


def batch_reply(body: Body) -> str:
    """What every call is answered; a prompt that holds `SPOIL` is answered in no form at all, once."""
    text = json.dumps(body, ensure_ascii=False)
    return "no JSON" if "SPOIL" in text and "cannot be used" not in text else REPLY


def lines(objects: Iterator[Body]) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in objects)


# ---- OpenAI -------------------------------------------------------------------------------------


def openai(
    stand: BatchStand, method: str, path: str, body: bytes, headers: dict[str, str]
) -> Answer:
    _, kind, *rest = path.split("/")
    name, verb = [*rest, "", ""][:2]
    if kind == "files":
        return openai_files(stand, method, name, verb, body, headers)
    if kind != "batches":
        return NOT_FOUND
    if method == "POST" and not name:
        return created(stand, lambda: openai_created(stand, json.loads(body)))
    if not name:
        data = [batch_object(stand, batch) for batch in reversed(stand.batches)]
        return 200, {"object": "list", "data": data, "has_more": False}, {}
    batch = stand.find(name)
    if batch is None:
        return NOT_FOUND
    if verb == "cancel":
        batch.cancelled = True
    return 200, batch_object(stand, batch), {}


def openai_created(stand: BatchStand, asked: Body) -> Answer:
    assert asked["completion_window"] == "24h"
    content = stand.files[asked["input_file_id"]]
    entries = [json.loads(line) for line in content.splitlines() if line.strip()]
    assert {entry["url"] for entry in entries} == {asked["endpoint"]}
    assert len({entry["body"]["model"] for entry in entries}) == 1
    batch = stand.accept(
        {entry["custom_id"]: entry["body"] for entry in entries},
        name=asked["metadata"]["quorate"],
        endpoint=asked["endpoint"],
        input_file=asked["input_file_id"],
    )
    return 200, batch_object(stand, batch), {}


def openai_files(
    stand: BatchStand, method: str, name: str, verb: str, body: bytes, headers: dict[str, str]
) -> Answer:
    if method == "POST":
        kind = {k.lower(): v for k, v in headers.items()}["content-type"]
        message = email.message_from_bytes(
            b"content-type: " + kind.encode() + b"\r\n\r\n" + body, policy=email.policy.HTTP
        )
        parts = {
            str(part.get_param("name", header="content-disposition")): part
            for part in message.iter_parts()  # type: ignore[attr-defined]
        }
        assert parts["purpose"].get_content().strip() == "batch"
        assert parts["file"].get_filename().endswith(".jsonl")
        name = f"file-{len(stand.files) + 1}"
        stand.files[name] = bytes(parts["file"].get_payload(decode=True))
        return 200, {"id": name, "object": "file", "purpose": "batch"}, {}
    if name not in stand.files:
        return NOT_FOUND
    if method == "DELETE":
        del stand.files[name]
        return 200, {"id": name, "deleted": True}, {}
    return (200, stand.files[name], {}) if verb == "content" else NOT_FOUND


def batch_object(stand: BatchStand, batch: HeldBatch) -> Body:
    over = batch.state != "in_progress"
    status = {"ended": "completed", "in_progress": "in_progress"}.get(batch.state, batch.state)
    found: Body = {
        "id": batch.id,
        "object": "batch",
        "endpoint": batch.endpoint,
        "status": "cancelled" if over and batch.cancelled else status,
        "input_file_id": batch.input_file,
        "created_at": int(datetime.now(UTC).timestamp()),
        "metadata": {"quorate": batch.name},
        "errors": None,
    }
    if batch.state == "failed":
        found["errors"] = {"data": [{"code": "invalid_json_line", "message": "line 1 is no JSON"}]}
    elif over:
        good = [name for name in known(batch) if batch.outcomes[name] == "answered"]
        bad = [name for name in known(batch) if batch.outcomes[name] != "answered"]
        for field_name, names in (("output_file_id", good), ("error_file_id", bad)):
            file = f"{batch.id}-{field_name}"
            if names and not batch.deleted:
                stand.files.setdefault(file, lines(openai_line(batch, name) for name in names))
                found[field_name] = file
    return found


def openai_line(batch: HeldBatch, name: str) -> Body:
    outcome = batch.outcomes[name]
    line: Body = {"id": f"line-{name}", "custom_id": name, "response": None, "error": None}
    if outcome in ("expired", "canceled"):
        code = "batch_expired" if outcome == "expired" else "batch_cancelled"
        return line | {"error": {"code": code, "message": outcome}}
    if outcome != "answered":
        status, _, words = outcome.partition(":")
        error = {"error": {"message": words, "type": "invalid_request_error"}}
        return line | {"response": {"status_code": int(status), "body": error}}
    body = batch.requests[name]
    answer = openai_response(body) if batch.endpoint.endswith("/responses") else openai_chat(body)
    return line | {"response": {"status_code": 200, "request_id": "r", "body": answer}}


def openai_chat(body: Body) -> Body:
    message = {"role": "assistant", "content": batch_reply(body)}
    return {
        "model": body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": TOKENS_IN, "completion_tokens": TOKENS_OUT},
    }


def openai_response(body: Body) -> Body:
    content = [{"type": "output_text", "text": batch_reply(body)}]
    return {
        "model": body["model"],
        "status": "completed",
        "output": [{"type": "message", "role": "assistant", "content": content}],
        "usage": {"input_tokens": TOKENS_IN, "output_tokens": TOKENS_OUT},
    }


# ---- Gemini -------------------------------------------------------------------------------------


def gemini(stand: BatchStand, method: str, path: str, body: bytes) -> Answer:
    if path.endswith(":batchGenerateContent"):

        def accept() -> Answer:
            asked = json.loads(body)["batch"]
            entries = asked["inputConfig"]["requests"]["requests"]
            requests = {entry["metadata"]["key"]: entry["request"] for entry in entries}
            return 200, operation(stand.accept(requests, name=asked["displayName"])), {}

        return created(stand, accept)
    name, _, verb = path.removeprefix("/batches").strip("/").partition(":")
    if not name:
        live = [operation(batch) for batch in reversed(stand.batches) if not batch.deleted]
        return 200, {"operations": live}, {}
    batch = stand.find(name)
    if batch is None:
        return NOT_FOUND
    if method == "DELETE":
        batch.deleted = True
        return 200, {}, {}
    if verb == "cancel":
        batch.cancelled = True
        return 200, {}, {}
    return 200, operation(batch), {}


_STATES = {"ended": "SUCCEEDED", "in_progress": "RUNNING", "expired": "EXPIRED", "failed": "FAILED"}


def operation(batch: HeldBatch) -> Body:
    over = batch.state != "in_progress"
    state = "CANCELLED" if over and batch.cancelled else _STATES[batch.state]
    found: Body = {
        "name": f"batches/{batch.id}",
        "metadata": {"displayName": batch.name, "state": f"BATCH_STATE_{state}"},
        "done": over,
    }
    if state == "SUCCEEDED":
        answers = [gemini_answer(batch, name) for name in known(batch)]
        found["response"] = {"inlinedResponses": {"inlinedResponses": answers}}
    elif over:
        found["error"] = {"code": 4, "message": state.lower()}
    return found


def gemini_answer(batch: HeldBatch, name: str) -> Body:
    outcome = batch.outcomes[name]
    if outcome != "answered":
        code, _, words = outcome.partition(":")
        return {"error": {"code": int(code), "message": words}, "metadata": {"key": name}}
    parts = [{"text": batch_reply(batch.requests[name])}]
    response = {
        "candidates": [{"content": {"parts": parts}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": TOKENS_IN, "candidatesTokenCount": TOKENS_OUT},
    }
    return {"response": response, "metadata": {"key": name}}
