from pathlib import Path

import pytest

from shared.errors import UserError
from shared.instance import Instance


def test_the_folders_follow_the_xdg_variables() -> None:
    found = Instance.from_environment({"XDG_DATA_HOME": "/d", "XDG_STATE_HOME": "/s", "HOME": "/h"})

    assert found.data_dir == Path("/d/quorate/default")
    assert found.state_dir == Path("/s/quorate/default")
    assert found.run_dir == Path("/s/quorate/default/run")
    assert found.log_dir == Path("/s/quorate/default/log")


def test_unset_and_relative_xdg_variables_mean_the_home_directory() -> None:
    found = Instance.from_environment({"XDG_DATA_HOME": "data", "HOME": "/h"})

    assert found.data_dir == Path("/h/.local/share/quorate/default")
    assert found.state_dir == Path("/h/.local/state/quorate/default")


def test_two_names_share_no_folder() -> None:
    one = Instance.from_environment({"HOME": "/h", "QUORATE_INSTANCE": "one"})
    two = Instance.from_environment({"HOME": "/h", "QUORATE_INSTANCE": "two"})

    assert not {one.data_dir, one.state_dir, one.run_dir} & {
        two.data_dir,
        two.state_dir,
        two.run_dir,
    }


@pytest.mark.parametrize("name", ["../up", "a/b", ".hidden", "with space", "x" * 65, "한글"])
def test_a_name_that_is_no_folder_name_is_the_users_error(name: str) -> None:
    with pytest.raises(UserError, match="QUORATE_INSTANCE"):
        Instance.from_environment({"HOME": "/h", "QUORATE_INSTANCE": name})


@pytest.mark.parametrize(
    "folder", ["/" + "long/" * 20, "/with,comma", "/한글", "/per%cent", "/a b"]
)
def test_a_path_that_sockets_or_urls_cannot_take_moves_the_sockets_to_tmp(folder: str) -> None:
    moved = Instance.at(Path(folder))

    assert moved.run_dir.is_relative_to("/tmp")
    assert len(str(moved.postgres_socket)) <= 103
    assert moved.run_dir == Instance.at(Path(folder)).run_dir
    assert moved.run_dir != Instance.at(Path(folder), "other").run_dir
    assert moved.data_dir.is_relative_to(folder)


def test_the_longest_path_that_fits_stays_where_it_is() -> None:
    rest = len("/state/default/run/.s.PGSQL.5432")
    fits = Instance.at(Path("/" + "a" * (103 - rest - 1)))
    over = Instance.at(Path("/" + "a" * (103 - rest)))

    assert fits.run_dir == fits.state_dir / "run"
    assert over.run_dir != over.state_dir / "run"


def test_the_urls_hold_the_password_once_there_is_one(tmp_path: Path) -> None:
    instance = Instance.at(tmp_path)
    instance.data_dir.mkdir(parents=True)
    instance.password_file.write_text("secret\n")
    run = instance.run_dir

    urls = instance.endpoints

    assert "secret" not in repr(urls)
    assert urls.broker_url == f"redis+socket://:secret@{run}/redis.sock"
    assert urls.redis_url == f"unix://:secret@{run}/redis.sock?db=2"
    assert urls.database_url.startswith("postgresql+psycopg://postgres:secret@/quorate?host=")


def test_the_urls_name_the_sockets_and_the_broker_has_database_zero() -> None:
    urls = Instance.at(Path("/q")).endpoints

    assert urls.broker_url == "redis+socket:///q/state/default/run/redis.sock"
    assert urls.redis_url == "unix:///q/state/default/run/redis.sock?db=2"
    assert urls.database_url == (
        "postgresql+psycopg://postgres@/quorate?host=%2Fq%2Fstate%2Fdefault%2Frun"
    )
