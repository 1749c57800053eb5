"""`quorate schedule`: runs that start by themselves."""

from __future__ import annotations

import os
from pathlib import Path

import click

from orchestrator.cli.options import example, json_option
from orchestrator.cli.since import seconds_of
from shared.sentences import Sentence

ADD = (
    'quorate schedule add nightly --cron "0 3 * * MON-FRI" -- review --base HEAD~20 --fail-on major'
)
name_argument = click.argument("name", metavar="NAME")


@click.group(epilog=example(ADD, "quorate schedule list", "quorate schedule run nightly"))
def schedule() -> None:
    """Runs that start by themselves: each schedule is a command and its times.

    A process of its own starts them (`quorate up`, or `quorate scheduler` as a service), each time exactly once,
    however many of these processes there are (`quorate docs schedules`).
    """


def _jitter(_ctx: click.Context, _param: click.Parameter, typed: str | None) -> float:
    return 0.0 if typed is None else seconds_of("--jitter", typed, longest_s=86_400)


@schedule.command(
    "add",
    epilog=example(
        ADD,
        'quorate schedule add weekly --cron "30 8 * * MON" --timezone Asia/Seoul '
        "-- ask -f questions.txt",
    ),
)
@name_argument
@click.option(
    "--cron", required=True, metavar="EXPR", help="Minute, hour, day of month, month, day of week."
)
@click.option(
    "--timezone", default="UTC", metavar="ZONE", help="The times are of this time zone (UTC)."
)
@click.option(
    "--jitter",
    "jitter_s",
    metavar="DURATION",
    callback=_jitter,
    help="Start up to this much later, by a fixed draw for each time.",
)
@click.option(
    "--missed",
    type=click.Choice(["once", "skip"]),
    default="once",
    help="Times at which nothing could start: make up for them once, or skip them (once).",
)
@click.option(
    "--directory",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Where the command runs (here; through a service a folder of its machine).",
)
@click.option(
    "--any-host", is_flag=True, help="Any machine may start it: the folder is the same on all."
)
@click.option(
    "--project",
    metavar="NAME",
    help="The project whose tokens see it (that of the command's runs, as they are here).",
)
@click.option("--paused", is_flag=True, help="Add it paused.")
@click.argument("command", nargs=-1, metavar="-- COMMAND...", required=True)
def add(name: str, command: tuple[str, ...], directory: Path | None, **typed: object) -> int:
    """Start COMMAND, a workflow with its options, whenever EXPR says so.

    The command is checked now and runs in DIR each time: what it looks at is what is there then. It gets --no-wait,
    so results and decisions are in `quorate list` and `quorate inbox`. Exit code 2 for an expression that is wrong or
    never due, an unknown time zone, a name that is taken.
    """
    from orchestrator.cli.commands.schedule.entries import run_add

    return run_add(name, command, directory, typed, os.environ)


@schedule.command("list", epilog=example("quorate schedule list --json"))
@json_option
def list_(as_json: bool) -> int:
    """The schedules: when each is due, and what came of its last time."""
    from orchestrator.cli.commands.schedule.entries import run_list

    return run_list(os.environ, as_json=as_json)


@schedule.command("show", epilog=example("quorate schedule show nightly -n 50"))
@name_argument
@click.option(
    "-n", "limit", type=click.IntRange(1, 1000), default=20, metavar="N", help="How many (20)."
)
@json_option
def show(name: str, limit: int, as_json: bool) -> int:
    """A schedule and what came of its times, the newest first."""
    from orchestrator.cli.commands.schedule.entries import run_show

    return run_show(name, limit, os.environ, as_json=as_json)


@schedule.command(
    "run", epilog=example("quorate schedule run nightly", "quorate schedule run --due")
)
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--due", is_flag=True, help="Everything that is due now, as the scheduler does.")
def run(name: str | None, due: bool) -> int:
    """Start a schedule's run now, or with --due what is due: for a crontab or another trigger without our scheduler.

    Exit code 3 when a run could not be submitted.
    """
    from orchestrator.cli.commands.schedule.entries import run_now

    if due == (name is not None):
        raise click.UsageError(Sentence("either the name of a schedule, or --due"))
    return run_now(name, os.environ)


@schedule.command("pause", epilog=example("quorate schedule pause nightly"))
@name_argument
def pause(name: str) -> int:
    """Start nothing until it is resumed."""
    from orchestrator.cli.commands.schedule.entries import run_pause

    return run_pause(name, os.environ, paused=True)


@schedule.command("resume", epilog=example("quorate schedule resume nightly"))
@name_argument
def resume(name: str) -> int:
    """Go on from now; what was due meanwhile is not made up for."""
    from orchestrator.cli.commands.schedule.entries import run_pause

    return run_pause(name, os.environ, paused=False)


@schedule.command("rm", epilog=example("quorate schedule rm nightly"))
@name_argument
def rm(name: str) -> int:
    """Forget a schedule and its history; its runs stay."""
    from orchestrator.cli.commands.schedule.entries import run_rm

    return run_rm(name, os.environ)
