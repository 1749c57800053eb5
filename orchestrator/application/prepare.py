"""Prepare a run: configuration, captured subject, panel, specification. Nothing is stored; the engine is not loaded."""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from orchestrator.application.alike import Alike
from orchestrator.application.capture import Captured, SubjectInput, capture_subject, locate_change
from orchestrator.application.captured_rules import with_captured_rules
from orchestrator.application.documents import DocumentCollector
from orchestrator.application.handed_reports import report_participants, reports_of
from orchestrator.application.mending import with_usable_file
from orchestrator.application.subject_input import ChangeInput, NoStandardInput, StandardInput
from orchestrator.core.parts import PROJECT, CastReport
from orchestrator.core.setting import settings_of
from orchestrator.participants.cast_limits import with_context_windows, with_turn_timeout
from orchestrator.participants.casting import Cast, build_cast
from orchestrator.participants.request import for_this_run, promised
from orchestrator.presentation.locale.translator import ToldNotice
from orchestrator.settings.languages import language_of
from orchestrator.settings.loading import (
    DEFAULT,
    Configuration,
    ProjectState,
    load_configuration,
)
from orchestrator.settings.options import budget, decision_policy, workflow_options
from orchestrator.settings.projects import Reviewed
from orchestrator.settings.prompt_files import captured_prompts
from orchestrator.settings.schema import Settings
from orchestrator.subjects.location import Located
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import WORKFLOWS, workflow_of_everybody
from shared.errors import ConfigurationError
from shared.models.notices import Notice, notice
from shared.models.panel import Panel, Participant
from shared.models.run import NEWEST_RULES, DecisionPolicy, RunSpec
from shared.providers.prices import expected_usd
from shared.store.projects import labels_of

ALLOW_EXTERNAL = "allow_external"
"""The option of a workflow whose texts stay here unless it is set, whatever `privacy.allow_external` says."""
NO_INPUT = NoStandardInput()


@dataclass(frozen=True)
class SubmissionRequest:
    """What to work on and how. None: the configuration says it; `settings` are its keys and outrank every file.

    `models` are those of this run where some were named. `options` are those of the workflow that no configuration has,
    `holders` who was named for a part. `turn_s` bounds every turn, whatever is configured for a participant.
    `unattended`: nobody is there to be asked, so a decision is answered with what leaves things as they are, unless the
    configuration says how it is made.
    """

    directory: Path
    workflow: str = field(default_factory=workflow_of_everybody)
    subject: SubjectInput = field(default_factory=ChangeInput)
    panel: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    holders: Mapping[str, str] = field(default_factory=dict)
    config: Path | None = None
    trust_project: bool = False
    reuse: bool = False
    batch: str | None = None
    settings: Mapping[str, JsonValue] = field(default_factory=dict)
    options: Mapping[str, JsonValue] = field(default_factory=dict)
    labels: Mapping[str, JsonValue] = field(default_factory=dict)
    unattended: bool = False
    turn_s: float | None = None

    @property
    def alike(self) -> str:
        """The same for all requests that differ in their subject and in options of the workflow only."""
        asked = replace(self, subject=ChangeInput(), options={})
        return repr(asked)


@dataclass(frozen=True)
class PreparedRun:
    """A run that is ready to be stored, with every document that it needs.

    `make_spec` wants the workflow's version: workflows are loaded later, while servers start. `notices` go into the
    run; `remarks` about the subject are for whoever submits it; `reports` are the files that it is written to, each
    with its format. `nothing` says why a change has no file at all.
    """

    make_spec: Callable[..., RunSpec]
    workflow: str
    panel: Panel
    title: str
    documents: Mapping[str, bytes]
    cast_report: CastReport
    language: str
    notices: tuple[Notice, ...] = ()
    remarks: tuple[Notice, ...] = ()
    reports: tuple[tuple[str, Path], ...] = ()
    nothing: Notice | None = None

    @property
    def is_change(self) -> bool:
        """Whether it is about a change, which may be empty."""
        return WORKFLOWS[self.workflow].subject is SubjectKind.CHANGE

    @property
    def cautions(self) -> tuple[Notice, ...]:
        return (*self.cast_report.warnings, *self.remarks)


