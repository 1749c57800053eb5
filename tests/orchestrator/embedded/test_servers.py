import os
import pwd
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest
import redis
from celery import Celery

from orchestrator.embedded import postgres_server, redis_server
from orchestrator.embedded.processes import is_alive, leaders, wait_until, working_in
from orchestrator.embedded.servers import ensure, is_up, status, stop
from shared.errors import EnvironmentFault
from shared.instance import Instance
from tests.orchestrator.embedded.faults import as_ordinary_user, kill_postgres, kill_redis

pytestmark = pytest.mark.component

ENSURE = """
import sys
from pathlib import Path
from shared.instance import Instance
from orchestrator.embedded.servers import ensure
print(ensure(Instance.at(Path(sys.argv[1])), durable=False).database_url)
"""


def connect(instance: Instance) -> psycopg.Connection[tuple[object, ...]]:
    url = instance.endpoints.database_url.replace("+psycopg", "")
    return psycopg.connect(url, autocommit=True)


def server_pids(instance: Instance) -> list[int]:
    found = (
        *working_in(instance.redis_dir, redis_server.PROGRAMS),
        *working_in(instance.postgres_dir, postgres_server.PROGRAMS),
    )
    return [process.pid for process in leaders(found)]


def test_a_cold_start_gives_urls_that_kombu_redis_py_and_psycopg_can_use(
    instance: Instance,
) -> None:
    (instance.data_dir / "pg.init").mkdir(parents=True)
    (instance.data_dir / "pg.init" / "left by a start that was killed").write_text("")

    endpoints = ensure(instance)

    with Celery(broker=endpoints.broker_url).connection_for_write() as broker:
        assert broker.default_channel.client.connection_pool.connection_kwargs["db"] == 0
        assert broker.default_channel.client.ping()
    with redis.Redis.from_url(endpoints.redis_url) as client:
        assert client.connection_pool.connection_kwargs["db"] == 2
        assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        assert client.config_get("append*")["appendonly"] == "yes"
    with psycopg.connect(endpoints.database_url.replace("+psycopg", "")) as connection:
        assert connection.execute("SELECT current_database()").fetchone() == ("quorate",)
        assert connection.execute("SHOW fsync").fetchone() == ("on",)
        assert connection.execute("SHOW timezone").fetchone() == ("UTC",)
        assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
    assert not (instance.data_dir / "pg.init").exists()
    assert (instance.redis_dir / "flavour").read_text().startswith(("valkey ", "redis "))
    assert instance.run_dir.stat().st_mode & 0o777 == 0o700


def test_a_call_while_both_are_up_starts_nothing(kept: Instance) -> None:
    ensure(kept)
    before = server_pids(kept)

    ensure(kept)

    assert server_pids(kept) == before


def test_data_survive_a_stop_that_does_not_wait_for_clients(kept: Instance) -> None:
    ensure(kept)
    with connect(kept) as client:
        client.execute("CREATE TABLE kept AS SELECT 7 AS number")
        with redis.Redis.from_url(kept.endpoints.redis_url) as store:
            store.set("kept", "7")
        began = time.monotonic()
        assert stop(kept) == ["redis", "postgres"]
        assert time.monotonic() - began < 9.5  # after ten seconds who does not leave is made to
    assert not server_pids(kept)
    assert stop(kept) == []

    ensure(kept)

    with connect(kept) as client, redis.Redis.from_url(kept.endpoints.redis_url) as store:
        assert client.execute("SELECT number FROM kept").fetchone() == (7,)
        assert store.get("kept") == b"7"


def test_redis_killed_with_9_comes_back_with_what_it_had_written(kept: Instance) -> None:
    ensure(kept)
    with redis.Redis.from_url(kept.endpoints.redis_url) as store:
        store.mset({f"key-{number}": number for number in range(1000)})
        assert store.execute_command("WAITAOF", 1, 0, 60_000)[0] == 1
    killed = kill_redis(kept)

    ensure(kept)

    assert killed not in server_pids(kept)
    with redis.Redis.from_url(kept.endpoints.redis_url) as store:
        assert len(store.keys("key-*")) == 1000


