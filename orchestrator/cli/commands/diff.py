"""`quorate diff`: what differs between two runs."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, json_option, language_option


@click.command(
    epilog=example(
        "quorate diff r3k last", "quorate diff r3k r7m --json | jq '.findings[].changed'"
    )
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="[B]", default="last")
@json_option
@language_option
def diff(first: str, second: str, as_json: bool, language: str | None) -> int:
    """What differs between the runs A and B (default: the newest): options, rounds, findings, verdict, cost.

    The same defect in both is one row. Exit code 1 when verdict or findings differ, 0 when not.
    """
    from orchestrator.cli.comparing import run_diff

    return run_diff(first, second, os.environ, as_json=as_json, language=language)
