"""The file of a batch from a repository's history holds what was asked for, and every line of it is valid."""

from __future__ import annotations

import json
import os
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from orchestrator.application.batch_from_git import HistoryRange, items_from_git
from orchestrator.application.batch_input import read_line
from shared.errors import UserError
from tests.fixtures.instance import git

NOW = datetime(2026, 6, 1, tzinfo=UTC)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three commits on the main line, and a branch of two that a merge brought as pull request 7."""
    folder = tmp_path / "shop"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    for name, date in (("one", "2026-01-01"), ("two (#3)", "2026-05-20")):
        commit(folder, name, date)
    git(folder, "checkout", "-q", "-b", "work")
    for name in ("three", "four"):
        commit(folder, name, "2026-05-21")
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--no-ff", "-m", "Merge pull request #7 from work", "work")
    commit(folder, "five", "2026-05-30")
    return folder


def commit(folder: Path, subject: str, date: str) -> None:
    (folder / f"{subject[:3]}.txt").write_text(subject)
    git(folder, "add", "-A")
    moment = f"{date}T12:00:00+00:00"
    git(folder, "commit", "-q", "-m", subject, "--date", moment)


def subjects(folder: Path, **wanted: Any) -> list[str]:
    items = list(items_from_git(folder, HistoryRange(**wanted), os.environ, NOW))
    for item in items:
        read, reasons = read_line(1, json.dumps(item).encode())
        assert read is not None, reasons
    return [item["metadata"]["subject"] for item in items]


def test_every_commit_without_merges_the_oldest_first(repository: Path) -> None:
    assert sorted(subjects(repository)) == ["five", "four", "one", "three", "two (#3)"]
    assert subjects(repository)[0] == "one"


def test_a_range_and_the_newest_ones(repository: Path) -> None:
    assert subjects(repository, commits="HEAD~1..HEAD") == ["five"]
    assert subjects(repository, newest=1) == ["five"]


def test_pull_requests_are_those_that_subjects_name_each_as_a_whole(repository: Path) -> None:
    wanted = HistoryRange(pull_requests=True)
    items = list(items_from_git(repository, wanted, os.environ, NOW))
    assert [item["metadata"]["pull_request"] for item in items] == ["3", "7"]
    first = items[1]["input"]["revision"].partition("^1..")[0]
    assert items[1]["input"]["revision"] == f"{first}^1..{first}"


@pytest.mark.parametrize(
    ("wanted", "reason"),
    [
        ({"since": "soon"}, "expected a date"),
        ({"commits": "nope..HEAD"}, "names no commits"),
        ({"commits": "--output=x"}, "names no commits"),
        ({"commits": "HEAD..HEAD"}, "no such commit"),
    ],
)
def test_what_means_nothing_is_refused(
    wanted: dict[str, str], reason: str, repository: Path
) -> None:
    with pytest.raises(UserError, match=reason):
        subjects(repository, **wanted)
