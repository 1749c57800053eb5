"""A stand-in for model providers: the independent witness of every call.

    python tests/support/model_server.py --port 0 --log calls.jsonl [--control control.json]

It prints {"port": ..., "url": "http://127.0.0.1:<port>"} and serves until SIGTERM (`--with-parent`:
until its standard input ends, so that it cannot outlive a test). It speaks OpenAI chat and
responses, Anthropic messages, Gemini and Ollama, plain and streamed.

What it does is chosen by the model's name, as a query after `?` or `--`
(`stub?latency=1&fault=500&times=1`; `stub--latency=1--fault=500` where a `?` would not survive), or
by the control file: a JSON object of such wishes per model name (`*` for all), read again whenever
it changes.

    latency   seconds before the answer, or `0.5..1.5` (drawn per call, repeatable with --seed)
    fault     a status (429, 500, ...), or context, quota, model, reset, cut, malformed, nobody,
              hang, drip, empty, no-choices, length, refusal, garbage, redirect, in-stream,
              no-terminal, refuse-<field> (a 400 while the request has that field)
    times     how many first calls of each prompt have the fault (default: all)
    retry_after, verdict, stance, severity, findings, text, size

Every call is one JSON line on disk (fsync) before anything is answered: event, n, t, protocol,
model, request_id, key, prompt_sha, nth (call of this prompt), stream, fault. A second line says
`answered` or `dropped`.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import hashlib
import json
import os
import random
import signal
import socket
import struct
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, unquote

from model_answers import answer_body, error_body, read_request, reply_text, stream_body

STATUS_WORDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    408: "request_timeout",
    409: "conflict",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    529: "overloaded_error",
}
NAMED_FAULTS = {
    "context": (
        400,
        "context_length_exceeded",
        "This model's maximum context length is 10 tokens.",
    ),
    "quota": (429, "insufficient_quota", "You exceeded your current quota, check your billing."),
    "model": (404, "model_not_found", "The model does not exist."),
}


class Witness:
    """The log: lines of one moment are written together and reach the disk before any answer."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("ab", buffering=0)
        self._lines: list[bytes] = []
        self._written: asyncio.Future[None] | None = None

    def note(self, record: dict[str, Any]) -> asyncio.Future[None]:
        """Log it; await the result to know that it is on the disk."""
        self._lines.append(json.dumps(record).encode() + b"\n")
        if self._written is None:
            loop = asyncio.get_running_loop()
            self._written = loop.create_future()
            loop.call_soon(self._flush)
        return self._written

    def close(self) -> None:
        self._flush()
        self._file.close()

    def _flush(self) -> None:
        written, self._written = self._written, None
        lines, self._lines = self._lines, []
        self._file.write(b"".join(lines))
        os.fsync(self._file.fileno())
        if written is not None:
            written.set_result(None)


class Stand:
    """What all connections share."""

    def __init__(self, witness: Witness, control: Path | None, seed: int) -> None:
        self.witness = witness
        self.calls = 0
        self.seed = seed
        self.per_prompt: Counter[tuple[str, str]] = Counter()
        self._control = control
        self._stamp = 0.0
        self._wishes: dict[str, dict[str, Any]] = {}

    def wish(self, model: str) -> dict[str, str]:
        name, _, query = model.replace("--", "?", 1).partition("?")
        wish = dict(parse_qsl(query.replace("--", "&"), keep_blank_values=True))
        with contextlib.suppress(OSError, ValueError, TypeError):
            stamp = self._control.stat().st_mtime_ns if self._control else 0
            if stamp != self._stamp:
                self._wishes = json.loads(self._control.read_text()) if self._control else {}
                self._stamp = stamp
        for key in ("*", name, model):
            wish |= {k: str(v) for k, v in self._wishes.get(key, {}).items()}
        return wish


