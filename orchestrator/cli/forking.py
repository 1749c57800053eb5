"""The flow of `quorate fork`: plan, store the copy and the run in one transaction, see it through."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from uuid import uuid4

from pydantic import JsonValue

from orchestrator.application import preflight
from orchestrator.application.backend import Backend, connected
from orchestrator.application.worker_keys import hand_over_keys
from orchestrator.cli.following import announce, watched_s
from orchestrator.cli.replaying import changes_of, load_recording
from orchestrator.cli.terminal import Terminal
from orchestrator.cli.watching import Wish, or_detach, see_through
from orchestrator.core.document import Span, Style, line
from orchestrator.embedded.starting import start_supervisor
from orchestrator.engine.advance import new_run_id
from orchestrator.participants.catalogue import Catalogue
from orchestrator.presentation.exit_codes import ExitCode
from orchestrator.presentation.forks import plan_json, plan_lines
from orchestrator.presentation.formats.json import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.words import say
from orchestrator.settings.loading import Configuration, load_configuration
from orchestrator.settings.prompt_files import captured_prompts
from orchestrator.settings.schema import ParticipantEntry
from orchestrator.whatif.changes import changed, check_quorum
from orchestrator.whatif.forking import ForkPlan, inheritable, plan_fork, prefix_of
from orchestrator.whatif.recording import Recording
from orchestrator.whatif.seats import seated
from shared.allowed import Allowed
from shared.errors import ConfigurationError, UserError
from shared.models.panel import Participant
from shared.models.run import Budget, RunSpec
from shared.settings import Settings as ServiceSettings
from shared.store.documents import address
from shared.store.forking import Fork, create_fork

OPEN_FIELDS = ("budget", "reuse")


@dataclass(frozen=True)
class Options:
    """What was typed after `quorate fork RUN`."""

    at: str
    rules: Mapping[str, str]
    settings: tuple[str, ...] = ()
    participants: tuple[str, ...] = ()
    decide: str | None = None
    max_cost: float | None = None
    max_calls: int | None = None
    reuse: bool = False
    batch: str | None = None
    dry_run: bool = False
    timeout: float | None = None
    config: Path | None = None
    no_wait: bool = False
    output: Path | None = None
    as_json: bool = False
    language: str | None = None
    quiet: bool = False


def run_fork(run: str, options: Options, environ: Mapping[str, str], directory: Path) -> int:
    """Fork; the exit code of the new run."""
    terminal = Terminal.of(environ, quiet=options.quiet)
    with connected(environ, workers=False) as backend:
        recording = load_recording(backend, run)
        documents: dict[str, bytes] = {}
        plan = _plan(recording, options, documents, environ, directory)
        # What is copied is not paid again: the limits are compared with what is asked next.
        preflight.refuse(plan.calls, plan.spec.budget, plan.spec.language)
        for text in preflight.short_of(plan.calls, plan.spec):
            terminal.warn([line(Span(f"⚠ {text}", Style.WARNING))])
        if options.dry_run:
            return _show_plan(plan, recording, terminal, options)
        if backend.settings.external is None:
            start_supervisor(backend.settings, environ)
        hand_over_keys(backend, plan.spec.panel, terminal, environ, plan.spec.language)
        looks_on_s = watched_s(terminal, waits=not options.no_wait)
        forked = _submit(backend, plan, documents, looks_on_s)
        if options.no_wait:
            return _leave_it(forked, plan, terminal, options)
        terminal.talk(plan_lines(plan, plan.spec.language))
        title = say("submitted", plan.spec.language, run=forked, title=plan.title)
        terminal.talk([line(Span(title, Style.STRONG))])
        return or_detach(
            forked,
            terminal,
            plan.spec.language,
            lambda: see_through(backend, forked, terminal, _wish(options, plan)),
        )


# ---- what is submitted --------------------------------------------------------------------------


def _plan(
    recording: Recording,
    options: Options,
    documents: dict[str, bytes],
    environ: Mapping[str, str],
    directory: Path,
) -> ForkPlan:
    """The fork, checked against what it copies. Raises UserError; nothing is stored."""
    prefix = prefix_of(recording, options.at)
    changes = changes_of(recording.spec, options.rules, options.settings, OPEN_FIELDS)
    spec = changed(inheritable(recording.spec), changes)
    spec = _with_options(spec, options)
    if options.language is not None or options.participants:
        # What may not leave this machine in the origin may not leave it in a fork.
        promises = {"allow_external": spec.allow_external, "allow_models": spec.allow_models}
        kept: dict[str, JsonValue] = {f"privacy.{k}": False for k, v in promises.items() if not v}
        configuration = load_configuration(
            directory, environ, explicit=options.config, overrides=kept
        )
        here = _Here(configuration, environ, directory)
        if options.language is not None:
            spec = here.in_language(spec, options.language, documents)
        copied = [recording.rows[key] for key in prefix.steps]
        spec = seated(spec, options.participants, copied, here.participant)
    check_quorum(spec, changes)
    stored = recording.document
    known = replace(recording, document=lambda name: documents.get(name) or stored(name))
    return plan_fork(known, prefix, spec)


def _with_options(spec: RunSpec, options: Options) -> RunSpec:
    decision = spec.decision
    if options.decide is not None:
        mode = "ask" if options.decide == "later" else options.decide
        decision = decision.model_copy(update={"mode": mode})
    labels = spec.labels if options.batch is None else {**spec.labels, "batch": options.batch}
    return spec.model_copy(
        update={
            "budget": _budget(spec.budget, options),
            "decision": decision,
            "labels": labels,
            "reuse": spec.reuse or options.reuse,
        }
    )


def _budget(budget: Budget, options: Options) -> Budget:
    """The fork's own limits. Raises UserError for what the store cannot hold."""
    typed = {"max_usd": options.max_cost, "max_calls": options.max_calls}
    limits = {name: value for name, value in typed.items() if value is not None}
    made = budget.model_copy(update=limits)
    if made.max_usd is not None and not math.isfinite(made.max_usd):
        raise UserError(f"a limit of {made.max_usd:g} dollars is none: give a number")
    for name, count, most in (
        ("calls", made.max_calls, 2**31),
        ("tokens", made.max_tokens, 2**63),
    ):
        if count is not None and count >= most:
            raise UserError(f"a limit of {count} {name} is too large")
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
        found = catalogue.resolve(ParticipantEntry(name=name))
        if len(found) != 1:
            raise ConfigurationError(f"'{name}' is not one participant: name them one by one.")
        # Only who is named here and now: the origin's row is no permission.
        settings = ServiceSettings.from_environment(self.environ)
        Allowed.of(settings.instance, self.environ).allow_all(found)
        return found[0]


