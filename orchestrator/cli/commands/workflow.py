"""The command of a workflow that has no file of its own here: everything in it follows from its descriptor."""

from __future__ import annotations

from typing import Any

import click

from orchestrator.cli.commands.ask import put_question
from orchestrator.cli.options import (
    findings_options,
    in_this_order,
    question_options,
    watch_limit_option,
)
from orchestrator.cli.registry import COMMANDS
from orchestrator.cli.setting_options import (
    cast_options,
    decide_option,
    key_option,
    setting_options,
    submission_options,
)
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import WORKFLOWS


def __getattr__(name: str) -> click.Command:
    """The command of the workflow of that name. Raises AttributeError where there is none about a question."""
    described = WORKFLOWS.get(name)
    if described is None or described.subject is not SubjectKind.QUESTION:
        raise AttributeError(name)
    options = [question_options, setting_options(name)]
    options += [decide_option(name)] if described.decisions else []
    options += [key_option("gate.fail_on"), findings_options] if described.finds else []
    options += [watch_limit_option, cast_options, submission_options]

    def submit(**typed: Any) -> int:
        return put_question(name, typed)

    return click.command(name, help=COMMANDS[name].help)(in_this_order(*options)(submit))
