"""`quorate init`: a commented configuration for what is found here."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, json_option


@click.command(epilog=example("quorate init", "quorate init --user", "quorate init --print"))
@click.option("--user", is_flag=True, help="Write your own file instead of the repository's.")
@click.option("--print", "only_print", is_flag=True, help="Print the file; write nothing.")
@click.option("--force", is_flag=True, help="Replace a file that is there.")
@json_option
def init(user: bool, only_print: bool, force: bool, as_json: bool) -> int:
    """Write a commented configuration for what is found here: keys, programs, a local Ollama, languages, analysers.

    In a repository it is the repository's .quorate.yaml, elsewhere and with --user your own file. A file that is there
    is replaced only by --force, or when you say so at the terminal; exit code 2 otherwise. Nobody is called.
    """
    from orchestrator.cli.commands.init.writing import run_init

    return run_init(os.environ, user=user, only_print=only_print, force=force, as_json=as_json)