def test_postgres_killed_with_9_comes_back_with_what_was_committed(kept: Instance) -> None:
    ensure(kept)
    with connect(kept) as client:
        client.execute("CREATE TABLE committed AS SELECT generate_series(1, 500)")
    killed = kill_postgres(kept)

    ensure(kept)

    assert killed not in server_pids(kept)
    with connect(kept) as client:
        assert client.execute("SELECT count(*) FROM committed").fetchone() == (500,)


def test_a_pid_file_that_names_a_living_stranger_is_no_obstacle(kept: Instance) -> None:
    ensure(kept)
    kill_postgres(kept)
    assert wait_until(lambda: not working_in(kept.postgres_dir, postgres_server.PROGRAMS), 30)
    owner = kept.postgres_dir.stat()
    root = os.geteuid() == 0
    stranger = subprocess.Popen(
        ("sleep", "60"),
        user=owner.st_uid if root else None,
        group=owner.st_gid if root else None,
        extra_groups=[] if root else None,
    )
    try:
        lock = kept.postgres_dir / "postmaster.pid"
        lines = lock.read_text().split("\n")
        lock.write_text("\n".join([str(stranger.pid), *lines[1:]]))
        assert not is_up(kept)

        ensure(kept)

        assert is_up(kept)
        assert is_alive(stranger.pid)
    finally:
        stranger.kill()
        stranger.wait()


def test_servers_whose_sockets_were_deleted_are_replaced(kept: Instance) -> None:
    ensure(kept)
    before = server_pids(kept)
    kept.redis_socket.unlink()
    kept.postgres_socket.unlink()

    ensure(kept)

    assert is_up(kept)
    assert len(server_pids(kept)) == 2
    assert not set(before) & set(server_pids(kept))


def test_the_status_of_running_servers_says_who_they_are(kept: Instance) -> None:
    ensure(kept)

    found = {entry.name: entry for entry in status(kept)}

    assert [found["redis"].pid, found["postgres"].pid] == server_pids(kept)
    assert found["redis"].path == kept.redis_socket
    assert (found["postgres"].version or "").startswith("postgres ")
    for entry in found.values():
        assert entry.running
        assert entry.since is not None
        assert abs(time.time() - entry.since.timestamp()) < 120
        assert entry.memory_bytes is not None
        assert (entry.memory_bytes > 1_000_000) == Path("/proc/self/smaps_rollup").exists()


def test_the_status_of_servers_that_never_ran_makes_no_folder(instance: Instance) -> None:
    assert [(entry.name, entry.running) for entry in status(instance)] == [
        ("redis", False),
        ("postgres", False),
    ]
    assert not instance.state_dir.exists()


def test_servers_know_none_of_the_callers_secrets(kept: Instance) -> None:
    stop(kept)
    ensure(kept, environ={**os.environ, "ANTHROPIC_API_KEY": "canary", "PGPORT": "1"})

    assert kept.password
    for pid in server_pids(kept):
        for shown in ("environ", "cmdline"):
            text = Path(f"/proc/{pid}/{shown}").read_bytes()
            assert b"canary" not in text
            assert kept.password.encode() not in text


@pytest.mark.skipif(os.geteuid() != 0, reason="only root drops to another account")
def test_root_hands_the_servers_to_an_unprivileged_account(kept: Instance) -> None:
    ensure(kept)

    owners = {Path(f"/proc/{pid}").stat().st_uid for pid in server_pids(kept)}

    assert owners == {pwd.getpwnam("quorate").pw_uid}
    assert kept.state_dir.stat().st_uid == 0


def test_an_ordinary_user_gets_servers_of_their_own(open_folder: Path) -> None:
    home = open_folder / "home"
    home.mkdir()
    home.chmod(0o777)
    instance = Instance.at(home)

    def work() -> str:
        ensure(instance, durable=False)
        owners = {Path(f"/proc/{pid}").stat().st_uid for pid in server_pids(instance)}
        mine = owners == {os.geteuid()}
        return f"{is_up(instance)} {mine} {stop(instance, immediate=True)}"

    assert as_ordinary_user(work) == "True True ['redis', 'postgres']"


