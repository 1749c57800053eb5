"""Several paths: a change is narrowed to all of them, and a word that is none is refused with what to write."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shared.errors import SubjectError


def names(subject: Any) -> list[str]:
    return [file.path for file in subject.files]


@pytest.fixture
def edited(repo: Any) -> Any:
    """Three files with an uncommitted change each, one of them deleted."""
    repo.commit("three", a__py="1\n", b__py="1\n", c__py="1\n")
    repo.write("a.py", "2\n")
    (repo.path / "b.py").unlink()
    repo.write("c.py", "2\n")
    return repo


def test_several_paths_are_reviewed_together(edited: Any) -> None:
    assert names(edited.capture(target="a.py", paths=("b.py",))) == ["a.py", "b.py"]


def test_a_folder_beside_a_path_in_it_counts_whole(edited: Any) -> None:
    assert names(edited.capture(target="a.py", paths=(".",))) == ["a.py", "b.py", "c.py"]


def test_paths_after_a_revision_narrow_it(edited: Any) -> None:
    edited.commit("changed")

    assert names(edited.capture(target="HEAD~1..HEAD", paths=("a.py", "b.py"))) == ["a.py", "b.py"]
    assert names(edited.capture(target="HEAD", paths=("c.py",))) == ["c.py"]


def test_a_path_that_only_the_earlier_state_has_is_known(edited: Any) -> None:
    edited.commit("changed")
    edited.commit("more", d__py="1\n")

    assert names(edited.capture(target="HEAD~2..HEAD", paths=("b.py",))) == ["b.py"]


def test_paths_narrow_in_a_bare_repository_too(edited: Any, tmp_path: Path) -> None:
    edited.commit("changed")
    bare = tmp_path / "bare.git"
    edited.git("clone", "-q", "--bare", str(edited.path), str(bare))

    assert names(edited.capture(path=bare, target="HEAD", paths=("a.py",))) == ["a.py"]


@pytest.mark.parametrize(
    ("more", "answer"),
    [
        ("HEAD", "'HEAD' is a revision, and only the first word may be one"),
        ("HEAD~1..HEAD", "'HEAD~1..HEAD' is a revision, and only the first word may be one"),
        ("../missing.py", "does not lie in the repository"),
        ("missing.py", "there is no 'missing.py', neither here nor in the states"),
    ],
)
def test_a_later_word_that_is_no_path_is_refused(edited: Any, more: str, answer: str) -> None:
    with pytest.raises(SubjectError, match=answer):
        edited.capture(target="a.py", paths=(more,))


def test_a_path_of_another_repository_is_refused(
    edited: Any, tmp_path: Path, make_repo: Any
) -> None:
    other = make_repo(tmp_path / "other")
    other.commit("x", x__py="1\n")

    with pytest.raises(SubjectError, match="does not lie in the repository at"):
        edited.capture(target="a.py", paths=(str(other.path / "x.py"),))
