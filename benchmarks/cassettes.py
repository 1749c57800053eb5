"""Feeds recorded exchanges with real providers through the adapters and counts how many come out right.

    python -m benchmarks.cassettes --data DIR [--verbose]

DIR (or DIR/provider-cassettes) holds `cassettes.tar.gz`, or unpacked YAML cassettes (a request and a response
each). Every response of a supported protocol is compared with an independent reading of the recording: text (or
error kind), usage, finish reason. That reading shares no code with the adapters: it takes JSON as
it stands and streams line by line with its own rules, and its token counts are genai-prices' own
extraction where that knows the protocol.
"""

from __future__ import annotations

import argparse
import gzip
import json
import re
import sys
import tarfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import genai_prices
import yaml

from benchmarks.data import folder_of
from shared.errors import ProviderError
from shared.models.panel import Participant
from workers.providers import anthropic, gemini, openai, openai_responses
from workers.providers.calls import Completion, ProviderCall
from workers.providers.http.converse import Dialect, read_body, read_events
from workers.providers.http.events import sse_payloads
from workers.providers.http.statuses import error_of, read_error


@dataclass(frozen=True)
class Exchange:
    """One recorded exchange of a supported protocol."""

    cassette: str
    protocol: str
    status: int
    streamed: bool
    body: bytes


@dataclass(frozen=True)
class Reading:
    """What an exchange says: an error kind, or text, tokens (in, out, cached) and finish."""

    error: str | None
    text: str = ""
    tokens: tuple[int | None, int | None, int | None] = (None, None, None)
    finish: str = ""


PROTOCOLS: tuple[tuple[str, str], ...] = (
    ("anthropic", r"/v1/messages$"),
    ("responses", r"/responses(/resp_\w+)?$"),
    ("chat", r"/chat/completions$"),
    ("gemini", r"/models/[^/]+:(streamGenerateContent|generateContent)$"),
)
DIALECTS: dict[str, Dialect[Any]] = {
    "anthropic": anthropic.DIALECT,
    "responses": openai_responses.DIALECT,
    "chat": openai.DIALECT,
    "gemini": gemini.DIALECT,
}
# What is recorded beside them: no answer of a model, so there is nothing that an adapter could read.
OTHERS: tuple[tuple[str, str], ...] = (
    ("tokens counted beforehand", r"/count_tokens$|:countTokens$|/input_tokens$"),
    ("files and stores", r"/files(/|$)|/vector_stores|/(upload/)?v1beta/fileSearchStores"),
    ("pages and files of the web", r"^(?!api\.|generativelanguage\.)"),
)


def cassettes(data: Path) -> Iterator[tuple[str, Any]]:
    archive = data / "cassettes.tar.gz"
    if archive.exists():
        with tarfile.open(archive) as tar:
            for member in tar:
                if member.name.endswith(".yaml") and (file := tar.extractfile(member)):
                    yield member.name, yaml.load(file.read(), Loader=yaml.CSafeLoader)
        return
    for path in sorted(data.rglob("*.yaml")):
        yield str(path), yaml.load(path.read_bytes(), Loader=yaml.CSafeLoader)


def exchanges(data: Path) -> Iterator[Exchange]:
    for name, cassette in cassettes(data):
        for one in cassette["interactions"]:
            url = urlsplit(one["request"]["uri"])
            address = f"{url.netloc}{url.path}"
            protocol = _named(PROTOCOLS, address)
            if protocol is None:
                continue
            headers = {key.lower(): value for key, value in one["response"]["headers"].items()}
            yield Exchange(
                cassette=name,
                protocol=protocol,
                status=one["response"]["status"]["code"],
                streamed="event-stream" in str(headers.get("content-type")),
                body=_recorded_body(one["response"]),
            )


def others(data: Path) -> Counter[str]:
    """How many recorded exchanges are none of a supported protocol, by what they are."""
    counted: Counter[str] = Counter()
    for _, cassette in cassettes(data):
        for one in cassette["interactions"]:
            url = urlsplit(one["request"]["uri"])
            address = f"{url.netloc}{url.path}"
            if _named(PROTOCOLS, address) is None:
                counted[_named(OTHERS, address) or address] += 1
    return counted


def _named(table: tuple[tuple[str, str], ...], address: str) -> str | None:
    return next((name for name, rule in table if re.search(rule, address)), None)


def _recorded_body(response: dict[str, Any]) -> bytes:
    if "parsed_body" in response:
        return json.dumps(response["parsed_body"]).encode()
    body = response["body"]
    text = body["string"] if isinstance(body, dict) else body
    packed = text if isinstance(text, bytes) else str(text).encode()
    return gzip.decompress(packed) if packed.startswith(b"\x1f\x8b") else packed


