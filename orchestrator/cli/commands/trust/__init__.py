"""`quorate trust`: repositories whose own configuration file may set anything, like one's own."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.options import example, json_option

path_argument = click.argument(
    "path", required=False, type=click.Path(path_type=Path), metavar="[PATH]"
)


@click.group(epilog=example("quorate trust add", "quorate trust list", "quorate trust remove"))
def trust() -> None:
    """Trust a repository's own configuration file for good, instead of by --trust-project each time.

    What is trusted is one version of the file: when it sets something else, it is restricted again until you trust the
    new version. It is stored on this machine, for you alone (`quorate docs configuration`).
    """


@trust.command("add", epilog=example("quorate trust add", "quorate trust add ~/src/shop"))
@path_argument
def add(path: Path | None) -> int:
    """Trust the file of the repository at PATH (here) as it is committed, and show what it sets.

    Exit code 2 when there is none, when it is not valid, or when it names files of its repository.
    """
    from orchestrator.cli.commands.trust.entries import run_add

    return run_add(path or Path.cwd(), os.environ)


@trust.command("list", epilog=example("quorate trust list --json"))
@json_option
def list_(as_json: bool) -> int:
    """The files that are trusted, and whether each still is what was trusted."""
    from orchestrator.cli.commands.trust.entries import run_list

    return run_list(os.environ, as_json=as_json)


@trust.command("remove", epilog=example("quorate trust remove", "quorate trust remove ~/src/shop"))
@path_argument
def remove(path: Path | None) -> int:
    """Trust the repository at PATH (here) no longer. A folder that is gone is named as `list` shows it."""
    from orchestrator.cli.commands.trust.entries import run_remove

    return run_remove(path or Path.cwd(), os.environ)
