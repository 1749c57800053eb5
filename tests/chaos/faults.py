"""What is done to the processes and servers of a cluster; every fault is remembered with its moment."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from orchestrator.embedded import redis_server
from orchestrator.embedded.processes import leaders, wait_until, working_in
from orchestrator.embedded.servers import ensure, is_up
from shared.errors import EnvironmentFault
from shared.instance import Instance
from tests.chaos.processes import Keeper, state_of
from tests.orchestrator.embedded.faults import kill_postgres, kill_redis


@dataclass(frozen=True)
class Fault:
    """What was done to whom, and when (seconds since the epoch)."""

    at: float
    kind: str
    target: str
    pid: int = 0


class Faults:
    """The faults that a cluster can be put through. Servers that died are started again while `reviving`."""

    instance: Instance
    keeper: Keeper
    faults: list[Fault]
    reviving: bool
    wait_for: Callable[..., None]

    def kill(self, name: str) -> float:
        """SIGKILL a kept process, once it lives again after the last kill; when."""
        kept = self.keeper[name]
        self.wait_for(lambda: kept.process is not None or not kept.revived, f"{name} lives", 60)
        pid = kept.pid
        at = self.kill_pid(name, pid)
        self.keeper.wait_for_death(pid)
        return at

    def kill_pid(self, name: str, pid: int) -> float:
        """SIGKILL a process of `name` by its pid (a child of its pool); when."""
        at = self.note("kill", name, pid)
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
        return at

    @contextmanager
    def stopped(self, name: str) -> Iterator[int]:
        """SIGSTOP a process for the length of the block; yields its pid."""
        pid = self.keeper[name].pid
        self.note("stop", name, pid)
        os.kill(pid, signal.SIGSTOP)
        try:
            yield pid
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)
            self.note("continue", name, pid)

    @contextmanager
    def frozen_at_its_point(self, name: str, within_s: float = 60.0) -> Iterator[int]:
        """A process that was armed to stop at a point has stopped; it goes on after the block. Yields its pid."""
        pid = self.keeper[name].pid
        assert wait_until(lambda: state_of(pid) == "T", within_s), "the point was not reached"
        self.note("stop", name, pid)
        try:
            yield pid
        finally:
            os.kill(pid, signal.SIGCONT)
            self.note("continue", name, pid)

    @contextmanager
    def redis_stopped(self) -> Iterator[None]:
        """The broker's server stands still for the length of the block."""
        self.reviving = False
        (server,) = leaders(working_in(self.instance.redis_dir, redis_server.PROGRAMS))
        self.note("stop", "redis", server.pid)
        os.kill(server.pid, signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(server.pid, signal.SIGCONT)
            self.note("continue", "redis", server.pid)
            self.reviving = True

    def kill_redis(self) -> None:
        """SIGKILL the broker; it is started again at once if `reviving`."""
        self.note("kill", "redis")
        with suppress(AssertionError):
            kill_redis(self.instance)

    def kill_postgres(self) -> None:
        """SIGKILL the postmaster; it is started again at once if `reviving`."""
        self.note("kill", "postgres")
        with suppress(AssertionError):
            kill_postgres(self.instance)

    @contextmanager
    def servers_left_alone(self) -> Iterator[None]:
        """Dead servers stay dead for the length of the block."""
        self.reviving = False
        try:
            yield
        finally:
            self.reviving = True
            self.wait_for(lambda: is_up(self.instance), "the servers came back", 60)
            self.note("up", "servers")

    def is_up(self) -> bool:
        """Whether both servers answer."""
        return is_up(self.instance)

    def _revive_servers(self) -> None:
        if self.reviving:
            with suppress(EnvironmentFault, OSError):
                if not is_up(self.instance) and self.reviving:
                    ensure(self.instance)
                    self.note("up", "servers")

    def note(self, kind: str, target: str, pid: int = 0) -> float:
        """Remember a fault; when it was."""
        at = time.time()
        self.faults.append(Fault(at, kind, target, pid))
        return at

    def kills(self) -> int:
        """How many processes and servers were killed or stopped, kill points included."""
        told = {fault.pid for fault in self.faults if fault.pid}
        own = [pid for pid in self.keeper.deaths if pid not in told]
        return sum(fault.kind in ("kill", "stop") for fault in self.faults) + len(own)
