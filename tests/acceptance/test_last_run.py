"""What `last` means within a repository, by real commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine, make_repository

pytestmark = pytest.mark.acceptance


def test_last_is_the_newest_run_of_the_repository_here(live: CommandLine, tmp_path: Path):
    runs = {}
    for name in ("mill-of-last", "bank-of-last"):
        repository = make_repository(tmp_path / name)
        left = live("review", "--no-wait", "--json", "--decide", "ask", cwd=repository)
        runs[name] = json.loads(left.stdout)["run"]["id"]
        assert live("wait", runs[name]).returncode == 8
    mill, bank = tmp_path / "mill-of-last", tmp_path / "bank-of-last"
    shown = json.loads(live("show", "--json", cwd=mill).stdout)
    assert shown["run"]["id"] == runs["mill-of-last"]
    here = live("decide", "last", "skip", "--no-wait", cwd=mill)
    assert runs["mill-of-last"] in here.stdout
    assert here.stderr == ""
    assert live("decide", "last", "skip", "--no-wait", cwd=bank).stdout.startswith(
        runs["bank-of-last"]
    )
    assert "mill-of-last" in live("list", cwd=bank).stdout