# ------------------------------------------------------------------------------- by the adapters


def adapters_reading(one: Exchange) -> Reading:
    dialect = DIALECTS[one.protocol]
    call = ProviderCall(
        participant=Participant(name="recorded", provider=one.protocol, model="recorded"),
        role="critique",
        round=1,
        reply_model="critique.review",
        step="s",
    )
    try:
        if one.status != 200:
            raise error_of("recorded", one.status, {}, read_error(one.body))
        if one.streamed:
            # In pieces that fall anywhere, as a network delivers them.
            pieces = [one.body[at : at + 37] for at in range(0, len(one.body), 37)]
            completion = read_events(dialect, call, sse_payloads(pieces, "recorded"))
        else:
            completion = read_body(dialect, call, one.body, {})
    except ProviderError as error:
        return Reading(error=error.kind.value)
    return _reading_of(completion)


def _reading_of(completion: Completion) -> Reading:
    usage = completion.usage
    return Reading(
        error=None,
        text=completion.text,
        tokens=(usage.input_tokens, usage.output_tokens, usage.cached_tokens),
        finish=completion.finish_reason.value,
    )


# -------------------------------------------------------------------------------- independently

FINISH = {
    "stop end_turn stop_sequence STOP completed eos": "stop",
    "length max_tokens MAX_TOKENS max_output_tokens model_length model_context_window_exceeded": "length",
    "refusal content_filter SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII LANGUAGE IMAGE_SAFETY": "refusal",
}
ERRORS = {
    "bad_request": (400, 405, 409, 410, 422),
    "credentials": (401, 403),
    "unknown_model": (404,),
    "timeout": (408, 504),
    "context_overflow": (413,),
    "rate_limited": (402, 429),
}
# Where the body says it more exactly than the status, in words that the recorded services use.
SAID = (
    (r"maximum context length|context_length_exceeded|prompt is too long", "context_overflow"),
    (r"content_filter|content_policy|usage policy", "refusal"),
    (r"API key not valid|API_KEY_INVALID", "credentials"),
    (r"credit balance is too low", "rate_limited"),
    (r"model_not_found|[Mm]odel.{0,60}does not exist", "unknown_model"),
)


def _error(one: Exchange) -> Reading:
    words = one.body.decode("utf-8", "replace")
    if one.status < 500:
        for pattern, kind in SAID:
            if re.search(pattern, words):
                return Reading(error=kind)
    kinds = (kind for kind, statuses in ERRORS.items() if one.status in statuses)
    return Reading(error=next(kinds, "overloaded" if one.status >= 500 else "bad_request"))


def independent_reading(one: Exchange) -> Reading:
    """What the recording says; where these rules do not know it, that, so that it counts as a difference."""
    try:
        return _independently(one)
    except (KeyError, IndexError, TypeError, ValueError, AssertionError) as error:
        return Reading(error=f"not read independently ({error!r})")


def _independently(one: Exchange) -> Reading:
    if one.status != 200:
        return _error(one)
    if one.streamed:
        lines = one.body.decode().split("\n")
        texts = [line[5:].strip() for line in lines if line.startswith("data:")]
        events = [json.loads(text) for text in texts if text != "[DONE]"]
    else:
        events = [json.loads(one.body)]
    return {
        "anthropic": _read_anthropic,
        "responses": _read_responses,
        "chat": _read_chat,
        "gemini": _read_gemini,
    }[one.protocol](events, one.streamed)


def _finish(*words: str | None) -> str:
    for word in words:
        for known, meaning in FINISH.items():
            if word and word in known.split():
                return meaning
    return "other"


def _tokens(provider: str, flavor: str, data: Any) -> tuple[Any, Any, Any]:
    try:
        usage = genai_prices.extract_usage(data, provider_id=provider, api_flavor=flavor).usage
    except (ValueError, LookupError):
        return None, None, None
    return usage.input_tokens, usage.output_tokens, usage.cache_read_tokens


def _read_anthropic(events: list[Any], streamed: bool) -> Reading:
    message = events[0]["message"] if streamed else events[0]
    if streamed:
        if events[-1]["type"] == "error":
            return Reading(error="overloaded")
        if events[-1]["type"] != "message_stop":
            return Reading(error="unreachable")
        text = "".join(e.get("delta", {}).get("text") or "" for e in events)
        for event in events:
            if event["type"] == "message_delta":
                message["usage"].update(event["usage"])
                message["stop_reason"] = event["delta"]["stop_reason"]
    else:
        text = "".join(b["text"] for b in message["content"] if b["type"] == "text")
    tokens = _tokens("anthropic", "default", message)
    return Reading(None, text, tokens, _finish(message["stop_reason"]))


