"""Expected errors leave with a sentence, bugs with a file."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from orchestrator.cli.error_handler import handle_error
from shared.errors import (
    CredentialsRejected,
    DecisionConflict,
    EnvironmentFault,
    ReplayMismatch,
    SubjectError,
    UnknownRun,
)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (SubjectError("nothing to review"), 2),
        (CredentialsRejected("no key"), 4),
        (EnvironmentFault("no disk"), 5),
        (DecisionConflict("answered"), 6),
        (ReplayMismatch("the code changed under the run"), 3),
    ],
)
def test_an_expected_error_is_its_sentence_and_its_code(
    error: Exception, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    assert handle_error(error, {"HOME": str(tmp_path)}) == code
    assert capsys.readouterr().err == f"quorate: {error}\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("ko_KR.UTF-8", "'rx' 실행은 없습니다. `quorate list`로 실행을 볼 수 있습니다"),
        ("en_US.UTF-8", "there is no run 'rx': `quorate list` shows the runs"),
    ],
)
def test_an_unknown_run_is_told_in_the_language_of_the_terminal(
    language: str, told: str, capsys: pytest.CaptureFixture[str]
):
    error = UnknownRun("there is no run {shown!r}: `quorate list` shows the runs", shown="rx")
    assert handle_error(error, {"LANG": language}) == 2
    assert capsys.readouterr().err == f"quorate: {told}\n"


def test_a_bug_ends_with_seventy_and_a_private_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    error = ZeroDivisionError("by nought")
    assert handle_error(error, {"HOME": str(tmp_path)}) == 70
    (file,) = (tmp_path / ".local/state/quorate/crashes").iterdir()
    said = capsys.readouterr().err
    assert str(file) in said
    assert type(error).__name__ in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_bug_is_told_even_where_no_file_can_be_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert handle_error(KeyError("x"), {"XDG_STATE_HOME": str(blocked)}) == 70
    named = capsys.readouterr().err.partition("The traceback is in ")[2].partition(":")[0]
    assert "KeyError" in Path(named).read_text()
    Path(named).unlink()


@pytest.mark.parametrize(
    ("arguments", "gone"),
    [
        (["config", "show", "--sources"], "stdout"),
        (["--help"], "stdout"),
        (["statsu"], "stderr"),
        (["config", "presets", "--nonsense"], "stderr"),
    ],
)
def test_a_reader_that_has_gone_is_told_nothing_and_is_no_tripped_gate(
    arguments: list[str], gone: str, tmp_path: Path
):
    reader, writer = os.pipe()
    os.close(reader)
    run = "import sys; from orchestrator.cli.main import main; sys.exit(main())"
    streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, gone: writer}
    ended = subprocess.run(
        [sys.executable, "-c", run, *arguments],
        stdin=subprocess.DEVNULL, check=False, env={**os.environ, "HOME": str(tmp_path)}, **streams,
    )  # fmt: skip
    os.close(writer)
    assert ended.returncode == 141
    assert not ended.stdout
    assert not ended.stderr


@pytest.mark.parametrize("closed", ["0<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("command", "code"), [("docs exit-codes", 0), ("show --nonsense", 2)])
def test_closed_streams_are_no_bug(tmp_path: Path, closed: str, command: str, code: int) -> None:
    run = "import sys; from orchestrator.cli.main import main; sys.exit(main())"
    ended = subprocess.run(
        ["sh", "-c", f'exec "$0" -c "$1" {command} {closed}', sys.executable, run],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        env={**os.environ, "HOME": str(tmp_path)},
    )  # fmt: skip
    assert ended.returncode == code, ended.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device without room here")
def test_no_room_for_the_result_is_a_fault_of_the_environment(tmp_path: Path) -> None:
    run = "import sys; from orchestrator.cli.main import main; sys.exit(main())"
    with Path("/dev/full").open("w") as full:
        ended = subprocess.run(
            [sys.executable, "-c", run, "docs", "exit-codes"],
            stdin=subprocess.DEVNULL, stdout=full, stderr=subprocess.PIPE, text=True, check=False,
            env={**os.environ, "HOME": str(tmp_path)},
        )  # fmt: skip
    assert ended.returncode == 5, ended.stderr
    assert ended.stderr == (
        "quorate: what was to be written found no room: No space left on device.\n"
    )
