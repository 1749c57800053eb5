"""What may be asked for from elsewhere is less than what a person at the terminal may ask for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.application.batch_input import SUBMITTED, own_options
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.application.remote_requests import RemoteReach, is_open, stated_request
from orchestrator.application.subject_input import GivenChange, QuestionInput
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import NotAllowed, UserError

QUESTION = {"workflow": "ask", "input": {"text": "Is it?"}}
CHANGE = {"workflow": "review", "input": {"diff": "--- a\n"}}


def asked(here: Path, stated: dict[str, Any], *roots: Path) -> SubmissionRequest:
    return stated_request(stated, RemoteReach(here, roots), {"HOME": str(here)})


def test_a_question_and_a_diff_are_what_they_are_at_the_terminal(tmp_path: Path):
    question = asked(tmp_path, QUESTION)
    change = asked(tmp_path, {**CHANGE, "options": {"fail_on": "major", "rounds": 3}})
    assert question.subject == QuestionInput(("Is it?",), no_stdin=True)
    assert change.subject == GivenChange(b"--- a\n", {})
    assert change.settings == {"gate.fail_on": "major", "review.max_rounds": 3}
    assert not question.unattended


@pytest.mark.parametrize(
    ("stated", "told"),
    [
        ({**QUESTION, "options": {"providers": {}}}, "person at the terminal"),
        ({**QUESTION, "options": {"output": []}}, "person at the terminal"),
        ({**QUESTION, "options": {"mcp.decide": True}}, "person at the terminal"),
        ({**QUESTION, "options": {"privacy.may_send": ["*"]}}, "person at the terminal"),
        ({**QUESTION, "options": {"prompts": "/tmp"}}, "person at the terminal"),
        ({**QUESTION, "options": {"participants": ["scripted:/etc/passwd"]}}, "person at"),
        ({**QUESTION, "options": {"privacy.allow_external": True}}, "only be false"),
        ({**QUESTION, "options": {"preset": "/tmp/mine.yaml"}}, "not a file"),
        ({**QUESTION, "participants": ["scripted:/etc/passwd"]}, "no participant's name"),
        ({**QUESTION, "participants": ["ada=claude"]}, "no participant's name"),
        ({**QUESTION, "models": ["scripted:/etc/passwd"]}, "no model's name"),
        ({**QUESTION, "models": ["gpt@http://evil.example"]}, "no model's name"),
        ({**CHANGE, "options": {"tests": "rm -rf ~"}}, "person at the terminal"),
        ({**CHANGE, "options": {"apply": "always"}}, "options.apply"),
        ({**CHANGE, "options": {"decision.mode": "apply_fix"}}, "decided by a person"),
        ({"workflow": "ask", "input": {"file": "/etc/passwd"}}, "--allow-directory"),
        ({"workflow": "ask", "input": {"text": "?", "contexts": ["../x"]}}, "--allow-directory"),
        ({"workflow": "review", "input": {"diff_file": "a.diff"}}, "--allow-directory"),
        ({"workflow": "review", "input": {"revision": "HEAD"}}, "--allow-directory"),
        ({"workflow": "agent", "input": {"text": "do"}}, "--allow-directory"),
        ({"workflow": "case", "input": {"file": "a.json"}}, "--allow-directory"),
    ],
)
def test_what_only_a_person_at_the_terminal_may_ask_for_is_refused(
    tmp_path: Path, stated: dict[str, Any], told: str
):
    with pytest.raises(UserError, match=told):
        asked(tmp_path, stated)


def test_a_limit_is_lowered_and_never_raised(tmp_path: Path):
    (tmp_path / ".config/quorate").mkdir(parents=True)
    (tmp_path / ".config/quorate/config.yaml").write_text("budget:\n  per_run_usd: 2\n")
    lower = asked(tmp_path, {**QUESTION, "options": {"budget.per_run_usd": 1}})
    assert lower.settings == {"budget.per_run_usd": 1}
    for raised in (3, None):
        with pytest.raises(NotAllowed, match="can only be lowered"):
            asked(tmp_path, {**QUESTION, "options": {"budget.per_run_usd": raised}})


def test_a_folder_that_the_operator_opened_is_open_and_no_link_leads_out_of_it(tmp_path: Path):
    opened = tmp_path / "open"
    opened.mkdir()
    (opened / "question.md").write_text("Is it?")
    (opened / "way-out").symlink_to("/etc")
    inside = {"workflow": "ask", "input": {"file": "open/question.md"}}
    assert asked(tmp_path, inside, opened).subject.file == "open/question.md"  # type: ignore[union-attr]
    for path in ("open/../secret", "open/way-out/passwd", "/etc/passwd", "openly/x"):
        with pytest.raises(NotAllowed, match="below none"):
            asked(tmp_path, {"workflow": "ask", "input": {"file": path}}, opened)


def test_a_request_that_cannot_be_read_is_told_as_a_line_of_a_batch_is(tmp_path: Path):
    for wrong in ({"workflow": "ask"}, {"workflow": "aks", "input": {}}, {**QUESTION, "x": 1}):
        with pytest.raises(UserError) as raised:
            asked(tmp_path, wrong)
        assert not isinstance(raised.value, NotAllowed)


@pytest.mark.parametrize("workflow", SUBMITTED)
def test_no_command_and_no_release_of_texts_is_open(workflow: str):
    opened = [name for name in own_options(workflow) if is_open(workflow, name)]
    assert not {*WORKFLOWS[workflow].commands, "allow_external", "apply", "approval"} & {*opened}
