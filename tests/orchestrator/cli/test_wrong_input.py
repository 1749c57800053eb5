"""What is typed wrong gets one sentence and code 2, and nothing is started for it."""

import subprocess
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine, git


def refused(done, code: int = 2) -> str:
    assert done.returncode == code, done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("quorate: ")
    assert "Traceback" not in done.stderr
    return done.stderr


def nothing_was_started(command_line: CommandLine) -> bool:
    return not (command_line.home / ".local" / "share").exists()


def test_an_unknown_command_is_answered_with_the_nearest_one(quiet_home: CommandLine):
    assert "Did you mean `quorate review`?" in refused(quiet_home("reveiw"))


def test_an_unknown_option_names_the_help(quiet_home: CommandLine):
    assert "quorate review --help" in refused(quiet_home("review", "--nonsense"))


def test_a_variables_value_is_blamed_on_the_variable_and_not_on_the_option(
    quiet_home: CommandLine,
):
    assert "for QUORATE_LANG: 'de'" in refused(quiet_home("list", environ={"QUORATE_LANG": "de"}))
    assert "for '--lang': 'de'" in refused(quiet_home("list", "--lang", "de"))


def test_no_command_shows_the_help(quiet_home: CommandLine):
    done = quiet_home()
    assert done.returncode == 2
    assert "Start work:" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--strategy", "nonsense"), "known: review, red-team"),
        (("--rounds", "0"), "'--rounds'"),
        (("--panel", "rufff"), "Did you mean 'ruff'?"),
        (("--fail-on", "terrible"), "terrible"),
        (("-o", "result.pdf"), ".json, .md"),
        (("-o", "nowhere/result.md"), "there is no folder nowhere"),
        # As root the folder's mode allows it.
        (("-o", "/proc/result.md"), "/proc/result.md: it cannot be written"),
        (("--diff", "missing.diff"), "missing.diff"),
        (("--diff", "-"), "--allow-empty"),
        (("no-such-revision",), "no-such-revision"),
        (("--config", "missing.yaml"), "missing.yaml"),
        (("--staged", "--base", "main"), ""),
    ],
)
def test_a_wrong_option_of_review_says_what_is_wrong(
    quiet_home: CommandLine, changed_repository: Path, arguments: tuple[str, ...], said: str
):
    assert said in refused(quiet_home("review", *arguments, cwd=changed_repository))
    assert nothing_was_started(quiet_home)


@pytest.mark.parametrize("arguments", [("--diff", "-"), ("-",)])
def test_a_closed_standard_input_is_no_diff_and_no_bug(
    quiet_home: CommandLine, changed_repository: Path, arguments: tuple[str, ...]
):
    command = [str(quiet_home.scripts / "quorate"), "review", *arguments]
    done = subprocess.run(
        ["sh", "-c", 'exec "$@" <&-', "sh", *command],
        cwd=changed_repository,
        env=quiet_home.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (2, ""), done.stderr
    assert "nothing came on standard input" in done.stderr
    assert "--allow-empty" in done.stderr
    assert nothing_was_started(quiet_home)


def test_a_directory_without_a_repository_is_named(quiet_home: CommandLine, tmp_path: Path):
    empty = tmp_path / "empty"
    empty.mkdir()
    assert "not inside a git repository" in refused(quiet_home("review", cwd=empty))
    assert nothing_was_started(quiet_home)


def test_nothing_staged_says_so(quiet_home: CommandLine, changed_repository: Path):
    done = quiet_home("review", "--staged", cwd=changed_repository)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("NOTHING_TO_REVIEW · nothing is staged")
    assert nothing_was_started(quiet_home)


@pytest.mark.parametrize("diff", ["this is no diff\n", "\x00\x01\x02"])
def test_a_broken_diff_is_refused(quiet_home: CommandLine, diff: str):
    refused(quiet_home("review", "--diff", "-", stdin=diff))
    assert nothing_was_started(quiet_home)


def test_a_malformed_configuration_is_named_with_its_line_and_a_suggestion(
    quiet_home: CommandLine, changed_repository: Path
):
    (changed_repository / ".quorate.yaml").write_text("version: 1\nlangauge: ko\n")
    git(changed_repository, "add", ".quorate.yaml")
    git(changed_repository, "commit", "-q", "-m", "settings")
    said = refused(quiet_home("review", cwd=changed_repository))
    assert ".quorate.yaml:2" in said
    assert "did you mean 'language'?" in said


def test_a_missing_key_is_code_four(quiet_home: CommandLine, changed_repository: Path):
    done = quiet_home("review", "--panel", "openai:gpt-5-mini", cwd=changed_repository)
    assert "OPENAI_API_KEY" in refused(done, 4)
    assert nothing_was_started(quiet_home)


def test_half_of_the_external_urls_is_refused(quiet_home: CommandLine):
    done = quiet_home("list", environ={"QUORATE_REDIS_URL": "redis://127.0.0.1:1/0"})
    assert "QUORATE_DATABASE_URL is missing" in refused(done)


def test_a_database_that_does_not_answer_is_code_five(quiet_home: CommandLine):
    urls = {
        "QUORATE_REDIS_URL": "redis://127.0.0.1:1/0",
        "QUORATE_DATABASE_URL": "postgresql://u:secret@127.0.0.1:1/x",
    }
    said = refused(quiet_home("list", environ=urls), 5)
    assert "does not answer" in said
    assert "secret" not in said


def test_an_error_cannot_steer_the_terminal(quiet_home: CommandLine, changed_repository: Path):
    said = refused(quiet_home("review", "\x1b[2Jnope", cwd=changed_repository))
    assert "\x1b" not in said


def test_flower_is_not_opened_to_everybody_without_a_password(quiet_home: CommandLine):
    said = refused(quiet_home("flower", "--address", "0.0.0.0"))
    assert "--basic-auth" in said
    assert nothing_was_started(quiet_home)
