"""What was typed for a run, read: about what, with which settings, and how its result is wanted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import click

from orchestrator.application.prepare import SubmissionRequest
from orchestrator.application.subject_input import ChangeInput
from orchestrator.cli.former_spellings import move_former_limit, take_former_switch
from orchestrator.cli.options import take
from orchestrator.cli.results import OutputOptions
from orchestrator.cli.setting_options import flags_of
from orchestrator.cli.subject_options import OTHER, SUBJECTS, TypedSubject
from orchestrator.cli.submission import SubmissionOptions, typed_request
from orchestrator.cli.work_options import check_estimate
from orchestrator.workflows import DEFAULT
from orchestrator.workflows.registry import WORKFLOWS
from shared.sentences import Sentence


@dataclass(frozen=True)
class TypedRun:
    """A run as it was typed. `since`: only what came since the last one."""

    request: SubmissionRequest
    subject: TypedSubject
    options: SubmissionOptions
    output: OutputOptions
    since: str | None = None


def read_typed(name: str, typed: dict[str, Any], directory: Path) -> TypedRun:
    """What was typed after the command of a workflow. Raises click.UsageError."""
    workflow = _chosen(typed) if name == DEFAULT else name
    move_former_limit(workflow, typed)
    kind, _ = SUBJECTS[WORKFLOWS[workflow].subject]
    subject: TypedSubject = take(kind, typed)
    if isinstance(subject, ChangeInput):
        subject = subject.as_meant
    check_estimate(typed["outputs"], estimate=typed["estimate"])
    options, output = take(SubmissionOptions, typed), take(OutputOptions, typed)
    since = typed.pop("since", None)
    if since is not None and not _names_no_change(subject):
        raise click.UsageError(
            Sentence("--since names the change: leave out paths, revisions and --staged")
        )
    request = typed_request(workflow, subject, options, directory, typed, output.language)
    return TypedRun(request, subject, options, output, since)


def _names_no_change(subject: TypedSubject) -> bool:
    return isinstance(subject, ChangeInput) and replace(subject, linter_reports=()) == ChangeInput()


def _chosen(typed: dict[str, Any]) -> str:
    """The workflow that a question is meant for. Raises UsageError for options of the one that is not."""
    if OTHER is None:
        return DEFAULT
    formerly = take_former_switch(OTHER, typed)
    switched = typed.pop("switched") or formerly
    chosen, other = (OTHER.name, DEFAULT) if switched else (DEFAULT, OTHER.name)
    others = flags_of(other)
    foreign = [flag for field, flag in others.items() if typed.get(field) is not None]
    if foreign:
        switch = OTHER.flags[-1]
        ending = (
            Sentence("only with {switch}", switch=switch)
            if chosen == DEFAULT
            else Sentence("{switch} has none", switch=switch)
        )
        raise click.UsageError(Sentence("{options}: {why}", options=", ".join(foreign), why=ending))
    return chosen
