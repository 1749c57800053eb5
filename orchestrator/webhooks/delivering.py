"""The loop that empties the outbox. It runs in every orchestrator; leases keep them apart.

Each webhook has threads of its own while something is due for it, so that a receiver that is slow or dead delays nobody
but itself.
"""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import UTC, datetime
from functools import partial

import structlog

from orchestrator.webhooks.sending import DeliveryReceipt, MessageSender
from shared.errors import EnvironmentFault
from shared.models.webhooks import WebhookEvent
from shared.store.database import Database
from shared.store.outbox import finish_batches
from shared.store.webhooks import (
    DeliveryAttempt,
    DeliveryClaim,
    claim_delivery,
    due_webhooks,
    end_attempt,
    forget_deliveries,
)

POLL_S = 1.0
TIDIED_EVERY_S = 600.0
BATCHES_EVERY_S = 5.0
AT_ONCE = 4
"""Messages that one orchestrator sends to one receiver at the same time."""

MINUTE, HOUR = 60.0, 3_600.0
PAUSES_S = (
    *(5.0, 30.0, 2 * MINUTE, 10 * MINUTE, 30 * MINUTE),
    *(1 * HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 12 * HOUR),
)
"""Before the second attempt, the third, and so on: 28 hours in all."""
SPREAD = 0.2
GONE = 410

log = structlog.get_logger(__name__)


def retry_in_s(attempts: int, draw: float, asked_s: float | None = None) -> float | None:
    """How long to wait after so many attempts; None when there is no further one.

    `draw` in [0, 1) spreads it by up to 20 % either way; a receiver may ask for more, up to the longest pause.
    """
    if attempts > len(PAUSES_S):
        return None
    pause = PAUSES_S[attempts - 1] * (1 - SPREAD + 2 * SPREAD * draw)
    return max(pause, min(asked_s or 0.0, PAUSES_S[-1]))


def judge(claim: DeliveryClaim, receipt: DeliveryReceipt, draw: float) -> DeliveryAttempt:
    """What becomes of a delivery after an attempt. A test is tried once."""
    if receipt.delivered:
        return DeliveryAttempt(True, receipt.status, None)
    retry = None
    if claim.event is not WebhookEvent.TEST:
        retry = retry_in_s(claim.attempts, draw, receipt.retry_after_s)
    gone = receipt.status == GONE
    return DeliveryAttempt(False, receipt.status, receipt.error, retry, gone)


class WebhookDeliverer:
    """A thread that looks for what is due, and a few for each receiver that send it."""

    def __init__(
        self,
        database: Database,
        sender: MessageSender,
        *,
        now: Callable[[], datetime] | None = None,
    ) -> None:
        """`database` without patience: what fails is simply tried again. `now`: another clock than the database's."""
        self._database = database
        self._sender = sender
        self._now = now
        self._stop = threading.Event()
        self._lock = threading.Lock()
        self._lanes: Counter[str] = Counter()
        self._tidies_at = 0.0
        self._batches_at = 0.0

    def start(self) -> None:
        """Deliver from now on."""
        threading.Thread(target=self._repeat, name="webhooks", daemon=True).start()

    def stop(self) -> None:
        """Send nothing more; what is being sent is finished, or another's when its lease ends."""
        self._stop.set()

    def poll(self) -> None:
        """Report finished batches, and give each receiver for which something is due its threads."""
        if time.monotonic() >= self._batches_at:
            self._batches_at = time.monotonic() + BATCHES_EVERY_S
            self._database.run(finish_batches, atomic=True)
        for webhook in self._database.run(partial(due_webhooks, now=self._moment())):
            self._add_lanes(webhook)
        if time.monotonic() >= self._tidies_at:
            self._tidies_at = time.monotonic() + TIDIED_EVERY_S
            self._database.run(forget_deliveries)

    def deliver(self, webhook: str) -> bool:
        """Send what has been due for longest, if anything is."""
        claim = self._database.run(partial(claim_delivery, webhook=webhook, now=self._moment()))
        if claim is None:
            return False
        receipt = self._sender.send(claim, self._moment() or datetime.now(UTC))
        attempt = judge(claim, receipt, random.random())  # noqa: S311 - a spread, no secret
        end = partial(end_attempt, claim=claim, attempt=attempt, now=self._moment())
        if not self._database.run(end, atomic=True):
            log.warning("webhook.lease_lost", webhook=webhook, message=claim.id)
        elif not attempt.delivered:
            level = log.warning if attempt.retry_in_s is None else log.info
            level(
                "webhook.failed",
                webhook=webhook,
                message=claim.id,
                attempt=claim.attempts,
                error=attempt.error,
                retry_in_s=attempt.retry_in_s,
            )
        return True

    def _moment(self) -> datetime | None:
        return None if self._now is None else self._now()

    def _repeat(self) -> None:
        while not self._stop.wait(POLL_S):
            try:
                self.poll()
            except (EnvironmentFault, OSError) as fault:
                log.warning("webhook.loop_failed", why=str(fault))
            except Exception:
                log.exception("webhook.bug")  # the next look must come, whatever this one met

    def _add_lanes(self, webhook: str) -> None:
        with self._lock:
            missing = AT_ONCE - self._lanes[webhook]
            self._lanes[webhook] += missing
        for _ in range(missing):
            threading.Thread(
                target=self._drain, args=(webhook,), name=f"webhook-{webhook}", daemon=True
            ).start()

    def _drain(self, webhook: str) -> None:
        """One lane: until nothing is due."""
        try:
            while not self._stop.is_set() and self.deliver(webhook):
                pass
        except (EnvironmentFault, OSError) as fault:
            log.warning("webhook.loop_failed", webhook=webhook, why=str(fault))
        except Exception:
            log.exception("webhook.bug", webhook=webhook)
        finally:
            with self._lock:
                self._lanes[webhook] -= 1
