"""`quorate ci` in a repository, with the environment of a platform and real processes."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.fixtures.instance import SCRIPTS, CommandLine, git, warm_starter
from tests.support.code_host_server import TOKEN, code_host
from tests.support.linter_reports import sarif_report

pytestmark = pytest.mark.acceptance

GOOD = "def load(path):\n    return path\n"
CALL = 'import subprocess\n\n\ndef load(path):\n    subprocess.run("ls " + path, shell=True)\n'
IGNORE = "  # quorate: ignore[shell] only the build runs it\n"
PIPELINES = Path(__file__).resolve().parents[2] / "deploy" / "pipelines"
DEEPEN = "fetch-depth: 0"


class Pipeline:
    """A clone as GitHub's runner has it, and what its step may write."""

    def __init__(self, root: Path, live: CommandLine) -> None:
        self.live = live
        self.origin, self.clone, self.root = root / "origin", root / "clone", root
        self.more: dict[str, str] = {}
        self.origin.mkdir()
        git(self.origin, "init", "-q", "-b", "main")
        self.commit("start", {"app.py": GOOD})

    def commit(self, subject: str, files: dict[str, str]) -> None:
        """Commit files on the branch of the origin that is checked out."""
        for name, text in files.items():
            (self.origin / name).write_text(text)
        git(self.origin, "add", "-A")
        identity = ("-c", "user.name=T", "-c", "user.email=t@localhost")
        git(self.origin, *identity, "commit", "-qm", subject, "--allow-empty")

    def request(self, files: dict[str, str]) -> None:
        """Open a request with these files, or push to it."""
        branches = git(self.origin, "branch", "--list", "work")
        git(self.origin, "checkout", "-q", *([] if branches else ["-b"]), "work")
        self.commit("work", files)
        if self.clone.exists():
            git(self.clone, "fetch", "-q", "origin")
        else:
            git(self.root, "clone", "-q", str(self.origin), str(self.clone))
        git(self.clone, "checkout", "-q", "--detach", "origin/work")

    def ci(self, *arguments: str, command: str = "ci") -> subprocess.CompletedProcess[str]:
        """Run the step."""
        return self.live(command, *arguments, cwd=self.clone, environ=self.environ)

    @property
    def environ(self) -> dict[str, str]:
        """What the runner sets."""
        head = git(self.clone, "rev-parse", "HEAD").strip()
        event = self.root / "event.json"
        event.write_text(json.dumps({"pull_request": {"number": 7, "head": {"sha": head}}}))
        return {
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_BASE_REF": "main",
            "GITHUB_HEAD_REF": "work",
            "GITHUB_SERVER_URL": "https://git.example.org",
            "GITHUB_REPOSITORY": f"o/{self.root.name}",
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_STEP_SUMMARY": str(self.root / "summary.md"),
            "GITHUB_OUTPUT": str(self.root / "output"),
            **self.more,
        }

    @property
    def outputs(self) -> dict[str, str]:
        """The step's values, the last of each name."""
        lines = (self.root / "output").read_text().splitlines()
        return dict(line.split("=", 1) for line in lines)


@pytest.fixture
def pipeline(tmp_path: Path, live: CommandLine) -> Pipeline:
    return Pipeline(tmp_path, live)


def test_a_request_is_one_run_for_a_commit_and_is_followed_over_pushes(pipeline: Pipeline) -> None:
    pipeline.request({"app.py": CALL})
    first = pipeline.ci()
    assert first.returncode == 1, first.stderr
    assert "::error file=app.py,line=5,endLine=5,title=CRITICAL quorate/shell::" in first.stderr
    run = pipeline.outputs["run"]
    assert pipeline.outputs["exit-code"] == "1"
    assert "NEEDS" in (pipeline.root / "summary.md").read_text()
    log = json.loads((pipeline.clone / "quorate-results" / "quorate.sarif").read_text())
    assert log["runs"][0]["results"]
    assert git(pipeline.clone, "status", "--porcelain") == ""  # the next review reads no results
    page = f"https://git.example.org/o/{pipeline.root.name}/blob/"
    summary = (pipeline.root / "summary.md").read_text()
    assert f"]({page}" in summary
    assert "7 work ·" in summary
    assert "quorate show" not in summary
    again = pipeline.ci()
    assert (again.returncode, pipeline.outputs["run"]) == (1, run)
    pipeline.request({"app.py": f"# why\n{CALL}"})
    pushed = pipeline.ci()
    assert pushed.returncode == 1
    assert pipeline.outputs["run"] != run
    assert re.search(r"0 new, [12] unchanged, 0 reopened, 0 resolved", pushed.stderr)
    pipeline.request({"app.py": f"{GOOD}VALUE = 1\n"})
    mended = pipeline.ci()
    assert mended.returncode == 0, mended.stderr
    assert "Resolved: " in mended.stderr


