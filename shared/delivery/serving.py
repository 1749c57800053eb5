"""Start a Celery worker in this process, without Celery's command line and its discovery of code."""

from __future__ import annotations

import socket
import sys
import warnings
from collections.abc import Sequence

from celery import Celery

from shared.collector import spare_the_collector
from shared.models.wire import build_all
from shared.patterns import compile_all


def serve(
    app: Celery,
    *,
    name: str,
    queues: Sequence[str],
    pool: str,
    concurrency: int,
    time_limit_s: float | None = None,
) -> int:
    """Consume `queues` until a signal ends the worker; the exit code.

    Nothing is imported by name from the working directory: all task modules are in already.
    """
    # Messages are JSON only, so running as root is not the danger that Celery warns of on every start.
    warnings.filterwarnings("ignore", message="You're running the worker with superuser privileges")
    worker = app.Worker(
        hostname=f"{name}@{socket.gethostname()}",
        queues=list(queues),
        pool_cls=pool,
        concurrency=concurrency,
        loglevel="WARNING",
        time_limit=time_limit_s,
        task_events=False,
        without_gossip=True,
        without_mingle=True,
        optimization="fair",
        quiet=True,
    )
    build_all()
    compile_all()
    spare_the_collector()
    worker.start()
    sys.stderr.flush()
    return int(worker.exitcode or 0)
