"""`quorate eval`: labelled cases through any panel, and what its findings are worth."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from orchestrator.cli.options import (
    config_option,
    example,
    in_this_order,
    json_option,
    language_option,
    quiet_option,
)
from orchestrator.cli.setting_options import key_option, setting_options
from orchestrator.cli.work_options import (
    check_estimate,
    no_wait_option,
    output_option,
    watch_limit_option,
)
from orchestrator.workflows.registry import workflow_of_everybody
from shared.models.findings import SEVERITY_ORDER

_inspecting = in_this_order(
    click.option(
        "--show",
        multiple=True,
        metavar="NAME",
        help="What an evaluation came to; twice: side by side.",
    ),
    click.option("--list", "listed", is_flag=True, help="The evaluations, newest first."),
    click.option("--history", is_flag=True, help="What people accepted of each participant here."),
    click.option("--cancel", metavar="NAME", help="End the runs of an evaluation."),
    click.option("--schema", is_flag=True, help="The JSON schema of the result."),
)
_reading = in_this_order(
    click.option("--cases", "every_case", is_flag=True, help="A line for every case, too."),
    click.option(
        "--first",
        type=click.IntRange(1),
        metavar="N",
        help="Count only the first N findings of a case.",
    ),
    click.option(
        "--least",
        type=click.Choice([severity.value for severity in SEVERITY_ORDER], case_sensitive=False),
        default="INFO",
        help="Count only findings at least this grave (INFO).",
    ),
)
_running = in_this_order(
    click.option(
        "--panel",
        "panels",
        multiple=True,
        metavar="NAMES",
        help="A panel, names with commas; repeat to compare.",
    ),
    click.option(
        "--preset",
        "presets",
        multiple=True,
        metavar="NAME",
        help="A preset as a panel; repeat to compare.",
    ),
    click.option("--name", metavar="NAME", help="What to call the evaluation."),
    click.option("--retry-failed", "retry", is_flag=True, help="Ask again what failed."),
    setting_options(workflow_of_everybody()),
    click.option(
        "--estimate", is_flag=True, help="Print the expected calls and cost; start nothing."
    ),
    key_option("budget.per_run_usd"),
    key_option("budget.per_run_calls"),
    key_option("privacy.allow_external"),
    config_option,
    click.option(
        "--trust-project", is_flag=True, help="Let the repository's own file set everything."
    ),
    no_wait_option,
    watch_limit_option,
)


@click.command(
    "eval",
    epilog=example(
        "quorate eval --panel ruff,bandit",
        "quorate eval cases.jsonl --preset security --preset code_review --estimate",
        "quorate eval cases.jsonl --panel claude --panel claude,gemini -o eval.md",
        "quorate eval --show last --cases --json",
        "quorate eval --history",
    ),
)
@click.argument("source", metavar="[FILE|DIR|-]", required=False)
@click.option("--builtin", metavar="NAME", help="A set of cases that ships with Quorate.")
@_running
@_inspecting
@_reading
@output_option
@json_option
@language_option
@quiet_option
def eval_(**typed: Any) -> int:
    """Measure panels on changes with labelled defects: precision, recall, calibration, cost per true finding.

    FILE holds a case a line as JSON (`quorate docs eval`); without one a small set that ships with Quorate is used.
    The same command goes on with what it began, and pays for nothing twice.
    """
    from orchestrator.cli.evaluation import EvalOptions, run_command  # the store and the engine

    check_estimate(typed["outputs"], estimate=typed["estimate"])
    return run_command(EvalOptions.taken(typed), typed, Path.cwd(), os.environ)
