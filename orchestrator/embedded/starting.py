"""Bring the embedded servers up in the background. Light: they are on the way before anything heavy is loaded."""

from __future__ import annotations

import threading
from collections.abc import Mapping

from orchestrator.embedded.key_marks import write_marks
from orchestrator.embedded.processes import environment_of
from orchestrator.embedded.scripts import script, service_environment
from orchestrator.embedded.servers import ensure
from orchestrator.embedded.supervisor import (
    ask_to_leave,
    end_stopped_supervisor,
    ensure_supervisor,
    is_wanted,
    recorded_build,
    stop_supervisor,
    supervisor_status,
)
from shared.build import Build, read_build, this_digest, this_mark
from shared.settings import ServiceSettings


class Starting:
    """Servers that come up in a thread while the command does something else."""

    def __init__(
        self, settings: ServiceSettings, environ: Mapping[str, str], *, workers: bool
    ) -> None:
        """Starts at once; nothing to start when the servers are external."""
        self._settings = settings
        self._environ = environ
        self._workers = workers
        self.replaced: Build | None = None
        self._fault: BaseException | None = None
        self._thread: threading.Thread | None = None
        if settings.external is None:
            self._thread = threading.Thread(target=self._start, name="start", daemon=True)
            self._thread.start()

    @property
    def settings(self) -> ServiceSettings:
        """What is being started."""
        return self._settings

    @property
    def environ(self) -> Mapping[str, str]:
        """What the processes are started with."""
        return self._environ

    def wait(self) -> None:
        """Return when the servers answer. Raises EnvironmentFault: what stands in the way of one."""
        if self._thread is not None:
            self._thread.join()
        if self._fault is not None:
            raise self._fault

    def again(self) -> None:
        """Start the servers once more: one of them died after it had answered. Raises EnvironmentFault."""
        ensure(self._settings.instance, environ=self._environ)

    def _start(self) -> None:
        # The servers first: three processes that load Celery would starve the making of a database.
        try:
            if self._settings.instance.password is None:
                # Processes of a version before passwords would lose their servers and hold on to the lock.
                stop_supervisor(self._settings.instance)
            ensure(self._settings.instance, environ=self._environ)
            self.replaced = replace_earlier(self._settings, self._environ)
            if self._workers:
                end_stopped_supervisor(self._settings.instance)
                start_supervisor(self._settings, self._environ)
        except BaseException as fault:  # noqa: BLE001 - raised again by wait, in the command's own thread
            self._fault = fault


def end_stopped(settings: ServiceSettings) -> bool:
    """End the instance's supervisor if it was stopped by a signal, so that it can be started again."""
    return settings.external is None and end_stopped_supervisor(settings.instance)


def revive(settings: ServiceSettings, environ: Mapping[str, str]) -> bool:
    """Start the instance's supervisor again if it was killed: False when it runs, or was stopped by somebody."""
    if settings.external is not None or not is_wanted(settings.instance):
        return False
    return start_supervisor(settings, environ)


def replace_earlier(settings: ServiceSettings, environ: Mapping[str, str]) -> Build | None:
    """Replace the instance's processes if they run another build than this one; what they ran, None if they do not.

    Those that are replaced finish what they have begun, side by side with the new ones. The new ones keep the
    environment of the earlier ones, so that a command without their keys takes none away.
    """
    instance = settings.instance
    recorded = recorded_build(instance)
    if recorded is None:
        return None
    build, mark = recorded
    if mark == this_mark() or read_build(build).digest == this_digest():
        return None
    earlier = supervisor_status(instance)
    if earlier.pid is None or not earlier.children:
        return None  # none runs, or one that has just been started
    if read_build(earlier.build).digest == this_digest():
        return None
    kept = environment_of(earlier.pid)
    if not end_stopped_supervisor(instance) and not ask_to_leave(instance):
        stop_supervisor(instance)
    start_supervisor(settings, {**environ, **kept})
    return read_build(earlier.build)


def start_supervisor(settings: ServiceSettings, environ: Mapping[str, str]) -> bool:
    """Make sure that the instance's processes run; False when they did."""
    started = ensure_supervisor(
        settings.instance, (script("quorate"), "supervise"), service_environment(environ)
    )
    if started:
        write_marks(settings.instance, environ)
    return started
