"""Help is quick, complete and imports nothing heavy."""

import resource
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import click
import pytest

from orchestrator.cli.main import cli
from orchestrator.cli.registry import COMMANDS
from orchestrator.core.formats import USUAL_SUFFIXES
from tests.fixtures.instance import CommandLine
from tests.support.snapshots import check_text

HEAVY = ("sqlalchemy", "psycopg", "redis", "celery", "kombu", "rich", "pydantic", "httpx", "yaml")
LIST_MODULES = "import sys; import orchestrator.cli.main; print(' '.join(sys.modules))"


def test_help_takes_less_than_three_tenths_of_a_second(quiet_home: CommandLine):
    """Processor time, so that a busy machine does not decide; on an idle one it is what a person waits."""
    times = []
    cold = replace(quiet_home, cold=True)
    for _ in range(5):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = cold("--help")
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        assert done.returncode == 0
        times.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(times) < 0.3


def test_the_script_imports_nothing_heavy_before_a_command_is_called():
    done = subprocess.run(
        [sys.executable, "-c", LIST_MODULES], capture_output=True, text=True, check=True
    )
    loaded = {name.partition(".")[0] for name in done.stdout.split()}
    assert not loaded & set(HEAVY)


def test_help_lists_every_command_that_is_not_hidden(quiet_home: CommandLine):
    text = quiet_home("--help").stdout
    for name, entry in COMMANDS.items():
        assert (f"  {name} " in text) is not entry.hidden


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_loaded_and_shows_an_example(name: str):
    context = click.Context(cli, info_name="quorate", **cli.context_settings)
    command = cli.get_command(context, name)
    assert command is not None
    text = command.get_help(click.Context(command, parent=context, info_name=name))
    assert "Example: quorate" in text or "Example: git diff" in text
    assert command.help


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_line_of_an_example_is_wrapped(name: str):
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert (command.epilog or "").startswith("\b\n")


@pytest.mark.parametrize("name", ["list", "inbox", "status", "doctor", "show", "review", "watch"])
def test_every_listing_and_result_can_be_json(name: str):
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    assert "--json" in {option for one in command.params for option in one.opts}


def test_the_version_is_one_line(quiet_home: CommandLine):
    done = quiet_home("--version")
    assert done.stdout.startswith("quorate 0.")
    assert done.stdout.count("\n") == 1


@pytest.mark.parametrize("name", ["ask", "forum", "plan", "panel", "decide"])
def test_the_help_of_a_deliberation_is_as_it_was_written_down(name: str):
    command = cli.get_command(click.Context(cli), name)
    assert command is not None
    group = click.Context(cli, info_name="quorate", **cli.context_settings)
    context = click.Context(command, parent=group, info_name=name, terminal_width=100)
    file = Path(__file__).parent / "snapshots" / f"help_{name}.txt"
    text = command.get_help(context).replace(USUAL_SUFFIXES, ".json, .md, .txt")
    check_text(file, f"{text}\n")
