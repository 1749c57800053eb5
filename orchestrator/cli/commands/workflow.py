"""The commands that submit a run: `quorate review`, `quorate ask` (which is `quorate "question"` too) and the others.

Everything in them follows from the workflow's descriptor and its row.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from orchestrator.application.subject_input import CaseSource
from orchestrator.cli.default_command import IMPLICIT, require_question, require_subject
from orchestrator.cli.elsewhere import server_of
from orchestrator.cli.former_spellings import (
    answer_limit_option,
    former_limit_option,
    former_switches,
    limited_formerly,
    tell_former_name,
)
from orchestrator.cli.options import Decorator, example, findings_options, in_this_order
from orchestrator.cli.registry import COMMANDS, DISCUSSIONS
from orchestrator.cli.setting_options import (
    cast_options,
    decide_option,
    holder_options,
    key_option,
    setting_options,
    submission_options,
)
from orchestrator.cli.subject_options import OTHER, SUBJECTS
from orchestrator.cli.work_options import since_run_option, watch_limit_option
from orchestrator.core.setting import settings_of
from orchestrator.settings.schema import KEYS
from orchestrator.workflows import DEFAULT
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import WORKFLOWS


def __getattr__(name: str) -> click.Command:
    """The command of the workflow of that name. Raises AttributeError where there is none."""
    if name not in WORKFLOWS:
        raise AttributeError(name)
    described = WORKFLOWS[name]

    def submit(**typed: Any) -> int:
        return submit_typed(name, typed)

    command = click.command(
        name, help=described.help or COMMANDS[name].help, epilog=example(*described.examples)
    )
    return command(in_this_order(*_options(name))(submit))


def _options(name: str) -> list[Decorator]:
    described = WORKFLOWS[name]
    options = [SUBJECTS[described.subject][1]]
    options += [since_run_option] if described.subject is SubjectKind.CHANGE else []
    if name == DEFAULT and OTHER is not None:
        switch = click.option(*OTHER.flags, "switched", is_flag=True, help=OTHER.flags_help)
        options += [switch, former_switches(OTHER), setting_options(name)]
        options += [setting_options(OTHER.name)]
        options += [holder_options(OTHER.name)]
    else:
        options += [setting_options(name), holder_options(name)]
    options += [decide_option(name)] if described.decisions else []
    options += [key_option(key) for key in _gate_keys(name)]
    options += [findings_options] if described.finds else []
    had_its_own = any(limited_formerly(other) is not None for other in _together(name))
    options += [answer_limit_option, former_limit_option] if had_its_own else [watch_limit_option]
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


def submit_typed(name: str, typed: dict[str, Any]) -> int:
    """Submit a run of the workflow with what was typed; the exit code."""
    from orchestrator.cli.submission import holding
    from orchestrator.cli.typed_runs import read_typed
    from orchestrator.presentation.exit_code import ExitCode

    ctx = click.get_current_context()
    tell_former_name(ctx.info_name)
    known = [name for name, entry in COMMANDS.items() if not entry.hidden]
    if ctx.meta.get(IMPLICIT, False):
        require_question(ctx, typed["words"], COMMANDS)
    if ctx.info_name in DISCUSSIONS:
        require_subject(ctx, typed["words"], known)
    run = read_typed(name, typed, Path.cwd())
    with holding(run.options.lock, os.environ) as may_start:
        if not may_start:
            return ExitCode.CONFLICT
        request = run.request
        if run.since is not None:
            from orchestrator.cli.new_commits import only_new_commits

            request = only_new_commits(request, os.environ, quiet=run.output.quiet)
        return _submission_of(run.subject)(request, run.options, run.output, os.environ)


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
