"""What the stand-in model says: a valid reply for a JSON schema, in the wire form of each protocol."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass, field
from typing import Any

SCHEMA_INTRODUCTION = "The object follows this JSON schema:"


@dataclass(frozen=True)
class Asked:
    """A request as the stand-in understands it."""

    protocol: str
    model: str
    system: str
    messages: list[str]
    schema: dict[str, Any] | None
    stream: bool
    headers: dict[str, str] = field(default_factory=dict)
    fields: frozenset[str] = frozenset()

    @property
    def prompt_sha(self) -> str:
        """The same for a call and its repair."""
        first = self.messages[0] if self.messages else ""
        return hashlib.sha256(f"{self.system}\0{first}".encode()).hexdigest()[:16]


def read_request(path: str, headers: dict[str, str], body: dict[str, Any]) -> Asked:
    """Recognise the protocol by its path."""
    if path.endswith("/chat/completions"):
        return _chat(headers, body)
    if path.endswith("/v1/messages"):
        schema = ((body.get("output_config") or {}).get("format") or {}).get("schema")
        system = body.get("system") or ""
        texts = [_text(message["content"]) for message in body["messages"]]
        return _asked("anthropic", body["model"], _text(system), texts, schema, body, headers)
    if path.endswith("/responses"):
        schema = ((body.get("text") or {}).get("format") or {}).get("schema")
        texts = [_text(item["content"]) for item in body["input"]]
        system = body.get("instructions") or ""
        return _asked("responses", body["model"], system, texts, schema, body, headers)
    if found := re.search(r"/models/([^/:]+):(stream)?[gG]enerateContent", path):
        config = body.get("generationConfig") or {}
        texts = [_text(item["parts"]) for item in body["contents"]]
        system = _text((body.get("systemInstruction") or {}).get("parts") or [])
        body = body | {"stream": bool(found.group(2))}
        schema = config.get("responseJsonSchema")
        return _asked("gemini", found.group(1), system, texts, schema, body, headers)
    if path.endswith("/api/chat"):
        schema = body.get("format") if isinstance(body.get("format"), dict) else None
        return _split_system("ollama", body, schema, headers)
    if path.endswith("/embeddings"):
        return _asked("embeddings", body["model"], "", body["input"], None, body, headers)
    raise KeyError(path)


def _chat(headers: dict[str, str], body: dict[str, Any]) -> Asked:
    form = body.get("response_format") or {}
    return _split_system("chat", body, (form.get("json_schema") or {}).get("schema"), headers)


def _split_system(protocol: str, body: dict[str, Any], schema: Any, headers: Any) -> Asked:
    pairs = [(message["role"], _text(message["content"])) for message in body["messages"]]
    system = "\n".join(text for role, text in pairs if role in ("system", "developer"))
    texts = [text for role, text in pairs if role not in ("system", "developer")]
    return _asked(protocol, body["model"], system, texts, schema, body, headers)


def _asked(
    protocol: str,
    model: str,
    system: str,
    texts: list[str],
    schema: Any,
    body: dict[str, Any],
    headers: dict[str, str],
) -> Asked:
    for text in texts if schema is None else ():
        if SCHEMA_INTRODUCTION in text:
            at = text.index(SCHEMA_INTRODUCTION) + len(SCHEMA_INTRODUCTION)
            schema, _ = json.JSONDecoder().raw_decode(text[at:].lstrip())
    stream = body.get("stream", protocol == "ollama") is True
    return Asked(protocol, model, system, texts, schema, stream, headers, frozenset(body))


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "".join(piece.get("text", "") for piece in content)


# ------------------------------------------------------------------------------------- the reply


def reply_text(asked: Asked, wish: dict[str, str]) -> str:
    """A reply for the schema that was asked for; `text` in the wish says it outright."""
    if "text" in wish:
        return wish["text"]
    if asked.schema is None:
        return "This is an answer without a form."
    facts = _facts("\n".join([asked.system, *asked.messages]), wish)
    return json.dumps(_instance(asked.schema, asked.schema.get("$defs", {}), "", facts))


def _facts(prompt: str, wish: dict[str, str]) -> dict[str, Any]:
    """What a reply can be about: the first changed line of a diff and the findings known so far."""
    path = re.search(r"^\+\+\+ b/(.+)$", prompt, re.MULTILINE)
    hunk = re.search(r"^@@ -\S+ \+(\d+)", prompt, re.MULTILINE)
    added = re.search(r"^\+(?!\+\+)\s*(\S.*)$", prompt, re.MULTILINE)
    return {
        "known": sorted(set(re.findall(r"\bF\d+\b", prompt)), key=lambda name: int(name[1:])),
        "path": path.group(1).strip() if path else "example.py",
        "line": int(hunk.group(1)) if hunk else 1,
        "quote": added.group(1).strip() if added else None,
        "verdict": wish.get("verdict", "NEEDS_FIX"),
        "stance": wish.get("stance", "agree"),
        "severity": wish.get("severity", "MAJOR"),
        "findings": int(wish.get("findings", "1")),
    }


def _instance(schema: Any, definitions: Any, name: str, facts: dict[str, Any]) -> Any:
    if "$ref" in schema:
        return _instance(definitions[schema["$ref"].split("/")[-1]], definitions, name, facts)
    if "anyOf" in schema:
        branch = next((one for one in schema["anyOf"] if one.get("type") != "null"), {})
        if name == "place" or (name == "quote" and facts["quote"]):
            return _instance(branch, definitions, name, facts)
        return None
    if "enum" in schema:
        wanted = facts.get({"position": "stance"}.get(name, name))
        return wanted if wanted in schema["enum"] else schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {})
        return {key: _instance(inner, definitions, key, facts) for key, inner in fields.items()}
    if kind == "array":
        return _list(schema, definitions, name, facts)
    if kind == "string":
        return facts.get(name) or f"A stand-in's {name or 'text'}."
    return {"integer": facts.get(name, 1), "number": 0.5, "boolean": False}.get(kind)


def _list(schema: Any, definitions: Any, name: str, facts: dict[str, Any]) -> list[Any]:
    entry = schema.get("items", {})
    if name == "stances":
        return [
            _instance(entry, definitions, "", facts | {"finding": known})
            for known in facts["known"]
        ]
    many = {"findings": facts["findings"] if not facts["known"] else 0, "fixes": 0}.get(name, 1)
    return [_instance(entry, definitions, name, facts) for _ in range(many)]


# ------------------------------------------------------------------------------------- vectors

DIMENSIONS = 96
# Words that the stand-in takes for the same.
_SAME = dict.fromkeys(("salt", "brine", "소금"), "hypertension")


def meaning(text: str) -> list[float]:
    """A vector by the words of a text: the same words, and those taken for the same, point the same way."""
    vector = [0.0] * DIMENSIONS
    for word in re.findall(r"[a-z가-힣]{2,}", text.lower()):
        digest = hashlib.sha256(_SAME.get(word, word).encode()).digest()
        for place in range(0, 8, 2):
            vector[digest[place] % DIMENSIONS] += 1.0 if digest[place + 1] % 2 else -1.0
    return vector if any(vector) else [1.0] * DIMENSIONS


# ------------------------------------------------------------------------------------- wire forms


def usage_figures(asked: Asked, text: str) -> tuple[int, int]:
    """Input and output tokens: four characters make one."""
    size = len(asked.system) + sum(len(message) for message in asked.messages)
    return size // 4 + 1, len(text) // 4 + 1


def answer_body(asked: Asked, text: str, finish: str) -> dict[str, Any]:
    """The whole answer. `finish` is stop, length or refusal."""
    tokens_in, tokens_out = usage_figures(asked, text)
    if asked.protocol == "anthropic":
        reason = {"stop": "end_turn", "length": "max_tokens", "refusal": "refusal"}[finish]
        return {
            "id": "msg_1",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": [{"type": "text", "text": text}] if text else [],
            "stop_reason": reason,
            "stop_sequence": None,
            "usage": {"input_tokens": tokens_in, "output_tokens": tokens_out},
        }
    if asked.protocol == "responses":
        return _responses_body(asked, text, finish)
    if asked.protocol == "embeddings":
        rows = [
            {"object": "embedding", "index": place, "embedding": meaning(each)}
            for place, each in enumerate(asked.messages)
        ]
        usage = {"prompt_tokens": tokens_in, "total_tokens": tokens_in}
        return {"object": "list", "data": rows, "model": asked.model, "usage": usage}
    if asked.protocol == "gemini":
        reason = {"stop": "STOP", "length": "MAX_TOKENS", "refusal": "SAFETY"}[finish]
        parts = [{"text": text}] if text else []
        return {
            "candidates": [
                {"content": {"role": "model", "parts": parts}, "finishReason": reason, "index": 0}
            ],
            "usageMetadata": {
                "promptTokenCount": tokens_in,
                "candidatesTokenCount": tokens_out,
                "totalTokenCount": tokens_in + tokens_out,
            },
            "modelVersion": asked.model,
        }
    if asked.protocol == "ollama":
        return {
            "model": asked.model,
            "message": {"role": "assistant", "content": text},
            "done": True,
            "done_reason": "length" if finish == "length" else "stop",
            "prompt_eval_count": tokens_in,
            "eval_count": tokens_out,
        }
    return _chat_body(asked, text, finish)


def _chat_body(asked: Asked, text: str, finish: str) -> dict[str, Any]:
    tokens_in, tokens_out = usage_figures(asked, text)
    message: dict[str, Any] = {"role": "assistant", "content": text, "refusal": None}
    if finish == "refusal":
        message = {"role": "assistant", "content": None, "refusal": text}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": asked.model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "finish_reason": "length" if finish == "length" else "stop",
            }
        ],
        "usage": {
            "prompt_tokens": tokens_in,
            "completion_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }


def _responses_body(asked: Asked, text: str, finish: str) -> dict[str, Any]:
    tokens_in, tokens_out = usage_figures(asked, text)
    piece = {"type": "output_text", "text": text, "annotations": []}
    if finish == "refusal":
        piece = {"type": "refusal", "refusal": text}
    return {
        "id": "resp_1",
        "object": "response",
        "status": "incomplete" if finish == "length" else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if finish == "length" else None,
        "error": None,
        "model": asked.model,
        "output": [{"type": "message", "role": "assistant", "content": [piece]}] if text else [],
        "usage": {
            "input_tokens": tokens_in,
            "output_tokens": tokens_out,
            "total_tokens": tokens_in + tokens_out,
        },
    }


def stream_body(asked: Asked, text: str, finish: str) -> list[bytes]:
    """The same answer as events, text in pieces of 20 characters."""
    pieces = [text[at : at + 20] for at in range(0, len(text), 20)]
    whole = answer_body(asked, text, finish)
    match asked.protocol:
        case "anthropic":
            return _anthropic_events(whole, pieces)
        case "responses":
            return [
                *(_event({"type": "response.output_text.delta", "delta": p}) for p in pieces),
                _event({"type": f"response.{whole['status']}", "response": whole}),
            ]
        case "gemini":
            events = []
            for number, piece in enumerate(pieces or [""]):
                last = number >= len(pieces) - 1
                chunk = json.loads(json.dumps(whole))
                chunk["candidates"][0]["content"]["parts"] = [{"text": piece}] if piece else []
                if not last:
                    del chunk["candidates"][0]["finishReason"], chunk["usageMetadata"]
                events.append(_event(chunk))
            return events
        case "ollama":
            lines = [
                {"message": {"role": "assistant", "content": piece}, "done": False}
                for piece in pieces
            ]
            last_line = whole | {"message": {"role": "assistant", "content": ""}}
            return [json.dumps(line).encode() + b"\n" for line in [*lines, last_line]]
    return _chat_events(whole, pieces, finish)


def _chat_events(whole: dict[str, Any], pieces: list[str], finish: str) -> list[bytes]:
    name = "refusal" if finish == "refusal" else "content"
    base = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "model": whole["model"]}
    end = [{"index": 0, "delta": {}, "finish_reason": whole["choices"][0]["finish_reason"]}]
    return [
        *(
            _event(
                base | {"choices": [{"index": 0, "delta": {name: piece}, "finish_reason": None}]}
            )
            for piece in pieces
        ),
        _event(base | {"choices": end}),
        _event(base | {"choices": [], "usage": whole["usage"]}),
        b"data: [DONE]\n\n",
    ]


def _anthropic_events(whole: dict[str, Any], pieces: list[str]) -> list[bytes]:
    start = whole | {"content": [], "stop_reason": None}
    start["usage"] = whole["usage"] | {"output_tokens": 1}
    delta = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    return [
        _event({"type": "message_start", "message": start}, named=True),
        _event(
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "text", "text": ""},
            },
            named=True,
        ),
        *(
            _event(
                {
                    "type": "content_block_delta",
                    "index": 0,
                    "delta": {"type": "text_delta", "text": piece},
                },
                named=True,
            )
            for piece in pieces
        ),
        _event({"type": "content_block_stop", "index": 0}, named=True),
        _event(
            {
                "type": "message_delta",
                "delta": delta,
                "usage": {"output_tokens": whole["usage"]["output_tokens"]},
            },
            named=True,
        ),
        _event({"type": "message_stop"}, named=True),
    ]


def _event(data: dict[str, Any], *, named: bool = False) -> bytes:
    head = f"event: {data['type']}\n" if named else ""
    return f"{head}data: {json.dumps(data)}\n\n".encode()


def error_body(protocol: str, status: int, code: str, message: str) -> dict[str, Any]:
    """An error as the protocol reports it."""
    if protocol == "anthropic":
        return {"type": "error", "error": {"type": code, "message": message}}
    if protocol == "gemini":
        return {"error": {"code": status, "message": message, "status": code.upper()}}
    if protocol == "ollama":
        return {"error": message}
    return {"error": {"message": message, "type": code, "param": None, "code": code}}
