"""The participants of a service, as commands know them."""

from __future__ import annotations

from dataclasses import asdict

from orchestrator.application.notice_listener import NoticeListener
from orchestrator.application.pausing import ResumeResult
from orchestrator.application.rows_text import read_rows
from orchestrator.application.trials import Trial, TrialRequest
from orchestrator.client.remote_rows import RemoteRows, part


class RemoteParticipants(RemoteRows):
    """Tried and held up from here; their keys stay where they are."""

    def begin_trial(self, request: TrialRequest, listener: NoticeListener) -> Trial:  # noqa: ARG002 - the service's own keys
        """Ask each of them one short question."""
        return self.change(Trial, "/participants/test", asdict(request))

    def pause_participant(self, name: str, reason: str, for_s: float | None) -> None:
        """Hold all calls of it."""
        self.client.post(f"/participants/{part(name)}/pause", {"reason": reason, "for_s": for_s})

    def resume_participant(self, name: str) -> ResumeResult:
        """End a pause, or close a breaker."""
        answer = self.client.post(f"/rows/participants/{part(name)}/resume", {})
        return read_rows(ResumeResult, answer.content)
