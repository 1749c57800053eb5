"""`quorate config`: the settings that hold here, where each comes from, whether they are right, and the presets."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from orchestrator.cli.options import config_option, example, json_option
from orchestrator.workflows import ROWS
from shared.sentences import Sentence


@click.group(epilog=example("quorate config show --sources", "quorate config check"))
def config() -> None:
    """The configuration of work in this directory (`quorate docs configuration`)."""


@config.command(
    "show", epilog=example("quorate config show", "quorate config show --sources --workflow panel")
)
@click.option("--sources", is_flag=True, help="Every key, with the file and line that set it.")
@click.option(
    "--workflow",
    type=click.Choice(sorted(row.name for row in ROWS if row.summary)),
    help="As this workflow sees it: a preset of another one is passed over.",
)
@click.option("--preset", metavar="NAME", help="On top of this preset.")
@config_option
@click.option("--trust-project", is_flag=True, help="Let the repository's own file set anything.")
@json_option
def show(as_json: bool, **typed: Any) -> int:
    """The settings that differ from the defaults, as a usable file. Nothing is started."""
    from orchestrator.cli.commands.config.showing import SettingsQuery, run_show

    return run_show(SettingsQuery(**typed), os.environ, as_json=as_json)


@config.command("presets", epilog=example("quorate config presets"))
@json_option
def presets(as_json: bool) -> int:
    """The presets by name: what each is for, and whose it is."""
    from orchestrator.cli.commands.config.showing import run_presets

    return run_presets(os.environ, as_json=as_json)


@config.command(
    "check",
    epilog=example(
        "quorate config check", "quorate config check .quorate.yaml", "quorate config check --reach"
    ),
)
@click.argument("file", required=False, type=click.Path(path_type=Path))
@config_option
@click.option(
    "--reach", is_flag=True, help="Also whether everybody who is named can be asked from here."
)
@json_option
def check(file: Path | None, config: Path | None, reach: bool, as_json: bool) -> int:
    """Check every configuration file that applies here, or FILE alone; nothing is started and nobody is called.

    Each problem names file, line, key and what to do. --reach also looks for keys, programs and servers on this
    machine. Exit code 0 when all is well, 2 when a file is wrong, 4 when only keys are missing.
    """
    if file is not None and config is not None:
        raise click.UsageError(Sentence("FILE and --config both name a file: leave one out"))
    from orchestrator.cli.commands.config.checking import run_check

    return run_check(file, config, os.environ, reach=reach, as_json=as_json)
