"""Row 32: at random, but repeatable by its seed, something is killed or stopped every few seconds."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from tests.chaos.cluster import Cluster

PAUSE_S = (1.5, 3.5)
STOP_S = (1.0, 9.0)


class Nemesis:
    """Faults drawn from a seed. `done` counts them by kind."""

    def __init__(self, cluster: Cluster, seed: int) -> None:
        """The victims are whatever the cluster keeps."""
        self.done: Counter[str] = Counter()
        self._cluster = cluster
        self._random = random.Random(seed)
        self._timers: list[threading.Timer] = []
        self._faults: dict[str, Callable[[], None]] = {
            "worker": self._kill_worker,
            "child": self._kill_child,
            "stop": self._stop,
            "redis": cluster.kill_redis,
            "postgres": cluster.kill_postgres,
        }

    def rage(self, for_s: float) -> None:
        """Do harm for that long, then let everybody go on."""
        end = time.monotonic() + for_s
        while (pause := self._random.uniform(*PAUSE_S)) < end - time.monotonic():
            time.sleep(pause)
            kind = self._random.choice(sorted(self._faults))
            self.done[kind] += 1
            self._faults[kind]()
        for timer in self._timers:
            timer.join()

    def _main(self) -> tuple[str, int] | None:
        name = self._random.choice(sorted(self._cluster.keeper.names()))
        process = self._cluster.keeper[name].process
        return None if process is None else (name, process.pid)

    def _child(self) -> tuple[str, int] | None:
        keeper = self._cluster.keeper
        running = [name for name in sorted(keeper.names()) if keeper[name].process is not None]
        pool = [(name, pid) for name in running for pid in sorted(keeper.children(name))]
        return self._random.choice(pool) if pool else None

    def _kill_worker(self) -> None:
        self._kill(self._main())

    def _kill_child(self) -> None:
        """Where pools have no processes of their own (threads), a worker."""
        self._kill(self._child() or self._main())

    def _kill(self, victim: tuple[str, int] | None) -> None:
        if victim is not None:
            self._cluster.kill_pid(*victim)

    def _stop(self) -> None:
        child = self._child() if self._random.random() < 0.5 else None
        victim = child or self._main()
        if victim is None:
            return
        name, pid = victim
        self._cluster.note("stop", name, pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGSTOP)
        timer = threading.Timer(self._random.uniform(*STOP_S), self._go_on, victim)
        timer.start()
        self._timers.append(timer)

    def _go_on(self, name: str, pid: int) -> None:
        self._cluster.note("continue", name, pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGCONT)
