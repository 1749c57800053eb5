"""`quorate participants`: who can take part."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.options import example, json_option


@click.group(invoke_without_command=True, epilog=example("quorate participants list"))
@click.pass_context
def participants(ctx: click.Context) -> int | None:
    """Who can take part in a review from here."""
    return None if ctx.invoked_subcommand else listed((), None, False)


@participants.command("list", epilog=example("quorate participants list --json"))
@click.option("--panel", multiple=True, metavar="NAMES", help="As in `quorate review --panel`.")
@click.option("--config", type=click.Path(path_type=Path), help="This configuration file.")
@json_option
def list_(panel: tuple[str, ...], config: Path | None, as_json: bool) -> int:
    """The panel that a review from this directory would have, and what to set for more."""
    return listed(panel, config, as_json)


def listed(panel: tuple[str, ...], config: Path | None, as_json: bool) -> int:
    """Print the panel."""
    from orchestrator.cli.terminal import Terminal
    from orchestrator.configuration.loading import load_configuration
    from orchestrator.configuration.panels import build_panel
    from orchestrator.views.json_report import SCHEMA_VERSION, dumps
    from orchestrator.views.lines import line
    from orchestrator.views.listings import participants as as_table

    directory = Path.cwd()
    configuration = load_configuration(directory, os.environ, explicit=config)
    found, report = build_panel(panel or None, configuration, os.environ, directory)
    terminal = Terminal.of(os.environ)
    if as_json:
        content = {
            "schema_version": SCHEMA_VERSION,
            "panel": found.model_dump(mode="json"),
            "warnings": list(report.warnings),
            "hints": list(report.hints),
        }
        terminal.result(dumps(content))
        return 0
    terminal.result(as_table(found))
    terminal.talk([line(text) for text in report.lines()[1:]])
    return 0
