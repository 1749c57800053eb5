"""One short question to each model, through the workers like every other call.

Whoever asks holds no key and no provider, so the trial is an ask run of one turn a participant: limits, budget,
masking, ledger and costs are those of any run, and the run can be looked at afterwards.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from orchestrator.application.backend import Backend
from orchestrator.application.documents import DocumentCollector
from orchestrator.application.notice_listener import NoticeListener
from orchestrator.application.pausing import ResumeResult, pause_participant, resume_participant
from orchestrator.application.submit import store_run
from orchestrator.application.worker_keys import hand_over_keys
from orchestrator.participants.casting import build_cast
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.settings.builtin_prompts import load as load_prompts
from orchestrator.settings.loading import load_configuration
from orchestrator.settings.sections import PrivacySection
from orchestrator.workflows import DEFAULT
from orchestrator.workflows.registry import WORKFLOWS, workflow_of_everybody
from shared.allowed import Allowed
from shared.errors import UserError
from shared.models.deliberation import Question
from shared.models.panel import Panel, Participant
from shared.models.run import NEWEST_RULES, Budget, RunSpec
from shared.providers.prices import expected_usd

QUESTION = "This is a test of the connection. Answer with the one word: ready."
MAX_ANSWER_TOKENS = 512
PROMPT_TOKENS = 1_000
"""About as long as the question is with what is said around it."""
LONGEST_S = 3600.0
_RULES = Participant(name="rules", provider="rules", family="rules")


@dataclass(frozen=True)
class AskedModel:
    """A model that is tried, and what its call costs at most (None: its price is unknown). Never where its key is."""

    name: str
    provider: str
    model: str | None
    at_most_usd: float | None


@dataclass(frozen=True)
class Trial:
    """The run in which models are tried, and who they are."""

    run: str
    asked: tuple[AskedModel, ...]


@dataclass(frozen=True)
class TrialRequest:
    """Who is tried (nobody named: everybody who would take part), and how long one answer may take."""

    names: tuple[str, ...] = ()
    timeout_s: float = 60.0


class ParticipantDesk(Protocol):
    """Where participants are tried and held up."""

    def begin_trial(self, request: TrialRequest, listener: NoticeListener) -> Trial:
        """Ask each of them one short question. Raises UserError where no model takes part."""

    def pause_participant(self, name: str, reason: str, for_s: float | None) -> None:
        """Hold all calls of a participant, a provider or an account. Raises UserError for a name nobody has."""

    def resume_participant(self, name: str) -> ResumeResult:
        """End a pause, or close a breaker."""


@dataclass(frozen=True)
class StoredParticipants:
    """The participants of this machine."""

    backend: Backend
    environ: Mapping[str, str]
    directory: Path
    config: Path | None = None

    def begin_trial(self, request: TrialRequest, listener: NoticeListener) -> Trial:
        """Store the run."""
        configuration = load_configuration(self.directory, self.environ, explicit=self.config)
        workflow, tell = workflow_of_everybody(), ENGLISH.translate
        names = request.names or None
        cast = build_cast(workflow, names, configuration, self.environ, self.directory, tell=tell)
        asked = _asked(cast.everybody.values(), request.timeout_s)
        panel = Panel(critics=asked, author=_RULES, chair=_RULES)
        self.backend.revive()
        hand_over_keys(self.backend, panel, listener)
        Allowed.of(self.backend.settings.instance, self.environ).allow_all(asked)
        spec, documents = _spec(panel, request.timeout_s, configuration.settings.privacy)
        run = store_run(self.backend, spec, "participants test", documents)
        return Trial(run, tuple(map(_priced, asked)))

    def pause_participant(self, name: str, reason: str, for_s: float | None) -> None:
        """Say so in Redis."""
        pause_participant(self.backend, name, reason, self.config, self.directory, for_s)

    def resume_participant(self, name: str) -> ResumeResult:
        """Say so in Redis."""
        return resume_participant(self.backend, name)


def _priced(participant: Participant) -> AskedModel:
    dearest = expected_usd(participant, PROMPT_TOKENS, MAX_ANSWER_TOKENS)
    return AskedModel(participant.name, participant.provider, participant.model, dearest)


def _asked(members: Iterable[Participant], timeout_s: float) -> tuple[Participant, ...]:
    """The models among them, with little time and a short answer. Raises UserError when there are none."""
    models = [participant for participant in members if participant.is_model]
    if not models:
        raise UserError(
            "no model takes part here, and analysers need no test: `quorate participants list` says what is missing"
        )
    short = {"max_output_tokens": MAX_ANSWER_TOKENS, "persona": None}
    return tuple(
        participant.model_copy(update={**short, "timeout_s": min(participant.timeout_s, timeout_s)})
        for participant in models
    )


def _spec(
    panel: Panel, timeout_s: float, privacy: PrivacySection
) -> tuple[RunSpec, Mapping[str, bytes]]:
    documents = DocumentCollector()
    described = WORKFLOWS[DEFAULT]
    templates = load_prompts(DEFAULT, "en")
    spec = RunSpec(
        workflow=DEFAULT,
        workflow_version=described.version,
        rules_version=NEWEST_RULES,
        subject=documents.put(Question(text=QUESTION).model_dump_json().encode()),
        prompts=documents.put(json.dumps(templates, ensure_ascii=False, sort_keys=True).encode()),
        panel=panel,
        options=described.options(quorum=1).model_dump(mode="json"),
        budget=Budget(max_seconds=timeout_s + 20.0),
        allow_external=privacy.allow_external,
        allow_models=privacy.allow_models,
        watched=True,
        seed=secrets.token_hex(16),
    )
    return spec, documents.gathered
