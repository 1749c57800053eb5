"""How much of a hard rate limit two worker processes use, and how often they run into it.

    python -m benchmarks.limits [--rpm 1200] [--seconds 120] [--kind window|bucket] [--parallel N]

A provider of our own counts strictly: `window` allows `rpm` calls in any 60 s, `bucket` refills evenly and holds a
tenth of a minute; what is too much gets a 429 with Retry-After, as does a call beyond `parallel` at once. Real
workers, real Redis, real Postgres: what has to wait goes back through the store and the sweeper.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import deque
from pathlib import Path
from typing import Any

from benchmarks.cluster import Cluster, cluster, review_spec
from shared.models.panel import Participant
from shared.models.run import RunSpec

CRITICS = 10
REPLY = json.dumps({"verdict": "APPROVED", "summary": "Fine as it is.", "findings": []})


class Strict:
    """The provider: counts, refuses, and says what it saw."""

    def __init__(self, rpm: int, kind: str, parallel: int, latency_s: float) -> None:
        self.rpm, self.kind, self.parallel, self.latency_s = rpm, kind, parallel, latency_s
        self.accepted: list[float] = []
        self.refused: list[float] = []
        self.under_way = 0
        self.peak = 0
        self._recent: deque[float] = deque()
        self._level, self._at = rpm / 10, time.monotonic()

    def allows(self, now: float) -> bool:
        """Count a call, or refuse it."""
        if self.kind == "bucket":
            self._level = min(self._level + (now - self._at) * self.rpm / 60, self.rpm / 10)
            self._at = now
            if self._level < 1:
                return False
            self._level -= 1
            return True
        while self._recent and self._recent[0] <= now - 60:
            self._recent.popleft()
        if len(self._recent) >= self.rpm:
            return False
        self._recent.append(now)
        return True

    async def answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """HTTP/1.1 with keep-alive, as far as a benchmark needs it."""
        while line := await reader.readline():
            size = 0
            while (header := await reader.readline()).strip():
                name, _, text = header.partition(b":")
                size = int(text) if name.lower() == b"content-length" else size
            await reader.readexactly(size)
            writer.write(await self.respond(line.split()[1].decode()))
            await writer.drain()
        writer.close()

    async def respond(self, path: str) -> bytes:
        """The whole response to one request."""
        if path == "/figures":
            return response(
                200, {"accepted": self.accepted, "refused": self.refused, "peak": self.peak}
            )
        now = time.monotonic()
        if (self.parallel and self.under_way >= self.parallel) or not self.allows(now):
            self.refused.append(now)
            return response(
                429,
                {"error": {"message": "Too fast.", "type": "rate_limit_error"}},
                "retry-after: 1\r\n",
            )
        self.accepted.append(now)
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        await asyncio.sleep(self.latency_s * random.uniform(0.5, 1.5))
        self.under_way -= 1
        return response(200, {
            "model": "strict",
            "choices": [{"message": {"content": REPLY}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 900, "completion_tokens": 30},
        })  # fmt: skip


def response(status: int, body: Any, extra: str = "") -> bytes:
    """A response as bytes."""
    data = json.dumps(body).encode()
    head = f"HTTP/1.1 {status} X\r\ncontent-type: application/json\r\ncontent-length: {len(data)}\r\n{extra}\r\n"
    return head.encode() + data


async def serve(options: argparse.Namespace) -> None:
    """The provider's process."""
    strict = Strict(options.rpm, options.kind, options.parallel, options.latency)
    server = await asyncio.start_server(strict.answer, "127.0.0.1", 0, backlog=2048)
    sys.stdout.write(f"{server.sockets[0].getsockname()[1]}\n")
    sys.stdout.flush()
    await server.serve_forever()


def figures(url: str) -> dict[str, Any]:
    """What the provider saw so far."""
    with urllib.request.urlopen(f"{url}/figures", timeout=30) as answered:
        found: dict[str, Any] = json.load(answered)
    return found


