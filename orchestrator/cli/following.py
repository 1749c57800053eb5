"""Watch a run: poll its pulse, tell what changed, stop when it is settled or the time is up."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

from orchestrator.application.backend import Backend
from orchestrator.application.report import load_look, load_setting
from orchestrator.cli.display import Display
from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Line, Span, Style, line
from orchestrator.embedded.starting import end_stopped
from orchestrator.embedded.supervisor import supervisor_status
from orchestrator.presentation.live.happenings import Manner
from orchestrator.presentation.live.progress import Look, changes, still_waiting
from orchestrator.presentation.locale.words import say
from shared.delivery.live import EXPECTED_S, WATCHED_S, Live, Watcher
from shared.store.processes import list_processes
from shared.store.views import Pulse, run_pulse
from shared.text.unfinished import SoFar

FAST_S, SLOW_S, SLOWEST_S = 0.05, 0.2, 0.5
FAST_FOR_S, SLOW_FOR_S = 10.0, 60.0
REMINDER_S = 25.0
WORKER_CHECK_S = 10.0
REVIVAL_S = 1.0
LIVE_S = 0.2


@dataclass
class Clock:
    """When something was said last, and when the watching began; monotonic seconds."""

    began: float
    said: float
    checked: float
    asked: float = 0.0
    revived: float = 0.0

    @classmethod
    def start(cls) -> Clock:
        """Now."""
        now = time.monotonic()
        return cls(now, now, now)

    @property
    def pause_s(self) -> float:
        """How long to wait before the next look: newcomers want the first finding at once."""
        watched = time.monotonic() - self.began
        if watched < FAST_FOR_S:
            return FAST_S
        return SLOW_S if watched < SLOW_FOR_S else SLOWEST_S


def watched_s(terminal: Terminal, *, waits: bool = True) -> int:
    """For how long a terminal is thought to look on a run that begins now; 0 without one."""
    if not terminal.live:
        return 0
    return WATCHED_S if waits else EXPECTED_S


def announce(backend: Backend, run: str, life_s: int = WATCHED_S) -> None:
    """Somebody is going to watch a run: what begins within `life_s` streams."""
    if not life_s:
        return
    live = Live(backend.settings.endpoints.redis_url)
    live.announce(run, life_s)
    live.close()


class Follower:
    """Watches one run, also several times in a row: what was told once is not told again."""

    def __init__(self, backend: Backend, run: str, display: Display, language: str) -> None:
        """Nothing is looked at yet."""
        self._backend = backend
        self._run = run
        self._display = display
        self._language = language
        self._look: Look | None = None
        self._pulse: Pulse | None = None
        self._watcher: Watcher | None = None
        self._so_far: Mapping[str, SoFar] = {}
        self._setting = backend.read(lambda connection: load_setting(connection, run))

    def skip_the_past(self) -> None:
        """Tell only what happens from now on."""
        self._pulse = self._read_pulse()
        self._look = self._read_look(self._pulse)

    def follow(self, timeout_s: float | None = None) -> bool:
        """Tell what happens until the run is settled; False when `timeout_s` was over before."""
        clock = Clock.start()
        deadline = None if timeout_s is None else clock.began + timeout_s
        self._listen(clock)  # before the first turn is taken, or it does not stream
        with self._display:
            while True:
                pulse = self._read_pulse()
                look = self._tell(pulse, clock)
                if pulse.settled:
                    return True
                if deadline is not None and time.monotonic() >= deadline:
                    return False
                self._revive(clock)
                _remind(self._backend, self._display, look, self._language, clock)
                self._display.refresh(
                    replace(look, elapsed_s=pulse.elapsed_s, live=self._listen(clock))
                )
                time.sleep(min(clock.pause_s, LIVE_S) if self._is_live else clock.pause_s)

    def release_leases(self) -> None:
        """Watch no more; who watched at a terminal is expected back."""
        if self._is_live:
            announce(self._backend, self._run, EXPECTED_S)

    def _revive(self, clock: Clock) -> None:
        """Without the embedded processes the run would never end: who waits for it starts them again."""
        now = time.monotonic()
        if now - clock.revived >= REVIVAL_S:
            clock.revived = now
            if self._backend.revive():
                text = say("revived", self._language)
                self._display.tell([line(Span(f"⚠ {text}", Style.WARNING))])
                clock.said = now

    @property
    def _is_live(self) -> bool:
        return self._display.manner is Manner.LIVE

    def _listen(self, clock: Clock) -> Mapping[str, SoFar]:
        """What streaming turns have said so far; asking for it is what makes them stream."""
        now = time.monotonic()
        if self._is_live and now - clock.asked >= LIVE_S:
            clock.asked = now
            redis_url = self._backend.settings.endpoints.redis_url
            self._watcher = self._watcher or Watcher(redis_url, self._run)
            self._so_far = self._watcher.look()
        return self._so_far

    def _tell(self, pulse: Pulse, clock: Clock) -> Look:
        before = self._look
        if before is not None and self._pulse is not None and not _differ(pulse, self._pulse):
            return before
        after = self._read_look(pulse)
        self._look, self._pulse = after, pulse
        self._display.begin(after)
        lines = changes(before, after, self._language, self._display.manner)
        if lines:
            self._display.tell(lines)
            clock.said = time.monotonic()
        return after

    def _read_pulse(self) -> Pulse:
        return self._backend.read(lambda connection: run_pulse(connection, self._run))

    def _read_look(self, pulse: Pulse) -> Look:
        return self._backend.read(
            lambda connection: load_look(connection, self._run, pulse, self._setting)
        )


def _differ(one: Pulse, other: Pulse) -> bool:
    return {**one.__dict__, "elapsed_s": 0} != {**other.__dict__, "elapsed_s": 0}


def _remind(backend: Backend, display: Display, look: Look, language: str, clock: Clock) -> None:
    """Somebody who waits hears something at least every 30 seconds; a live picture shows it anyway."""
    now = time.monotonic()
    silent = now - clock.said
    if silent >= WORKER_CHECK_S and now - clock.checked >= WORKER_CHECK_S:
        clock.checked = now
        missing = missing_processes(backend, look, language)
        if missing and end_stopped(backend.settings):  # and the next look starts another
            missing = [line(Span(f"⚠ {say('supervisor_stopped', language)}", Style.WARNING))]
        if missing:
            display.tell(missing)
            clock.said = now
    if silent >= REMINDER_S and display.manner is Manner.LINES:
        display.tell(still_waiting(look, language))
        clock.said = now


def missing_processes(backend: Backend, look: Look, language: str) -> list[Line]:
    """Which process nobody has started, when the run waits for one."""
    from shared.delivery.presence import SILENCE_S  # brings the services' logging with it

    alive = {p.kind for p in backend.read(list_processes) if p.silent_s < SILENCE_S}
    wanted = {("turns" if step.kind == "turn" else "tools") for step in look.open_steps}
    kinds = sorted(kind for kind in wanted | {"orchestrator"} if kind not in alive)
    texts = _missing_texts(kinds, backend, language)
    return [line(Span(f"⚠ {text}", Style.WARNING)) for text in texts]


def _missing_texts(kinds: list[str], backend: Backend, language: str) -> list[str]:
    """What to do about it, which depends on who starts processes here."""
    if backend.settings.external is None:
        if kinds and not supervisor_status(backend.settings.instance).running:
            return [say("nothing_runs", language)]
        return [say("starts_again", language, kind=kind) for kind in kinds]
    return [
        say("no_orchestrator", language)
        if kind == "orchestrator"
        else say("no_worker", language, kind=kind)
        for kind in kinds
    ]
