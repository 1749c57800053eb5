"""What both servers are started with, and how root gives a server folders that its account cannot reach."""

import os
import signal
import time
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from orchestrator.embedded.processes import is_alive, signal_all
from orchestrator.embedded.wire import ServerState
from shared.accounts import Account
from shared.errors import EnvironmentFault
from shared.folders import last_lines
from shared.instance import Instance

Waiting = Generator[None, None, None]
"""Work that yields while it waits, so that both servers start at once without threads."""

_INHERITED = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class Launch:
    """One start of the servers."""

    instance: Instance
    account: Account | None
    """Whom root hands the servers to; None keeps our own account."""
    durable: bool
    environ: Mapping[str, str]

    @property
    def owner(self) -> tuple[int, int] | None:
        """The uid and gid that the servers' files get; None for our own."""
        return (self.account.uid, self.account.gid) if self.account else None

    @property
    def server_environment(self) -> dict[str, str]:
        """A bare environment: no key of a provider, no PG* variable, no locale that may be missing."""
        inherited = {name: self.environ[name] for name in _INHERITED if name in self.environ}
        return {"PATH": "/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC", **inherited}

    def own_folder(self, folder: Path) -> str:
        """The name by which a server that is started in `folder` opens it.

        Root's folders, such as /root and pytest's, are closed to the servers' account. A working
        directory and an inherited descriptor need no way through the folders above, so nothing is
        moved and no folder of the person is opened up.
        """
        return "/proc/self/cwd" if self.account else str(folder)

    @contextmanager
    def socket_folder(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """The name by which a server opens `run_dir`, and the descriptors it must inherit for it."""
        if self.account is None:
            yield str(self.instance.run_dir), ()
            return
        descriptor = os.open(self.instance.run_dir, os.O_RDONLY | os.O_DIRECTORY)
        try:
            yield f"/proc/self/fd/{descriptor}", (descriptor,)
        finally:
            os.close(descriptor)


def until_up(
    name: str, log: Path, pid: int, ask: Callable[[], ServerState]
) -> Generator[None, None, ServerState]:
    """Wait until the server started as `pid` answers, if only to refuse us; returns its state.

    Raises EnvironmentFault with the log's last lines if it ends instead.
    """
    while True:
        # The order matters: a server that ends right after it answered is not up.
        state = ask()
        if state in {ServerState.UP, ServerState.NO_DATABASE, ServerState.MISMATCHED}:
            return state
        if not is_alive(pid):
            raise ended_at_start(name, log)
        yield


def ended_at_start(name: str, log: Path) -> EnvironmentFault:
    """The error for a server that did not survive its start."""
    output = last_lines(log)
    if "No space left on device" in output:
        return EnvironmentFault(
            "{name} cannot start because the disk of {parent} or of its data is full; free some "
            "space and try again.",
            name=name,
            parent=log.parent,
        )
    return EnvironmentFault(
        "{name} ended while starting: {output}; see {log} for what went wrong.",
        name=name,
        output=output,
        log=log,
    )


class Escalation:
    """Harsher signals as time passes, each sent once: for what is in the way of a start or an end."""

    def __init__(self, *steps: tuple[float, signal.Signals]) -> None:
        self._steps = steps
        self.restart()

    def restart(self) -> None:
        self._since = time.monotonic()
        self._left = list(self._steps)

    def press(self, pids: tuple[int, ...]) -> None:
        """Send `pids` the signal that is due by now, if one is."""
        if self._left and time.monotonic() - self._since >= self._left[0][0]:
            signal_all(pids, self._left.pop(0)[1])
