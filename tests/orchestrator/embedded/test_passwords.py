"""The servers' passwords: who knows them, who does not, and instances of before there were any."""

import os
import pwd
import socket
import stat
import subprocess
from pathlib import Path

import psycopg
import pytest
import redis

from orchestrator.embedded import postgres_server, redis_server
from orchestrator.embedded.binaries import (
    choose_postgres,
    choose_redis,
    postgres_paths,
    redis_paths,
    within_reach,
)
from orchestrator.embedded.launch import Launch
from orchestrator.embedded.processes import leaders, spawn_detached, wait_until, working_in
from orchestrator.embedded.servers import ensure, is_up, status, stop
from orchestrator.embedded.wire import PostgresWire, ServerState, postgres_state, redis_state
from shared.accounts import DEDICATED, Account
from shared.delivery.broker import make_app
from shared.folders import appending, make_private, prepare
from shared.instance import REDIS_SOCKET, Instance
from shared.locks import try_lock
from tests.orchestrator.embedded.faults import as_ordinary_user

pytestmark = pytest.mark.component
ROOT = os.geteuid() == 0
STRANGER = "nobody"


def libpq_url(instance: Instance) -> str:
    return instance.endpoints.database_url.replace("+psycopg", "")


def server_pids(instance: Instance) -> list[int]:
    return [
        process.pid
        for folder, programs in (
            (instance.redis_dir, redis_server.PROGRAMS),
            (instance.postgres_dir, postgres_server.PROGRAMS),
        )
        for process in leaders(working_in(folder, programs))
    ]


def start_the_old_way(instance: Instance, account: Account | None) -> None:
    """Servers as versions without passwords started them: trust, no AUTH, as root under a shared account."""
    prepare(instance, account)
    for folder in (instance.postgres_dir, instance.redis_dir):
        make_private(folder, account)
    launch = Launch(instance, account, True, os.environ)
    postgres = choose_postgres(postgres_paths(os.environ), None).path
    postgres = within_reach(postgres, account)
    redis_server_program = within_reach(choose_redis(redis_paths(os.environ), None).path, account)
    options = ("--username=postgres", "--auth-local=trust", "--no-sync", "--encoding=UTF8")
    data = launch.own_folder(instance.postgres_dir)
    (instance.redis_dir / "flavour").write_text("valkey 9.1.2\n")
    subprocess.run(
        (postgres.with_name("initdb"), "-D", data, "--locale=C", *options),
        check=True,
        cwd=instance.postgres_dir,
        env=launch.server_environment,
        stdout=subprocess.DEVNULL,
        user=account.uid if account else None,
        group=account.gid if account else None,
        extra_groups=[] if account else None,
    )
    lock = try_lock(instance.state_dir / "redis.lock")
    assert lock is not None
    with appending(instance.log_dir / "old.log") as log, launch.socket_folder() as (run, inherited):
        redis_argv = ("--port", "0", "--appendonly", "yes", "--unixsocket", f"{run}/{REDIS_SOCKET}")
        postgres_argv = ("-D", data, "-c", "listen_addresses=", "-k", run)
        for folder, argv in (
            (instance.redis_dir, (str(redis_server_program), *redis_argv)),
            (instance.postgres_dir, (str(postgres), *postgres_argv)),
        ):
            spawn_detached(
                argv,
                cwd=folder,
                env=launch.server_environment,
                log=log,
                account=account,
                keep=(lock, *inherited) if folder == instance.redis_dir else inherited,
            )
    os.close(lock)


def fill(instance: Instance) -> None:
    with PostgresWire(instance.postgres_socket, "postgres", None) as postgres:
        postgres.query("CREATE DATABASE quorate")
    with PostgresWire(instance.postgres_socket, "quorate", None) as postgres:
        postgres.query("CREATE TABLE kept AS SELECT generate_series(1, 500) AS number")
    with redis.Redis(unix_socket_path=str(instance.redis_socket), db=2) as store:
        store.set("kept", "500")


def kept_rows(instance: Instance) -> tuple[object, object]:
    with (
        psycopg.connect(libpq_url(instance)) as client,
        redis.Redis.from_url(instance.endpoints.redis_url) as store,
    ):
        row = client.execute("SELECT count(*) FROM kept").fetchone()
        return row, store.get("kept")


def test_a_client_without_the_password_or_with_another_one_gets_nowhere(kept: Instance) -> None:
    ensure(kept, durable=False)
    right = kept.password
    assert right

    for url in (f"unix://{kept.redis_socket}", f"unix://:wrong@{kept.redis_socket}"):
        with (
            redis.Redis.from_url(url) as store,
            pytest.raises((redis.AuthenticationError, redis.ResponseError)),
        ):
            store.ping()
    for url in (libpq_url(kept).replace(f":{right}", ""), libpq_url(kept).replace(right, "wrong")):
        with pytest.raises(psycopg.OperationalError, match=r"password") as refused:
            psycopg.connect(url)
        assert right not in str(refused.value)


