"""The commands that submit a run: `quorate review`, `quorate ask` (which is `quorate "question"` too) and the others.

Everything in them follows from the workflow's descriptor and its row.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

from orchestrator.application.subject_input import CaseSource, ChangeInput, QuestionInput, TaskInput
from orchestrator.cli.default_command import IMPLICIT, require_question, require_subject
from orchestrator.cli.elsewhere import refuse_elsewhere, server_of
from orchestrator.cli.options import (
    Decorator,
    case_options,
    change_options,
    check_estimate,
    example,
    findings_options,
    in_this_order,
    question_options,
    since_run_option,
    take,
    task_options,
    watch_limit_option,
)
from orchestrator.cli.registry import COMMANDS, DISCUSSIONS
from orchestrator.cli.setting_options import (
    cast_options,
    decide_option,
    flags_of,
    holder_options,
    key_option,
    setting_options,
    submission_options,
)
from orchestrator.core.setting import TIMEOUT, settings_of
from orchestrator.settings.schema import KEYS
from orchestrator.workflows import DEFAULT, ROWS, WorkflowRow
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import WORKFLOWS

_SUBJECTS: Mapping[SubjectKind, tuple[type[Any], Decorator]] = {
    SubjectKind.CHANGE: (ChangeInput, change_options),
    SubjectKind.QUESTION: (QuestionInput, question_options),
    SubjectKind.CASE: (CaseSource, case_options),
    SubjectKind.TASK: (TaskInput, task_options),
}
"""What a command is given for each kind of subject, and the options that it is typed with."""
OTHER: WorkflowRow | None = next((row for row in ROWS if row.flags), None)
"""The workflow that takes over a question for the default one when its flag is typed."""


def __getattr__(name: str) -> click.Command:
    """The command of the workflow of that name. Raises AttributeError where there is none."""
    if name not in WORKFLOWS:
        raise AttributeError(name)
    described = WORKFLOWS[name]

    def submit(**typed: Any) -> int:
        return submit_typed(_chosen(typed) if name == DEFAULT else name, typed)

    command = click.command(
        name, help=described.help or COMMANDS[name].help, epilog=example(*described.examples)
    )
    return command(in_this_order(*_options(name))(submit))


def _options(name: str) -> list[Decorator]:
    described = WORKFLOWS[name]
    options = [_SUBJECTS[described.subject][1]]
    options += [since_run_option] if described.subject is SubjectKind.CHANGE else []
    if name == DEFAULT and OTHER is not None:
        switch = click.option(*OTHER.flags, "switched", is_flag=True, help=OTHER.flags_help)
        options += [switch, setting_options(name), setting_options(OTHER.name)]
        options += [holder_options(OTHER.name)]
    else:
        options += [setting_options(name), holder_options(name)]
    options += [decide_option(name)] if described.decisions else []
    options += [key_option(key) for key in _gate_keys(name)]
    options += [findings_options] if described.finds else []
    own_timeout = any(TIMEOUT in flags_of(other).values() for other in _together(name))
    options += [] if own_timeout else [watch_limit_option]
    return [*options, cast_options, submission_options]


def _gate_keys(name: str) -> list[str]:
    """What the gate of a workflow is set by, as far as flags do that."""
    keys = (setting.key for _, setting in settings_of(WORKFLOWS[name].options))
    return [
        key
        for key in keys
        if key is not None and key.startswith("gate.") and KEYS[key].setting.flag is not None
    ]


def _together(name: str) -> tuple[str, ...]:
    return (name,) if name != DEFAULT or OTHER is None else (name, OTHER.name)


def _chosen(typed: dict[str, Any]) -> str:
    """The workflow that a question is meant for. Raises UsageError for options of the one that is not."""
    if OTHER is None:
        return DEFAULT
    chosen, other = (OTHER.name, DEFAULT) if typed.pop("switched") else (DEFAULT, OTHER.name)
    others = flags_of(other)
    for field in [field for field, flag in others.items() if flag == TIMEOUT]:
        # Where nothing goes on and on, it is an answer that is bounded.
        typed["turn_s"] = typed.pop(field)
    foreign = [flag for field, flag in others.items() if typed.get(field) is not None]
    if foreign:
        switch = OTHER.flags[-1]
        ending = f"only with {switch}" if chosen == DEFAULT else f"{switch} has none"
        raise click.UsageError(f"{', '.join(foreign)}: {ending}")
    return chosen


def submit_typed(workflow: str, typed: dict[str, Any]) -> int:
    """Submit a run of the workflow with what was typed; the exit code."""
    from orchestrator.cli.results import OutputOptions
    from orchestrator.cli.submission import (
        SubmissionOptions,
        holding,
        typed_request,
    )
    from orchestrator.presentation.exit_code import ExitCode

    ctx = click.get_current_context()
    known = [name for name, entry in COMMANDS.items() if not entry.hidden]
    if ctx.meta.get(IMPLICIT, False):
        require_question(ctx, typed["words"], COMMANDS)
    if ctx.info_name in DISCUSSIONS:
        require_subject(ctx, typed["words"], known)
    kind, _ = _SUBJECTS[WORKFLOWS[workflow].subject]
    subject: ChangeInput | QuestionInput | CaseSource | TaskInput = take(kind, typed)
    check_estimate(typed["outputs"], estimate=typed["estimate"])
    options, output = take(SubmissionOptions, typed), take(OutputOptions, typed)
    since = typed.pop("since", None)
    if since is not None and subject != ChangeInput():
        raise click.UsageError("--since names the change: leave out paths, revisions and --staged")
    request = typed_request(workflow, subject, options, Path.cwd(), typed, output.language)
    with holding(options.lock, os.environ) as may_start:
        if not may_start:
            return ExitCode.CONFLICT
        if since is not None:
            from orchestrator.cli.new_commits import only_new_commits

            refuse_elsewhere(f"{workflow} --since")
            request = only_new_commits(request, os.environ, quiet=output.quiet)
        return _submission_of(subject)(request, options, output, os.environ)


def _submission_of(subject: object) -> Callable[..., int]:
    """What submits a request: to the service that is named, else to the servers here."""
    if server_of(os.environ) is not None:
        from orchestrator.cli.remote_submission import run_remotely

        return run_remotely
    if isinstance(subject, CaseSource):
        from orchestrator.cli.case_submission import run_cases

        return run_cases
    from orchestrator.cli.submission import run_submission

    return run_submission
