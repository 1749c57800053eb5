"""Say in Postgres that this process is alive, and notice what it no longer holds.

One statement every two seconds covers all turns of a process, however many wait. A process that fell silent for
`SILENCE_S` has lost its steps; when it wakes up (SIGSTOP, a frozen machine), its tokens are stale and its calls are
cancelled here.

A process whose heartbeats do not arrive while the database answers others is a ghost: each step that it takes is
released under its hands and paid again. So it takes none, and after `GHOST_S` it ends, to be started again.
"""

from __future__ import annotations

import math
import os
import signal
import socket
import threading
import time
import uuid
from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

import structlog

from shared.build import Build, read_build, this_build
from shared.errors import EnvironmentFault
from shared.store.database import Connection, Database
from shared.store.migrate import HEAD, newer_schema, older_schema
from shared.store.processes import SILENCE_S, Company, beat, leave
from shared.store.steps import held, release_leases

BEAT_S = 2.0
# A beat that hangs is given up, and one on a new connection still comes before the silence is too long.
BEAT_ANSWER_S = 2.0
BEAT_PATIENCE_S = 4.0
GHOST_S = 30.0
GHOST_EXIT = 5

log = structlog.get_logger(__name__)
T = TypeVar("T")
Holding = tuple[str, str, int]


class InFlight:
    """The steps that this process works on, each with the flag that stops its work."""

    def __init__(self) -> None:
        """Nothing is held yet."""
        self._flags: dict[Holding, threading.Event] = {}
        self._lock = threading.Lock()

    def add(self, holding: Holding) -> threading.Event:
        """Hold a step; the event is set when the step is lost or its run cancelled."""
        flag = threading.Event()
        with self._lock:
            self._flags[holding] = flag
        return flag

    def remove(self, holding: Holding) -> None:
        """Let go of a step."""
        with self._lock:
            self._flags.pop(holding, None)

    def snapshot(self) -> set[Holding]:
        """What is held now."""
        with self._lock:
            return set(self._flags)

    def cancel(self, lost: set[Holding]) -> None:
        """Stop the work on steps that are not this process's any more."""
        with self._lock:
            flags = [self._flags[holding] for holding in lost if holding in self._flags]
        for flag in flags:
            flag.set()


def end_process() -> None:
    """End this process as a kill would: whatever its threads wait for may never come."""
    os._exit(GHOST_EXIT)


def retire_process(pid: int | None = None) -> None:
    """Have a worker (this process, unless `pid` is its main process) take nothing more, and end when it is done."""
    with suppress(ProcessLookupError):
        os.kill(pid or os.getpid(), signal.SIGTERM)


def why_unfit(build: Build, company: Company) -> str:
    """Why a process of this build must not work in that company; empty when it may.

    Side by side work those of one database revision and one contract of messages. Of two contracts the older leaves.
    """
    if company.revision != HEAD:
        return newer_schema(company.revision) or older_schema(company.revision)
    others = map(read_build, company.versions)
    newest = max(others, key=lambda other: other.contract, default=build)
    if newest.contract > build.contract:
        return (
            f"processes of version {newest.shown} are at work here, whose messages this version, {build.shown}, does "
            "not understand: install that version here too (`quorate docs upgrading`)."
        )
    return ""


