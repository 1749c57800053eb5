"""What happens when a schedule is due: one process notices, one submits, and each firing has at most one run.

A firing is entered in Postgres before anything is started for it, and taken with a lease. Its command is `quorate` with
what the schedule holds, in a process of its own that ends once the run is stored: a repository that cannot be read in
time stops no other schedule. A process that is killed in the middle loses its lease; the next one runs the command
again, and the idempotency key leads to the run that was stored already.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import partial

import structlog

from orchestrator.application.schedules import timetable_of
from orchestrator.core.timetable import Missed, tick
from orchestrator.embedded.scripts import script, service_environment
from shared.errors import EnvironmentFault
from shared.store.database import Connection, Database
from shared.store.schedules import (
    FiringClaim,
    FiringState,
    add_firing,
    claim_firing,
    due_schedules,
    end_firing,
    fail_exhausted_firings,
    give_back,
    keep_claim,
    now_of,
    set_next,
)

POLL_S = 1.0
KEPT_EVERY_S = 5.0
LONGEST_START_S = 600.0
AT_ONCE = 4
LONGEST_MESSAGE = 500

log = structlog.get_logger(__name__)


@dataclass(frozen=True)
class QuorateProgram:
    """How `quorate` is called for a schedule, and from which machine."""

    quorate: str
    environ: Mapping[str, str]
    host: str
    longest_s: float = LONGEST_START_S

    def argv(self, claim: FiringClaim) -> tuple[str, ...]:
        """The command of a firing: it ends once its run is stored, and is the same run when it is called again."""
        key = firing_key(claim)
        workflow, *rest = claim.schedule.command
        asked = ("--no-wait", "--json", "--idempotency-key", key)
        return (self.quorate, workflow, *asked, *rest)


@dataclass(frozen=True)
class Started:
    """What a firing's command came to."""

    state: FiringState
    run: str | None = None
    message: str | None = None


def program_of(environ: Mapping[str, str]) -> QuorateProgram:
    """Our own program on this machine. Raises EnvironmentFault when it is not installed."""
    return QuorateProgram(script("quorate"), service_environment(environ), socket.gethostname())


def firing_key(claim: FiringClaim) -> str:
    """The idempotency key of a firing's run."""
    return f"schedule/{claim.schedule.name}/{claim.due_at.timestamp():.6f}"


def enter_due(connection: Connection) -> int:
    """Enter the firings whose time has come, and when each schedule is due next; how many were entered."""
    entered, now = 0, now_of(connection)
    for schedule in due_schedules(connection):
        assert schedule.due_at is not None  # it has a next start
        table = timetable_of(schedule)
        seen = tick(table, schedule.due_at, now, Missed(schedule.missed))
        state = FiringState.MISSED if seen.missed else FiringState.DUE
        entered += add_firing(connection, schedule.name, seen.due, state)
        following = seen.next_due
        start = None if following is None else table.start_of(following)
        set_next(connection, schedule.name, following, start)
    return entered


def start_claimed(
    database: Database, claim: FiringClaim, program: QuorateProgram, is_stopped: Callable[[], bool]
) -> Started | None:
    """Run a firing's command and store what it came to; None when it was given back or lost."""
    started = _run(database, claim, program, is_stopped)
    if started is None:
        database.run(partial(give_back, claim=claim))
        return None
    end = partial(
        end_firing, claim=claim, state=started.state, run=started.run, message=started.message
    )
    return started if database.run(end) else None


def fire_due(
    database: Database, program: QuorateProgram, schedule: str | None = None
) -> list[Started]:
    """Enter what is due, and start all of it here, one after another; of one schedule if it is named."""
    if schedule is None:
        database.run(enter_due, atomic=True)
    started: list[Started] = []
    while True:
        claim = database.run(partial(claim_firing, host=program.host, schedule=schedule))
        if claim is None:
            return started
        ended = start_claimed(database, claim, program, lambda: False)
        started += [] if ended is None else [ended]


def _run(
    database: Database, claim: FiringClaim, program: QuorateProgram, is_stopped: Callable[[], bool]
) -> Started | None:
    """What the command came to; None when this process stops or has lost the firing."""
    try:
        process = subprocess.Popen(
            program.argv(claim),
            cwd=claim.schedule.directory,
            env={**program.environ, "PWD": claim.schedule.directory},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            start_new_session=True,
        )
    except OSError as error:
        return Started(FiringState.FAILED, message=f"it cannot be started: {error}")
    deadline = time.monotonic() + program.longest_s
    while True:
        try:
            output, talk = process.communicate(timeout=KEPT_EVERY_S)
        except subprocess.TimeoutExpired:
            late = time.monotonic() > deadline
            if not late and not is_stopped() and database.run(partial(keep_claim, claim=claim)):
                continue
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # what it has started, too
            process.communicate()
            message = f"it was not submitted within {program.longest_s:.0f} s"
            return Started(FiringState.FAILED, message=message) if late else None
        return read_end(process.returncode, output, talk)


def read_end(code: int, output: str, talk: str) -> Started:
    """What a command that has ended came to."""
    if code != 0:
        reasons = [text for text in talk.splitlines() if text.strip()]
        message = f"exit code {code}: {' '.join(reasons[-3:])}"
        return Started(FiringState.FAILED, message=message[:LONGEST_MESSAGE])
    runs = _runs_of(output)
    if not runs:
        return Started(FiringState.NOTHING, message="there was nothing to submit")
    more = f"and {len(runs) - 1} more runs" if len(runs) > 1 else None
    return Started(FiringState.SUBMITTED, runs[0], more)


def _runs_of(output: str) -> Sequence[str]:
    """The runs in what `--no-wait --json` prints: one, or those of several cases; a change may need none."""
    try:
        printed = json.loads(output)
    except ValueError:
        return ()
    if "runs" in printed:
        return [str(run) for run in printed["runs"]]
    run = printed.get("run", {}).get("id")
    return [str(run)] if run else ()


class Scheduler:
    """A thread that enters what is due, and a few that start it."""

    def __init__(self, database: Database, program: QuorateProgram) -> None:
        """`database` without patience: a look that fails is simply the next one's."""
        self._database = database
        self._program = program
        self._stop = threading.Event()
        self._free = threading.Semaphore(AT_ONCE)
        self._starters = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="schedule")

    def serve(self) -> None:
        """Until `stop` is called from a signal handler or another thread."""
        while not self._stop.wait(POLL_S):
            try:
                self.poll()
            except (EnvironmentFault, OSError) as fault:
                log.warning("schedule.failed", why=str(fault))
        self._starters.shutdown(wait=True)

    def stop(self) -> None:
        """Start nothing more; what is being submitted is given back."""
        self._stop.set()

    def poll(self) -> None:
        """Enter what is due, and take what can be started now."""
        self._database.run(enter_due, atomic=True)
        self._database.run(fail_exhausted_firings)
        while self._free.acquire(blocking=False):
            claim = self._database.run(partial(claim_firing, host=self._program.host))
            if claim is None:
                self._free.release()
                return
            self._starters.submit(self._start, claim)

    def _start(self, claim: FiringClaim) -> None:
        name = claim.schedule.name
        try:
            started = start_claimed(self._database, claim, self._program, self._stop.is_set)
            if started is not None:
                log.info("schedule.started", schedule=name, state=started.state, run=started.run)
        except (EnvironmentFault, OSError) as fault:
            log.warning("schedule.failed", schedule=name, why=str(fault))
        finally:
            self._free.release()
