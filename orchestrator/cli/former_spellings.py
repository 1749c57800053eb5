"""Commands and flags under the names that they had before: they work, are in no help, and say the new name once."""

from __future__ import annotations

from typing import Any

import click

from orchestrator.cli.error_handler import report
from orchestrator.cli.options import Decorator, Finite, in_this_order
from orchestrator.cli.reader import words_in
from orchestrator.core.setting import TIMEOUT, settings_of
from orchestrator.workflows import ROWS, WorkflowRow
from orchestrator.workflows.registry import WORKFLOWS
from shared.sentences import Sentence

ANSWER_TIMEOUT = "--answer-timeout"
_SWITCHED, _LIMIT = "switched_formerly", "limit_formerly"

answer_limit_option = click.option(
    ANSWER_TIMEOUT,
    "turn_s",
    type=Finite(0, min_open=True),
    metavar="S",
    help="Seconds per answer.",
)


def limited_formerly(workflow: str) -> str | None:
    """The field of the workflow that `--timeout` set before it meant in every command how long a run is watched."""
    settings = settings_of(WORKFLOWS[workflow].options)
    flags = ((name, setting.flag) for name, setting in settings if setting.flag is not None)
    return next((name for name, flag in flags if flag.formerly == TIMEOUT), None)


former_limit_option = click.option(
    TIMEOUT, _LIMIT, type=Finite(0, min_open=True), metavar="S", hidden=True
)


def former_switches(row: WorkflowRow) -> Decorator:
    """The flags that `row.flags` were."""
    if not row.former_flags:
        return in_this_order()
    return click.option(*row.former_flags, _SWITCHED, is_flag=True, hidden=True)


def take_former_switch(row: WorkflowRow, typed: dict[str, Any]) -> bool:
    """Whether the former flag was typed; it is no longer in `typed` then."""
    if not typed.pop(_SWITCHED, False):
        return False
    _tell(row.former_flags[0], row.flags[-1])
    return True


def tell_former_name(name: str | None) -> None:
    """Say how the command is called that was typed under a former name."""
    for row in ROWS:
        if name in row.former_names:
            _tell(f"quorate {name}", f"quorate {row.name}")


def move_former_limit(workflow: str, typed: dict[str, Any]) -> None:
    """What `--timeout` was meant for, under the name that it has now. Raises click.UsageError when both were typed."""
    seconds = typed.pop(_LIMIT, None)
    if seconds is None:
        return
    field = limited_formerly(workflow)
    flags = {name: setting.flag for name, setting in settings_of(WORKFLOWS[workflow].options)}
    flag = flags.get(field or "")
    name, new = (field, flag.spelling) if field and flag else ("turn_s", ANSWER_TIMEOUT)
    if typed.get(name) is not None:
        raise click.UsageError(
            Sentence(
                "{former} is the former name of {new}: type one of them", former=TIMEOUT, new=new
            )
        )
    typed[name] = seconds
    _tell(f"{TIMEOUT} of {workflow}", new)


def _tell(former: str, new: str) -> None:
    text = Sentence(
        "`{former}` is called `{new}` now (the former name still works)", former=former, new=new
    )
    report(words_in().sentence(text))
