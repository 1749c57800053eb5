"""Reviving the embedded servers when they die, from a thread of the supervisor."""

import select
import socket
import threading
from collections.abc import Callable, Collection

from orchestrator.embedded.servers import ensure
from orchestrator.embedded.silence import SilenceWatch, Silent, silent_in
from orchestrator.embedded.wire import PostgresWire, RedisWire
from shared.errors import EnvironmentFault
from shared.instance import Instance

PERIOD_S = 1.0
_RETRY_S = 1.0


class ServerWatch:
    """Keeps one idle connection to each server: a death shows at once, a hang within a second or so.

    A thread, because a start may take as long as a crash recovery and the supervisor has children to
    look after meanwhile.
    """

    def __init__(
        self,
        instance: Instance,
        durable: bool,
        say: Callable[[str], None],
        children: Callable[[], Collection[int]],
        is_gone: Callable[[], bool],
    ) -> None:
        """`is_gone` says that the instance's folders were removed: nothing is revived any more."""
        self._children = children
        self._is_gone = is_gone
        self._instance = instance
        self._durable = durable
        self._say = say
        self._receiver, self._sender = socket.socketpair()
        self._thread = threading.Thread(target=self._run, name="server-watch", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def stop(self, timeout_s: float = 2.0) -> None:
        """End the watch; a start that takes longer is left to whoever needs the servers next."""
        self._sender.close()
        self._thread.join(timeout_s)

    def _run(self) -> None:
        trouble = ""
        pause_s = 0.0
        while not self._is_told_to_stop(pause_s) and not self._is_gone():
            try:
                ensure(self._instance, durable=self._durable, is_gone=self._is_gone)
                with (
                    RedisWire(self._instance) as redis,
                    PostgresWire.to(self._instance, "postgres") as postgres,
                ):
                    if trouble:
                        self._say("the servers are up")
                    trouble, pause_s = "", 0.0  # the first attempt after a death is made at once
                    if not self._stays_well(redis, postgres):
                        return
            except (OSError, EnvironmentFault) as error:
                if trouble:
                    pause_s = _RETRY_S
                if str(error) != trouble:
                    trouble = str(error)
                    self._say(f"a server is not well: {trouble}")

    def _stays_well(self, redis: RedisWire, postgres: PostgresWire) -> bool:
        """Ask every second; False when told to stop, an error when a server does not answer."""
        silence = SilenceWatch(self._silent, self._children, self._say)
        while True:
            sockets = [self._receiver.fileno(), redis.fileno(), postgres.fileno()]
            ready, _, _ = select.select(sockets, [], [], PERIOD_S)
            if sockets[0] in ready:
                return False
            if redis.ask("PING") != "+PONG":
                raise ConnectionError("Redis does not answer PING")
            postgres.query("SELECT 1")
            silence.check()

    def _silent(self) -> list[Silent]:
        return silent_in(self._instance, self._children())

    def _is_told_to_stop(self, timeout_s: float) -> bool:
        return bool(select.select([self._receiver], [], [], timeout_s)[0])
