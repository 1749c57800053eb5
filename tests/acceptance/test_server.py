"""`quorate --server`: a laptop works against an installation, and prints what it prints on its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine, make_command_line, make_repository
from tests.support.doc_blocks import ROOT, blocks_of, examples_of
from tests.support.linter_reports import sarif_report

pytestmark = pytest.mark.acceptance

TOKEN = "a-token-of-the-laptop"


@pytest.fixture(scope="module")
def laptop(live: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CommandLine]:
    """The commands of another home, which has no servers and starts none."""
    # Its token is given: where others have stored tokens, a service makes none for whoever starts it.
    serving = replace(live, environ={**live.environ, "QUORATE_SERVE_TOKEN": TOKEN})
    service = serving.start("serve", "--port", "0")
    assert service.stdout is not None
    url = json.loads(service.stdout.readline())["url"]
    home = tmp_path_factory.mktemp("laptop")
    yield make_command_line(home, QUORATE_SERVER=url, QUORATE_TOKEN=TOKEN)
    service.terminate()
    service.communicate(timeout=60)
    assert not (home / ".local/share/quorate").exists()


def test_a_review_from_elsewhere_ends_as_it_ends_here(
    live: CommandLine, laptop: CommandLine, tmp_path: Path
):
    repository = make_repository(tmp_path / "repository")
    far, near = (
        place("review", "--fail-on", "major", "-p", "ruff,bandit", "--json", cwd=repository)
        for place in (laptop, live)
    )
    there, here = json.loads(far.stdout), json.loads(near.stdout)
    assert (far.returncode, near.returncode) == (1, 1)
    assert there["verdict"] == here["verdict"]
    assert [f["title"] for f in there["findings"]] == [f["title"] for f in here["findings"]]
    run = there["run"]["id"]
    for words in (("show", run), ("show", run, "--events"), ("list", "-n", "3"), ("inbox",)):
        assert laptop(*words).stdout == live(*words).stdout
    assert laptop("watch", run).returncode == live("watch", run).returncode == 1
    assert laptop("wait", run).returncode == 1
    assert laptop("cancel", run).returncode == live("cancel", run).returncode == 2


def test_a_linters_report_is_handed_in_with_a_change_from_elsewhere(
    laptop: CommandLine, tmp_path: Path
):
    repository = make_repository(tmp_path / "repository")
    report = tmp_path / "lint.sarif"
    report.write_text(sarif_report("app.py", 1, "The report's own finding"))
    done = laptop("review", "-p", "ruff", "--report", f"mine={report}", "--json", cwd=repository)
    found = {finding["title"]: finding for finding in json.loads(done.stdout)["findings"]}
    assert "The report's own finding (X1)" in found, (found, done.stderr)


def test_last_is_of_the_repository_here_also_through_a_service(laptop: CommandLine, tmp_path: Path):
    runs = []
    for name in ("a mill", "a bank"):
        repository = make_repository(tmp_path / name)
        done = laptop("review", "--decide", "later", "--json", "-p", "ruff", cwd=repository)
        runs.append(json.loads(done.stdout)["run"]["id"])

    shown = laptop("show", "last", "--json", cwd=tmp_path / "a mill")
    decided = laptop("decide", "last", "skip", "--no-wait", cwd=tmp_path / "a bank")

    assert json.loads(shown.stdout)["run"]["id"] == runs[0]
    assert decided.stdout.startswith(runs[1]), decided.stderr


def test_a_decision_is_answered_from_elsewhere(laptop: CommandLine, tmp_path: Path):
    repository = make_repository(tmp_path / "repository")
    started = laptop("review", "--decide", "later", "--json", cwd=repository)
    run = json.loads(started.stdout)["run"]["id"]
    assert started.returncode == 8
    answered = laptop("decide", run, "skip", "--json")
    assert json.loads(answered.stdout)["decision"]["answer"]["choice"] == "skip"
    assert laptop("decide", run, "apply_fix").returncode == 6


def test_a_batch_is_submitted_from_elsewhere(laptop: CommandLine, tmp_path: Path):
    line = {
        "custom_id": "a",
        "workflow": "review",
        "input": {"files": {"a.py": "x = 1\n"}, "after": {"a.py": "x = eval('1')\n"}},
        "participants": ["bandit"],
    }
    file = tmp_path / "items.jsonl"
    file.write_text(json.dumps(line) + "\n")
    name = laptop("batch", "submit", str(file)).stdout.strip()
    status = json.loads(laptop("batch", "status", name, "--json").stdout)["batch"]
    assert (status["name"], status["total"]) == (name, 1)
    assert laptop("batch", "results", name).returncode in (0, 8)
    assert name in laptop("batch", "list").stdout
    file.write_text('{"custom_id": "a"}\n')
    assert laptop("batch", "submit", str(file)).returncode == 2


@pytest.mark.parametrize(
    "words",
    [
        ("status",),
        ("up",),
        ("serve",),
        ("tokens", "list"),
        ("agent", "do something"),
        ("participants", "allow"),
    ],
)
def test_what_cannot_work_from_elsewhere_says_so(
    laptop: CommandLine, tmp_path: Path, words: tuple[str, ...]
):
    repository = make_repository(tmp_path / "repository")
    refused = laptop(*words, cwd=repository)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "server" in refused.stderr


def test_a_wrong_token_and_a_wrong_address_have_their_codes(laptop: CommandLine):
    assert laptop("list", environ={"QUORATE_TOKEN": "wrong"}).returncode == 4
    assert laptop("list", environ={"QUORATE_TOKEN": ""}).returncode == 4
    assert laptop("list", environ={"QUORATE_SERVER": "http://127.0.0.1:1"}).returncode == 5
    assert laptop("list", environ={"QUORATE_SERVER": "nowhere"}).returncode == 2
    assert laptop("docs", "api").returncode == 0


def test_the_server_may_be_named_before_the_command(laptop: CommandLine):
    url = laptop.environ["QUORATE_SERVER"]
    for words in (("--server", url, "list"), (f"--server={url}", "list")):
        assert laptop(*words, environ={"QUORATE_SERVER": ""}).returncode == 0


def test_the_examples_of_the_guide_are_typed_as_they_stand(
    live: CommandLine, laptop: CommandLine, tmp_path: Path
):
    url, token = laptop.environ["QUORATE_SERVER"], laptop.environ["QUORATE_TOKEN"]
    environ = {**laptop.environ, "URL": url, "TOKEN": token}
    blocks = [*blocks_of(ROOT / "docs/api.md")]
    lines = [
        example.command
        for block in blocks
        for example in examples_of(block)
        if example.command.startswith("curl")
    ]
    programs = [block.body for block in blocks if block.language == "python"]
    assert (len(lines), len(programs)) == (16, 1)
    for command in [["bash", "-c", line] for line in lines] + [
        [sys.executable, "-c", program] for program in programs
    ]:
        done = subprocess.run(
            command,
            cwd=tmp_path,
            env=environ,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, (command, done.stderr)
    assert live("list", "-n", "1").returncode == 0