def prepare_run(
    request: SubmissionRequest,
    environ: Mapping[str, str],
    stdin: StandardInput = NO_INPUT,
    alike: Alike | None = None,
) -> PreparedRun:
    """Everything that a run captures. Raises UserError, CredentialsRejected or EnvironmentFault; nothing is stored."""
    located = locate_change(request.subject, request.directory, environ)
    # A repository's own file may differ from change to change.
    alike = alike if alike is not None and located is None else Alike()
    asked = request.alike
    configuration = alike.once(lambda: configuration_of(request, environ, located), asked)
    documents = DocumentCollector()
    captured = capture_subject(
        request.subject,
        request.directory,
        configuration.settings,
        documents.put,
        environ,
        located=located,
        stdin=stdin,
        takes_own_change=partial(WORKFLOWS[request.workflow].takes_own_change, request.options),
    )
    handed = report_participants(
        reports_of(request.subject, request.directory, located),
        request.directory,
        located,
        documents.put,
    )
    configuration = _in_its_language(configuration, captured)
    language = language_of(configuration.settings.language)
    configuration, cast = alike.once(
        lambda: _with_cast(request, configuration, environ, captured, located, handed),
        asked,
        language,
        captured.paths,
        repr(handed),
    )
    _check_nobody_dropped(cast, request, configuration, environ, captured.paths, handed)
    cast = with_turn_timeout(cast, request.turn_s)
    cast = with_context_windows(cast, sum(map(len, documents.gathered.values())))
    options = with_captured_rules(
        _options(request, configuration, cast),
        configuration,
        _reviewed(located),
        captured.paths or (),
    )
    notices = _notices(request, configuration, cast)
    settings = configuration.settings
    templates = alike.once(
        lambda: _templates(request, language, configuration, environ), asked, language
    )
    make_spec = partial(
        _spec_maker(request, configuration),
        options=options.model_dump(mode="json"),
        language=language,
        subject=captured.document,
        prompts=documents.put(templates),
        panel=cast.panel,
        notices=notices,
        labels=labels_of(
            captured.labels, request.labels, batch=request.batch, project=settings.project
        ),
    )
    return PreparedRun(
        make_spec=make_spec,
        workflow=request.workflow,
        panel=cast.panel,
        title=captured.title,
        documents=documents.gathered,
        cast_report=cast.report,
        language=language,
        notices=notices,
        remarks=captured.notices,
        reports=_reports(settings, request.directory),
        nothing=captured.nothing,
    )


def _spec_maker(request: SubmissionRequest, configuration: Configuration) -> partial[RunSpec]:
    """What a specification has of the request and the configuration alone."""
    settings = configuration.settings
    return partial(
        RunSpec,
        rules_version=NEWEST_RULES,
        workflow=request.workflow,
        budget=budget(settings),
        decision=_decision(request, configuration),
        allow_external=settings.privacy.allow_external,
        allow_models=settings.privacy.allow_models,
        reuse=request.reuse,
        seed=secrets.token_hex(16),
    )


def _reports(settings: Settings, directory: Path) -> tuple[tuple[str, Path], ...]:
    """The files that a result is written to besides standard output, by their formats."""
    return tuple(
        (entry.format, directory / entry.path) for entry in settings.output if entry.path != "-"
    )


def _templates(
    request: SubmissionRequest,
    language: str,
    configuration: Configuration,
    environ: Mapping[str, str],
) -> bytes:
    texts = captured_prompts(request.workflow, language, configuration, environ)
    return json.dumps(texts, ensure_ascii=False, sort_keys=True).encode()


def configuration_of(
    request: SubmissionRequest,
    environ: Mapping[str, str],
    located: Located | None = None,
    *,
    project: ProjectState = ProjectState.BEFORE,
) -> Configuration:
    """What holds for a run. Raises ConfigurationError, or EnvironmentFault for a file without permission."""
    configuration = load_configuration(
        request.directory,
        environ,
        explicit=request.config,
        overrides={**request.settings, **promised(request.panel, environ)},
        trust_project=request.trust_project,
        workflow=request.workflow,
        reviewed=_reviewed(located),
        project=project,
    )
    return _kept_here(configuration, request.workflow)


def _kept_here(configuration: Configuration, workflow: str) -> Configuration:
    """The configuration of a run: where its workflow has a switch of its own, texts leave only with both."""
    described = WORKFLOWS[workflow]
    own = dict(settings_of(described.options)).get(ALLOW_EXTERNAL)
    if own is None or own.flag is None or configuration.settings.value(own.path(described.section)):
        return configuration
    key = own.path(described.section)
    return configuration.kept_here(
        f"a {workflow} stays on this machine until you type `{own.flag.spelling}` (or set {key}: true)"
    )


def _decision(request: SubmissionRequest, configuration: Configuration) -> DecisionPolicy:
    """How decisions are made: as somebody chose, else by asking whoever is there."""
    policy = decision_policy(configuration.settings, request.workflow)
    return leaving(policy, request.workflow, configuration) if request.unattended else policy


