"""What a capture says when there is nothing to review, or too much."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.subjects.location import locate
from orchestrator.subjects.request import CaptureLimits, ChangeRequest
from shared.errors import SubjectError


def names(subject: Any) -> list[str]:
    return [file.path for file in subject.files]


# ---- errors ------------------------------------------------------------------------------------


def nothing(repo: Any, **more: Any) -> str:
    """Why there is nothing to review, in words."""
    located = locate(ChangeRequest(path=repo.path, **more))
    assert located.nothing is not None
    return ENGLISH.translate(located.nothing)


def test_an_unchanged_choice_says_what_is_empty(repo: Any) -> None:
    assert nothing(repo, staged=True).startswith("nothing is staged (stage with `git add`")
    assert nothing(repo, target="HEAD..HEAD") == "HEAD and HEAD hold the same files"
    assert nothing(repo, base="main").startswith("main changes no file since it left main")
    repo.commit("empty")
    assert re.fullmatch(r"commit \w{10} changes no file", nothing(repo))
    narrowed = nothing(repo, pathspecs=("elsewhere",))
    assert narrowed.startswith("no file is changed at the path that was named (commit ")
    assert repo.capture().files == ()


def test_an_empty_repository_says_so(new_repo: Any) -> None:
    assert "no uncommitted ones, and no commits" in nothing(new_repo)


def test_an_unknown_revision_is_named_with_the_nearest_ones(repo: Any) -> None:
    repo.git("branch", "feature/login")
    with pytest.raises(SubjectError, match=r"'feature/logni' .* Did you mean 'feature/login'\?"):
        repo.capture(target="feature/logni")
    with pytest.raises(SubjectError, match=r"'mian' is not a revision .* Did you mean 'main'\?"):
        repo.capture(base="mian")
    with pytest.raises(SubjectError, match=r"'zzzz' is not a revision.* Branches and tags: "):
        repo.capture(target="zzzz..HEAD")


def test_a_target_that_is_an_option_is_no_revision(repo: Any) -> None:
    with pytest.raises(SubjectError, match="neither a path nor a revision"):
        repo.capture(target="--output=/tmp/x")


def test_a_name_that_is_path_and_branch_has_to_be_told_apart(repo: Any) -> None:
    repo.commit("folder", **{"docs/a__md": "x\n"})
    repo.git("branch", "docs")
    with pytest.raises(
        SubjectError, match=r"a path and a revision\. Write \./docs .*refs/heads/docs"
    ):
        repo.capture(target="docs")
    repo.git("branch", "--delete", "docs")
    repo.git("tag", "docs")
    with pytest.raises(SubjectError, match=r"or docs~0 for the revision\."):
        repo.capture(target="docs")


def test_two_choices_at_once_are_refused(repo: Any) -> None:
    with pytest.raises(SubjectError, match="one change only"):
        repo.capture(staged=True, base="main")
    with pytest.raises(SubjectError, match="one change only"):
        repo.capture(target="HEAD~1..HEAD", base="main")
    with pytest.raises(SubjectError, match="leave --staged"):
        repo.capture(staged=True, diff=b"x")


def test_a_change_over_the_limits_says_how_to_narrow_it(repo: Any) -> None:
    for number in range(12):
        repo.write(f"data/{number}.txt", f"{number:09}" * 100_000)
    with pytest.raises(SubjectError, match=r"over 10\.0 MB\. Narrow it: give a path"):
        repo.capture()
    repo.git("add", "-A")
    with pytest.raises(SubjectError, match=r"over 10\.0 MB\. Narrow it"):
        repo.capture()
    assert repo.shelf.documents == {}
    with pytest.raises(SubjectError, match=r"12 files.* the limit is 10"):
        repo.capture(limits=CaptureLimits(files=10))
    with pytest.raises(SubjectError, match=r"too large together"):
        repo.capture(limits=CaptureLimits(contents_bytes=1000))


def test_an_unfinished_merge_is_refused(repo: Any) -> None:
    repo.git("checkout", "-q", "-b", "other")
    repo.commit("other", app__py="theirs\n")
    repo.git("checkout", "-q", "main")
    repo.commit("mine", app__py="mine\n")
    with pytest.raises(Exception, match="merge"):
        repo.git("merge", "other")
    with pytest.raises(SubjectError, match=r"merge is not finished: app\.py"):
        repo.capture()


def test_a_shallow_clone_says_what_to_fetch(repo: Any, tmp_path: Path) -> None:
    repo.commit("second", a__py="1\n")
    repo.git("checkout", "-q", "-b", "topic", "HEAD~1")
    repo.commit("third", b__py="1\n")
    shallow = tmp_path / "shallow"
    repo.git("clone", "-q", "--depth=1", "--no-single-branch", f"file://{repo.path}", str(shallow))
    with pytest.raises(SubjectError, match=r"shallow.*parent.*fetch-depth: 0"):
        repo.capture(path=shallow)
    with pytest.raises(SubjectError, match=r"shallow.* at which origin/main and HEAD diverged"):
        repo.capture(path=shallow, base="origin/main")
    for missing in ("HEAD~1", "HEAD~1..HEAD", f"{'1' * 40}..HEAD"):
        with pytest.raises(SubjectError, match=r"revision.*shallow.*fetch-depth: 0"):
            repo.capture(path=shallow, target=missing)


def test_unrelated_histories_have_no_merge_base(repo: Any) -> None:
    repo.git("checkout", "-q", "--orphan", "lonely")
    repo.commit("alone", z__py="1\n")
    with pytest.raises(SubjectError, match=r"no commit in common\. .*main\.\.HEAD"):
        repo.capture(base="main")


def test_outside_of_a_repository_the_error_names_the_way_out(tmp_path: Path, repo: Any) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    with pytest.raises(SubjectError, match=r"outside is not inside a git repository.*--diff FILE"):
        repo.capture(path=outside)
    with pytest.raises(SubjectError, match="is not a directory"):
        repo.capture(path=tmp_path / "missing")
    with pytest.raises(SubjectError, match=r"inside a repository's \.git"):
        repo.capture(path=repo.path / ".git" / "objects")


def test_head_of_a_repository_without_commits_names_nothing(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    with pytest.raises(SubjectError, match="There are no commits yet, so HEAD names nothing"):
        locate(ChangeRequest(path=tmp_path, target="HEAD"))
