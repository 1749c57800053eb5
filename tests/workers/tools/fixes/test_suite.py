"""The project's own tests, with each patch: run on a copy behind walls, and only as somebody entered it."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from shared.errors import ToolError
from shared.models.review_replies import SuiteReport
from shared.models.subject import Origin
from tests.workers.tools.changes import patch_of, stored, subject_of
from workers.tools.fixes.suite import test_problem as problem_of
from workers.tools.registry import MemoryDocuments, ToolContext, run_tool
from workers.tools.sandbox.walls import walls

pytestmark = pytest.mark.skipif(
    {"namespaces", "landlock"}.isdisjoint(walls()), reason="no walls on this system"
)

GOOD, BAD = "echo 3\n", "echo 2\n"
CHECK = 'test "$(sh app.sh)" = 3'


def git(root: Path, *arguments: str) -> str:
    command = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b", *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository whose one commit has a defect, a link out of it and a hook."""
    folder = tmp_path / "project"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "app.sh").write_text(BAD)
    (folder / "out").symlink_to(tmp_path)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    hook = folder / ".git" / "hooks" / "post-checkout"
    hook.write_text(f"#!/bin/sh\ntouch {tmp_path}/hooked\n")
    hook.chmod(0o755)
    return folder


def report(
    root: Path,
    command: str = CHECK,
    *patches: str,
    reviewed: str = "commit",
    now: str = BAD,
    seconds: float = 60.0,
    tests: Sequence[tuple[str, str]] = (),
    base: str | None = None,
) -> SuiteReport:
    documents = MemoryDocuments()
    head = git(root, "rev-parse", "HEAD")
    origin = Origin(
        repository=str(root),
        reviewed=head if reviewed == "commit" else reviewed,
        head=head,
        base=base,
    )
    subject = subject_of(documents, {"app.sh": ("", now)}, origin)
    inputs: dict[str, Any] = {
        "subject": stored(documents, subject),
        "command": command,
        "fixes": [
            {"findings": [f"F{number}"], "patch": patch, "source": "ann"}
            for number, patch in enumerate(patches, start=1)
        ],
        "tests": [
            {"finding": f"F{number}", "test": {"path": path, "text": text}}
            for number, (path, text) in enumerate(tests, start=1)
        ],
    }
    reply = run_tool("tests.run", inputs, ToolContext(documents, seconds))
    assert isinstance(reply, SuiteReport)
    return reply


def test_a_patch_after_which_failing_tests_pass_mends_and_another_does_not(root: Path) -> None:
    patches = (patch_of("app.sh", BAD, GOOD), patch_of("app.sh", BAD, "echo 4\n"))
    told = report(root, CHECK, *patches)
    assert told.before.code == 1
    assert [run.code for run in told.runs] == [0, 1]
    assert (sorted(told.mended), sorted(told.broken)) == (["F1"], [])


def test_a_patch_that_breaks_passing_tests_is_named(root: Path) -> None:
    told = report(root, 'test "$(sh app.sh)" = 2', patch_of("app.sh", BAD, GOOD))
    assert (sorted(told.mended), sorted(told.broken)) == ([], ["F1"])


def test_a_patch_that_does_not_apply_is_not_tried(root: Path) -> None:
    assert report(root, CHECK, patch_of("app.sh", "absent\n", "y\n")).runs == ()


def test_what_was_not_committed_is_tested_as_it_was_reviewed(root: Path) -> None:
    assert report(root, CHECK, reviewed="worktree", now=GOOD).before.code == 0


