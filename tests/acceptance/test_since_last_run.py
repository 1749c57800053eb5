"""`--since last-run`: a job that is run again and again reads each commit once."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.instance import CommandLine, git, make_repository

pytestmark = pytest.mark.acceptance

RULES = ("-p", "ruff,bandit", "--since", "last-run")


class Job:
    """A repository and the job that reviews what is new in it."""

    def __init__(self, live: CommandLine, folder: Path) -> None:
        self.live, self.folder = live, make_repository(folder)
        git(self.folder, "checkout", "-q", "--", ".")

    def commit(self, *names: str) -> str:
        """A commit with a defect in each file; its id."""
        for name in names:
            (self.folder / name).write_text("import os\n")
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-qm", f"add {' '.join(names)}")
        return git(self.folder, "rev-parse", "HEAD").strip()

    def run(self, *more: str) -> tuple[Any, str]:
        """What the job reviews, and what it says."""
        done = self.live("review", *RULES, "--json", *more, cwd=self.folder)
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout), done.stderr

    def files(self, *more: str) -> list[str]:
        """The files in which the job has findings."""
        found = self.run(*more)[0]["findings"]
        return sorted({finding["place"]["path"] for finding in found})


@pytest.fixture
def job(live: CommandLine, tmp_path: Path) -> Job:
    return Job(live, tmp_path / "repository")


def test_each_commit_is_read_once_and_nothing_new_is_quiet_success(job: Job):
    job.commit("a.py")
    first, talk = job.run()
    assert "No earlier run" in talk
    assert [finding["place"]["path"] for finding in first["findings"]] == ["a.py"]
    job.commit("b.py")
    job.commit("c.py")
    (job.folder / "uncommitted.py").write_text("import os\n")
    assert job.files() == ["b.py", "c.py"]
    nothing, _ = job.run()
    assert nothing["verdict"] == "NOTHING_TO_REVIEW"
    assert nothing["run"]["id"] is None
    quiet = job.live("review", *RULES, "-q", cwd=job.folder)
    assert (quiet.returncode, quiet.stdout, quiet.stderr) == (0, "", "")
    # Other options are another job, which has read nothing yet.
    assert job.files("--max-cost", "5") == ["c.py"]
    assert job.files() == []


def test_a_run_that_was_cancelled_has_read_nothing(job: Job):
    job.commit("a.py")
    job.run()
    job.commit("b.py")
    done = job.live("review", *RULES, "--no-wait", cwd=job.folder)
    job.commit("c.py")
    assert job.live("cancel", done.stdout.strip()).returncode == 0
    assert job.files() == ["b.py", "c.py"]


def test_after_a_force_push_it_is_what_came_since_the_histories_parted(job: Job):
    start = job.commit("a.py")
    job.run()
    gone = job.commit("b.py")
    job.run()
    git(job.folder, "reset", "-q", "--hard", start)
    job.commit("b2.py")
    report, talk = job.run()
    assert [finding["place"]["path"] for finding in report["findings"]] == ["b2.py"]
    assert f"rewritten after {gone[:10]}" in talk
    # And where git has thrown the commit away, the runs before it still say how far they read.
    job.commit("d.py")
    lost = job.commit("e.py")
    job.run()
    git(job.folder, "reset", "-q", "--hard", "HEAD~2")
    git(job.folder, "reflog", "expire", "--expire=now", "--all")
    git(job.folder, "gc", "-q", "--prune=now")
    job.commit("f.py")
    job.commit("g.py")
    report, talk = job.run()
    assert sorted({each["place"]["path"] for each in report["findings"]}) == ["f.py", "g.py"]
    assert lost[:10] in talk


def test_a_clone_without_the_commit_says_what_may_be_missing(job: Job, tmp_path: Path):
    job.commit("a.py")
    git(tmp_path, "clone", "-q", str(job.folder), "clone")
    clone = tmp_path / "clone"
    done = job.live("review", *RULES, "--json", cwd=clone)
    assert done.returncode == 0, done.stderr
    job.commit("b.py")
    job.commit("c.py")
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{job.folder}", "shallow")
    shallow = tmp_path / "shallow"
    git(shallow, "config", "remote.origin.url", str(job.folder))
    done = job.live("review", *RULES, "--json", cwd=shallow)
    assert done.returncode == 0, done.stderr
    assert "is not in this clone" in done.stderr
    assert [each["place"]["path"] for each in json.loads(done.stdout)["findings"]] == ["c.py"]


@pytest.mark.parametrize("more", [("HEAD~1",), ("--staged",), ("--base", "main"), ("--diff", "-")])
def test_the_change_is_not_named_twice(quiet_home: CommandLine, tmp_path: Path, more: tuple[str]):
    done = quiet_home("review", "--since", "last-run", *more, cwd=make_repository(tmp_path / "r"))
    assert done.returncode == 2
    assert "--since names the change" in done.stderr


def test_a_job_of_a_pipeline_that_is_tried_again_is_the_same_run(job: Job):
    def ci() -> tuple[str, list[str]]:
        done = job.live("ci", *RULES, "--json", cwd=job.folder)
        assert done.returncode == 0, done.stderr
        report = json.loads(done.stdout)
        return report["run"]["id"], sorted({each["place"]["path"] for each in report["findings"]})

    job.commit("a.py")
    assert ci()[1] == ["a.py"]
    job.commit("b.py")
    job.commit("c.py")
    first = ci()
    assert first[1] == ["b.py", "c.py"]
    assert ci() == first