class Connection(asyncio.Protocol):
    """Minimal HTTP/1.1 with keep-alive; one request at a time."""

    def __init__(self, stand: Stand) -> None:
        self.stand = stand
        self.buffer = bytearray()
        self.transport: asyncio.Transport = None  # type: ignore[assignment]
        self.task: asyncio.Task[None] | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport  # type: ignore[assignment]

    def connection_lost(self, exc: Exception | None) -> None:
        if self.task is not None:
            self.task.cancel()

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        if self.task is None:
            self._next()

    def _next(self) -> None:
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return
        lines = self.buffer[:end].decode("latin-1").split("\r\n")
        headers = {
            name.lower(): text.strip()
            for name, _, text in (line.partition(":") for line in lines[1:])
        }
        size = int(headers.get("content-length", "0"))
        if len(self.buffer) < end + 4 + size:
            return
        body = bytes(self.buffer[end + 4 : end + 4 + size])
        del self.buffer[: end + 4 + size]
        path = unquote(lines[0].split(" ")[1].partition("?")[0])
        self.task = asyncio.get_running_loop().create_task(self._serve(path, headers, body))
        self.task.add_done_callback(self._served)

    def _served(self, task: asyncio.Task[None]) -> None:
        self.task = None
        if not task.cancelled() and task.exception() is not None:
            sys.stderr.write(f"model_server: {task.exception()!r}\n")
            self.transport.abort()
        if not self.transport.is_closing():
            self._next()

    async def _serve(self, path: str, headers: dict[str, str], body: bytes) -> None:
        try:
            asked = read_request(path, headers, json.loads(body))
        except (KeyError, TypeError, ValueError) as error:
            self.stand.calls += 1
            await self.stand.witness.note({"event": "unknown", "path": path, "error": repr(error)})
            return self.send(404, error_body("chat", 404, "not_found", f"no such path: {path}"))
        wish = self.stand.wish(asked.model)
        self.stand.calls += 1
        key = (asked.model, asked.prompt_sha)
        self.stand.per_prompt[key] += 1
        nth = self.stand.per_prompt[key]
        fault = wish.get("fault", "") if nth <= int(wish.get("times", "1000000")) else ""
        number = self.stand.calls
        await self.stand.witness.note(
            {
                "event": "call",
                "n": number,
                "t": time.time(),
                "protocol": asked.protocol,
                "model": asked.model,
                "request_id": headers.get("x-client-request-id", ""),
                "key": _key_digest(headers),
                "prompt_sha": asked.prompt_sha,
                "nth": nth,
                "stream": asked.stream,
                "fault": fault,
            }
        )
        end, answered_at = "dropped", 0.0
        try:
            await asyncio.sleep(_latency(wish.get("latency", "0"), self.stand.seed, number))
            while "until" in wish and not Path(wish["until"]).exists():
                await asyncio.sleep(0.02)
            answered_at = (
                time.time()
            )  # who hears the answer does so later, however slow this process is
            await self.answer(asked, wish, fault)
            end = "answered"
        finally:
            at = answered_at if end == "answered" else time.time()
            self.stand.witness.note({"event": end, "n": number, "t": at})

    async def answer(self, asked: Any, wish: dict[str, str], fault: str) -> None:
        if fault.isdigit() or fault in NAMED_FAULTS:
            status, code, message = NAMED_FAULTS.get(fault) or (
                int(fault),
                STATUS_WORDS.get(int(fault), "error"),
                f"The stand-in answers {fault}, as it was told.",
            )
            extra = {"retry-after": wish["retry_after"]} if "retry_after" in wish else {}
            return self.send(status, error_body(asked.protocol, status, code, message), extra)
        refused = fault.removeprefix("refuse-")
        if refused != fault and refused in asked.fields:
            body = error_body("chat", 400, "unsupported_value", f"'{refused}' is not supported.")
            body["error"]["param"] = refused
            return self.send(400, body)
        match fault:
            case "hang":
                await asyncio.sleep(3600)
            case "reset":
                sock: socket.socket = self.transport.get_extra_info("socket")
                sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.transport.abort()
            case "malformed":
                self.send_bytes(200, b'{"choices": [', "application/json")
            case "nobody":
                self.send_bytes(200, b"", "application/json")
            case "no-choices":
                self.send(200, {"id": "x"})
            case "redirect":
                self.send_bytes(302, b"", "text/plain", {"location": "http://127.0.0.1:9/"})
            case _:
                await self.speak(asked, wish, fault)
        return None

    async def speak(self, asked: Any, wish: dict[str, str], fault: str) -> None:
        text = reply_text(asked, wish)
        if "size" in wish:
            text = text + " " * max(int(wish["size"]) - len(text), 0)
        text = {"empty": "", "garbage": "I think {it is fine, as far as I can see."}.get(
            fault, text
        )
        finish = fault if fault in ("length", "refusal") else "stop"
        text = text[: len(text) // 2] if fault == "length" else text
        if asked.stream:
            return await self.stream(asked, text, finish, fault)
        data = json.dumps(answer_body(asked, text, finish)).encode()
        if fault == "cut":
            self.transport.write(
                _head(200, "application/json", len(data), {}) + data[: len(data) // 2]
            )
            self.transport.close()
        elif fault == "drip":
            self.transport.write(_head(200, "application/json", len(data), {}))
            for at in range(len(data)):
                self.transport.write(data[at : at + 1])
                await asyncio.sleep(1)
        else:
            self.send_bytes(200, data, "application/json", {"x-ratelimit-remaining-requests": "99"})
        return None

    async def stream(self, asked: Any, text: str, finish: str, fault: str) -> None:
        events = stream_body(asked, text, finish)
        if fault == "in-stream":
            body = json.dumps(error_body(asked.protocol, 529, "overloaded_error", "Overloaded"))
            name = "event: error\n" if asked.protocol == "anthropic" else ""
            kind = {"responses": '"type": "error", '}.get(asked.protocol, "")
            line = f"{{{kind}{body[1:]}"
            shape = f"{line}\n" if asked.protocol == "ollama" else f"{name}data: {line}\n\n"
            events = [*events[: len(events) // 2], shape.encode()]
        elif fault in ("no-terminal", "cut"):
            events = events[: max(len(events) // 2, 1)]
        kind = "application/x-ndjson" if asked.protocol == "ollama" else "text/event-stream"
        head = f"HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\ntransfer-encoding: chunked\r\n\r\n"
        self.transport.write(head.encode())
        for event in events:
            self.transport.write(b"%x\r\n%s\r\n" % (len(event), event))
            await asyncio.sleep(1 if fault == "drip" else 0)
        if fault == "cut":
            self.transport.close()
        else:
            self.transport.write(b"0\r\n\r\n")

    def send(self, status: int, body: dict[str, Any], extra: dict[str, str] | None = None) -> None:
        self.send_bytes(status, json.dumps(body).encode(), "application/json", extra)

    def send_bytes(
        self, status: int, data: bytes, kind: str, extra: dict[str, str] | None = None
    ) -> None:
        self.transport.write(_head(status, kind, len(data), extra or {}) + data)


def _head(status: int, kind: str, size: int, extra: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", f"content-type: {kind}", f"content-length: {size}"]
    lines += [f"{name}: {text}" for name, text in extra.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def _latency(text: str, seed: int, number: int) -> float:
    low, _, high = text.partition("..")
    return random.Random(f"{seed}/{number}").uniform(float(low), float(high or low))


def _key_digest(headers: dict[str, str]) -> str:
    names = ("authorization", "x-api-key", "x-goog-api-key", "api-key")
    key = next((headers[name] for name in names if name in headers), "")
    return hashlib.sha256(key.removeprefix("Bearer ").encode()).hexdigest()[:8] if key else ""


async def main() -> None:
    parser = argparse.ArgumentParser(description="A stand-in for model providers.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--log", type=Path, required=True)
    parser.add_argument("--control", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--with-parent", action="store_true", help="end when standard input ends")
    options = parser.parse_args()
    loop = asyncio.get_running_loop()
    stand = Stand(Witness(options.log), options.control, options.seed)
    server = await loop.create_server(
        lambda: Connection(stand), "127.0.0.1", options.port, backlog=4096
    )
    port = server.sockets[0].getsockname()[1]
    sys.stdout.write(json.dumps({"port": port, "url": f"http://127.0.0.1:{port}"}) + "\n")
    sys.stdout.flush()
    stopped = asyncio.Event()
    loop.add_signal_handler(signal.SIGTERM, stopped.set)
    if options.with_parent:
        loop.run_in_executor(None, sys.stdin.read).add_done_callback(lambda _: stopped.set())
    await stopped.wait()
    stand.witness.close()
    # The thread that reads standard input may never return.
    os._exit(0)


if __name__ == "__main__":
    asyncio.run(main())