def measure(bench: Cluster, url: str, options: argparse.Namespace) -> dict[str, float]:
    """Enough turns for the whole time at once; the share of the limit that was used of it."""
    spec, documents = review_spec(critics=CRITICS, rounds=1)
    stated = {"base_url": f"{url}/v1", "rpm": options.rpm, "price": {"in": 0.1, "out": 0.4}}
    if options.parallel:
        stated["parallel"] = options.parallel
    critics = tuple(
        Participant(name=f"critic-{n}", provider="openai", model="strict", options=stated)
        for n in range(CRITICS)
    )
    spec = RunSpec.model_validate(
        {**spec.model_dump(), "panel": {**spec.panel.model_dump(), "critics": critics}}
    )
    runs = int(options.rpm * (options.seconds / 60 + 0.5) / CRITICS) + 1
    for _ in range(runs):
        bench.submit(spec, documents)
    while not (seen := figures(url))["accepted"]:
        time.sleep(0.2)
    started = seen["accepted"][0]
    before = bench.spent()
    time.sleep(options.seconds)
    seen = figures(url)
    spent = bench.spent().since(before)
    ended = started + options.seconds
    accepted = [moment for moment in seen["accepted"] if moment < ended]
    refused = [moment for moment in seen["refused"] if moment < ended]
    with bench.database.connection() as connection:
        row = connection.execute(
            "SELECT sum(token) AS claims, count(*) AS steps FROM steps WHERE kind = 'turn'"
        ).fetchone()
    return {
        "turns": runs * CRITICS,
        "accepted": len(accepted),
        "allowed": options.rpm * options.seconds / 60,
        "used": len(accepted) / (options.rpm * options.seconds / 60),
        "refused": len(refused) / max(len(accepted) + len(refused), 1),
        "refused_calls": len(refused),
        "peak_at_once": seen["peak"],
        "claims_a_step": float(row.claims / row.steps) if row else 0.0,
        "processor_ms_a_call": spent.total / max(len(accepted), 1) * 1e3,
    }  # fmt: skip


def main() -> None:
    """Start everything, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rpm", type=int, default=1200)
    parser.add_argument("--seconds", type=float, default=120.0)
    parser.add_argument("--latency", type=float, default=1.0)
    parser.add_argument("--parallel", type=int, default=0)
    parser.add_argument("--kind", choices=["window", "bucket"], default="window")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if options.serve:
        asyncio.run(serve(options))
        return
    provider = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.limits", "--serve", *sys.argv[1:]],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert provider.stdout is not None
    url = f"http://127.0.0.1:{provider.stdout.readline().strip()}"
    try:
        with cluster(slots=500) as bench, tempfile.TemporaryDirectory(prefix="ql") as folder:
            second = another_worker(bench, folder)
            try:
                found = measure(bench, url, options)
            finally:
                second.terminate()
                second.wait(60)
    finally:
        provider.terminate()
        provider.wait(10)
    if options.json:
        print(json.dumps(found, indent=1))
        return
    print(
        f"{options.kind} of {options.rpm} calls a minute, {options.seconds:.0f} s, 2 worker processes, "
        f"{found['turns']} turns waiting"
    )
    print(
        f"  used {found['used']:.1%} of the allowed rate "
        f"({found['accepted']} of {found['allowed']:.0f} calls, what may go at once included)"
    )
    print(
        f"  refused {found['refused']:.3%} of the calls ({found['refused_calls']}); "
        f"at most {found['peak_at_once']} at once"
    )
    print(
        f"  {found['claims_a_step']:.2f} claims a step, "
        f"{found['processor_ms_a_call']:.1f} ms of processor a call, all processes"
    )


def another_worker(bench: Cluster, folder: str) -> subprocess.Popen[bytes]:
    """A second worker process, with the cluster's servers and a spool of its own."""
    environ = {
        **os.environ,
        "QUORATE_ALLOWED": "anything",
        "QUORATE_REDIS_URL": bench.endpoints.redis_url,
        "QUORATE_BROKER_URL": bench.endpoints.broker_url,
        "QUORATE_DATABASE_URL": bench.endpoints.database_url,
        "QUORATE_TURN_SLOTS": "500",
        "QUORATE_LOG": "warning",
        "XDG_STATE_HOME": folder,
    }
    program = Path(sys.executable).parent / "quorate-worker"
    second = subprocess.Popen([program, "turns"], env=environ, cwd=folder)
    bench.roots["second worker"] = second.pid
    for _ in range(300):
        with bench.database.connection() as connection:
            row = connection.execute(
                "SELECT count(*) AS alive FROM processes WHERE kind = 'turns'"
            ).fetchone()
        if row is not None and row.alive >= 2:
            return second
        time.sleep(0.1)
    raise TimeoutError("the second worker did not come up")


if __name__ == "__main__":
    main()
