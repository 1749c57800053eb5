"""A tiny supervisor: starts Quorate's processes, starts them again when they die, remembers every death."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import dropwhile
from pathlib import Path

from orchestrator.embedded.processes import wait_until
from tests.fixtures.instance import warm_starter
from tests.support.warm import ENTRIES, Order, WarmProcess

SCRIPTS = Path(sys.executable).parent
POLL_S = 0.03
RESTART_S = 0.1


@dataclass
class Kept:
    """A process that is kept alive. `armed` is the environment of its first start only (a kill point)."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    log: Path
    armed: Mapping[str, str] = field(default_factory=dict)
    revived: bool = True
    starts: int = 0
    process: WarmProcess | None = None
    due_s: float = 0.0

    @property
    def pid(self) -> int:
        """The pid of the living process. Fails when there is none."""
        assert self.process is not None, f"{self.name} does not run"
        return self.process.pid

    def start(self) -> None:
        """Start it in a session of its own; its imports are those of the process that forks it."""
        env = {**self.env, **(self.armed if self.starts == 0 else {})}
        program, *arguments = dropwhile(lambda word: word in (sys.executable, "-P"), self.argv)
        name = Path(program).name
        order = Order(
            arguments,
            str(self.log.parent),
            env,
            name if name in ENTRIES else program,
            service=True,
        )
        with self.log.open("ab") as log, open(os.devnull, "rb") as nothing:
            files = (nothing.fileno(), log.fileno(), log.fileno())
            self.process = warm_starter().start(order, files)
        self.starts += 1


class Keeper:
    """Watches processes from a thread. As production's supervisor, it ends the group of a process that died."""

    def __init__(self) -> None:
        """Nothing is kept yet."""
        self.deaths: dict[int, float] = {}
        self.trouble: list[str] = []
        self._kept: dict[str, Kept] = {}
        self._seen: dict[int, int] = {}  # pid -> the kept process that it belongs to
        self._dropped: set[int] = set()
        self._lock = threading.RLock()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="keeper", daemon=True)
        self._thread.start()

    def keep(self, kept: Kept) -> Kept:
        """Start a process and keep it alive until `drop`."""
        with self._lock:
            assert kept.name not in self._kept, f"{kept.name} is kept already"
            kept.start()
            self._kept[kept.name] = kept
        return kept

    def names(self) -> list[str]:
        """What is kept."""
        return list(self._kept)

    def __getitem__(self, name: str) -> Kept:
        return self._kept[name]

    def drop(
        self, name: str, number: signal.Signals = signal.SIGTERM, grace_s: float = 15.0
    ) -> float:
        """End a process for good; how long it took. Its whole group is killed after `grace_s`."""
        with self._lock:
            kept = self._kept.pop(name)
            if kept.process is not None:
                self._dropped.add(kept.process.pid)
        started = time.monotonic()
        if kept.process is not None:
            with suppress(ProcessLookupError):
                kept.process.send_signal(number)
            with suppress(subprocess.TimeoutExpired):
                kept.process.wait(grace_s)
            took = time.monotonic() - started
            _end_group(kept.process.pid)
            kept.process.wait()
            return took
        return 0.0

    def children(self, name: str) -> list[int]:
        """The living children of a kept process: the processes of its pool."""
        return _children(self._kept[name].pid)

    def wait_for_death(self, pid: int, within_s: float = 20.0) -> float:
        """Wait until that process is dead; when it died."""
        assert wait_until(lambda: pid in self.deaths, within_s), f"{pid} did not die"
        return self.deaths[pid]

    def close(self) -> None:
        """End everything."""
        self._ended.set()
        self._thread.join()
        kept = [self._kept.pop(name) for name in list(self._kept)]
        living = [one.process for one in kept if one.process is not None]
        for process in living:
            process.send_signal(signal.SIGCONT)
            process.terminate()
        deadline = time.monotonic() + 10
        for process in living:
            with suppress(subprocess.TimeoutExpired):
                process.wait(max(deadline - time.monotonic(), 0.1))
            _end_group(process.pid)
            process.wait()

    def _watch(self) -> None:
        while not self._ended.wait(POLL_S):
            with self._lock:
                for kept in self._kept.values():
                    self._look(kept)
            for pid, main in [item for item in self._seen.items() if not _alive(item[0])]:
                self._died(pid, main)

    def _look(self, kept: Kept) -> None:
        process = kept.process
        if process is None:
            if kept.revived and time.monotonic() >= kept.due_s:
                kept.start()
            return
        for pid in (process.pid, *_children(process.pid)):
            self._seen[pid] = process.pid
        if process.poll() is not None:
            self._died(process.pid, process.pid)
            self.trouble.append(f"{kept.name} ended with {process.returncode}")
            _end_group(process.pid)
            kept.process = None
            kept.due_s = time.monotonic() + RESTART_S

    def _died(self, pid: int, main: int) -> None:
        self._seen.pop(pid, None)
        if main not in self._dropped:  # the end of what was dropped is nobody's fault
            self.deaths.setdefault(pid, time.time())


class Repeated:
    """A thread that calls something again and again until it is told to stop."""

    def __init__(self, work: Callable[[], None], every_s: float) -> None:
        """Starts at once."""
        self._work = work
        self._every_s = every_s
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop and wait."""
        self._ended.set()
        self._thread.join()

    def __enter__(self) -> Repeated:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _run(self) -> None:
        while not self._ended.wait(self._every_s):
            self._work()


def _end_group(group: int) -> None:
    with suppress(ProcessLookupError):
        os.killpg(group, signal.SIGKILL)


def _children(pid: int) -> list[int]:
    try:
        with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
            return [int(word) for word in file.read().split()]
    except OSError:
        return []


def state_of(pid: int) -> str:
    """What a process does, as proc(5) abbreviates it: T is stopped, Z dead; nothing once it is gone."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rsplit(")", 1)[1].split()[0]
    except (OSError, IndexError):
        return ""


def _alive(pid: int) -> bool:
    return state_of(pid) not in ("", "Z", "X")


def command(name: str, pool: str | None, slots: int) -> tuple[str, ...]:
    """How the product's own script of that name is started."""
    kind = name.partition("-")[0]
    if kind == "orchestrator":
        return (str(SCRIPTS / "quorate"), "orchestrator")
    words = [str(SCRIPTS / "quorate-worker"), kind]
    words += ["--concurrency", str(slots if kind == "turns" else min(slots, 2))]
    return tuple(words + (["--pool", pool] if pool else []))