def leaving(policy: DecisionPolicy, workflow: str, configuration: Configuration) -> DecisionPolicy:
    """The policy where nobody can be asked: things stay as they are, unless the configuration says how to decide."""
    decisions = WORKFLOWS[workflow].decisions
    if configuration.source("decision.mode") != DEFAULT or not decisions:
        return policy
    return policy.model_copy(update={"mode": decisions[0].on_timeout})


def _with_cast(
    request: SubmissionRequest,
    configuration: Configuration,
    environ: Mapping[str, str],
    captured: Captured,
    located: Located | None,
    handed: tuple[Participant, ...],
) -> tuple[Configuration, Cast]:
    """Who takes part, and the configuration that says so."""
    return with_usable_file(
        configuration,
        lambda state: _in_its_language(
            configuration_of(request, environ, located, project=state), captured
        ),
        lambda chosen: _cast(request, chosen, environ, captured.paths, handed),
        request.directory,
        _reviewed(located),
    )


def _cast(
    request: SubmissionRequest,
    configuration: Configuration,
    environ: Mapping[str, str],
    paths: tuple[str, ...] | None,
    handed: tuple[Participant, ...],
) -> Cast:
    return build_cast(
        request.workflow,
        (*request.panel, *map(for_this_run, request.models)) or None,
        configuration,
        environ,
        request.directory,
        holders=request.holders,
        paths=paths,
        handed=handed,
        tell=ToldNotice,
    )


def _notices(
    request: SubmissionRequest, configuration: Configuration, cast: Cast
) -> tuple[Notice, ...]:
    """What must not be overlooked about the configuration of a run."""
    notices = [*configuration.notices]
    if configuration.leads is not None:
        name, where = configuration.leads
        leading = [part for part in WORKFLOWS[request.workflow].parts if PROJECT in part.keys]
        if any(cast.holders[part.name].name == name for part in leading):
            notices.append(notice("project_leads", where=where, name=name))
        else:
            notices.append(
                notice("project_kept_out", where=where, key="orchestrator.ai", why="roles")
            )
    where = configuration.joining_from
    if configuration.joining and _is_panel_named(request, configuration):
        notices.append(notice("project_passed_over", where=where))
    elif cast.report.joined:
        notices.append(notice("project_joins", where=where, names=cast.report.joined))
    return tuple(notices)


def _is_panel_named(request: SubmissionRequest, configuration: Configuration) -> bool:
    """Whether who takes part was typed."""
    return bool(request.panel or request.models or "participants" in configuration.typed)


def _reviewed(located: Located | None) -> Reviewed | None:
    """The change that is looked at, as the configuration wants to know it."""
    if located is None:
        return None
    comparison = located.comparison
    return Reviewed(located.repository, comparison.base, comparison.reviewed)


def _check_nobody_dropped(
    cast: Cast,
    request: SubmissionRequest,
    configuration: Configuration,
    environ: Mapping[str, str],
    paths: tuple[str, ...] | None,
    handed: tuple[Participant, ...],
) -> None:
    """Raise ConfigurationError when the repository's own file alone keeps somebody away: the user has to say so."""
    where = configuration.forbids_external
    if where is None:
        return
    whole = _cast(request, configuration.with_external(), environ, paths, handed)
    lost = [name for name in whole.everybody if name not in cast.everybody]
    if lost:
        raise ConfigurationError(
            "{where}: 'privacy.allow_external' of the repository's own file would leave out {lost}. "
            "Type --no-external to go without, or --trust-project if you trust this repository.",
            where=where,
            lost=", ".join(lost),
        )


def _in_its_language(configuration: Configuration, captured: Captured) -> Configuration:
    """The configuration with the run's language decided: as somebody chose, else as the subject is written."""
    settings = configuration.settings
    language = language_of(settings.language, captured.prose)
    return configuration.in_language(language)


def _options(request: SubmissionRequest, configuration: Configuration, cast: Cast) -> Any:
    """The workflow's options for this run.

    Those who join must not stand in for those who were to answer without them: a quorum grows by as many, and where it
    only counts answers it is more than half of those who take part without who joins, and all of these.
    """
    workflow = WORKFLOWS[request.workflow]
    given: dict[str, object] = {
        part.name: cast.holders.get(part.name) for part in workflow.parts if part.in_options
    }
    options = workflow_options(request.workflow, configuration.settings, **given, **request.options)
    options = workflow.run.settled(options, cast.panel, expected_usd)
    if workflow.quorum is None:
        return options
    joined, quorum = len(cast.report.joined), options.quorum
    if quorum is None and joined and workflow.counts_answers:
        quorum = (len(cast.panel.critics) - joined) // 2 + 1
    return options.model_copy(update={"quorum": None if quorum is None else quorum + joined})
