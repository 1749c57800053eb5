"""A Korean reader meets no English sentence: what each command says, typed at a Korean terminal."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine, git, make_repository
from tests.support.english import english_left

pytestmark = pytest.mark.acceptance

KOREAN = {"LANG": "ko_KR.UTF-8", "LC_ALL": "ko_KR.UTF-8", "COLUMNS": "200"}
OURS = ("review", "--participants", "diffcheck,complexity")
CONFLICT = "".join(
    [
        "import sys\n<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> theirs\n",
        *(f"def f{n}(a):\n    return a\n" for n in range(3)),
        "def tangled(a):\n" + "".join(f"    if a == {n}:\n        return {n}\n" for n in range(14)),
    ]
)
# Commands that only look, or say what they would do; `RUN` is a review.
LOOKING = (
    "status",
    "doctor",
    "health",
    "list",
    "inbox",
    "cost",
    "show RUN",
    "show RUN --all",
    "show RUN --events",
    "replay RUN",
    "replay RUN --sweep agreement=0.5:0.9:0.2",
    "diff RUN RUN",
    "fork RUN --from round:1 --dry-run",
    "watch RUN",
    "wait RUN",
    "decide RUN",
    "decide RUN apply_fix",
    "decide --all skip",
    "undo RUN",
    "config check",
    "config check --reach",
    "config show",
    "config show --sources",
    "config presets",
    "init --print",
    "participants list",
    "participants models",
    "participants resume ruff",
    "trust list",
    "trust add",
    "trust remove",
    "hold list",
    "hold add RUN --reason audit",
    "hold rm RUN",
    "purge --log",
    "purge --older-than 90d --dry-run",
    "purge --older-than 90d",
    "purge",
    "tokens list",
    "tokens add reader --role viewer",
    "tokens list",
    "tokens rm reader",
    "webhooks list",
    "webhooks add http://127.0.0.1:9/hook --name here",
    "webhooks list",
    "webhooks test here",
    "webhooks deliveries",
    "webhooks resume here",
    "webhooks rm here",
    "schedule list",
    "schedule add nightly --cron 0_3_*_*_* -- review HEAD",
    "schedule list",
    "schedule show nightly",
    "schedule pause nightly",
    "schedule resume nightly",
    "schedule rm nightly",
    "encryption status",
    "db current",
    "db upgrade",
    "batch list",
    "prompts list",
    "eval list",
    "keys list",
    "logs nothing",
    "export RUN -o run.qrun",
    "import run.qrun",
    "backup saved.backup",
    "agent modes",
    "graph build",
    "cancel RUN",
    "resume RUN",
    "up",
)
# Of the machine: programs, servers, files of Quorate, and words that are typed.
NAMES = ("git version", "Configure Quorate", "valkey", "postgres", "no such option")


def english_of(done: subprocess.CompletedProcess[str], *names: str) -> list[str]:
    return english_left(f"{done.stdout}\n{done.stderr}", names=(*NAMES, *names))


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = make_repository(tmp_path_factory.mktemp("ko") / "repository")
    (place / "app.py").write_text(CONFLICT)
    return place


@pytest.fixture(scope="module")
def reviewed(live: CommandLine, repository: Path) -> str:
    """A review that was typed at a Korean terminal; its id."""
    done = live(*OURS, "--decide", "skip", cwd=repository, environ=KOREAN)
    assert done.returncode in (0, 1), done.stderr
    assert english_of(done) == []
    runs = json.loads(live("list", "-n", "1", "--json").stdout)["runs"]
    return str(runs[0]["id"])


@pytest.mark.parametrize("typed", dict.fromkeys(LOOKING))
def test_a_command_says_nothing_in_english(
    live: CommandLine, repository: Path, reviewed: str, typed: str
) -> None:
    words = (word.replace("RUN", reviewed) for word in typed.split())
    arguments = [word.replace("_", " ") if "*" in word else word for word in words]

    done = live(*arguments, cwd=repository, environ=KOREAN)

    assert done.stdout + done.stderr
    assert english_of(done, str(repository)) == []


def test_a_change_that_is_committed_and_nothing_is_left_to_review(
    live: CommandLine, tmp_path: Path
) -> None:
    place = make_repository(tmp_path / "other")
    git(place, "commit", "-qam", "change it")

    done = live(*OURS, "HEAD", "--estimate", cwd=place, environ=KOREAN)

    assert english_of(done, "change it") == []


def test_the_json_of_a_korean_terminal_is_that_of_an_english_one(
    live: CommandLine, repository: Path, reviewed: str
) -> None:
    for arguments in (("show", reviewed, "--json"), ("list", "--json"), ("doctor", "--json")):
        korean, english = (
            live(*arguments, cwd=repository, environ=environ).stdout
            for environ in (KOREAN, {"LANG": "C", "LC_ALL": "C"})
        )
        assert korean == english
