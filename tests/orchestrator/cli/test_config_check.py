"""`quorate config check`: every file that would apply, with every problem of each."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine, git, make_repository


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "repo")


@pytest.fixture
def home(quiet_home: CommandLine) -> Path:
    folder = quiet_home.home / ".config/quorate"
    folder.mkdir(parents=True)
    return folder


def checked(
    command: CommandLine, cwd: Path, *words: str, **environ: str
) -> subprocess.CompletedProcess[str]:
    return command(
        "config", "check", *words, cwd=cwd, environ={"QUORATE_DISCOVER": "off"} | environ
    )


def test_without_a_file_all_is_well_and_the_way_to_one_is_named(
    quiet_home: CommandLine, repository: Path
) -> None:
    done = checked(quiet_home, repository)
    assert (done.returncode, done.stderr) == (0, "")
    assert "`quorate init` writes one" in done.stdout


def test_every_problem_of_every_file_is_told_at_once(
    quiet_home: CommandLine, home: Path, repository: Path
) -> None:
    (home / "config.yaml").write_text("language: xx\ngate:\n  fail_onn: major\n")
    (home / "presets").mkdir()
    (home / "presets/mine.yaml").write_text("configuration: {participants: []}\n")
    (home / "prompts/ask/fr").mkdir(parents=True)
    (repository / ".quorate.yaml").write_text("budget: {per_run_usd: lots}\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "configuration")
    (repository / ".quorate.yaml").write_text("review: {max_rounds: 0}\n")

    done = checked(quiet_home, repository)

    assert done.returncode == 2
    for told in (
        f"{home}/config.yaml:1: language: 'xx' is not known here",
        f"{home}/config.yaml:3: unknown key 'fail_onn'; did you mean 'fail_on'?",
        f"{home}/presets/mine.yaml:1: ",
        ".quorate.yaml:1: budget.per_run_usd: expected a number",
        f"{repository}/.quorate.yaml:1: review.max_rounds: expected at least 1.",
    ):
        assert told in done.stdout, (told, done.stdout)


def test_a_repositorys_own_file_is_checked_as_one_before_it_is_committed(
    quiet_home: CommandLine, repository: Path
) -> None:
    (repository / ".quorate.yaml").write_text(
        "review: {exclude: [src/**]}\nsettings: {max_rounds: 1}\n"
    )
    for words in ((), (".quorate.yaml",)):
        done = checked(quiet_home, repository, *words)
        assert done.returncode == 0
        assert "'review.exclude' of the repository's own file is not used" in done.stdout
    (repository / ".quorate.yaml").write_text("settings: {max_rounds: 1}\n")
    done = checked(quiet_home, repository, ".quorate.yaml")
    assert done.returncode == 0
    assert "'settings.max_rounds' of the repository's own file is not used" in done.stdout


def test_a_committed_file_that_may_not_set_something_is_told(
    quiet_home: CommandLine, repository: Path
) -> None:
    (repository / ".quorate.yaml").write_text("output: [{format: json, path: x.json}]\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "configuration")
    done = checked(quiet_home, repository)
    assert done.returncode == 0
    assert "'output' of the repository's own file is not used" in done.stdout
    assert "`quorate trust add`" in done.stdout


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("participants: [{name: models, persona: securty}]\n", "no persona 'securty'"),
        ("preset: evryone\n", "no preset 'evryone'"),
        ("prompts: ./nowhere\n", "there is no folder"),
    ],
)
def test_what_a_key_leads_to_is_looked_at(
    quiet_home: CommandLine, home: Path, repository: Path, text: str, told: str
) -> None:
    (home / "config.yaml").write_text(text)
    done = checked(quiet_home, repository)
    assert done.returncode == 2
    assert told in done.stdout
    assert f"{home}/config.yaml:1" in done.stdout


def test_one_file_is_checked_alone(quiet_home: CommandLine, home: Path, tmp_path: Path) -> None:
    (home / "config.yaml").write_text("language: xx\n")
    fine, wrong = tmp_path / "fine.yaml", tmp_path / "wrong.yaml"
    fine.write_text("gate: {fail_on: major}\n")
    wrong.write_text("gate: {fail_on: [major\n")
    assert checked(quiet_home, tmp_path, "fine.yaml").returncode == 0
    done = checked(quiet_home, tmp_path, "wrong.yaml")
    assert done.returncode == 2
    assert f"{wrong}:" in done.stdout
    assert "not YAML" in done.stdout
    assert checked(quiet_home, tmp_path, "none.yaml").returncode == 2


def test_who_can_be_asked_is_looked_at_only_when_it_is_wanted(
    quiet_home: CommandLine, home: Path, tmp_path: Path
) -> None:
    (home / "config.yaml").write_text(
        "participants: [far, ruff]\nproviders:\n  far: {type: openai, model: m, api_key_env: NO_SUCH_KEY}\n"
    )
    assert checked(quiet_home, tmp_path).returncode == 0
    done = checked(quiet_home, tmp_path, "--reach", "--json")
    assert done.returncode == 4
    told = {each["name"]: each["problem"] for each in json.loads(done.stdout)["participants"]}
    assert told["ruff"] is None
    assert "NO_SUCH_KEY" in told["far"]
    assert checked(quiet_home, tmp_path, "--reach", NO_SUCH_KEY="k").returncode == 0


def test_a_name_that_nobody_has_is_refused_as_a_review_refuses_it(
    quiet_home: CommandLine, home: Path, repository: Path
) -> None:
    (repository / ".quorate.yaml").write_text("participants: [ruf]\n")
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "configuration")
    (repository / "app.py").write_text("import os\n")

    done = checked(quiet_home, repository)
    review = quiet_home("review", "--estimate", cwd=repository)

    told = "No participant is called 'ruf'. Did you mean 'ruff'?"
    assert (done.returncode, review.returncode) == (2, 2)
    assert told in done.stdout
    assert told in review.stderr
    (home / "config.yaml").write_text("participants: [ruff, anna]\n")
    own = checked(quiet_home, home, "config.yaml")
    assert own.returncode == 2
    assert "No participant is called 'anna'" in own.stdout


def test_a_server_of_this_machine_that_does_not_answer_is_named(
    quiet_home: CommandLine, home: Path, tmp_path: Path
) -> None:
    (home / "config.yaml").write_text(
        'providers:\n  near: {type: openai, model: m, base_url: "http://127.0.0.1:9/v1"}\n'
    )
    done = checked(quiet_home, tmp_path, "--reach")
    assert done.returncode == 2
    assert "near: nothing answers at http://127.0.0.1:9/v1" in done.stdout


def test_a_program_that_is_not_installed_is_named_when_it_is_asked_for(
    quiet_home: CommandLine, home: Path, tmp_path: Path
) -> None:
    (home / "config.yaml").write_text(
        "participants: [house, coder, here, ready]\n"
        "providers:\n"
        '  house: {type: analyser, command: [nope-lint, "{files}"], files: ["*.py"]}\n'
        '  lost: {type: analyser, command: [/nowhere/lint, "{files}"], files: ["*.py"]}\n'
        '  here: {type: analyser, command: [sh, "{files}"], files: ["*.py"]}\n'
        '  ready: {type: analyser, command: [ruff, "{files}"], files: ["*.py"]}\n'
        "  coder: {type: command, command: [nope-cli]}\n"
    )
    assert checked(quiet_home, tmp_path).returncode == 0
    done = checked(quiet_home, tmp_path, "--reach", "--json")
    assert done.returncode == 2
    told = {each["name"]: each["problem"] for each in json.loads(done.stdout)["participants"]}
    assert "the program 'nope-lint' is not installed" in told["house"]
    assert "the program '/nowhere/lint' is not installed" in told["lost"]
    assert "nope-cli" in told["coder"]
    assert (told["here"], told["ready"]) == (None, None)


def test_a_rule_that_nobody_knows_and_a_baseline_that_is_not_there_are_mistakes(
    quiet_home: CommandLine, home: Path, tmp_path: Path
) -> None:
    text = "rules: {ignore: [ruff/F4O1, F401], baseline: known.json}\n"
    (tmp_path / "mine.yaml").write_text(text)
    (home / "config.yaml").write_text(text)
    for words in (("mine.yaml",), ()):
        done = checked(quiet_home, tmp_path, *words)
        assert done.returncode == 2
        assert "'ruff/F4O1' switches nothing: there is no such rule. Did you mean" in done.stdout
        assert "known.json cannot be read: No such file or directory" in done.stdout
    (home / "config.yaml").write_text("rules: {ignore: [F401, no-eval]}\n")
    assert checked(quiet_home, tmp_path).returncode == 0
