"""Celery's consumer behind a door: whatever lies in a queue, it ends no process and keeps no prefetch slot.

For every transport. What Celery does about a message of its own accord (unknown task, undecodable body, a strategy that
raises) prints the message's text, and some of it ends the worker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery.utils.log import get_logger
from celery.worker.consumer import Consumer as CeleryConsumer
from celery.worker.control import Panel, nok

from shared.delivery.contracts import QUEUES
from shared.delivery.envelopes import check_task, where

_celery_log = get_logger(__name__)
# What a worker never needs from afar: they write files, take all of its time, or reach into other workers.
_NOT_OFFERED = ("objgraph", "memdump", "memsample", "election", "pool_restart", "autoscale")


def guard_remote_control() -> None:
    """Celery believes what a command from afar says of a queue, and an exchange that is none ends the process."""
    for name in _NOT_OFFERED:
        Panel.data.pop(name, None)
    for name in ("add_consumer", "cancel_consumer"):
        Panel.data[name] = _with_our_queues(Panel.data[name])


def _with_our_queues(command: Callable[..., Any]) -> Callable[..., Any]:
    if getattr(command, "is_guarded", False):
        return command

    def guarded(state: Any, queue: object = None, **_options: object) -> Any:
        return command(state, queue=queue) if queue in QUEUES else nok("no queue of ours")

    guarded.is_guarded = True  # type: ignore[attr-defined]
    return guarded


guard_remote_control()


class Consumer(CeleryConsumer):  # type: ignore[misc]
    """Looks at every message before Celery does; settles what it refuses."""

    def create_task_handler(self, *words: Any, **options: Any) -> Callable[[Any], None]:
        """Celery's handler for messages that ask for one of our tasks, a refusal for all others."""
        handle = super().create_task_handler(*words, **options)

        def receive(message: Any) -> None:
            try:
                check_task(self.strategies, message)
                handle(message)
            except self.connection_errors:
                raise
            except Exception as error:  # noqa: BLE001 - outermost: every good message has a row
                self._refuse(message, where(error))

        return receive

    def on_decode_error(self, message: Any, exc: Exception) -> None:
        """A message that kombu could not make sense of."""
        self._refuse(message, f"undecodable: {where(exc)}")

    def _refuse(self, message: Any, reason: str) -> None:
        body = message.body
        size = len(body) if isinstance(body, str | bytes | bytearray | memoryview) else 0
        routing_key = (message.delivery_info or {}).get("routing_key")
        self.app.refusals.add(str(routing_key), size, reason)
        if not message.acknowledged:
            message.reject_log_error(_celery_log, self.connection_errors)