def test_what_the_change_brings_excuses_nothing_in_it(pipeline: Pipeline) -> None:
    loose = "gate:\n  fail_on: none\nrules:\n  ignore: [B602]\n"
    files = {
        "app.py": f"{CALL.rstrip()}{IGNORE}",
        ".quorateignore": "quorate/shell *: we know\n",
        ".quorate.yaml": loose,
    }
    pipeline.request(files)
    assert pipeline.ci().returncode == 1
    git(pipeline.origin, "checkout", "-q", "main")
    pipeline.commit("the target takes the entry over", {".quorateignore": files[".quorateignore"]})
    git(pipeline.origin, "checkout", "-q", "work")
    identity = ("-c", "user.name=T", "-c", "user.email=t@localhost")
    git(pipeline.origin, *identity, "merge", "-q", "-m", "merge", "main")
    pipeline.request({})
    passed = pipeline.ci()
    assert passed.returncode == 0, passed.stdout + passed.stderr
    assert "does not count for the gate: we know" in passed.stdout


def test_a_linters_report_of_an_earlier_step_becomes_a_finding(pipeline: Pipeline) -> None:
    pipeline.request({"app.py": CALL})
    report = pipeline.root / "lint.sarif"
    report.write_text(sarif_report("app.py", 5, "The report's own finding"))
    done = pipeline.ci("--report", f"mine={report}", "--json")
    titles = [finding["title"] for finding in json.loads(done.stdout)["findings"]]
    assert "The report's own finding (X1)" in titles, done.stderr


def test_a_job_may_submit_and_a_later_one_wait(pipeline: Pipeline) -> None:
    pipeline.request({"app.py": CALL})
    detached = pipeline.ci("--detach")
    assert detached.returncode == 8
    waited = pipeline.ci(detached.stdout.strip(), command="wait")
    assert waited.returncode == 1
    assert "::error file=app.py" in waited.stderr


def run_steps(
    pipeline: Pipeline, script: str, environ: dict[str, str], shell: tuple[str, ...] = ("sh", "-e")
) -> subprocess.CompletedProcess[str]:
    """A template's own script in the clone, with `quorate` on PATH."""
    path = f"{warm_starter().scripts}{os.pathsep}{SCRIPTS}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        [*shell, "-c", script],
        cwd=pipeline.clone,
        env={**pipeline.live.environ, "PATH": path, "CI": "true", **environ},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def test_the_step_of_the_github_action_reviews(pipeline: Pipeline) -> None:
    action = yaml.safe_load((PIPELINES / "github" / "action.yml").read_text(encoding="utf-8"))
    (step,) = [step for step in action["runs"]["steps"] if step.get("id") == "review"]
    inputs = {name: row["default"] for name, row in action["inputs"].items()}
    inputs |= {"fail-on": "major", "only-new": "true", "participants": "bandit"}
    given = {
        k: re.sub(r"\${{ inputs\.(.+) }}", lambda m: inputs[m[1]], v)
        for k, v in step["env"].items()
    }
    pipeline.request({"app.py": CALL})
    shell = ("bash", "--noprofile", "--norc", "-eo", "pipefail")
    ended = run_steps(pipeline, step["run"], {**pipeline.environ, **given}, shell)
    assert ended.returncode == 1, ended.stderr
    assert pipeline.outputs["verdict"] == "NEEDS_FIX"


