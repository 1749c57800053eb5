"""The batches behind a service, as commands know them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict

from orchestrator.application.batch_report import Cohort
from orchestrator.application.rows_text import Retried
from orchestrator.client.remote_installation import client_of
from orchestrator.client.remote_rows import RemoteRows, part
from shared.models.batches import BatchLimits, BatchStatus


class RemoteBatches(RemoteRows):
    """Looked at, followed and changed from here."""

    def batch(self, name: str) -> BatchStatus:
        """How a batch stands."""
        return self.read(BatchStatus, f"/batches/{part(name)}")

    def batches(self, limit: int) -> list[BatchStatus]:
        """The newest batches."""
        return self.read(list[BatchStatus], "/batches", {"limit": limit})

    def result_lines(self, name: str, *, errors: bool) -> Iterator[str]:
        """As the service writes them."""
        yield from self.client.batch_results(name, errors=errors)

    def cohort(self, name: str) -> Cohort:
        """What a batch came to."""
        return self.read(Cohort, f"/batches/{part(name)}/cohort")

    def standing(self, name: str) -> BatchStatus:
        """Its counts; as they last were while the service is away."""
        return self.followed(BatchStatus, f"/batches/{part(name)}", {"costs": "false"})

    def running(self, name: str) -> str | None:
        """The service looks after its own processes; whether it is there is all that is looked at from here."""
        return name

    def cancel_batch(self, name: str, actor: str, *, at_once: bool) -> BatchStatus:  # noqa: ARG002 - the token says who
        """End it."""
        return self.change(BatchStatus, f"/batches/{part(name)}/cancel", {"at_once": at_once})

    def pause_batch(self, name: str, *, paused: bool) -> BatchStatus:
        """Pause it, or let it go on."""
        action = "pause" if paused else "resume"
        return self.change(BatchStatus, f"/batches/{part(name)}/{action}")

    def retry_batch(
        self, name: str, limits: BatchLimits, *, cancelled: bool
    ) -> tuple[BatchStatus, int]:
        """Ask again for what failed."""
        body = {**asdict(limits), "cancelled": cancelled}
        retried = self.change(Retried, f"/batches/{part(name)}/retry", body)
        return retried.status, retried.items


@contextmanager
def remote_batches(environ: Mapping[str, str]) -> Iterator[RemoteBatches]:
    """The batches behind the service that is named. Raises UserError or CredentialsRejected."""
    with client_of(environ) as client:
        yield RemoteBatches(client)
