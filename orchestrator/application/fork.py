"""Fork a run: plan it, store the copy and the new run in one transaction, wake an orchestrator."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from pydantic import JsonValue

from orchestrator.application import preflight
from orchestrator.application.backend import Backend
from orchestrator.application.notice_listener import NoticeListener, WarningKeeper
from orchestrator.application.prepare import leaving
from orchestrator.application.replay import changes_of, load_recording
from orchestrator.application.watch import announce_watcher
from orchestrator.application.worker_keys import hand_over_keys
from orchestrator.embedded.starting import start_supervisor
from orchestrator.engine.children import new_run_id
from orchestrator.participants.catalogue import Catalogue
from orchestrator.presentation.locale.translator import Translator
from orchestrator.settings.loading import Configuration, load_configuration
from orchestrator.settings.prompt_files import captured_prompts
from orchestrator.settings.sections import BIG_INTEGER, INTEGER, ParticipantEntry
from orchestrator.whatif.changes import changed, check_quorum
from orchestrator.whatif.forking import ForkPlan, inheritable, plan_fork, prefix_of
from orchestrator.whatif.recording import Recording
from orchestrator.whatif.replacing import replace_participants
from shared.allowed import Allowed
from shared.errors import ConfigurationError, UserError
from shared.models.notices import Notice
from shared.models.panel import Participant
from shared.models.run import ASK, Budget, RunSpec
from shared.settings import ServiceSettings
from shared.store.documents import address
from shared.store.forking import Fork, create_fork

OPEN_FIELDS = ("budget", "reuse")


@dataclass(frozen=True)
class ForkRequest:
    """Where a run is left, and what is different from there on. None: as in the run that is forked.

    `unattended`: nobody is there to be asked, as for a run of its own.
    """

    run: str
    at: str
    directory: Path
    rules: Mapping[str, str]
    settings: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    decide: str | None = None
    max_cost: float | None = None
    max_calls: int | None = None
    reuse: bool = False
    batch: str | None = None
    config: Path | None = None
    language: str | None = None
    unattended: bool = False


@dataclass(frozen=True)
class PlannedFork:
    """A fork that can be stored, with the documents that its origin does not have, and what was warned of."""

    plan: ForkPlan
    documents: Mapping[str, bytes]
    cautions: tuple[Notice, ...] = ()


def plan_run_fork(backend: Backend, request: ForkRequest, listener: NoticeListener) -> PlannedFork:
    """The fork, checked against what it copies; nothing is stored. Raises UserError or ConfigurationError."""
    documents: dict[str, bytes] = {}
    plan = _plan(load_recording(backend, request.run), request, documents, backend.environ)
    # What is copied is not paid again: the limits are compared with what is asked next.
    preflight.refuse(plan.calls, plan.spec.budget, Translator(plan.spec.language))
    keeper = WarningKeeper(listener)
    for notice in preflight.short_of(plan.calls, plan.spec):
        keeper.warn(notice)
    return PlannedFork(plan, documents, tuple(keeper.warned))


def submit_fork(
    backend: Backend,
    fork: PlannedFork,
    listener: NoticeListener,
    *,
    watched: bool = False,
    watched_for_s: int = 0,
) -> str:
    """Store the fork and wake an orchestrator; its id. Durable when this returns. `watched` as for `submit_run`."""
    plan = fork.plan
    if backend.settings.external is None:
        start_supervisor(backend.settings, backend.environ)
    keeper = WarningKeeper(listener)
    hand_over_keys(backend, plan.spec.panel, keeper)
    cautions = (*fork.cautions, *keeper.warned)
    stored = Fork(
        run=new_run_id(),
        origin=plan.origin,
        at=plan.at,
        title=plan.title,
        spec=plan.spec.model_copy(update={"watched": watched, "cautions": cautions}),
        root_task=str(uuid4()),
        steps=plan.steps,
        decisions=plan.decisions,
    )
    run = backend.write(lambda connection: create_fork(connection, stored, fork.documents))
    announce_watcher(backend, run, watched_for_s)
    backend.wake(run)
    return run


def _plan(
    recording: Recording,
    request: ForkRequest,
    documents: dict[str, bytes],
    environ: Mapping[str, str],
) -> ForkPlan:
    prefix = prefix_of(recording, request.at)
    changes = changes_of(recording.spec, request.rules, request.settings, OPEN_FIELDS)
    spec = changed(inheritable(recording.spec), changes)
    spec = _with_overrides(spec, request)
    stated = any(change.path == ("decision", "mode") for change in changes)
    if request.unattended and spec.decision.mode == ASK and not stated:
        policy = leaving(spec.decision, spec.workflow, _here(spec, request, environ).configuration)
        spec = spec.model_copy(update={"decision": policy})
    if request.language is not None or request.participants:
        here = _here(spec, request, environ)
        if request.language is not None:
            spec = here.in_language(spec, request.language, documents)
        copied = [recording.rows[key] for key in prefix.steps]
        spec = replace_participants(spec, request.participants, copied, here.participant)
    check_quorum(spec, changes)
    stored = recording.document
    known = replace(recording, document=lambda name: documents.get(name) or stored(name))
    return plan_fork(known, prefix, spec)


def _here(spec: RunSpec, request: ForkRequest, environ: Mapping[str, str]) -> _Here:
    """What may not leave this machine in the origin may not leave it in a fork."""
    promises = {"allow_external": spec.allow_external, "allow_models": spec.allow_models}
    kept: dict[str, JsonValue] = {f"privacy.{k}": False for k, v in promises.items() if not v}
    configuration = load_configuration(
        request.directory, environ, explicit=request.config, overrides=kept
    )
    return _Here(configuration, environ, request.directory)


def _with_overrides(spec: RunSpec, request: ForkRequest) -> RunSpec:
    decision = spec.decision
    if request.decide is not None:
        mode = ASK if request.decide == "later" else request.decide
        decision = decision.model_copy(update={"mode": mode})
    labels = spec.labels if request.batch is None else {**spec.labels, "batch": request.batch}
    return spec.model_copy(
        update={
            "budget": _budget(spec.budget, request),
            "decision": decision,
            "labels": labels,
            "reuse": spec.reuse or request.reuse,
        }
    )


def _budget(budget: Budget, request: ForkRequest) -> Budget:
    """The fork's own limits. Raises UserError for what the store cannot hold."""
    typed = {"max_usd": request.max_cost, "max_calls": request.max_calls}
    limits = {name: value for name, value in typed.items() if value is not None}
    made = budget.model_copy(update=limits)
    if made.max_usd is not None and not math.isfinite(made.max_usd):
        raise UserError(
            "a limit of {max_usd:g} dollars is not one: give a number", max_usd=made.max_usd
        )
    counts = (("calls", made.max_calls, INTEGER), ("tokens", made.max_tokens, BIG_INTEGER))
    for name, count, most in counts:
        if count is not None and count > most:
            raise UserError("a limit of {count} {name} is too large", count=count, name=name)
    return made


@dataclass(frozen=True)
class _Here:
    """What the configuration of this directory offers to a fork."""

    configuration: Configuration
    environ: Mapping[str, str]
    directory: Path

    def in_language(self, spec: RunSpec, language: str, documents: dict[str, bytes]) -> RunSpec:
        """The same in another language from STEP on, with the prompts that a new run would have."""
        templates = captured_prompts(spec.workflow, language, self.configuration, self.environ)
        content = json.dumps(templates, ensure_ascii=False, sort_keys=True).encode()
        name = address(content)
        documents[name] = content
        return spec.model_copy(update={"language": language, "prompts": name})

    def participant(self, name: str) -> Participant:
        """The one participant of that name. Raises ConfigurationError for a group, CredentialsRejected."""
        catalogue = Catalogue(self.configuration.settings, self.environ, self.directory)
        participants = catalogue.resolve(ParticipantEntry(name=name))
        if len(participants) != 1:
            raise ConfigurationError(
                "'{name}' is not one participant: name them one by one.", name=name
            )
        # Only those who are named here and now: the origin's row is no permission.
        settings = ServiceSettings.from_environment(self.environ)
        Allowed.of(settings.instance, self.environ).allow_all(participants)
        return participants[0]
