import os
import stat
from pathlib import Path

import pytest

from orchestrator.embedded.launch import ended_at_start
from shared.errors import EnvironmentFault
from shared.folders import (
    LOG_CAP_BYTES,
    appending,
    make_private,
    os_error_as_fault,
    prepare,
    require_space,
)
from shared.instance import Instance
from tests.orchestrator.embedded.faults import as_ordinary_user


def test_made_folders_are_private_and_those_above_stay_as_they_are(tmp_path: Path) -> None:
    above = tmp_path / "above"
    above.mkdir(mode=0o755)
    above.chmod(0o755)

    make_private(above / "private")

    assert stat.S_IMODE((above / "private").stat().st_mode) == 0o700
    assert stat.S_IMODE(above.stat().st_mode) == 0o755


def test_a_folder_that_was_opened_up_is_closed_again(tmp_path: Path) -> None:
    make_private(tmp_path / "run")
    (tmp_path / "run").chmod(0o777)

    make_private(tmp_path / "run")

    assert stat.S_IMODE((tmp_path / "run").stat().st_mode) == 0o700


def test_a_link_in_tmp_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "guessed").symlink_to(tmp_path / "elsewhere")

    with pytest.raises(EnvironmentFault, match="a file stands where a folder should be"):
        make_private(tmp_path / "guessed")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can make somebody else's folder")
def test_somebody_elses_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "theirs").mkdir()
    os.chown(tmp_path / "theirs", 12345, 12345)

    with pytest.raises(EnvironmentFault, match="belongs to user 12345"):
        make_private(tmp_path / "theirs")


def test_a_read_only_folder_is_told_with_its_place_and_a_cure(open_folder: Path) -> None:
    open_folder.chmod(0o555)

    def work() -> str:
        prepare(Instance.at(open_folder / "q"), None)
        return "prepared"

    told = as_ordinary_user(work)

    assert told.startswith(f"EnvironmentFault: Cannot make the folder {open_folder}/q")
    assert "permission denied" in told
    assert "set XDG_DATA_HOME" in told


def test_a_file_in_the_way_is_told(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("")

    with pytest.raises(EnvironmentFault, match=r"data.*a file stands where a folder should be"):
        prepare(Instance.at(tmp_path), None)


def test_too_little_space_is_told_in_megabytes(tmp_path: Path) -> None:
    require_space(tmp_path, 1)

    with pytest.raises(EnvironmentFault, match=r"MB are free for .* 1000000000 MB are needed"):
        require_space(tmp_path, 10**15)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk_is_told_as_such() -> None:
    with (
        pytest.raises(
            EnvironmentFault, match=r"Cannot write /dev/full: the disk is full; free some"
        ),
        os_error_as_fault("write", Path("/dev/full")),
        open("/dev/full", "wb", buffering=0) as full,
    ):
        full.write(b"x")


def test_a_server_that_died_of_a_full_disk_says_so_and_others_quote_their_log(
    tmp_path: Path,
) -> None:
    log = tmp_path / "postgres.log"
    log.write_text('FATAL:  could not write to file "x": No space left on device\n')
    assert "full" in str(ended_at_start("Postgres", log))

    log.write_text("FATAL:  something else\n")
    assert "something else" in str(ended_at_start("Postgres", log))


def test_a_log_over_its_cap_is_moved_aside_once(tmp_path: Path) -> None:
    log = tmp_path / "worker.log"
    log.write_bytes(b"x" * (LOG_CAP_BYTES + 1))

    with appending(log) as descriptor:
        os.write(descriptor, b"new\n")
    with appending(log) as descriptor:
        os.write(descriptor, b"newer\n")

    assert log.read_text() == "new\nnewer\n"
    assert (tmp_path / "worker.log.1").stat().st_size == LOG_CAP_BYTES + 1
