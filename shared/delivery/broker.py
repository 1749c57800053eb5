"""The only Celery configuration: the same application for workers and orchestrator.

Three departures from Celery's defaults, each measured (docs/design/celery.md):

* Acknowledgements are not emulated on Redis. Every message has a row and the sweeper finds what was lost
  within seconds, long before any visibility timeout would; the emulation costs 0.8 ms of processor a turn.
* The result backend is the journal: a chord's body is published by the member whose transaction saw that nothing of
  the run is open any more. Celery's own counter in Redis loses chords when a worker dies.
* A transport that raises a recoverable error instead of crashing the worker when Redis is killed.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from queue import Empty
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import kombu.transport
from celery.backends.base import DisabledBackend
from celery.canvas import Signature
from kombu import compression
from kombu.entity import Queue
from kombu.transport import redis as kombu_redis

from shared.delivery.contracts import QUEUES
from shared.delivery.envelopes import MAX_BYTES, Refused, check_envelope, parse, where
from shared.delivery.publishing import Application
from shared.delivery.queues import KEY_PREFIX
from shared.delivery.refusals import Refusals
from shared.faults import failpoint
from shared.models.priority import PRIORITIES, order_of_take

BACKLOG_WITHIN_S = 0.001
BATCH = 16
SILENT_S = 10
# Task events for Flower travel many at a time.
MAX_BROADCAST_BYTES = 4 * 1024 * 1024


class JournalBackend(DisabledBackend):
    """A result backend without results: the barrier of a chord is the journal in Postgres.

    A step task returns a receipt; `ready` was decided under the run's lock by the transaction that finished the
    step. So the body is published once per barrier, by the last finisher, whoever that is.
    """

    def ensure_chords_allowed(self) -> None:
        """Chords are what this backend is for."""

    def apply_chord(self, header_result_args: Any, body: Signature, **_options: Any) -> None:
        """Nothing to prepare: the steps' rows were committed before anything is published."""

    def on_chord_part_return(self, request: Any, _state: str, result: Any, **_options: Any) -> None:
        """Publish the body when this member's receipt says that it was the last."""
        if isinstance(result, dict) and result.get("ready"):
            failpoint("barrier-passed")
            body = Signature.from_dict(request.chord, app=self.app)
            body.apply_async(ignore_result=True)
            failpoint("body-published")


