"""The only Celery configuration: the same application for workers and orchestrator.

Three departures from Celery's defaults, each measured (docs/design/celery.md):

* Acknowledgements are not emulated on Redis. Every message has a row behind it and the sweeper finds what was lost
  within seconds, long before any visibility timeout would; the emulation costs 0.8 ms of processor a turn.
* The result backend is the journal: a chord's body is published by the member whose transaction saw that nothing of
  the run is open any more. Celery's own counter in Redis loses chords when a worker dies.
* A transport that raises a recoverable error instead of crashing the worker when Redis is killed.
"""

from __future__ import annotations

import time
from queue import Empty
from typing import Any
from urllib.parse import unquote

import kombu.transport
import structlog
from celery.backends.base import DisabledBackend
from celery.canvas import Signature
from kombu.entity import Queue
from kombu.transport import redis as kombu_redis
from kombu.utils.json import loads

from shared.contracts import QUEUES, TURN_TASKS
from shared.faults import reach
from shared.publishing import Application

BACKLOG_WITHIN_S = 0.001
BATCH = 16

log = structlog.get_logger(__name__)


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
            reach("barrier-passed")
            body = Signature.from_dict(request.chord, app=self.app)
            body.apply_async(ignore_result=True)
            reach("body-published")


class Channel(kombu_redis.Channel):
    """kombu's channel, minus a crash and minus a client object for every command.

    A redis-py client takes a quarter of a millisecond to make and is safe to share: one is kept for each pool. Using
    the channel of a collected connection is a ConnectionError.

    Without it `Unrecoverable error: AttributeError("'NoneType' object has no attribute 'hostname'")` ends the worker
    in about one of three Redis kills (facts: durability, fact 7).
    """

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
        connection whose Redis is gone, redis-py connects anew and the worker's main loop waits for ever.
        """
        client = self.subclient
        taken = False
        try:
            while client.connection is not None and client.connection.can_read(timeout=0):
                taken = bool(self._receive_one(client)) or taken  # type: ignore[no-untyped-call]
        except Empty:
            pass
        except self.connection_errors:
            self._in_listen = None  # type: ignore[assignment]
            raise
        return taken

    def _brpop_read(self, **options: Any) -> Any:
        """Take one message as kombu does; when there is a backlog, take more with one command."""
        asked_at: Any = self._brpop_sent_at
        try:
            taken = super()._brpop_read(**options)  # type: ignore[no-untyped-call]
        except ValueError as error:  # not JSON: whoever wrote it, it must not end the worker
            log.warning("message.unreadable", why=str(error))
            raise Empty from error
        if asked_at is not None and time.monotonic() - asked_at < BACKLOG_WITHIN_S:
            self._take_more()
        return taken

    def _take_more(self) -> None:
        room = min(self.qos.can_consume_max_estimate() or BATCH, BATCH)
        if room < 1:
            return
        for queue in list(self.active_queues):
            name = self._q_for_pri(queue, 0)  # type: ignore[no-untyped-call]
            for item in self._create_client().rpop(name, room) or ():
                try:
                    message = loads(item)  # type: ignore[no-untyped-call]
                except ValueError as error:
                    log.warning("message.unreadable", why=str(error))
                    continue
                self.connection._deliver(message, queue)
            return


class Transport(kombu_redis.Transport):
    """kombu's Redis transport with our channel."""

    Channel = Channel


def make_app(broker_url: str, *, slots: int = 8, late_acks: bool = False) -> Application:
    """The Celery application on `broker_url`; `slots` is how many tasks a worker runs at once.

    `late_acks` keeps Celery's acknowledgements after the work (on Redis: kombu's emulation of them).
    """
    kombu.transport.TRANSPORT_ALIASES["redis"] = "shared.broker:Transport"
    # Somebody in this process may have asked before.
    kombu.transport._transport_cache.pop("redis", None)
    app = Application("quorate", set_as_current=False, backend=JournalBackend)
    app.writes_lists = broker_url.startswith("redis")
    app.conf.update(
        **_address(broker_url),
        broker_transport_options=_transport_options(broker_url, slots, late_acks),
        broker_connection_retry_on_startup=True,
        broker_connection_max_retries=None,
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
        worker_prefetch_multiplier=1,
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


def _queue(name: str, broker_url: str) -> Queue:
    # Durable quorum queues need confirms and per-consumer limits; ids-only wake-ups do not.
    durable = not broker_url.startswith("redis")
    return Queue(name, routing_key=name, durable=durable)  # type: ignore[no-untyped-call]


def _transport_options(broker_url: str, slots: int, late_acks: bool) -> dict[str, Any]:
    if not broker_url.startswith("redis"):
        return {"confirm_publish": True}
    return {
        "global_keyprefix": "quorate:",
        "ack_emulation": late_acks,
        "visibility_timeout": 900,
        "socket_timeout": 10,
        "socket_connect_timeout": 5,
        "socket_keepalive": True,
        "health_check_interval": 10,
        "max_connections": slots + 20,
    }


def step_tasks() -> tuple[str, ...]:
    """The names of all turn tasks, one a role: a queue's watcher sees what a turn is for."""
    return tuple(TURN_TASKS.values())
