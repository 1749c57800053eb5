"""`quorate config`: the settings that hold here, where each comes from, and the presets."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.options import example, json_option

config_option = click.option(
    "--config", type=click.Path(path_type=Path), help="This configuration file."
)


@click.group(epilog=example("quorate config show --sources"))
def config() -> None:
    """The configuration of work in this directory (docs/configuration.md)."""


@config.command(
    "show", epilog=example("quorate config show", "quorate config show --sources --workflow panel")
)
@click.option("--sources", is_flag=True, help="Every key, with the file and line that set it.")
@click.option(
    "--workflow",
    type=click.Choice(["ask", "forum", "panel", "plan", "review"]),
    help="As this workflow sees it: a preset of another one is passed over.",
)
@click.option("--preset", metavar="NAME", help="With this preset below it.")
@config_option
@click.option("--trust-project", is_flag=True, help="Let the repository's own file set anything.")
@json_option
def show(
    sources: bool,
    workflow: str | None,
    preset: str | None,
    config: Path | None,
    trust_project: bool,
    as_json: bool,
) -> int:
    """The settings that are no default, as a file that could be used. Nothing is started."""
    from orchestrator.cli.config_showing import Shown, run_show

    shown = Shown(sources, workflow, preset, config, trust_project)
    return run_show(shown, os.environ, as_json=as_json)


@config.command("presets", epilog=example("quorate config presets"))
@json_option
def presets(as_json: bool) -> int:
    """The presets by name: what each is for, and whose it is."""
    from orchestrator.cli.config_showing import run_presets

    return run_presets(os.environ, as_json=as_json)