def _read_responses(events: list[Any], streamed: bool) -> Reading:
    response = events[0]
    if streamed:
        closing = ("response.completed", "response.incomplete")
        ends = [event["response"] for event in events if event["type"] in closing]
        if not ends:
            return Reading(error="unreachable")
        response = ends[-1]
    if not isinstance(response.get("output"), list):
        return Reading(error="unparseable")
    blocks = [
        block
        for item in response["output"]
        if item["type"] == "message"
        for block in item.get("content") or []
    ]
    refused = "".join(block["refusal"] for block in blocks if block["type"] == "refusal")
    if refused:
        return Reading(None, refused, _tokens("openai", "responses", response), "refusal")
    text = "".join(block["text"] for block in blocks if block["type"] == "output_text")
    if streamed:
        shown = "".join(e["delta"] for e in events if e["type"] == "response.output_text.delta")
        assert shown == text
    words = (response.get("status"), (response.get("incomplete_details") or {}).get("reason"))
    return Reading(None, text, _tokens("openai", "responses", response), _finish(*words))


def _read_chat(events: list[Any], streamed: bool) -> Reading:
    if not streamed:
        (answer,) = events
        choice = answer["choices"][0]
        refused = choice["message"].get("refusal")
        text = refused or choice["message"].get("content") or ""
        if isinstance(text, list):  # Mistral: thoughts and texts
            text = "".join(piece["text"] for piece in text if piece["type"] == "text")
        ended = "refusal" if refused else _finish(choice["finish_reason"])
        return Reading(None, text, _chat_tokens(answer), ended)
    choices = [event["choices"][0] for event in events if event.get("choices")]
    text = "".join((choice.get("delta") or {}).get("content") or "" for choice in choices)
    finish = next((c["finish_reason"] for c in choices if c.get("finish_reason")), None)
    if finish is None:
        return Reading(error="unreachable")
    counted = [event for event in events if event.get("usage")]
    return Reading(None, text, _chat_tokens(counted[-1] if counted else {}), _finish(finish))


def _chat_tokens(answer: Any) -> tuple[int | None, int | None, int | None]:
    """By hand: services that copy the protocol leave the details out, which genai-prices reads as zero."""
    usage = answer.get("usage") or {}
    details = usage.get("prompt_tokens_details") or {}
    return usage.get("prompt_tokens"), usage.get("completion_tokens"), details.get("cached_tokens")


def _read_gemini(events: list[Any], streamed: bool) -> Reading:
    candidates = [c for event in events for c in event.get("candidates", [])[:1]]
    parts = [p for c in candidates for p in c.get("content", {}).get("parts", [])]
    text = "".join(p.get("text", "") for p in parts if not p.get("thought"))
    finish = next((c["finishReason"] for c in candidates if "finishReason" in c), None)
    if streamed and finish is None:
        return Reading(error="unreachable")
    counted = [event for event in events if "usageMetadata" in event]
    tokens = _tokens("google", "default", counted[-1]) if counted else (None, None, None)
    blocked = any("blockReason" in event.get("promptFeedback", {}) for event in events)
    return Reading(None, text, tokens, "refusal" if blocked else _finish(finish))


# ------------------------------------------------------------------------------------- the count


def same(theirs: Reading, ours: Reading) -> bool:
    """Equal, where the table's zero for cached tokens may be our "not said"."""
    if ours.error or theirs.error:
        return ours.error == theirs.error
    tokens = tuple(
        (a or 0) == (b or 0) if index == 2 else a == b
        for index, (a, b) in enumerate(zip(theirs.tokens, ours.tokens, strict=True))
    )
    return (theirs.text, theirs.finish) == (ours.text, ours.finish) and all(tokens)


def main() -> int:
    """Print the count by protocol; 1 when an exchange differs."""
    parser = argparse.ArgumentParser(description="Recorded exchanges through the adapters.")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    data = folder_of(options.data, "provider-cassettes")
    good: Counter[str] = Counter()
    every: Counter[str] = Counter()
    for one in exchanges(data):
        kind = f"{one.protocol} {'stream' if one.streamed else 'plain'}"
        kind += "" if one.status == 200 else " error"
        every[kind] += 1
        theirs, ours = independent_reading(one), adapters_reading(one)
        if same(theirs, ours):
            good[kind] += 1
        else:
            print(f"DIFFERS {kind} {one.cassette}\n  recorded: {theirs}\n  adapter:  {ours}")
        if options.verbose:
            print(f"{kind}: {ours}")
    for kind in sorted(every):
        print(f"{kind:20} {good[kind]:4} of {every[kind]:4}")
    print(f"{'all':20} {good.total():4} of {every.total():4}")
    for what, number in others(data).most_common():
        print(f"no protocol of ours: {number} {what}")
    return 0 if every and good == every else 1


if __name__ == "__main__":
    sys.exit(main())
