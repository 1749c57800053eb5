"""Celery's consumer behind a door: whatever lies in a queue, it ends no process and keeps no prefetch slot.

For every transport. What Celery does about a message of its own accord (unknown task, undecodable body, a strategy that
raises) prints the message's text, and some of it ends the worker.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from celery.utils.log import get_logger
from celery.worker.consumer import Consumer as CeleryConsumer

from shared.envelopes import check_task, where

_celery_log = get_logger(__name__)


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
            except Exception as error:  # noqa: BLE001 - outermost: a row stands behind every good message
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
