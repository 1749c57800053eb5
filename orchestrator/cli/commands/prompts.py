"""`quorate prompts`: what participants are told, and whose words they are."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.options import example, json_option

workflow_option = click.option("--workflow", metavar="NAME", help="Only this workflow's.")
language_option = click.option(
    "--lang", "language", type=click.Choice(["en", "ko"]), help="Only this language's."
)
config_option = click.option(
    "--config", type=click.Path(path_type=Path), help="This configuration file."
)


@click.group(epilog=example("quorate prompts list --workflow ask"))
def prompts() -> None:
    """The prompts, and how to have your own: docs/design/prompts.md."""


@prompts.command("list", epilog=example("quorate prompts list --workflow forum --lang ko"))
@workflow_option
@language_option
@config_option
@json_option
def list_(workflow: str | None, language: str | None, config: Path | None, as_json: bool) -> int:
    """What there is: workflow, language, name, the blanks that are filled in, and whose it is.

    Exit code 2 when a file of yours cannot be used; each problem is named.
    """
    from orchestrator.cli.prompt_listing import Selection, run_list

    return run_list(Selection(workflow, language, config), os.environ, as_json=as_json)


@prompts.command("show", epilog=example("quorate prompts show ask/synthesis --lang en"))
@click.argument("name", metavar="NAME")
@workflow_option
@language_option
@click.option("--built-in", is_flag=True, help="Ours, even where you have your own.")
@config_option
@json_option
def show(
    name: str,
    workflow: str | None,
    language: str | None,
    built_in: bool,
    config: Path | None,
    as_json: bool,
) -> int:
    """One prompt's text, as a run would take it: NAME, or WORKFLOW/NAME where several have that name."""
    from orchestrator.cli.prompt_listing import Selection, run_show

    chosen = Selection(workflow, language, config, built_in)
    return run_show(name, chosen, os.environ, as_json=as_json)