def test_eight_concurrent_cold_starts_below_a_long_path_give_one_pair(tmp_path: Path) -> None:
    root = tmp_path / ("길다 " * 20) / ("long" * 20)
    instance = Instance.at(root)
    commands = [
        subprocess.Popen(
            (sys.executable, "-c", ENSURE, str(root)), stdout=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    try:
        answers = {command.communicate()[0].strip() for command in commands}

        assert answers == {instance.endpoints.database_url}
        assert is_up(instance)
        assert len(server_pids(instance)) == 2
        assert instance.run_dir.parent.stat().st_mode & 0o777 == 0o700
    finally:
        stop(instance, immediate=True)
        for name in (".s.PGSQL.5432", ".s.PGSQL.5432.lock", "redis.sock"):
            (instance.run_dir / name).unlink(missing_ok=True)
        instance.run_dir.rmdir()
        instance.run_dir.parent.rmdir()


def test_servers_whose_folders_were_removed_are_found_and_ended(instance: Instance) -> None:
    ensure(instance, durable=False)
    pids = server_pids(instance)
    shutil.rmtree(instance.data_dir)
    shutil.rmtree(instance.state_dir)

    assert stop(instance) == ["redis", "postgres"]

    assert not [pid for pid in pids if is_alive(pid)]
    assert stop(instance) == []
    assert not instance.state_dir.exists()


@pytest.mark.parametrize("looks", [1, 3])
def test_a_watcher_makes_nothing_again_once_the_folders_are_gone(
    instance: Instance, looks: int
) -> None:
    ensure(instance, durable=False)
    pids = server_pids(instance)
    shutil.rmtree(instance.run_dir)
    asked: list[bool] = []

    def is_gone() -> bool:
        asked.append(len(asked) + 1 == looks)
        if asked[-1]:
            shutil.rmtree(instance.state_dir)
            shutil.rmtree(instance.data_dir)
        return asked[-1]

    with pytest.raises(EnvironmentFault, match=r"folders of the instance .* were removed"):
        ensure(instance, durable=False, is_gone=is_gone)

    assert len(asked) == looks
    assert not instance.data_dir.exists()
    assert not instance.state_dir.exists()
    stop(instance)
    assert not any(is_alive(pid) for pid in pids)


def test_a_missing_program_ends_the_start_and_leaves_nothing_running(instance: Instance) -> None:
    with pytest.raises(EnvironmentFault, match="QUORATE_REDIS_SERVER leads to /nowhere"):
        ensure(instance, environ={**os.environ, "QUORATE_REDIS_SERVER": "/nowhere"})

    with pytest.raises(EnvironmentFault, match="QUORATE_POSTGRES_BIN leads to /nowhere/postgres"):
        ensure(instance, environ={**os.environ, "QUORATE_POSTGRES_BIN": "/nowhere"})

    assert not server_pids(instance)
    assert stop(instance, immediate=True) == []


def test_a_start_that_runs_out_of_time_ends_initdb_and_the_next_one_succeeds(
    instance: Instance,
) -> None:
    with pytest.raises(
        EnvironmentFault, match=r"Postgres did not answer within 0\.15 s.*try again"
    ):
        ensure(instance, durable=False, timeout_s=0.15)

    assert (instance.data_dir / "pg.init").exists()
    scratch = instance.data_dir / "pg.init"
    assert wait_until(lambda: not working_in(scratch, postgres_server.PROGRAMS), 30)
    ensure(instance, durable=False)
    assert is_up(instance)


def test_a_data_folder_with_something_else_in_it_is_left_alone(instance: Instance) -> None:
    instance.postgres_dir.mkdir(parents=True)
    (instance.postgres_dir / "diary.txt").write_text("mine")

    with pytest.raises(EnvironmentFault, match="holds files but no Postgres database"):
        ensure(instance, durable=False)

    assert (instance.postgres_dir / "diary.txt").read_text() == "mine"


def test_a_server_that_cannot_start_is_told_with_the_end_of_its_log(instance: Instance) -> None:
    ensure(instance, durable=False)
    stop(instance, immediate=True)
    (instance.postgres_dir / "global" / "pg_control").rename(instance.data_dir / "pg_control")

    with pytest.raises(EnvironmentFault, match=r"Postgres ended.*pg_control.*postgres\.log"):
        ensure(instance, durable=False)


def test_a_socket_that_nobody_answers_is_not_taken_for_a_server(instance: Instance) -> None:
    instance.run_dir.mkdir(parents=True, mode=0o700)
    with socket.socket(socket.AF_UNIX) as dead:
        dead.bind(str(instance.redis_socket))  # bound and closed: the file stays

    assert not is_up(instance)
    ensure(instance, durable=False)
    assert is_up(instance)