def test_only_its_owner_can_read_the_password_which_is_new_in_every_instance(
    kept: Instance, instance: Instance
) -> None:
    ensure(kept, durable=False)
    ensure(instance, durable=False)

    found = kept.password_file.stat()

    assert stat.S_IMODE(found.st_mode) == 0o600
    assert found.st_uid == os.geteuid()
    assert len(kept.password or "") == 64
    assert kept.password != instance.password


def test_the_password_is_in_no_log_no_other_file_and_no_fact_about_the_broker(
    kept: Instance,
) -> None:
    stop(kept)
    ensure(kept)
    secret = kept.password or ""
    app = make_app(kept.endpoints.broker_url)

    with app.connection_for_write() as connection:
        assert connection.default_channel.client.ping()
        shown = {**connection.info(), "password": ""}  # as a worker's answer to `inspect stats`
        texts = [str(shown), connection.as_uri(), str(app.conf.table(censored=True))]
    texts.append(str(status(kept)))
    files = [
        path
        for folder in (kept.data_dir, kept.state_dir)
        for path in folder.rglob("*")
        if path.is_file() and path != kept.password_file
    ]

    assert not [text for text in texts if secret in text]
    assert not [path for path in files if secret.encode() in path.read_bytes()]


def test_a_lost_password_is_replaced_at_the_next_start_and_the_data_stay(kept: Instance) -> None:
    ensure(kept)
    with psycopg.connect(libpq_url(kept), autocommit=True) as client:
        client.execute("CREATE TABLE kept AS SELECT generate_series(1, 500) AS number")
    with redis.Redis.from_url(kept.endpoints.redis_url) as store:
        store.set("kept", "500")
    former, pids = kept.password, server_pids(kept)
    kept.password_file.unlink()
    assert not is_up(kept)

    ensure(kept)

    assert kept.password != former
    assert not set(pids) & set(server_pids(kept))
    assert kept_rows(kept) == ((500,), b"500")


@pytest.mark.parametrize("running", [True, False])
def test_an_instance_of_before_passwords_keeps_its_data(instance: Instance, running: bool) -> None:
    nobody = pwd.getpwnam(STRANGER)
    start_the_old_way(instance, Account(STRANGER, nobody.pw_uid, nobody.pw_gid) if ROOT else None)
    assert wait_until(lambda: postgres_state(instance) is ServerState.NO_DATABASE, 30)
    assert wait_until(lambda: redis_state(instance) is ServerState.UP, 30)
    fill(instance)
    if not running:
        assert stop(instance) == ["redis", "postgres"]

    ensure(instance)

    assert kept_rows(instance) == ((500,), b"500")
    with pytest.raises(psycopg.OperationalError, match="password"):
        psycopg.connect(libpq_url(instance).replace(f":{instance.password}", ""))
    if ROOT:
        mine = pwd.getpwnam(DEDICATED).pw_uid
        owners = {path.lstat().st_uid for path in instance.postgres_dir.rglob("*")}
        assert owners == {mine}
        assert {Path(f"/proc/{pid}").stat().st_uid for pid in server_pids(instance)} == {mine}


@pytest.mark.skipif(not ROOT, reason="only root can be another account")
def test_another_account_reaches_neither_a_socket_nor_a_file(kept: Instance) -> None:
    ensure(kept)
    pids = server_pids(kept)
    closed = [kept.password_file, kept.postgres_dir, kept.redis_dir, kept.run_dir]
    ways = [kept.redis_socket, kept.postgres_socket]
    for pid in pids:
        held = [Path(f"/proc/{pid}/cwd"), *Path(f"/proc/{pid}/fd").iterdir()]
        ways += [
            way / name.name for way in held for name in (kept.redis_socket, kept.postgres_socket)
        ]
        closed += [Path(f"/proc/{pid}/{name}") for name in ("environ", "fd", "mem", "cwd/")]

    def attempt() -> str:
        reached = []
        for way in ways:
            with socket.socket(socket.AF_UNIX) as client:
                try:
                    client.connect(str(way))
                    reached.append(str(way))
                except OSError:
                    continue
        for path in closed:
            try:
                os.listdir(path) if path.is_dir() else path.read_bytes()
                reached.append(str(path))
            except OSError:
                continue
        return " ".join(reached) or f"nothing as {os.geteuid()}"

    assert as_ordinary_user(attempt) == f"nothing as {pwd.getpwnam(STRANGER).pw_uid}"
