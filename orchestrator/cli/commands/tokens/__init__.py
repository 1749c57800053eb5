"""`quorate tokens`: who may use the HTTP service."""

from __future__ import annotations

import os

import click

from orchestrator.cli.options import example, json_option
from shared.models.roles import Role

ADD = "quorate tokens add ci --role submitter --expires 90d"
name_argument = click.argument("name", metavar="NAME")


@click.group(epilog=example(ADD, "quorate tokens list", "quorate tokens rm ci"))
def tokens() -> None:
    """Who may use `quorate serve`, as what, and until when (`quorate docs api`)."""


@tokens.command("add", epilog=example(ADD, "quorate tokens add ada --role decider"))
@name_argument
@click.option(
    "--role",
    required=True,
    type=click.Choice([role.value for role in Role]),
    help="viewer reads, submitter starts runs, decider answers too, operator does everything.",
)
@click.option("--expires", metavar="DURATION", help="After 90d, 12h, 30m (never).")
@click.option(
    "--project",
    "projects",
    multiple=True,
    metavar="NAME",
    help="Sees the runs of this project only; repeat for several (all).",
)
@json_option
def add(name: str, role: str, expires: str | None, projects: tuple[str, ...], as_json: bool) -> int:
    """Make a token and print it. It is never shown again: only its hash is stored.

    NAME is what answers, cancellations and this list call its holder. Exit code 2 for a name that is taken.
    """
    from orchestrator.cli.commands.tokens.entries import run_add

    return run_add(name, Role(role), expires, projects, os.environ, as_json=as_json)


@tokens.command("list", epilog=example("quorate tokens list --json"))
@json_option
def list_(as_json: bool) -> int:
    """The tokens by name: role, expiry, last use. Nobody can read the tokens themselves."""
    from orchestrator.cli.commands.tokens.entries import run_list

    return run_list(os.environ, as_json=as_json)


@tokens.command("rm", epilog=example("quorate tokens rm ci"))
@name_argument
def rm(name: str) -> int:
    """Withdraw a token: the next request with it is refused."""
    from orchestrator.cli.commands.tokens.entries import run_rm

    return run_rm(name, os.environ)
