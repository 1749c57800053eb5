"""`quorate plan`: a plan is written, challenged, and revised or accepted."""

from __future__ import annotations

from typing import Any

import click

from orchestrator.cli.commands.ask import put_question
from orchestrator.cli.options import (
    example,
    findings_options,
    question_options,
    watch_limit_option,
)
from orchestrator.cli.setting_options import (
    cast_options,
    decide_option,
    key_option,
    setting_options,
    submission_options,
)


@click.command(
    epilog=example(
        'quorate plan "Move the shop to the new server" --context docs/shop.md',
        "quorate plan --given --file PLAN.md --strategy perspectives --decide accept",
        "quorate plan --given --file PLAN.md --decide accept --fail-on major    (in CI)",
        'quorate decide last revise -m "keep the old server for a week"',
    )
)
@question_options
@setting_options("plan")
@decide_option("plan")
@key_option("gate.fail_on")
@findings_options
@watch_limit_option
@cast_options
@submission_options
def plan(**typed: Any) -> int:
    """Let a panel challenge a plan; a person revises or accepts it.

    TEXT is the task, and the planner writes the plan; with --given it is the plan. An open decision ends
    with exit code 8: `quorate decide RUN revise|accept` answers it. Otherwise the code is 0, or what --fail-on says.
    """
    return put_question("plan", typed)
