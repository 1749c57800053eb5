"""Where a reviewed commit can be seen: by a remote's branches, and by what a pipeline fetched for a pull request."""

from __future__ import annotations

import os

import pytest

from orchestrator.core.forges import PublishedCommit
from orchestrator.subjects.location import locate
from orchestrator.subjects.publication import published
from orchestrator.subjects.request import ChangeRequest
from tests.orchestrator.subjects.conftest import Repo

PROJECT = "https://github.com/acme/shop"


def seen(repo: Repo, commit: str) -> PublishedCommit | None:
    located = locate(ChangeRequest(path=repo.path, target=commit, environ=dict(os.environ)))
    return published(located.repository.git, commit)


@pytest.mark.parametrize(
    "name",
    ["refs/remotes/origin/main", "refs/remotes/pull/7/merge", "refs/pipelines/12"],
)
def test_a_commit_that_the_forge_has_is_linked(repo: Repo, name: str) -> None:
    commit = repo.commit("Change", shop__py="total = 1\n")
    repo.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    repo.git("update-ref", name, commit)

    assert seen(repo, commit) == PublishedCommit(project=PROJECT, commit=commit)


def test_a_commit_that_only_this_machine_has_is_not(repo: Repo) -> None:
    pushed = repo.commit("Change", shop__py="total = 1\n")
    repo.git("remote", "add", "origin", "git@github.com:acme/shop.git")
    repo.git("update-ref", "refs/remotes/origin/main", pushed)
    own = repo.commit("More", shop__py="total = 2\n")

    assert seen(repo, own) is None
