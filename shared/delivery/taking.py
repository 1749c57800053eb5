"""Take messages from a queue's Redis lists, many with one command: as many as there is room for, and never more.

The lists are kombu's, so what is taken here and what Celery's own consumer takes is the same; the order of a queue's
lists is that of `order_of_take`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import redis
from kombu.connection import Connection
from redis.exceptions import NoPermissionError

from shared.models.priority import order_of_take

BLOCK_S = 1.0


class ListReader:
    """One thread's way to the lists of a broker."""

    def __init__(self, connection: Connection) -> None:
        """Connects on first use; `connection` is kombu's, whose addresses and names are followed."""
        channel: Any = connection.default_channel
        self._channel = channel
        self._link = channel.pool.make_connection()
        self._id = 0
        self._takes = 0
        self._has_blmpop = True

    def take(self, queues: Sequence[str], most: int) -> tuple[str, list[bytes]]:
        """The queue and its next messages, `most` at the most; none after a second without any.

        Raises redis.RedisError while the server is away, or where a list's name holds something else.
        """
        self._id = self._id or self._client_id()
        self._takes += 1
        order = order_of_take(self._takes)
        keys = {self._key(queue, priority): queue for priority in order for queue in queues}
        key, texts = self._popped(list(keys), most) or (next(iter(keys)), [])
        return keys[key], texts

    def wake(self) -> None:
        """End a `take` that waits in another thread. Without the right to, it ends within a second by itself."""
        with suppress(redis.RedisError, OSError):
            redis.Redis(connection_pool=self._channel.pool).client_unblock(self._id)

    def close(self) -> None:
        """Connect no more."""
        self._link.disconnect()

    def _key(self, queue: str, priority: int) -> str:
        name: str = self._channel.global_keyprefix + self._channel._q_for_pri(queue, priority)
        return name

    def _popped(self, keys: list[str], most: int) -> tuple[str, list[bytes]] | None:
        if self._has_blmpop:
            try:
                answer = self._asked("BLMPOP", BLOCK_S, len(keys), *keys, "RIGHT", "COUNT", most)
            except redis.ResponseError as error:
                if not _is_not_offered(error):
                    raise
                self._has_blmpop = False
            else:
                return answer and (answer[0].decode(), answer[1])
        answer = self._asked("BRPOP", *keys, BLOCK_S)
        if answer is None:
            return None
        key, first = answer
        more = self._asked("RPOP", key, most - 1) if most > 1 else None
        return key.decode(), [first, *(more or ())]

    def _client_id(self) -> int:
        """What `wake` needs; a number that nobody has where it is not to be known."""
        try:
            return int(self._asked("CLIENT", "ID"))
        except redis.ResponseError as error:
            if not _is_not_offered(error):
                raise
            return -1

    def _asked(self, *command: object) -> Any:
        """A command's answer, without what a client of redis-py makes around it: half of its cost."""
        self._link.send_command(*command)
        answer = self._link.read_response()
        if isinstance(answer, Exception):
            raise answer
        return answer


def _is_not_offered(error: redis.ResponseError) -> bool:
    """Redis before 7, or one whose administrator allows Celery's consumer what it uses, and no more."""
    return isinstance(error, NoPermissionError) or "unknown command" in str(error)
