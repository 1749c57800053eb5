"""Jobs that overlap or are tried again: `--lock` and `--idempotency-key`."""

import json
import os
from pathlib import Path

import pytest

from shared.folders import make_private
from shared.locks import try_lock
from tests.fixtures.instance import CommandLine

pytestmark = pytest.mark.component


def test_a_job_whose_lock_is_held_starts_nothing_until_the_holder_is_gone(
    quiet_home: CommandLine, changed_repository: Path
):
    folder = quiet_home.home / ".local/state/quorate/default/locks"
    make_private(folder)
    held = try_lock(folder / "nightly")
    assert held is not None
    # An estimate starts nothing either, but it would come to 0.
    job = ("review", "--lock", "nightly", "--estimate")
    refused = quiet_home(*job, cwd=changed_repository)
    assert refused.returncode == 6
    assert "holds the lock nightly: nothing was started" in refused.stderr
    os.close(held)
    assert quiet_home(*job, cwd=changed_repository).returncode == 0


@pytest.mark.parametrize("wrong", [("--lock", "../up"), ("--lock", ""), ("--idempotency-key", " ")])
def test_a_lock_and_a_key_have_a_form(quiet_home: CommandLine, wrong: tuple[str, str]):
    refused = quiet_home("review", *wrong)
    assert refused.returncode == 2
    assert wrong[0] in refused.stderr


def test_a_job_that_is_tried_again_is_the_same_run(live: CommandLine, changed_repository: Path):
    def submitted(*more: str) -> str:
        done = live("review", "--no-wait", "--json", *more, cwd=changed_repository)
        assert done.returncode == 0, done.stderr
        return str(json.loads(done.stdout)["run"]["id"])

    first = submitted("--idempotency-key", "nightly 2026-11-23")
    assert submitted("--idempotency-key", "nightly 2026-11-23") == first
    assert submitted("--idempotency-key", "nightly 2026-11-24") != first
