"""Temporary folders of worker processes: their own, and gone when the process is."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.workers.test_trees import dig

CLAIM = """
import sys, tempfile
from pathlib import Path
from workers.temporary import leave_folder, use_folder
state = Path(sys.argv[1])
use_folder(state)
inside = Path(tempfile.mkdtemp(prefix="quorate-"))
inside.joinpath("mod.py").write_text("source under review")
inside.joinpath("closed").mkdir()
inside.joinpath("closed", "file").write_text("x")
inside.joinpath("closed").chmod(0)
print(inside, flush=True)
if sys.argv[2] == "wait":
    sys.stdin.read()
leave_folder(state)
"""


def worker(state: Path, ending: str = "wait") -> tuple[subprocess.Popen[str], Path]:
    process = subprocess.Popen(
        [sys.executable, "-c", CLAIM, str(state), ending],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[2],
    )
    assert process.stdout is not None
    return process, Path(process.stdout.readline().strip())


def end(process: subprocess.Popen[str], *, kill: bool = False) -> None:
    if kill:
        process.kill()
    process.communicate("")


def folders(state: Path) -> set[Path]:
    return {path for path in (state / "tmp").iterdir() if path.is_dir()}


def test_a_worker_keeps_its_files_in_a_closed_folder_of_its_own_and_leaves_none(
    tmp_path: Path,
) -> None:
    process, inside = worker(tmp_path)
    (own,) = folders(tmp_path)
    assert inside.parent == own
    assert own.name.split("-")[0] == str(process.pid)
    assert own.stat().st_mode & 0o777 == (tmp_path / "tmp").stat().st_mode & 0o777 == 0o700
    end(process)
    assert folders(tmp_path) == set()


def test_what_a_killed_worker_left_goes_when_the_next_one_starts_and_the_living_keep_theirs(
    tmp_path: Path,
) -> None:
    living, kept = worker(tmp_path)
    killed, left = worker(tmp_path)
    end(killed, kill=True)
    assert left.joinpath("mod.py").exists()
    following, _ = worker(tmp_path)
    assert not left.parent.exists()
    assert kept.joinpath("mod.py").exists()
    for process in (living, following):
        end(process)


def test_folders_within_folders_that_a_tool_left_keep_no_worker_from_starting(
    tmp_path: Path,
) -> None:
    killed, left = worker(tmp_path)
    end(killed, kill=True)
    dig(left, 1_500)
    following, inside = worker(tmp_path)
    assert inside.exists()
    assert not left.parent.exists()
    end(following)


def test_a_folder_named_after_a_living_process_that_does_not_hold_it_is_swept(
    tmp_path: Path,
) -> None:
    """A pid has a next owner: process 1 lives, but this folder is not its own."""
    stale = tmp_path / "tmp" / "1-1"
    stale.mkdir(parents=True)
    (tmp_path / "tmp").chmod(0o700)
    outside = tmp_path / "outside"
    outside.mkdir()
    stale.joinpath("link").symlink_to(outside)
    process, _ = worker(tmp_path, "end")
    end(process)
    assert not stale.exists()
    assert outside.stat().st_mode & 0o777 != 0o700 or outside.is_dir()
