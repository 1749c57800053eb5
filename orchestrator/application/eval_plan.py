"""Plan an evaluation: every case prepared for every panel, before anything is stored or paid."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.application.preflight import RunEstimate, estimate_run
from orchestrator.application.prepare import PreparedRun, SubmissionRequest, prepare_run
from orchestrator.application.stated_change import with_change
from orchestrator.application.unasked import unasked_report
from orchestrator.core.findings.sameness import NEAR_LINES
from orchestrator.evaluation.cases import NumberedCase, refuse
from orchestrator.evaluation.result import DefinedCase, DefinedPanel, EvalDefinition
from orchestrator.presentation.locale.translator import ToldNotice
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import SubjectError, UserError
from shared.models.run import RunSpec
from shared.models.subject import Subject

DEFAULT_PANEL = "default"
_NOT_ASKED = {"seed", "labels", "watched", "notices", "cautions", "trusted"}
"""What of a specification is not part of the question: the same may be asked under another name, by somebody else."""


@dataclass(frozen=True)
class PanelChoice:
    """A panel to be measured: names that were typed, or a preset; with neither whoever is configured."""

    names: tuple[str, ...] = ()
    preset: str | None = None

    @property
    def title(self) -> str:
        """What it is called in the result."""
        return self.preset or ",".join(self.names) or DEFAULT_PANEL


@dataclass(frozen=True)
class EvalRequest:
    """Which cases, before which panels, and how: `submission` has everything else that a run is asked for with.

    `folder` is where paths within the cases begin, `stem` what the evaluation is called after when it has no `name`.
    """

    cases: tuple[NumberedCase, ...]
    panels: tuple[PanelChoice, ...]
    submission: SubmissionRequest
    folder: Path
    stem: str
    name: str | None = None


@dataclass(frozen=True)
class PlannedCase:
    """A run of the evaluation, and the key under which it is found."""

    case: str
    key: str
    prepared: PreparedRun


@dataclass(frozen=True)
class EvalPlan:
    """An evaluation that is ready to begin."""

    name: str
    definition: EvalDefinition
    runs: tuple[PlannedCase, ...]

    def estimates(self) -> Iterator[RunEstimate]:
        """What each run would take, identical ones once."""
        once = {run.key: run.prepared for run in self.runs}
        return map(estimate_run, once.values())


def plan_eval(request: EvalRequest, environ: Mapping[str, str]) -> EvalPlan:
    """Prepare every case for every panel; nothing is stored.

    Raises UserError that names each case which cannot be prepared, and what else keeps a run from being prepared.
    """
    _check_panels(request.panels)
    runs: list[PlannedCase] = []
    panels: list[DefinedPanel] = []
    for panel in request.panels:
        planned = [*_planned(request, panel, environ)]
        runs += planned
        panels.append(
            DefinedPanel(
                name=panel.title,
                participants=_participants(planned),
                keys=tuple(run.key for run in planned),
            )
        )
    definition = EvalDefinition(
        workflow=request.submission.workflow,
        cases=tuple(
            DefinedCase(custom_id=each.case.custom_id, expected=each.case.expected)
            for each in request.cases
        ),
        panels=tuple(panels),
    )
    return EvalPlan(request.name or _name(request.stem, definition), definition, tuple(runs))


def _check_panels(panels: Sequence[PanelChoice]) -> None:
    titles = [panel.title for panel in panels]
    doubled = next((title for title in titles if titles.count(title) > 1), None)
    if doubled is not None:
        raise UserError(
            "the panel {doubled} is named twice: name two different ones to compare them",
            doubled=doubled,
        )


def _name(stem: str, definition: EvalDefinition) -> str:
    """The same for the same cases, labels and panels: the same command finds what it began."""
    content = definition.model_dump_json().encode()
    return f"{stem}-{hashlib.sha256(content).hexdigest()[:8]}"


def _participants(planned: Sequence[PlannedCase]) -> tuple[str, ...]:
    """Who raises findings in any of the runs."""
    names = (critic.name for run in planned for critic in run.prepared.panel.critics)
    return tuple(dict.fromkeys(names))


def _planned(
    request: EvalRequest, panel: PanelChoice, environ: Mapping[str, str]
) -> Iterator[PlannedCase]:
    faults: list[str] = []
    for each in request.cases:
        try:
            prepared = prepare_run(_submission(request, panel, each), environ)
            _require_something(prepared)
        except SubjectError as error:
            faults.append(f"{each.where}: {error}")
            continue
        faults += _labels_outside_change(each, prepared)
        yield PlannedCase(each.case.custom_id, case_key(prepared), prepared)
    refuse(faults)


def _require_something(prepared: PreparedRun) -> None:
    report = unasked_report(prepared)
    if report is not None and report.not_asked is not None:
        raise SubjectError("Nothing to review: {why}", why=ToldNotice(report.not_asked))


def _submission(
    request: EvalRequest, panel: PanelChoice, numbered: NumberedCase
) -> SubmissionRequest:
    submission, case = request.submission, numbered.case
    # Nobody is asked and nothing is applied: what leaves things as they are is answered at once.
    silence = WORKFLOWS[submission.workflow].decisions[0].on_timeout
    preset = {} if panel.preset is None else {"preset": panel.preset}
    asked = replace(
        submission,
        panel=panel.names,
        settings={**submission.settings, **preset, "decision.mode": silence},
    )
    return with_change(asked, case, request.folder)


def _labels_outside_change(numbered: NumberedCase, prepared: PreparedRun) -> Iterator[str]:
    """Labels about files that the change does not touch, or lines that these do not have: nobody could find them."""
    spec = prepared.make_spec(workflow_version=0)
    subject = Subject.model_validate_json(prepared.documents[spec.subject])
    files = {file.path: file for file in subject.files}
    for number, label in enumerate(numbered.case.expected):
        if label.path is None:
            continue
        where = f"{numbered.where}: labels.{number}"
        file = files.get(label.path)
        if file is None:
            known = ", ".join(sorted(files)[:5])
            yield f"{where}: the change does not touch {label.path} (it touches {known})"
        elif label.line is not None and file.after is not None:
            lines = len(prepared.documents[file.after].splitlines())
            if label.line > lines + NEAR_LINES:  # what is missing at the end may be named behind it
                yield f"{where}: line {label.line} is beyond the end of {label.path} ({lines})"


def case_key(prepared: PreparedRun) -> str:
    """What is asked and of whom, as a key: the same run answers it whenever it is asked again."""
    version = WORKFLOWS[prepared.workflow].version
    return f"eval:{question_key(prepared.make_spec(workflow_version=version))}"


def question_key(spec: RunSpec) -> str:
    """The same for specifications that ask the same of the same participants."""
    content = spec.model_dump(mode="json", exclude=_NOT_ASKED)
    whole = json.dumps(content, sort_keys=True, ensure_ascii=False).encode()
    return hashlib.sha256(whole).hexdigest()[:40]