def _submit(
    backend: Backend, plan: ForkPlan, documents: Mapping[str, bytes], watched_for_s: int
) -> str:
    """Store the fork and wake an orchestrator; its id. Durable when this returns."""
    fork = Fork(
        run=new_run_id(),
        origin=plan.origin,
        at=plan.at,
        title=plan.title,
        spec=plan.spec,
        root_task=str(uuid4()),
        steps=plan.steps,
        decisions=plan.decisions,
    )
    forked = backend.write(lambda connection: create_fork(connection, fork, documents))
    announce(backend, forked, watched_for_s)
    backend.signals.send(forked)
    return forked


# ---- what is told -------------------------------------------------------------------------------


def _show_plan(plan: ForkPlan, recording: Recording, terminal: Terminal, options: Options) -> int:
    if options.as_json:
        fork = {"from": recording.run.id, **plan_json(plan)}
        terminal.result(dumps({"schema_version": SCHEMA_VERSION, "fork": fork}))
    else:
        terminal.result(plan_lines(plan, plan.spec.language))
    return ExitCode.OK


def _leave_it(forked: str, plan: ForkPlan, terminal: Terminal, options: Options) -> int:
    if options.as_json:
        fork = {"from": plan.origin, **plan_json(plan)}
        content = {"schema_version": SCHEMA_VERSION, "run": {"id": forked}, "fork": fork}
        terminal.result(dumps(content))
    else:
        terminal.result(forked)
    return ExitCode.OK


def _wish(options: Options, plan: ForkPlan) -> Wish:
    return Wish(
        language=plan.spec.language,
        as_json=options.as_json,
        output=options.output,
        timeout_s=options.timeout,
        asks=options.decide in (None, "ask"),
        from_now=True,
    )
