"""`quorate agent modes` and `quorate agent trace`: commands of their own after the workflow's name."""

import json

import click
import pytest

from orchestrator.cli.main import cli
from orchestrator.workflows.agent.modes import AgentMode
from orchestrator.workflows.agent.transitions import TRANSITIONS


@pytest.mark.parametrize("typed", [["agent-modes"], ["agent", "modes"]])
def test_every_mode_is_listed_with_what_leads_on(typed, capsys):
    assert cli.main(typed, standalone_mode=False) == 0
    printed = capsys.readouterr().out
    assert all(mode.value in printed for mode in AgentMode)
    assert "code_complete [is_large_change] > multi_file_editing" in printed


def test_the_table_is_there_as_json(capsys):
    assert cli.main(["agent", "modes", "--json"], standalone_mode=False) == 0
    assert len(json.loads(capsys.readouterr().out)["transitions"]) == len(TRANSITIONS)


def test_a_mode_that_is_none_is_wrong_usage_and_starts_nothing():
    with pytest.raises(click.UsageError, match="context_navigation"):
        cli.main(["agent", "do it", "--mode", "nosuch"], standalone_mode=False)
