"""What a run has applied is known before its end: in its result, to `undo`, and to `last`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine, git

pytestmark = pytest.mark.acceptance

FINDING = """
- when: {{role: critique, round: 1, contains: "+import {unused}"}}
  reply:
    verdict: NEEDS_FIX
    findings:
      - title: unused import
        detail: nobody uses it in this file, and whoever reads it looks for the reason
        severity: MAJOR
        place: {{path: app.py, line: 1}}
        quote: import {unused}
        patch: |
          --- a/app.py
          +++ b/app.py
          @@ -1,2 +1,{left} @@
          -import {unused}
          {instead} import subprocess
"""
ALWAYS = """
- when: {role: critique}
  reply: {verdict: NEEDS_FIX, stances: [{finding: F1, position: agree, reason: still there}]}
- when: {role: rebuttal}
  reply: {stances: [{finding: F1, position: agree, reason: it is not used}]}
- when: {role: synthesis}
  reply: {summary: Take the import out.}
- when: {role: fix}
  reply: {fixes: []}
"""
SCRIPT = (
    FINDING.format(unused="os", left=1, instead="")
    + FINDING.format(unused="sys", left=2, instead="+import os\n          ")
    + ALWAYS
)
"""The fix of the first review brings in what the second one finds."""


def test_what_was_applied_shows_and_can_be_undone_while_the_next_decision_is_open(
    live: CommandLine, changed_repository: Path, tmp_path: Path
) -> None:
    script = tmp_path / "review.yaml"
    script.write_text(SCRIPT)
    cast = ",".join(f"scripted:{script}#{name}" for name in ("ada", "bob", "eve"))
    panel = ("--panel", f"{cast},author=eve", "--apply", "in-place")
    asked = live("review", *panel, "--decide", "ask", "-q", cwd=changed_repository)
    assert asked.returncode == 8, asked.stderr
    again = live("decide", "last", "apply_fix", "-q", cwd=changed_repository)
    assert again.returncode == 8, again.stderr

    content = json.loads(live("show", "last", "--json").stdout)
    assert content["run"]["status"] == "waiting"
    assert [fix["files"] for fix in content["applied"]] == [["app.py"]]
    standing = {finding["id"]: finding["standing"] for finding in content["findings"]}
    assert standing == {"F1": False, "R2F1": True}
    assert content["convergence"]["agreed_findings"] == ["R2F1"]  # by its name in the whole run
    assert f"quorate undo {content['run']['id']}" in live("show", "last").stdout

    undone = live("undo", "last", cwd=changed_repository)
    assert undone.returncode == 0, undone.stderr
    assert (changed_repository / "app.py").read_text().startswith("import sys")
    # `last` is still the review, and the undoing stands for it.
    assert json.loads(live("show", "last", "--json").stdout)["run"]["id"] == content["run"]["id"]
    newest = json.loads(live("list", "-n", "1", "--json").stdout)["runs"][0]
    assert newest["workflow"] == "undo"
    repeated = live("undo", newest["id"], cwd=changed_repository)
    assert "has applied nothing" not in repeated.stderr
    # The open question builds on what was taken back.
    refused = live("decide", "last", "apply_fix")
    assert refused.returncode == 6
    assert "the fix that this one builds on was taken back" in refused.stderr
    assert live("decide", "last", "skip").returncode in (0, 1, 3)


def test_an_edit_since_the_review_leaves_the_question_open(
    live: CommandLine, changed_repository: Path, tmp_path: Path
) -> None:
    script = tmp_path / "review.yaml"
    script.write_text(SCRIPT)
    cast = ",".join(f"scripted:{script}#{name}" for name in ("ada", "bob", "eve"))
    panel = ("--panel", f"{cast},author=eve", "--apply", "in-place")
    live("review", *panel, "--decide", "ask", "-q", cwd=changed_repository)
    file = changed_repository / "app.py"
    reviewed = file.read_text()
    file.write_text(f"{reviewed}# an edit\n")

    refused = live("decide", "last", "apply_fix", "-q", cwd=changed_repository)
    assert refused.returncode == 6
    assert "app.py changed since the review" in refused.stderr
    assert json.loads(live("show", "last", "--json").stdout)["run"]["status"] == "waiting"

    file.write_text(reviewed)
    assert live("decide", "last", "apply_fix", "-q", cwd=changed_repository).returncode != 6
    assert file.read_text() != reviewed


@pytest.mark.parametrize("mode", ["in-place", "branch"])
def test_each_undoing_takes_back_one_fix_the_newest_first(
    live: CommandLine, changed_repository: Path, tmp_path: Path, mode: str
) -> None:
    repository = changed_repository
    script = tmp_path / "review.yaml"
    script.write_text(SCRIPT)
    cast = ",".join(f"scripted:{script}#{name}" for name in ("ada", "bob", "eve"))
    panel = ("--panel", f"{cast},author=eve", "--apply", mode)
    live("review", *panel, "--decide", "apply_fix", "-q", cwd=repository)
    content = json.loads(live("show", "last", "--json").stdout)
    assert len(content["applied"]) == 2
    branch = content["applied"][-1]["branch"]

    def begins() -> str:
        if branch is None:
            return (repository / "app.py").read_text().split("\n")[0]
        listed = git(repository, "branch", "--list", branch)
        return git(repository, "show", f"{branch}:app.py").split("\n")[0] if listed else "gone"

    seen = [begins()]
    for _ in range(3):
        undone = live("undo", "last", cwd=repository)
        assert undone.returncode == 0, undone.stderr
        seen.append(begins())
    last = "gone" if branch else "import sys"
    assert seen == ["import subprocess", "import os", last, last]


def test_undo_can_be_repeated_after_it_was_refused(
    live: CommandLine, changed_repository: Path
) -> None:
    repository = changed_repository
    assert live("review", "--decide", "apply_fix", "-q", cwd=repository).returncode == 0
    branch = json.loads(live("show", "last", "--json").stdout)["applied"][-1]["branch"]
    git(repository, "stash", "-q")
    git(repository, "checkout", "-q", branch)
    refused = live("undo", "last", cwd=repository)
    assert (refused.returncode, "is checked out" in refused.stderr) == (3, True)
    git(repository, "checkout", "-q", "main")
    done = live("undo", "last", cwd=repository)
    assert done.returncode == 0, done.stderr
    assert branch not in git(repository, "branch", "--list")
