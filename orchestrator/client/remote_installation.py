"""The installation behind a service, as commands know it: they look at its runs and answer as if it were here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, TypeVar
from urllib.parse import quote, urlsplit

from orchestrator.application.archive import Events
from orchestrator.application.decide import DecisionRequest, decision_of, selection_of
from orchestrator.application.listings import Inbox, WaitingFilter
from orchestrator.application.outgoing import OutgoingRequest
from orchestrator.application.rows_text import Pulse, Submitted, read_rows
from orchestrator.application.watch import Care
from orchestrator.client.client import Client
from orchestrator.presentation.listings import RunList
from orchestrator.presentation.live.progress_events import RunSnapshot
from orchestrator.presentation.report import RunReport
from shared.errors import CredentialsRejected, UserError
from shared.models.batches import BatchStatus
from shared.models.notices import Notice
from shared.models.rows import DecisionRow
from shared.models.run_file import Imported
from shared.store.run_filter import RunFilter
from shared.store.views import RunHeartbeat
from shared.text.unfinished import SoFar

SERVER, TOKEN = "QUORATE_SERVER", "QUORATE_TOKEN"
T = TypeVar("T")


def client_of(environ: Mapping[str, str]) -> Client:
    """The client of the service that is named. Raises UserError or CredentialsRejected."""
    url, token = environ.get(SERVER, ""), environ.get(TOKEN, "").strip()
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(f"--server {url}: expected an address like https://quorate.example.com")
    if not token:
        raise CredentialsRejected(
            f"{TOKEN} is not set: ask the operator of {parts.hostname} for a token (`quorate tokens add`)"
        )
    return Client(url, token)


class _NoCare:
    """The service looks after its own processes."""

    def progressed(self) -> None:
        """Nothing to note."""

    def look(self, run: str) -> None:
        """Nothing to do."""


@dataclass
class RemoteInstallation:
    """The runs behind a service."""

    client: Client
    _pulses: dict[str, Pulse] = field(default_factory=dict)

    def submit(self, sent: OutgoingRequest, key: str | None) -> str | RunReport:
        """Start a run: its id; its result where nobody has to be asked. The same `key` starts one run."""
        body = {
            "workflow": sent.workflow,
            "input": dict(sent.stated),
            "options": dict(sent.options),
            "participants": list(sent.participants),
            "models": list(sent.models),
            "parts": dict(sent.parts),
        }
        answer = self.client.post("/rows/runs", body, key=key)
        submitted = read_rows(Submitted, answer.content)
        return submitted.run or submitted.report or ""

    def report(self, run: str) -> RunReport:
        """The run's rows."""
        return self._read(RunReport, f"/runs/{quote(run, safe='')}")

    def listed(self, limit: int, wanted: RunFilter) -> RunList:
        """The newest runs."""
        return self._read(RunList, "/runs", {**asdict(wanted), "limit": limit})

    def inbox(self, wanted: WaitingFilter) -> Inbox:
        """What waits for a person."""
        return self._read(Inbox, "/inbox", asdict(wanted))

    def decide(self, request: DecisionRequest) -> DecisionRow:
        """The answer carries the name of the token."""
        decision = decision_of(self.report(request.run), request.key)
        only = selection_of(decision, request)
        shown = request.shown_sha256 or decision.shown_sha256
        run, key = decision.run_id, decision.key
        self.client.decide(run, key, request.choice, shown, message=request.message, only=only)
        return decision_of(self.report(run), key)

    def cancel(self, run: str, actor: str) -> str:  # noqa: ARG002 - the token says who it is
        """End a run."""
        return self.client.cancel(run)

    def heartbeat(self, run: str) -> RunHeartbeat:
        """Comes with the snapshot."""
        self._pulses[run] = self._read(Pulse, f"/runs/{quote(run, safe='')}/pulse")
        return self._pulses[run].heartbeat

    def snapshot(self, run: str, heartbeat: RunHeartbeat) -> RunSnapshot:  # noqa: ARG002 - of that moment
        """What came with the heartbeat."""
        return self._pulses[run].snapshot

    def live(self, run: str) -> Mapping[str, SoFar]:  # noqa: ARG002 - the Protocol's signature
        """Answers are shown once they are complete."""
        return {}

    def announce(self, run: str, life_s: int) -> None:
        """Nothing streams to here."""

    def care(self, warn: Callable[[Notice], None]) -> Care:  # noqa: ARG002 - the Protocol's signature
        """Its own business."""
        return _NoCare()

    def events(self, run: str) -> Events:
        """A run's log."""
        return self._read(Events, f"/runs/{quote(run, safe='')}/events")

    def imported(self, run: str) -> Imported | None:  # noqa: ARG002 - the Protocol's signature
        """The service does not tell."""
        return None

    # ---- batches --------------------------------------------------------------------------------

    def batch(self, name: str) -> BatchStatus:
        """How a batch stands."""
        return self._read(BatchStatus, f"/batches/{quote(name, safe='')}")

    def batches(self, limit: int) -> list[BatchStatus]:
        """The newest batches."""
        return self._read(list[BatchStatus], "/batches", {"limit": limit})

    def result_lines(self, name: str, *, errors: bool) -> Iterator[str]:
        """As the service writes them."""
        yield from self.client.batch_results(name, errors=errors)

    def _read(self, kind: Callable[..., T], path: str, query: Mapping[str, Any] | None = None) -> T:
        return read_rows(kind, self.client.get(f"/rows{path}", query).content)
