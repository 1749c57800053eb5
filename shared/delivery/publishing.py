"""Celery messages built in one batch; those of a stage are pushed with one command, and queues counted with one.

A canvas is what is sent; this is only the way from a task's call to Redis. Celery and kombu ask on the way which queue,
exchange, retry, stamp and delay are meant, declare the queue once more and wait for Redis after every message: 0.29 ms
of processor for one message, 0.15 ms by this way. Here the same message (protocol 2) is written for the one case that
Quorate has: a task with JSON arguments, for a Redis list. Anything else goes Celery's way, and everything does while
somebody (a tracer) listens to Celery's signals about publishing.
"""

from __future__ import annotations

import threading
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import cached_property
from typing import Any
from uuid import uuid4

from celery import Celery
from celery.result import AsyncResult
from celery.signals import after_task_publish, before_task_publish
from celery.utils.nodenames import anon_nodename
from celery.worker.request import Request
from kombu.exceptions import OperationalError
from pydantic_core import to_json

from shared.delivery.contracts import QUEUES
from shared.delivery.refusals import Refusals
from shared.models.priority import ORDINARY, SOON

_PERSISTENT = 2
# What canvases and the dispatcher say of a message. With anything else in it, it goes Celery's way.
_KNOWN = frozenset(
    {
        "add_to_parent",
        "argsrepr",
        "chain",
        "chord",
        "group_id",
        "group_index",
        "ignore_result",
        "kwargsrepr",
        "parent_id",
        "priority",
        "producer",
        "queue",
        "reply_to",
        "root_id",
        "shadow",
        "task_id",
        "task_type",
    }
)


class Application(Celery):  # type: ignore[misc]
    """Celery whose messages are cheap. `writes_lists`: the broker is Redis, whose queues are lists."""

    writes_lists = False
    refusals = Refusals()

    def __init__(self, *words: Any, **options: Any) -> None:
        """As Celery's; nothing is gathered yet."""
        super().__init__(*words, **options)
        self._gathering = threading.local()

    def send_task(self, name: str, args: Any = None, kwargs: Any = None, **options: Any) -> Any:
        """Publish a task's message, or keep it until `gathered` ends.

        Raises kombu's OperationalError when the broker does not take it, after the configured attempts.
        """
        parent = self.current_worker_task
        if options.get("priority") is None:
            # The end of a chain: Celery forgets its priority. What follows a step goes no later than the step.
            options["priority"] = max(SOON, _priority(parent.request)) if parent else ORDINARY
        if not self.writes_lists or not _is_plain(options):
            return super().send_task(name, args, kwargs, **options)
        task_id = options.get("task_id") or str(uuid4())
        if parent:
            _hang_under(parent.request, options)
        options.setdefault("reply_to", self.thread_oid)
        message = _message(name, task_id, args or (), kwargs or {}, options)
        self._push_or_keep((options["queue"], options["priority"]), message)
        result = AsyncResult(task_id, app=self)
        result.ignored = True
        return result

    def send_following(self, request: Request) -> None:
        """Publish what the canvas in a message says comes after it, as Celery's tracer does."""
        _, _, embedded = request.message.payload
        chain = embedded.get("chain") or []
        signature = embedded.get("chord") or (chain or [None])[-1]
        if signature is not None:
            options = {"priority": SOON, **signature["options"], "parent_id": request.id}
            if chain:
                options["chain"] = chain[:-1]
            self.send_task(signature["task"], signature["args"], signature["kwargs"], **options)

    def _push_or_keep(self, place: tuple[str, int], message: str) -> None:
        waiting = getattr(self._gathering, "messages", None)
        if waiting is None:
            self._push({place: [message]})
        else:
            waiting.setdefault(place, []).append(message)

    @cached_property
    def broker_errors(self) -> tuple[type[Exception], ...]:
        """What a broker that is away, silent or full raises, by kombu or by its own client's classes."""
        connection = self.connection_for_write()
        own = (*connection.connection_errors, *connection.channel_errors)
        connection.release()
        return OperationalError, OSError, *own

    @contextmanager
    def gathered(self) -> Iterator[Mapping[tuple[str, int], list[str]]]:
        """Push what this thread publishes in the block at its end: one command a list; nothing if it raises.

        Gives the messages by queue and priority.
        """
        messages: dict[tuple[str, int], list[str]] = {}
        self._gathering.messages = messages
        try:
            yield messages
        finally:
            self._gathering.messages = None
        self._push(messages)

    def depths(self, queues: Sequence[str] = QUEUES) -> dict[str, int] | None:
        """How many messages wait in each queue, all its lists together; None while the broker is away.

        Asked on a connection of its own: what is pooled is kept by the process, also for an application that is closed.
        """
        connection = self.connection_for_write()
        connection.transport_options.update(self.conf.task_publish_retry_policy)
        try:
            with connection:
                return _depths(connection, queues, self.writes_lists)
        except self.broker_errors:
            return None

    def _push(self, messages: Mapping[tuple[str, int], list[str]]) -> None:
        """Put them into their lists by a pooled producer; again, as configured, while the broker is away."""
        policy = self.conf.task_publish_retry_policy
        for (queue, priority), texts in messages.items():
            with self.producer_or_acquire() as producer:
                connection = producer.connection
                connection.transport_options.update(policy)  # how often it connects, as kombu does
                connection.ensure(producer, _lpush, **policy)(producer, queue, priority, texts)


