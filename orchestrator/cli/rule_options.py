"""The options that name rules of a discussion, for the commands that compute with others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

from orchestrator.cli.options import in_this_order

_SHARE = click.FloatRange(0, 1)
_OPTIONS = (
    click.option(
        "--detector",
        metavar="NAME",
        help="Which figures decide: stance, lexical, ... (review, plan).",
    ),
    click.option("--agreement", type=_SHARE, metavar="X", help="Agreement that is enough, 0 to 1."),
    click.option("--stability", type=_SHARE, metavar="X", help="Stability that is enough, 0 to 1."),
    click.option("--weights", metavar="A:S", help="Of agreement and stability in the score."),
    click.option("--quorum", type=click.IntRange(1), metavar="N", help="How many must answer."),
    click.option(
        "--consensus", type=_SHARE, metavar="X", help="Support that ballots need (forum, panel)."
    ),
    click.option(
        "--fail-on",
        type=click.Choice(["critical", "major", "minor", "info", "none"], case_sensitive=False),
        help="The gate (review, plan).",
    ),
    click.option("--rounds", type=click.IntRange(1), metavar="N", help="Rounds at most."),
    click.option(
        "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any option of the run."
    ),
)
NAMES = (
    "detector",
    "agreement",
    "stability",
    "weights",
    "quorum",
    "consensus",
    "fail_on",
    "rounds",
)


rule_options = in_this_order(*_OPTIONS)


def rules_typed(typed: Mapping[str, Any]) -> dict[str, str]:
    """What was typed of them, as `change_of` takes it. Raises click.UsageError for malformed weights."""
    given = {name: typed[name] for name in NAMES if typed.get(name) is not None}
    weights = given.pop("weights", None)
    rules = {name.replace("_", "-"): str(value) for name, value in given.items()}
    if weights is None:
        return rules
    parts = [part.strip() for part in weights.replace(",", ":").split(":")]
    if len(parts) != 2 or not all(parts):
        raise click.UsageError(f"--weights {weights}: expected A:S, as in 0.6:0.4")
    return {**rules, "agreement-weight": parts[0], "stability-weight": parts[1]}