def test_the_person_s_files_hooks_and_links_are_out_of_reach(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("s3cret")
    told = report(root, f"cat {tmp_path}/secret out/secret; echo x > {root}/app.sh; ls -a; exit 7")
    assert told.before.code == 7
    assert "s3cret" not in told.before.told
    assert ".git" not in told.before.told.split()
    assert (root / "app.sh").read_text() == BAD
    assert not (tmp_path / "hooked").exists()


def test_one_run_leaves_nothing_to_the_next(root: Path) -> None:
    told = report(root, "test ! -e left && touch left", patch_of("app.sh", BAD, GOOD))
    assert [told.before.code, told.runs[0].code] == [0, 0]


def test_tests_that_never_end_are_stopped_and_no_patch_is_tried(root: Path) -> None:
    told = report(root, "sleep 600", patch_of("app.sh", BAD, GOOD), seconds=2.0)
    assert told.before.code is None
    assert told.runs == ()


@pytest.mark.parametrize("command", ["python test_p.py", "python -m unittest -q test_p"])
def test_python_finds_what_lies_beside_a_test(root: Path, command: str) -> None:
    (root / "prices.py").write_text("def total(prices):\n    return sum(prices)\n")
    (root / "test_p.py").write_text("from prices import total\n\nassert total([1, 2]) == 3\n")
    git(root, "add", "-A")
    git(root, "commit", "-qm", "a project")
    assert report(root, f"PATH={Path(sys.executable).parent} {command}").before.code in (0, 5)


def test_a_command_that_is_not_there_is_an_error_and_no_result(root: Path) -> None:
    with pytest.raises(ToolError, match="cannot be run"):
        report(root, "no-such-program-anywhere")


def test_a_bare_diff_has_no_tests() -> None:
    documents = MemoryDocuments()
    subject = stored(documents, subject_of(documents, {"app.sh": ("", BAD)}))
    with pytest.raises(ToolError, match="bare diff"):
        run_tool("tests.run", {"subject": subject, "command": "true"}, ToolContext(documents, 60.0))


# ---- tests that a reviewer supplies -------------------------------------------------------------

EACH = "for each in tests/*_test.sh; do [ ! -e $each ] || sh $each || exit 1; done"
IS_THREE = ("tests/three_test.sh", 'test "$(sh app.sh)" = 3\n')
NEVER = ("tests/never_test.sh", "exit 1\n")


@pytest.fixture
def broken(root: Path) -> tuple[Path, str]:
    """The repository after a commit that was right, and that one's id: the change is what broke it."""
    (root / "app.sh").write_text(GOOD)
    git(root, "commit", "-qam", "right")
    base = git(root, "rev-parse", "HEAD")
    (root / "app.sh").write_text(BAD)
    git(root, "commit", "-qam", "wrong")
    return root, base


def test_a_supplied_test_that_passed_before_the_change_is_confirmed(
    broken: tuple[Path, str],
) -> None:
    root, base = broken
    told = report(root, EACH, tests=[IS_THREE], base=base)
    assert [(run.reviewed, run.before, run.patched) for run in told.reproductions] == [(1, 0, None)]
    assert (set(told.reproduced), set(told.confirmed)) == ({"F1"}, {"F1"})


def test_a_supplied_test_that_passes_with_the_finding_s_patch_is_confirmed(root: Path) -> None:
    told = report(root, EACH, patch_of("app.sh", BAD, GOOD), tests=[IS_THREE])
    assert [(run.reviewed, run.before, run.patched) for run in told.reproductions] == [(1, None, 0)]
    assert set(told.confirmed) == {"F1"}
    assert not told.mended


def test_a_supplied_test_that_always_fails_reproduces_and_is_not_confirmed(
    broken: tuple[Path, str],
) -> None:
    root, base = broken
    told = report(root, EACH, patch_of("app.sh", BAD, GOOD), tests=[NEVER], base=base)
    assert [(run.reviewed, run.before, run.patched) for run in told.reproductions] == [(1, 1, 1)]
    assert (set(told.reproduced), set(told.confirmed)) == ({"F1"}, set())


def test_a_supplied_test_that_passes_shows_nothing(root: Path) -> None:
    told = report(root, EACH, tests=[("tests/any_test.sh", "exit 0\n")])
    assert [run.reviewed for run in told.reproductions] == [0]
    assert not told.reproduced


@pytest.mark.parametrize("base", ["", "0" * 40])
def test_a_supplied_test_is_tried_where_the_state_before_the_change_is_not_known(
    root: Path, base: str
) -> None:
    told = report(root, EACH, tests=[IS_THREE], base=base)
    assert set(told.reproduced) == {"F1"}
    assert not told.confirmed


@pytest.mark.parametrize(
    "path",
    [
        "app.sh",
        "conftest.py",
        "tests/conftest.py",
        "sub/app_helper.sh",
        "../tests/out_test.sh",
        "/tmp/absolute_test.sh",
        ".git/hooks/test",
        "tests/a\n_test.sh",
        "existing_test.sh",
        "out/linked_test.sh",
        *("pytest.ini", "pytest.py", "unittest.py", "doctest.py", "inspect.py", "contest.py"),
        *("pytest_cov.py", "test.pth", "test_x.pth", "vitest.config.ts", ".rspec", "tests.py"),
        *(".husky/pre-test", "spec/spec_helper.rb", "jest.config.js", "test_x.py.ini"),
    ],
)
def test_a_supplied_test_that_is_no_new_test_file_is_not_run(
    root: Path, tmp_path: Path, path: str
) -> None:
    (root / "existing_test.sh").write_text("exit 0\n")
    git(root, "add", "existing_test.sh")
    git(root, "commit", "-qm", "a test")
    told = report(root, EACH, tests=[(path, "exit 1\n")])
    assert [(run.problem is None, run.reviewed) for run in told.reproductions] == [(False, None)]
    assert not told.reproduced
    assert not (tmp_path / "linked_test.sh").exists()


@pytest.mark.parametrize(
    "name",
    [
        *("tests/test_prices.py", "prices_test.go", "src/prices.test.ts", "spec/prices_spec.rb"),
        *("src/test/java/PricesTest.java", "t/prices.t", "tests/prices.bats", "a/b.spec.jsx"),
    ],
)
def test_names_by_which_runners_find_tests_are_taken(name: str) -> None:
    assert problem_of(name) is None


def test_a_test_that_ends_otherwise_the_second_time_shows_nothing(root: Path) -> None:
    draws = ("tests/draw_test.sh", 'exit "$(( $(date +%N | sed s/^0*//) % 250 + 1 ))"\n')
    command = "if [ -e tests ]; then sh tests/draw_test.sh; fi"
    # Three draws of two codes: all three alike is not to be expected in the life of the project.
    told = [report(root, command, tests=[draws]).reproductions[0] for _ in range(3)]
    assert any(run.problem == "it does not end the same way twice" for run in told)
    assert all(run.reviewed is None for run in told if run.problem)


def test_where_tests_fail_anyway_a_supplied_one_says_nothing(root: Path) -> None:
    assert report(root, "exit 1", tests=[IS_THREE]).reproductions == ()
