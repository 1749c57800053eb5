"""The negative control: the same rounds as plain Celery chords with a Redis result backend, and nothing else.

    python naive.py worker BROKER RESULTS MODELS     serve until SIGTERM; kill points as in shared/faults.py
    python naive.py submit BROKER RESULTS MODELS N   start N workflows of three rounds by three participants

It knows nothing of Quorate. Its broker settings are those that its users are told to choose: late acknowledgement,
reject on a lost worker. A workflow that comes to its end pushes its name to the list `naive:ended`.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import urllib.request
from typing import Any

import redis
from celery import Celery, chain, chord
from celery.backends.redis import RedisBackend

ROUNDS = 3
PARTICIPANTS = 3
ENDED = "naive:ended"
VISIBILITY_TIMEOUT_S = 60


def failpoint(point: str) -> None:
    """Kill this process where the test asked for it, once."""
    if os.environ.get("QUORATE_KILL_AT") != point:
        return
    try:
        os.close(os.open(os.environ["QUORATE_KILL_ONCE"], os.O_CREAT | os.O_EXCL | os.O_WRONLY))
    except FileExistsError:
        return
    os.kill(os.getpid(), signal.SIGKILL)


class Results(RedisBackend):  # type: ignore[misc]
    """Celery's own Redis backend with two kill points around its chord counter."""

    address = ""

    def __init__(self, *args: Any, url: str | None = None, **options: Any) -> None:
        super().__init__(*args, url=url or self.address, **options)

    def on_chord_part_return(self, request: Any, state: Any, result: Any, **options: Any) -> Any:
        """Row 6: the header's SUCCESS is stored, the counter is not moved yet."""
        failpoint("finished")
        return super().on_chord_part_return(request, state, result, **options)

    def _chord_publish_claim_expires(self, *args: Any, **options: Any) -> Any:
        """Row 7: the barrier is passed and claimed, the body is not published yet."""
        failpoint("barrier-passed")
        return super()._chord_publish_claim_expires(*args, **options)


def make_app(broker: str, results: str) -> Celery:
    """A plain application."""
    Results.address = results
    app = Celery("naive", broker=broker, backend=Results)
    app.conf.update(
        task_acks_late=True,
        task_reject_on_worker_lost=True,
        worker_prefetch_multiplier=1,
        broker_transport_options={"visibility_timeout": VISIBILITY_TIMEOUT_S},
        broker_connection_retry_on_startup=True,
    )
    return app


def register(app: Celery, models: str, ended: redis.Redis) -> tuple[Any, Any, Any]:
    """The tasks: a turn, the end of a round, the end of a workflow."""

    @app.task(name="naive.turn")  # type: ignore[untyped-decorator]
    def turn(workflow: str, round_: int, participant: int) -> str:
        body = {"model": "naive", "messages": [{"role": "user", "content": f"{workflow}"}]}
        asked = urllib.request.Request(
            f"{models}/chat/completions",
            json.dumps(body).encode(),
            {"content-type": "application/json"},
        )
        with urllib.request.urlopen(asked, timeout=30) as answer:
            answer.read()
        return f"{workflow}/{round_}/{participant}"

    @app.task(name="naive.assess")  # type: ignore[untyped-decorator]
    def assess(workflow: str, round_: int) -> str:
        return f"{workflow}/{round_}"

    @app.task(name="naive.end")  # type: ignore[untyped-decorator]
    def end(workflow: str) -> None:
        ended.rpush(ENDED, workflow)

    return turn, assess, end


def main(words: list[str]) -> None:
    """The command line."""
    what, broker, results, models = words[:4]
    app = make_app(broker, results)
    ended = redis.Redis.from_url(results.replace("socket:", "unix:").replace("virtual_host", "db"))
    turn, assess, end = register(app, models, ended)
    if what == "worker":
        app.Worker(
            pool_cls="prefork",
            concurrency=3,
            loglevel="INFO",
            without_gossip=True,
            without_mingle=True,
            quiet=True,
        ).start()
        return
    for number in range(int(words[4])):
        name = f"w{number}"
        rounds = [
            chord(
                [turn.si(name, round_, participant) for participant in range(PARTICIPANTS)],
                assess.si(name, round_),
            )
            for round_ in range(ROUNDS)
        ]
        chain(*rounds, end.si(name)).apply_async()


if __name__ == "__main__":
    main(sys.argv[1:])