class Channel(kombu_redis.Channel):
    """kombu's channel, minus a crash and minus a client object for every command.

    A redis-py client takes a quarter of a millisecond to make and is safe to share: one is kept for each pool. Using
    the channel of a collected connection is a ConnectionError.

    Three lists a queue, by priority; which one goes first in a take says `order_of_take`.

    Without it `Unrecoverable error: AttributeError("'NoneType' object has no attribute 'hostname'")` ends the worker
    in about one of three Redis kills (facts: durability, fact 7).
    """

    _taken = 0

    def _connparams(self, asynchronous: bool = False) -> Any:
        if getattr(self.connection, "client", None) is None:
            raise ConnectionError("channel of a closed broker connection")
        params = super()._connparams(asynchronous=asynchronous)  # type: ignore[no-untyped-call]
        # kombu takes a socket's password from its URL only, and shows that URL to whoever asks a worker how it is.
        params["password"] = params.get("password") or self.connection.client.password
        return params

    def _create_client(self, asynchronous: bool = False) -> Any:
        pool = self.async_pool if asynchronous else self.pool
        kept = self.__dict__.setdefault("_kept_clients", {})
        client = kept.get(asynchronous)
        if client is None or client.connection_pool is not pool:
            client = kept[asynchronous] = super()._create_client(asynchronous)  # type: ignore[no-untyped-call]
        return client

    def _receive(self) -> bool:
        """Take what the fan-out connection (remote control) holds, and never wait for more.

        kombu reads first and asks afterwards, without a time limit: when the readable event was only the end of a
        connection whose Redis is gone, redis-py reconnects and the worker's main loop waits for ever.
        """
        client = self.subclient
        taken = False
        try:
            while client.connection is not None and client.connection.can_read(timeout=0):
                taken = self._receive_one(client) or taken
        except self.connection_errors:
            self._in_listen = None  # type: ignore[assignment]
            raise
        return taken

    def _receive_one(self, client: Any) -> bool:
        """Take one answer; only what was published for an exchange that is listened to is handed on."""
        answer = client.parse_response()
        if not isinstance(answer, list | tuple):
            return False
        event: Any = self._handle_message(client, answer)  # type: ignore[no-untyped-call]
        if not event["data"] or not _text(event["type"]).endswith("message"):
            return False
        exchange = _text(event["channel"]).partition(".")[2].split("/", 1)[0]
        queue = self._fanout_to_queue.get(exchange)
        if queue is not None:
            self.connection.deliver_text(event["data"], queue, MAX_BROADCAST_BYTES)
        return True

    def _has_queue(self, queue: str, **_options: Any) -> bool:
        """Whether anything waits; kombu asks for keys without our prefix, so that every queue looked empty."""
        return bool(self._size(queue))  # type: ignore[no-untyped-call]

    def depths(self, queues: Sequence[str]) -> dict[str, int]:
        """How many messages wait in each queue, all its lists together, asked at once; 0 of what is no list."""
        lists = [(queue, priority) for queue in queues for priority in self.priority_steps]
        with self.conn_or_acquire() as client, client.pipeline(transaction=False) as pipe:
            for queue, priority in lists:
                pipe.llen(self._q_for_pri(queue, priority))  # type: ignore[no-untyped-call]
            lengths = pipe.execute(raise_on_error=False)
        depths = dict.fromkeys(queues, 0)
        for (queue, _), length in zip(lists, lengths, strict=True):
            depths[queue] += length if isinstance(length, int) else 0
        return depths

    def _brpop_start(self, timeout: float | None = None) -> None:
        """Ask for a message, from the lists whose turn it is first."""
        queues = self._queue_cycle.consume(len(self.active_queues))
        if not queues:
            return
        self._taken += 1
        order = order_of_take(self._taken)
        keys = [self._q_for_pri(queue, step) for step in order for queue in queues]  # type: ignore[no-untyped-call]
        wait_s = self.brpop_timeout if timeout is None else timeout
        self._in_poll = self.client.connection
        self._brpop_sent_at = time.monotonic()  # type: ignore[assignment]
        command = self.client._prefix_args(["BRPOP", *keys, wait_s or 0])
        self.client.connection.send_command(*command)

    def _brpop_read(self, **options: Any) -> bool:
        """Take one message; when there is a backlog, take more with one command."""
        asked_at: Any = self._brpop_sent_at
        try:
            answer = self._brpop_answer(**options)
        finally:
            self._in_poll = None  # type: ignore[assignment]
            self._flush_brpop_reauth()  # type: ignore[no-untyped-call]
        if not answer:
            raise Empty
        key, item = answer
        queue = _text(key).rsplit(self.sep, 1)[0]
        self._queue_cycle.rotate(queue)
        self.connection.deliver_text(item, queue)
        if asked_at is not None and time.monotonic() - asked_at < BACKLOG_WITHIN_S:
            self._take_more(queue)
        return True

    def _brpop_answer(self, **options: Any) -> Any:
        connection = self.client.connection
        try:
            return self.client.parse_response(connection, "BRPOP", **options)
        except self.connection_errors:
            connection.disconnect()  # the next turn of the loop reconnects
            raise

    def _take_more(self, queue: str) -> None:
        estimate = self.qos.can_consume_max_estimate()  # None: there is no limit
        room = BATCH if estimate is None else min(estimate, BATCH)
        turns = Counter(order_of_take(self._taken + number)[0] for number in range(1, room + 1))
        self._taken += room
        count = 0
        for priority in PRIORITIES:  # what one list lacks, the next one may give
            count += turns[priority]
            name = self._q_for_pri(queue, priority)  # type: ignore[no-untyped-call]
            for item in (count and self._create_client().rpop(name, count)) or ():
                count -= 1
                self.connection.deliver_text(item, queue)


class Transport(kombu_redis.Transport):
    """kombu's Redis transport with our channel, and a door before what is made of a message's text."""

    Channel = Channel
    refusals = Refusals()

    def deliver_text(self, text: bytes, queue: str, limit: int = MAX_BYTES) -> None:
        """Hand a list's item to the queue's consumer; what is no message of ours is logged and forgotten."""
        try:
            message = parse(text, limit)
        except Refused as refusal:
            self.refusals.add(queue, len(text), str(refusal))
        else:
            self._deliver(message, queue, len(text))

    def _deliver(self, message: Any, queue: str, size: int = 0) -> None:
        """As kombu's, but no message raises, and none keeps a prefetch slot that its consumer did not settle."""
        tag = str(uuid4())  # a stranger's could be another message's
        try:
            check_envelope(message)
            message["properties"]["delivery_tag"] = tag
            if queue in QUEUES:
                message["properties"]["delivery_info"] = {"exchange": "", "routing_key": queue}
            super()._deliver(message, queue)  # type: ignore[no-untyped-call]
        except self.connection_errors:
            raise
        except Exception as error:  # noqa: BLE001 - outermost: logged and counted
            self.refusals.add(queue, size, where(error))
            for channel in self.channels:
                if tag in channel.qos._delivered and tag not in channel.qos._dirty:
                    channel.basic_reject(tag, requeue=False)


