"""Ten thousand webhooks, and a receiver that dies in between: what is lost, what comes twice, how long it takes.

    python -m benchmarks.webhooks --messages 10000 --away 20

Two processes that deliver share one outbox on an embedded Postgres. The receiver is a third one, killed with SIGKILL
twice and started again on its port; it writes every message down before it answers, so one whose answer is lost counts
as received. One of those that deliver is killed in the middle of its sending, too.
"""

from __future__ import annotations

import argparse
import json
import socket
import subprocess
import sys
import tempfile
import time
from collections import Counter
from functools import partial
from pathlib import Path

from orchestrator.embedded.throwaway import clone_database, throwaway
from orchestrator.webhooks.addresses import read_networks
from orchestrator.webhooks.delivering import WebhookDeliverer
from orchestrator.webhooks.sending import MessageSender
from orchestrator.webhooks.signing import new_secret, sign
from shared.logs import configure
from shared.models.webhooks import SUBSCRIBABLE
from shared.store.database import Database
from shared.store.migrate import upgrade
from shared.store.outbox import announce_runs
from shared.store.webhooks import LEASE_S, add_webhook
from tests.support.runs import new_run

RECEIVER = """
import os, sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
log = os.open(sys.argv[2], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"])).decode()
        names = ("webhook-id", "webhook-timestamp", "webhook-signature")
        line = "\\t".join([*(self.headers[name] for name in names), body]) + "\\n"
        os.write(log, line.encode())
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_):
        pass

class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

Server(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


SENDER = MessageSender(read_networks(["127.0.0.1"]))


class Receiver:
    """A process that writes down what it gets."""

    def __init__(self, folder: Path) -> None:
        """On a free port, which it keeps over its deaths."""
        with socket.create_server(("127.0.0.1", 0)) as taken:
            self.port: int = taken.getsockname()[1]
        self.log = folder / "received"
        self.log.touch()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Listen (again)."""
        argv = [sys.executable, "-c", RECEIVER, str(self.port), str(self.log)]
        self._process = subprocess.Popen(argv)

    def kill(self) -> None:
        """SIGKILL."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()

    def lines(self) -> list[list[str]]:
        """id, timestamp, signature and body of all that came."""
        text = self.log.read_text(encoding="utf-8")
        return [line.split("\t", 3) for line in text.splitlines()]


def count(database: Database, state: str) -> int:
    """Deliveries in a state."""
    sql = "SELECT count(*)::int AS n FROM webhook_deliveries WHERE state = %s"
    row = database.run(lambda connection: connection.execute(sql, (state,)).fetchone())
    assert row is not None
    return int(row.n)


def wait_for(database: Database, delivered: int, within_s: float) -> None:
    """Until so many are delivered."""
    deadline = time.monotonic() + within_s
    while count(database, "delivered") < delivered:
        if time.monotonic() > deadline:
            raise SystemExit(f"only {count(database, 'delivered')} delivered in {within_s:g} s")
        time.sleep(0.1)


def measure(messages: int, away_s: float) -> dict[str, object]:
    """Deliver them all; the figures."""
    with tempfile.TemporaryDirectory() as name, throwaway(Path(name)) as endpoints:
        database = Database(clone_database(endpoints, "template0", "bench"), pool_size=16)
        upgrade(database)
        receiver, secret = Receiver(Path(name)), new_secret()
        try:
            return _measure(database, receiver, secret, messages, away_s)
        finally:
            receiver.kill()
            database.close()


def _measure(
    database: Database, receiver: Receiver, secret: str, messages: int, away_s: float
) -> dict[str, object]:
    url = f"http://127.0.0.1:{receiver.port}/hook"
    database.run(
        partial(add_webhook, name="bench", url=url, secret=secret, events=SUBSCRIBABLE[:1])
    )
    run = new_run(database)
    for _ in range(messages):
        database.run(partial(announce_runs, runs=[run]))
    receiver.start()
    deliverer = WebhookDeliverer(database, SENDER)
    began = time.monotonic()
    other = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.webhooks", "--deliver", database.url]
    )
    deliverer.start()
    wait_for(database, messages // 5, 600)
    other.kill()
    other.wait()
    for share in (0.3, 0.6):
        wait_for(database, int(messages * share), 600)
        receiver.kill()
        time.sleep(away_s)
        receiver.start()
    wait_for(database, messages, 600 + LEASE_S)
    took_s = time.monotonic() - began
    deliverer.stop()
    lines = receiver.lines()
    ids = Counter(line[0] for line in lines)
    entered = database.run(
        lambda connection: connection.execute(
            "SELECT id, attempts FROM webhook_deliveries"
        ).fetchall()
    )
    right = sum(sign(secret, each[0], int(each[1]), each[3]) == each[2] for each in lines)
    return {
        "messages": len(entered),
        "received": len(lines),
        "lost": len({row.id for row in entered} - ids.keys()),
        "unknown ids": len(ids.keys() - {row.id for row in entered}),
        "repeated (same id)": sum(times - 1 for times in ids.values()),
        "signatures right": right,
        "attempts": sum(row.attempts for row in entered),
        "most attempts of one": max(row.attempts for row in entered),
        "dead": count(database, "dead"),
        "seconds": round(took_s, 1),
        "of them receiver away": 2 * away_s,
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--messages", type=int, default=10_000)
    parser.add_argument("--away", type=float, default=20.0, metavar="S")
    parser.add_argument("--deliver", metavar="URL", help="only deliver, until killed")
    given = parser.parse_args()
    configure("error")
    if given.deliver:
        WebhookDeliverer(Database(given.deliver), SENDER).start()
        while True:
            time.sleep(60)
    print(json.dumps(measure(given.messages, given.away), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