class Presence:
    """A thread that beats. `process_id` is unique for ever, so a restarted worker is another one."""

    def __init__(
        self,
        database: Database,
        kind: str,
        in_flight: InFlight | None = None,
        *,
        slots: int = 0,
        beat_s: float = BEAT_S,
        end: Callable[[], None] = end_process,
        retire: Callable[[], None] = retire_process,
    ) -> None:
        """`kind` is what the process does: turns, tools, orchestrator; `slots`: how many steps of it at once.

        `end` is called once it is a ghost, `retire` once it must not work with the others: what it has begun is
        finished.
        """
        self.process_id = f"{socket.gethostname()}:{os.getpid()}:{uuid.uuid4().hex[:8]}"
        self.in_flight = in_flight or InFlight()
        self._database = database
        self._kind = kind
        self._slots = slots
        self._build = this_build()
        self._retire = retire
        self._unfit = ""
        self._beat_s = beat_s
        self._end = end
        self._orphaned: set[Holding] = set()
        self._stop = threading.Event()
        self._started = False
        self._beaten_at = -math.inf
        self._beaten = threading.Condition()

    def start(self) -> None:
        """Beat once now, in the caller's thread, and then every two seconds."""
        self._started = True
        self._beat()
        for work, name in ((self._run, "presence"), (self._watch, "presence-watch")):
            threading.Thread(target=work, name=name, daemon=True).start()

    def stop(self) -> None:
        """End in good order."""
        self._stop.set()
        self._quietly(lambda connection: leave(connection, self.process_id))

    def is_known(self, within_s: float = 0.0) -> bool:
        """True when a heartbeat arrived lately, so that what is claimed now is kept; waits for one if need be.

        False for a process that must not work with the others.
        """
        with self._beaten:
            return self._beaten.wait_for(lambda: not self._is_silent, within_s) and not self._unfit

    def look(self) -> None:
        """Beat now: what others have taken of what this process works on is flagged when this returns."""
        self._beat()

    @property
    def _is_silent(self) -> bool:
        silence_s = SILENCE_S * self._beat_s / BEAT_S
        return self._started and time.monotonic() - self._beaten_at > silence_s

    def _run(self) -> None:
        while not self._stop.wait(self._beat_s):
            try:
                self._beat()
            except Exception:
                # Without this thread a living process looks dead for ever, and its steps are paid again and again.
                log.exception("presence.bug")

    def _watch(self) -> None:
        """End the process when its heartbeats hang or are refused while the database answers.

        Silence is counted in looks at which the database answered, not by the clock: a process that was stopped has
        beaten again by the next one, and a database that was away for minutes hears the next beat soon.
        """
        looks = 0
        while not self._stop.wait(self._beat_s):
            looks = looks + self._database.answers() if self._is_silent else 0
            if looks * BEAT_S >= GHOST_S - SILENCE_S:
                log.critical("presence.ghost", process=self.process_id)
                self._end()
                return

    def _beat(self) -> None:
        before = self.in_flight.snapshot()
        still = self._quietly(self._exchange)
        if still is None:
            return
        with self._beaten:
            self._beaten_at = time.monotonic()
            self._beaten.notify_all()
        self.in_flight.cancel(before - still)

    def _exchange(self, connection: Connection) -> set[Holding]:
        company = beat(
            connection,
            process=self.process_id,
            kind=self._kind,
            host=socket.gethostname(),
            pid=os.getpid(),
            slots=self._slots,
            version=str(self._build),
        )
        self._check_company(company)
        holdings = held(connection, self.process_id)
        self._release_orphaned_leases(connection, holdings)
        return holdings

    def _check_company(self, company: Company) -> None:
        """Retire, once, from a database or from messages that another version has changed."""
        if self._unfit or not (why := why_unfit(self._build, company)):
            return
        self._unfit = why
        log.critical("presence.retired", process=self.process_id, why=why)
        self._retire()

    def _release_orphaned_leases(self, connection: Connection, holdings: set[Holding]) -> None:
        """Give back what this process holds and nobody in it works on, as when it gave up on the database.

        Seen in two beats in a row, so that a step between its claim and its work is not taken for one.
        """
        orphaned = holdings - self.in_flight.snapshot()
        if forgotten := orphaned & self._orphaned:
            release_leases(connection, self.process_id, forgotten)
            log.warning("presence.released", process=self.process_id, steps=len(forgotten))
        self._orphaned = orphaned - forgotten

    def _quietly(self, work: Callable[[Connection], T]) -> T | None:
        try:
            return self._database.run(work)
        except EnvironmentFault as fault:
            log.warning("presence.unreachable", process=self.process_id, why=str(fault))
            return None