def _hang_under(request: Any, options: dict[str, Any]) -> None:
    """A message that a task publishes belongs to its tree, unless it says otherwise."""
    options["parent_id"] = options.get("parent_id") or request.id
    options["root_id"] = options.get("root_id") or request.root_id or request.id


def _priority(request: Any) -> int:
    """That of the message which a task was given; an ordinary one where it is not known."""
    return (request.delivery_info or {}).get("priority") or ORDINARY


def _is_plain(options: Mapping[str, Any]) -> bool:
    return (
        options.keys() <= _KNOWN
        and isinstance(options.get("queue"), str)
        and options.get("ignore_result") is True
        and not (before_task_publish.receivers or after_task_publish.receivers)
    )


def _lpush(producer: Any, queue: str, priority: int, messages: list[str]) -> None:
    channel = producer.channel
    with channel.conn_or_acquire() as client:
        client.lpush(channel._q_for_pri(queue, priority), *messages)


def _depths(connection: Any, queues: Sequence[str], are_lists: bool) -> dict[str, int]:
    if are_lists:
        lengths: dict[str, int] = connection.default_channel.depths(queues)
        return lengths
    counts = dict.fromkeys(queues, 0)
    for queue in queues:
        # AMQP closes the channel after a question about a queue that does not exist.
        with suppress(*connection.channel_errors), connection.channel() as channel:
            counts[queue] = int(channel.queue_declare(queue, passive=True).message_count)
    return counts


def _message(
    name: str, task_id: str, args: Any, kwargs: Mapping[str, Any], options: Mapping[str, Any]
) -> str:
    """The text of a message as kombu's virtual transports write it; the body is Celery's protocol 2."""
    option = options.get
    embedded = {
        "callbacks": None,
        "errbacks": None,
        "chain": option("chain"),
        "chord": option("chord"),
    }
    envelope = {
        "body": b64encode(to_json((args, kwargs, embedded))).decode(),
        "content-encoding": "utf-8",
        "content-type": "application/json",
        "headers": {
            "lang": "py",
            "task": name,
            "id": task_id,
            "shadow": option("shadow"),
            "eta": None,
            "expires": None,
            "group": option("group_id"),
            "group_index": option("group_index"),
            "retries": 0,
            "timelimit": [None, None],
            "root_id": option("root_id") or task_id,
            "parent_id": option("parent_id"),
            "argsrepr": option("argsrepr"),
            "kwargsrepr": option("kwargsrepr"),
            "origin": anon_nodename(),
            "ignore_result": True,
            "replaced_task_nesting": 0,
            "stamped_headers": None,
            "stamps": {},
        },
        "properties": {
            "correlation_id": task_id,
            "reply_to": option("reply_to"),
            "delivery_mode": _PERSISTENT,
            "delivery_info": {"exchange": "", "routing_key": option("queue")},
            "priority": option("priority"),
            "body_encoding": "base64",
            "delivery_tag": str(uuid4()),
        },
    }
    return to_json(envelope).decode()
