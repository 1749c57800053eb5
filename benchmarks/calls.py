"""What a call costs: our OpenAI adapter beside plain httpx, 1,000 calls of 1 s in flight in one process each.

    python -m benchmarks.calls [--calls N]

Every call goes over a real socket to tests/support/model_server.py. Processor time is the calling process's own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from shared.models.panel import Participant
from tests.support.model_process import ModelServer

LATENCY_S = 1.0
PROMPT = "Review this change.\n" + "x = 1\n" * 1300  # about 8 kB, as the facts measured


def main() -> None:
    """Measure both in processes of their own, one after the other, against the same server."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--as", dest="kind", choices=["ours", "httpx"], help=argparse.SUPPRESS)
    parser.add_argument("--url", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.kind:
        print(json.dumps(measure(options.kind, options.url, options.calls)))
        return
    resource.setrlimit(resource.RLIMIT_NOFILE, (8192, 8192))
    with tempfile.TemporaryDirectory() as folder:
        server = ModelServer(Path(folder))
        server.tell({"slow": {"latency": str(LATENCY_S)}})
        for kind in ("httpx", "ours"):
            command = [
                sys.executable,
                "-m",
                "benchmarks.calls",
                "--as",
                kind,
                "--url",
                server.base_url,
            ]
            done = subprocess.run(
                [*command, "--calls", str(options.calls)],
                capture_output=True,
                text=True,
                check=True,
            )
            found = json.loads(done.stdout.splitlines()[-1])
            print(
                f"{kind:<6} {found['cpu_ms']:.2f} ms of processor a call, {found['kb']:.0f} kB a waiting call, "
                f"{found['answered']} of {options.calls} answered in {found['seconds']:.1f} s"
            )
        server.close()


def measure(kind: str, url: str, calls: int) -> dict[str, float]:
    """Two rounds of `calls` threads with one call each; the second round counts (connections are there)."""
    call = our_call(url) if kind == "ours" else plain_call(url)
    at_once(call, calls)
    idle = rss_kb()
    before = time.process_time()
    started = time.monotonic()
    answered, peak = at_once(call, calls)
    return {
        "cpu_ms": (time.process_time() - before) / calls * 1e3,
        "kb": max(peak - idle, 0) / calls,
        "answered": answered,
        "seconds": time.monotonic() - started,
    }


def our_call(url: str) -> Callable[[], bool]:
    """A complete call of the adapter: building, sending, reading, accounting."""
    from workers.providers.calls import ProviderCall
    from workers.providers.registry import load_provider
    from workers.turns.replies import schema_of

    os.environ["BENCH_KEY"] = "none"
    provider = load_provider("openai")
    participant = Participant(
        name="bench",
        provider="openai",
        model="slow",
        options={"base_url": url, "api_key_env": "BENCH_KEY"},
    )
    asked = ProviderCall(
        participant=participant,
        role="critique",
        round=1,
        reply_model="critique.review",
        step="bench",
        system="You review.",
        user=PROMPT,
        reply_schema=schema_of("critique.review"),
        deadline_s=60,
    )
    never = threading.Event()
    return lambda: bool(provider.complete(asked, never).text)


def plain_call(url: str) -> Callable[[], bool]:
    """The same request with one httpx.Client a thread, JSON in and out, nothing else."""
    import httpx

    body = {
        "model": "slow",
        "messages": [
            {"role": "system", "content": "You review."},
            {"role": "user", "content": PROMPT},
        ],
    }
    local = threading.local()
    context = httpx.create_ssl_context()

    def call() -> bool:
        client = getattr(local, "client", None)
        if client is None:
            client = local.client = httpx.Client(timeout=60, verify=context)
        answer = client.post(
            f"{url}/chat/completions", json=body, headers={"Authorization": "Bearer none"}
        )
        return bool(answer.json()["choices"][0]["message"]["content"])

    return call


def at_once(call: Callable[[], bool], calls: int) -> tuple[int, float]:
    """(answered, peak resident kB) of that many calls in flight at the same time."""
    answered: list[bool] = []
    crew = [threading.Thread(target=lambda: answered.append(call())) for _ in range(calls)]
    threading.stack_size(256 * 1024)
    for member in crew:
        member.start()
    peak = rss_kb()
    for member in crew:
        member.join()
        peak = max(peak, rss_kb()) if len(answered) % 100 == 0 else peak
    return sum(answered), peak


def rss_kb() -> float:
    """Resident memory of this process in kB."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 1024


if __name__ == "__main__":
    main()
