"""The installation behind a service, as commands know it: they look at its runs and answer as if it were here."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from urllib.parse import quote, urlsplit

from orchestrator.application.archive import Events
from orchestrator.application.asked_steps import step_request
from orchestrator.application.decide import (
    BulkAnswer,
    DecisionRequest,
    TurnAnswer,
    decision_of,
    only_turn,
    selection_of,
)
from orchestrator.application.listings import Inbox, Spent, WaitingFilter
from orchestrator.application.outgoing import OutgoingRequest
from orchestrator.application.preflight import Foretold
from orchestrator.application.rows_text import AskedStep, Pulse, Submitted
from orchestrator.application.run_details import StepRequest
from orchestrator.client.client import Client
from orchestrator.client.refusals import ServiceAway
from orchestrator.client.remote_rows import RemoteRows, part
from orchestrator.client.written_so_far import WrittenSoFar
from orchestrator.presentation.listings import RunList
from orchestrator.presentation.live.progress_events import RunSnapshot
from orchestrator.presentation.report import RunReport
from shared.errors import CredentialsRejected, UserError
from shared.models.rows import DecisionRow
from shared.models.run_file import Imported
from shared.store.run_filter import RunFilter
from shared.store.spending import Grouping
from shared.store.views import RunHeartbeat
from shared.text.unfinished import SoFar

QUIET_S = 1.0
"""How long a run of which events tell is not asked about again."""
SERVER, TOKEN = "QUORATE_SERVER", "QUORATE_TOKEN"


def client_of(environ: Mapping[str, str]) -> Client:
    """The client of the service that is named. Raises UserError or CredentialsRejected."""
    url, token = environ.get(SERVER, ""), environ.get(TOKEN, "").strip()
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UserError(
            "--server {url}: expected an address like https://quorate.example.com", url=url
        )
    if not token:
        raise CredentialsRejected(
            "{variable} is not set: ask the operator of {hostname} for a token (`quorate tokens add`)",
            variable=TOKEN,
            hostname=parts.hostname,
        )
    return Client(url, token)


@dataclass
class RemoteInstallation(RemoteRows):
    """The runs behind a service."""

    _written: dict[str, WrittenSoFar] = field(default_factory=dict)
    _seen_at: float = 0.0

    def submit(
        self, sent: OutgoingRequest, key: str | None, watched_for_s: int = 0
    ) -> str | RunReport:
        """Start a run: its id; its result where nobody has to be asked. The same `key` starts one run.

        What begins within `watched_for_s` streams.
        """
        more = {"continues": dict(sent.continues), "watched_for_s": watched_for_s}
        body = {**sent.body, **more}
        submitted = self.change(Submitted, "/runs", body, key=key)
        return submitted.run or submitted.report or ""

    def estimate(self, sent: OutgoingRequest) -> Foretold:
        """What a run would take, or its result where nobody has to be asked. Nothing is started."""
        return self.change(Foretold, "/runs/estimate", sent.body)

    def report(self, run: str) -> RunReport:
        """The run's rows."""
        return self.read(RunReport, f"/runs/{part(run)}")

    def listed(self, limit: int, wanted: RunFilter) -> RunList:
        """The newest runs."""
        return self.read(RunList, "/runs", {**asdict(wanted), "limit": limit})

    def inbox(self, wanted: WaitingFilter) -> Inbox:
        """What waits for a person."""
        return self.read(Inbox, "/inbox", asdict(wanted))

    def spent(self, by: Grouping, *, run: str | None, since_s: float | None) -> Spent:
        """What calls used there."""
        return self.read(Spent, "/spent", {"by": by.value, "run": run, "since_s": since_s})

    def decide(self, request: DecisionRequest) -> DecisionRow:
        """The answer carries the name of the token."""
        decision = decision_of(self.report(request.run), request.key)
        only = selection_of(decision, request)
        shown = request.shown_sha256 or decision.shown_sha256
        run, key = decision.run_id, decision.key
        self.client.decide(run, key, request.choice, shown, message=request.message, only=only)
        return decision_of(self.report(run), key)

    def decide_all(self, choice: str, actor: str, message: str, batch: str | None) -> BulkAnswer:  # noqa: ARG002 - the token says who it is
        """The answers carry the name of the token."""
        body = {"choice": choice, "message": message, "batch": batch}
        return self.change(BulkAnswer, "/decisions/bulk", body)

    def take_turn(self, answer: TurnAnswer) -> tuple[str, str]:
        """The turn that waits, where none is named."""
        run, step = answer.run, answer.step
        if step is None:
            run = self.report(run).run.id
            waiting = [turn for turn in self.inbox(WaitingFilter()).turns if turn.run_id == run]
            step = only_turn(run, waiting).step
        taken = self.client.take_turn(run, step, answer.text)
        return str(taken["run"]), str(taken["step"])

    def cancel(self, run: str, actor: str) -> str:  # noqa: ARG002 - the token says who it is
        """End a run."""
        return self.client.cancel(run)

    def resume(self, run: str) -> str:
        """Try a blocked run again."""
        return self.client.resume(run)

    def heartbeat(self, run: str) -> RunHeartbeat:
        """Comes with the snapshot. Where events tell of changes, it is asked for once a second at most."""
        ear, now = self._written.get(run), time.monotonic()
        path = f"/runs/{part(run)}/pulse"
        known: Pulse | None = self._known.get(path)
        if ear is not None and ear.connected and known is not None and not ear.take_news():
            passed = now - self._seen_at
            if passed < QUIET_S:
                beat = known.heartbeat
                return replace(beat, elapsed_s=beat.elapsed_s + passed)
        self._seen_at = now
        return self.followed(Pulse, path).heartbeat

    def snapshot(self, run: str, heartbeat: RunHeartbeat) -> RunSnapshot:  # noqa: ARG002 - of that moment
        """What came with the heartbeat."""
        pulse: Pulse = self._known[f"/runs/{part(run)}/pulse"]
        return pulse.snapshot

    def live(self, run: str) -> Mapping[str, SoFar]:
        """What the service's events tell of streaming answers; asking for it is what makes turns stream."""
        if run not in self._written:
            self._written[run] = WrittenSoFar(self.client, run)
        return self._written[run].look()

    def announce(self, run: str, life_s: int) -> None:
        """Say so; where that is not heard, answers are shown once they are complete."""
        if life_s:
            with suppress(ServiceAway):
                self.change(str, f"/runs/{part(run)}/watched", {"life_s": life_s})

    def events(self, run: str) -> Events:
        """A run's log."""
        return self.read(Events, f"/runs/{part(run)}/events")

    def imported(self, run: str) -> Imported | None:  # noqa: ARG002 - the Protocol's signature
        """The service does not tell."""
        return None

    def asked(self, run: str, step: str) -> StepRequest:
        """What a step was asked, with its documents."""
        path = f"/runs/{part(run)}/steps/{quote(step, safe='/')}"
        return step_request(self.read(AskedStep, path))
