"""What Celery's events, and with them Flower, show of our tasks.

A step's task returns a receipt whatever came of its step, so that a chord's header never fails. A failed turn must
show as failed all the same: the event says what came of the step, and the task ends as before.
"""

from __future__ import annotations

from ast import literal_eval
from typing import Any

from celery.worker.request import Request
from pydantic import ValidationError

from shared.delivery.contracts import HANDED_BACK, Receipt

SUCCEEDED, FAILED, RETRIED = "task-succeeded", "task-failed", "task-retried"


class TaskRequest(Request):  # type: ignore[misc]
    """Celery's request of one of our tasks, with either consumer and any pool."""

    @property
    def is_watched(self) -> bool:
        """Whether events are wanted: else nothing is worked out for them."""
        return self.eventer is not None and bool(self.eventer.enabled)

    def send_event(self, type: str, **fields: Any) -> None:
        """As Celery's; no exception's own words leave the worker, for they may quote what was said."""
        if not self.is_watched:
            return
        if type == SUCCEEDED:
            type, fields = _seen(fields)
        elif type in (FAILED, RETRIED):
            name = str(fields.get("exception", "")).partition("(")[0]
            fields |= {"exception": name, "traceback": None}
        super().send_event(type, **fields)


def _seen(fields: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The event of a task that returned, by its receipt; Celery passes that from its pools as a representation."""
    try:
        receipt = Receipt.model_validate(literal_eval(fields["result"]))
    except (ValidationError, ValueError, SyntaxError):
        return SUCCEEDED, fields  # the orchestrator's, or one too long to be shown whole
    if receipt.status == HANDED_BACK:
        return RETRIED, {"exception": receipt.status, "traceback": None}
    if receipt.failure:
        return FAILED, {**fields, "exception": receipt.failure, "traceback": None}
    return SUCCEEDED, fields