def test_the_script_of_the_gitlab_template_reviews(pipeline: Pipeline) -> None:
    job = yaml.safe_load((PIPELINES / "quorate.gitlab-ci.yml").read_text(encoding="utf-8"))[
        "quorate"
    ]
    pipeline.request({"app.py": CALL})
    environ = {
        **job["variables"],
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_COMMIT_SHA": git(pipeline.clone, "rev-parse", "HEAD").strip(),
        "CI_PROJECT_PATH": "o/gitlab",
    }
    ended = run_steps(pipeline, "\n".join(job["script"]), environ)
    assert ended.returncode == 1, ended.stderr
    for name in job["artifacts"]["reports"].values():
        assert "hell" in (pipeline.clone / name).read_text(encoding="utf-8")


def test_the_steps_of_the_jenkinsfile_fetch_the_target_and_review(pipeline: Pipeline) -> None:
    text = (PIPELINES / "Jenkinsfile").read_text(encoding="utf-8")
    _install, *steps = re.findall(r"sh '(.+)'", text)
    pipeline.request({"app.py": CALL})
    git(pipeline.clone, "update-ref", "-d", "refs/remotes/origin/main")
    environ = {
        "JENKINS_URL": "http://localhost",
        "CHANGE_TARGET": "main",
        "CHANGE_ID": "7",
        "GIT_COMMIT": git(pipeline.clone, "rev-parse", "HEAD").strip(),
        "GIT_URL": str(pipeline.origin),
    }
    ended = run_steps(pipeline, "\n".join(steps), environ)
    assert ended.returncode == 1, ended.stderr
    assert "<failure" in (pipeline.clone / "quorate-results" / "quorate.xml").read_text("utf-8")


def test_the_review_is_one_comment_that_is_edited_at_the_next_push(pipeline: Pipeline) -> None:
    pipeline.request({"app.py": CALL})
    with code_host() as host:
        host.app_token = True
        pipeline.more = {"GITHUB_API_URL": host.address, "GITHUB_TOKEN": TOKEN}
        assert pipeline.ci("--comment").returncode == 1
        pipeline.request({"app.py": f"# why\n{CALL}"})
        assert pipeline.ci("--comment").returncode == 1
        (whole,) = host.whole
        assert "0 new" in whole["body"]
        assert [each["line"] for each in host.inline] == [5]
        pipeline.more |= {"GITHUB_TOKEN": "wrong"}
        refused = pipeline.ci("--comment")
        assert refused.returncode == 1
        assert "pull-requests: write" in refused.stderr


def test_a_clone_without_the_target_says_how_to_get_it(pipeline: Pipeline) -> None:
    pipeline.request({"app.py": CALL})
    git(pipeline.clone, "update-ref", "-d", "refs/remotes/origin/main")
    git(pipeline.clone, "branch", "-D", "main", "-q") if "main" in git(
        pipeline.clone, "branch", "--list", "main"
    ) else None
    refused = pipeline.ci()
    assert refused.returncode == 2
    assert "git fetch origin main" in refused.stderr
    assert "unshallow" not in refused.stderr


def test_a_shallow_clone_says_how_to_get_the_merge_base(pipeline: Pipeline) -> None:
    pipeline.request({"app.py": CALL})
    shallow = pipeline.root / "shallow"
    source = f"file://{pipeline.origin}"
    git(pipeline.root, "clone", "-q", "--depth=1", "--no-single-branch", source, str(shallow))
    git(shallow, "checkout", "-q", "--detach", "origin/work")
    pipeline.clone = shallow
    refused = pipeline.ci()
    assert refused.returncode == 2
    assert DEEPEN in refused.stderr


def test_a_review_without_a_conclusion_fails_the_job_unless_it_is_let_pass(
    pipeline: Pipeline,
) -> None:
    pipeline.request({"app.py": f"{GOOD}VALUE = 1\n"})
    assert pipeline.ci("--require-reviewer").returncode == 3
    first = pipeline.outputs["run"]
    let = pipeline.ci("--require-reviewer", "--on-error", "neutral")
    assert let.returncode == 0
    assert "::warning title=Quorate::" in let.stderr
    assert pipeline.outputs["run"] != first
    assert pipeline.ci("-m", "gpt-5-mini").returncode == 4
    assert pipeline.ci("-m", "gpt-5-mini", "--on-error", "pass").returncode == 0
    pipeline.request({"app.py": CALL})
    assert pipeline.ci("--require-reviewer", "--on-error", "pass").returncode == 1
