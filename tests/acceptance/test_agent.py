"""An agent through the real command line and workers: a change approved, tested, reviewed, committed and taken back."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from orchestrator.presentation.exit_code import ExitCode
from tests.fixtures.instance import CommandLine
from tests.workers.tools.changes import Repo, new_repo

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(300)]

USER = "class User:\n    def __init__(self, email):\n        self.email = email\n"
TEST = 'from user import User\n\n\ndef test_email():\n    assert User("a@b").email == "a@b"\n'
TASK = "User 클래스에 validate_email 메서드 추가해줘"
TESTS = f"{sys.executable} -m pytest -q -p no:cacheprovider"
SCRIPT = """
- when: {{role: coding}}
  reply:
    explanation: User has a method that checks its address.
    patch: |
      --- a/user.py
      +++ b/user.py
      @@ -1,3 +1,6 @@
       class User:
           def __init__(self, email):
               self.email = email
      +
      +    def validate_email(self):
      +        return {body}
"""


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = new_repo(tmp_path / "shop")
    repo.commit({"user.py": USER, "test_user.py": TEST})
    return repo


def configured(folder: Path, body: str = '"@" in self.email') -> tuple[str, ...]:
    """The options that name a coder who writes this."""
    (folder / "replies.yaml").write_text(SCRIPT.format(body=body), encoding="utf-8")
    file = folder / "agent.yaml"
    file.write_text(
        "participants: [coder]\nproviders:\n  coder: {type: scripted, script: replies.yaml}\n"
    )
    return "--config", str(file), "--mode", "implementation", "--tests", TESTS


def ask(live: CommandLine, repo: Repo, *words: str) -> dict[str, Any]:
    done = live("agent", *words, "--json", cwd=repo.root)
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def modes(result: dict[str, Any]) -> list[str]:
    return [row["to_mode"] for row in result["detail"]["path"]]


def test_an_approved_change_is_tested_reviewed_and_committed_on_a_branch_and_can_be_undone(
    live: CommandLine, repo: Repo, tmp_path: Path
) -> None:
    before = repo.state()
    result = ask(live, repo, TASK, *configured(tmp_path), "--decide", "approve")
    assert result["verdict"] == "DONE"
    assert modes(result) == ["implementation", "test", "qa", "git_workflow", "idle"]
    (commit,) = result["detail"]["commits"]
    assert "validate_email" in repo.git("show", f"{commit['branch']}:user.py")
    assert repo.state() == before
    run = result["run"]["id"]
    shown = live("show", run, "--patch", cwd=repo.root).stdout
    subprocess.run(["git", "apply", "--check"], cwd=repo.root, input=shown, text=True, check=True)
    traced = live("agent", "trace", run, cwd=repo.root)
    assert "code_complete" in traced.stdout
    undone = live("undo", run, cwd=repo.root)
    assert undone.returncode == ExitCode.OK, undone.stderr
    assert repo.git("branch", "--list", "quorate/*") == ""


def test_a_decision_waits_in_the_inbox_and_a_rejection_leads_back_to_the_search(
    live: CommandLine, repo: Repo, tmp_path: Path
) -> None:
    options = configured(tmp_path)
    asked = live("agent", TASK, *options, "--decide", "later", "--json", cwd=repo.root)
    assert asked.returncode == ExitCode.PENDING, asked.stderr
    run = json.loads(asked.stdout)["run"]["id"]
    assert "validate_email" in live("show", run, cwd=repo.root).stdout
    rejected = live("decide", run, "reject", "-m", "keep the old name", cwd=repo.root)
    assert rejected.returncode == ExitCode.PENDING, rejected.stderr
    assert "keep the old name" in prompts_of(live, run, repo)
    halted = live("decide", run, "halt", cwd=repo.root)
    assert halted.returncode == ExitCode.INCONCLUSIVE, halted.stderr
    assert repo.git("branch", "--list", "quorate/*") == ""


def prompts_of(live: CommandLine, run: str, repo: Repo) -> str:
    result = json.loads(live("show", run, "--json", cwd=repo.root).stdout)
    keys = [step["key"] for stage in result["rounds"] for step in stage["steps"]]
    coding = [key for key in keys if "/coding/" in key][-1]
    return live("show", run, "--prompt", coding, cwd=repo.root).stdout


def test_without_a_terminal_nothing_is_taken(live: CommandLine, repo: Repo, tmp_path: Path) -> None:
    result = ask(live, repo, TASK, *configured(tmp_path))
    assert result["verdict"] == "INCONCLUSIVE"
    assert result["detail"]["patch"] == ""
    assert repo.git("branch", "--list", "quorate/*") == ""
