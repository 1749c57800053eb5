"""Standard input: what it brings is taken, and nobody waits for one that stays silent."""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

ASK = (
    "import sys; from orchestrator.cli.piped import read_piped; "
    "found = read_piped(int(sys.argv[1]), None if sys.argv[2] == '-' else float(sys.argv[2])); "
    "print(repr(found.content), *(notice.code for notice in found.notices))"
)


def look(stdin: object, limit: int = 1000, wait: str = "0.2", **more: object) -> str:
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(limit), wait],
        stdin=stdin,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        **more,
    )
    return done.stdout.strip() or done.stderr.strip().splitlines()[-1]


def test_a_file_is_read(tmp_path: Path):
    (tmp_path / "q").write_text("why?")
    with (tmp_path / "q").open() as stream:
        assert look(stream) == "b'why?'"


def test_a_pipe_that_was_inherited_and_stays_silent_holds_nobody_up():
    read, write = os.pipe()
    try:
        began = time.monotonic()
        assert look(read) == "None stdin_silent"
        assert time.monotonic() - began < 50
    finally:
        os.close(read)
        os.close(write)


def test_a_pipe_that_is_slow_to_begin_is_waited_for_when_it_was_named():
    read, write = os.pipe()
    late = subprocess.Popen(["sh", "-c", "sleep 0.6; echo late"], stdout=write)
    os.close(write)
    try:
        assert look(read, wait="-") == "b'late\\n'"
    finally:
        os.close(read)
        late.wait()


def test_a_pipe_that_was_closed_without_a_word_is_told_from_one_that_never_was():
    read, write = os.pipe()
    os.close(write)
    assert look(read) == "None stdin_empty"
    os.close(read)
    assert look(subprocess.DEVNULL) == "None"


def test_a_closed_standard_input_brings_nothing():
    assert look(None, preexec_fn=lambda: os.close(0)) == "None"


def test_more_than_the_limit_is_refused(tmp_path: Path):
    (tmp_path / "q").write_text("x" * 1001)
    with (tmp_path / "q").open() as stream:
        assert "too long" in look(stream)


@pytest.mark.parametrize("space", ["\n", "  \t\n"])
def test_spaces_are_nothing(tmp_path: Path, space: str):
    (tmp_path / "q").write_text(space)
    with (tmp_path / "q").open() as stream:
        assert look(stream) == "None"