def _text(text: bytes | str) -> str:
    """What redis-py gives as bytes; a stranger's bytes need not be UTF-8."""
    return text.decode(errors="replace") if isinstance(text, bytes) else text


def make_app(
    broker_url: str, *, slots: int = 8, late_acks: bool = False, redis_url: str | None = None
) -> Application:
    """The Celery application on `broker_url`; `slots` is how many tasks a worker runs at once.

    `late_acks` keeps Celery's acknowledgements after the work (on Redis: kombu's emulation of them). What a consumer
    refuses is counted in the Redis at `redis_url`.
    """
    # Nobody compresses ours; a few kilobytes can unfold to gigabytes.
    for name in compression.encoders():  # type: ignore[no-untyped-call]
        compression.register(None, _refuse_compressed, name)  # type: ignore[no-untyped-call]
    kombu.transport.TRANSPORT_ALIASES["redis"] = "shared.delivery.broker:Transport"
    # Somebody in this process may have asked before.
    kombu.transport._transport_cache.pop("redis", None)
    app = Application("quorate", set_as_current=False, backend=JournalBackend)
    app.writes_lists = broker_url.startswith("redis")
    app.refusals = Refusals(redis_url)
    if redis_url is not None:
        Transport.refusals = app.refusals
    app.conf.update(
        **_address(broker_url),
        broker_transport_options=_transport_options(broker_url, slots, late_acks),
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
        # RabbitMQ's; on Redis the socket's limits and the health checks below do it.
        broker_heartbeat=20,
        broker_pool_limit=16,
        task_queues=[_queue(name, broker_url) for name in QUEUES],
        task_default_queue=QUEUES[-1],
        task_create_missing_queues=False,
        task_serializer="json",
        result_serializer="json",
        accept_content=["json"],
        result_accept_content=["json"],
        task_ignore_result=True,
        task_store_errors_even_if_ignored=False,
        task_acks_late=late_acks,
        task_reject_on_worker_lost=late_acks,
        task_publish_retry_policy={
            "max_retries": 2,
            "interval_start": 0,
            "interval_step": 0.2,
            "interval_max": 0.5,
        },
        task_send_sent_event=False,
        worker_send_task_events=False,
        worker_consumer="shared.delivery.consumer:Consumer",
        worker_prefetch_multiplier=1,
        # A key of another type in a queue's place is an answer, not the end of the process.
        broker_channel_error_retry=True,
        worker_deduplicate_successful_tasks=False,
        worker_cancel_long_running_tasks_on_connection_loss=False,
        worker_hijack_root_logger=False,
        worker_enable_remote_control=True,
        worker_proc_alive_timeout=30,
        enable_utc=True,
        timezone="UTC",
    )
    return app


def _address(broker_url: str) -> dict[str, str]:
    """The broker without its password, which `celery inspect stats` and Flower would show with a socket's URL."""
    scheme, _, rest = broker_url.partition("://")
    login, has_login, place = rest.partition("@")
    if scheme != "redis+socket" or not has_login or "/" in login:
        return {"broker_url": broker_url}
    password = unquote(login.partition(":")[2])
    return {"broker_url": f"{scheme}://{place}", "broker_password": password}


def _refuse_compressed(_data: bytes) -> bytes:
    raise Refused("compressed")


def _queue(name: str, broker_url: str) -> Queue:
    # Durable quorum queues need confirms and per-consumer limits; ids-only wake-ups do not.
    durable = not broker_url.startswith("redis")
    return Queue(name, routing_key=name, durable=durable)  # type: ignore[no-untyped-call]


def _transport_options(broker_url: str, slots: int, late_acks: bool) -> dict[str, Any]:
    if not broker_url.startswith("redis"):
        # A broker that falls silent, or blocks publishers, confirms nothing: without limits the sweeper waits for ever.
        return {"confirm_publish": True, "read_timeout": SILENT_S, "write_timeout": SILENT_S}
    return {
        "global_keyprefix": KEY_PREFIX,
        "priority_steps": sorted(PRIORITIES),
        "ack_emulation": late_acks,
        "visibility_timeout": 900,
        "socket_timeout": SILENT_S,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "max_connections": slots + 20,
    }
