"""`quorate replay`: a stored run under its own rules, or under others."""

from __future__ import annotations

import os
from typing import Any

import click

from orchestrator.cli.options import example, json_option, language_option, run_argument
from orchestrator.cli.rule_options import rule_options, rules_typed


@click.command(
    epilog=example(
        "quorate replay last                    (is it computed as it is stored?)",
        "quorate replay last --agreement 0.5 --rounds 2",
        "quorate replay last --detector lexical --json | jq .variants[0].would_be.ending",
        "quorate replay last --sweep agreement=0.5:0.9:0.1 --sweep detector=stance,lexical",
        "quorate replay last --set thresholds.stalled_stability=0.1",
    )
)
@run_argument
@rule_options
@click.option(
    "--sweep",
    "sweeps",
    multiple=True,
    metavar="NAME=VALUES",
    help="One row a value: START:STOP:STEP, or values with commas.",
)
@json_option
@language_option
def replay(
    run: str,
    settings: tuple[str, ...],
    sweeps: tuple[str, ...],
    as_json: bool,
    language: str | None,
    **typed: Any,
) -> int:
    """What RUN would have come to under other rules, on the turns that are stored. Nobody is asked.

    Without options: is everything computed as it is stored? Exit code 1 when not.
    """
    from orchestrator.cli.replaying import Options, run_replay

    options = Options(rules_typed(typed), settings, sweeps, as_json, language)
    return run_replay(run, options, os.environ)
