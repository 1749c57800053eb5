"""Pages that people have open while everything behind them is killed: they come back and show the end by themselves."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import pytest

from orchestrator.embedded.processes import wait_until
from shared.models.decision import DecisionAnswer
from shared.store.decisions import answer_decision
from shared.store.listed_decisions import list_decisions
from tests.chaos.cluster import Cluster
from tests.chaos.processes import SCRIPTS, Kept
from tests.chaos.workload import critique_with_patch

pytestmark = [pytest.mark.chaos, pytest.mark.needs_chromium, pytest.mark.timeout(400)]
PATIENCE_MS = 90_000
PATCHER = {"ada": "patcher"}
VICTIMS = ("turns", "orchestrator", "redis", "postgres", "serve")


@pytest.fixture(scope="module")
def shared_cluster() -> Iterator[Cluster]:
    """A cluster whose tool workers check patches."""
    made = Cluster(with_tools=True)
    yield made
    made.close()


@pytest.fixture
def signed_in(cluster: Cluster, chromium: Any) -> Iterator[Any]:
    """A browser that opened the link of a web server, which is started again when it dies."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    endpoints = cluster.endpoints
    environ = {
        **cluster.environ,
        "QUORATE_DATABASE_URL": endpoints.database_url,
        "QUORATE_REDIS_URL": endpoints.redis_url,
        "QUORATE_BROKER_URL": endpoints.broker_url,
    }
    argv = (str(SCRIPTS / "quorate"), "serve", "--port", str(port), "--no-open")
    log = cluster.folder / "serve.log"
    log.unlink(missing_ok=True)
    cluster.keeper.keep(Kept("serve", argv, environ, log))
    assert wait_until(lambda: log.exists() and b"\n" in log.read_bytes(), 90), "it did not start"
    link = json.loads(log.read_text().splitlines()[0])["link"]
    browser = chromium.new_context()
    browser.set_default_timeout(PATIENCE_MS)
    page = browser.new_page()
    page.goto(link)
    page.wait_for_url("**/inbox")
    page.close()
    browser.base = f"http://127.0.0.1:{port}"
    yield browser
    browser.close()
    cluster.keeper.drop("serve")


def opened(browser: Any, path: str) -> Any:
    """A page with a mark that would not survive a reload."""
    page = browser.new_page()
    page.on("pageerror", lambda error: pytest.fail(str(error)))
    page.goto(browser.base + path)
    page.evaluate("window.openedOnce = true")
    return page


def never_reloaded(page: Any) -> bool:
    return bool(page.evaluate("window.openedOnce === true"))


def kill(cluster: Cluster, victim: str) -> None:
    """SIGKILL, and wait until it has been started again."""
    faults: dict[str, Callable[[], object]] = {
        "redis": cluster.kill_redis,
        "postgres": cluster.kill_postgres,
    }
    faults.get(victim, partial(cluster.kill, victim))()
    cluster.wait_for(cluster.is_up, "the servers are back")
    kept = cluster.keeper
    cluster.wait_for(
        lambda: all(kept[name].process is not None for name in kept.names()), "everybody lives"
    )


def submit(cluster: Cluster) -> tuple[str, Callable[[], None]]:
    """A review whose critics answer when the second value is called, and that then asks a person."""
    gate = cluster.folder / f"gate-{len(list(cluster.folder.glob('gate-*')))}"
    held = cluster.folder / f"{gate.name}.open"
    wishes: dict[str, dict[str, object]] = {
        "*": {"latency": "0.1"},
        "patcher": {"text": critique_with_patch(), "until": str(held)},
    }
    gate.touch()
    cluster.tell(wishes)
    [run] = cluster.submit(1, mode="ask", rounds=1, models=PATCHER)
    cluster.wait_for(cluster.calls_in_flight, "a call is in flight")
    return run, held.touch


def answer(cluster: Cluster, run: str) -> None:
    [row] = cluster.database.run(lambda c: list_decisions(c, run=run, only_open=True))
    given = DecisionAnswer(choice="skip", actor="kim", channel="cli")
    cluster.database.run(
        lambda c: answer_decision(c, run, row.key, given, row.shown_sha256), atomic=True
    )
    cluster.signals.send(run)


def shows_the_end(cluster: Cluster, run: str, of_run: Any, inbox: Any) -> None:
    """Both pages show that somebody is asked, and then that nobody is any more: neither was loaded again."""
    decision = inbox.locator(f"a[href='/runs/{run}/decisions/decision']").first
    decision.wait_for()
    of_run.locator(".badge", has_text="Waiting").first.wait_for()
    answer(cluster, run)
    decision.wait_for(state="detached")
    of_run.locator(".badge", has_text="Completed").first.wait_for()
    for page, notice in ((of_run, "#away"), (inbox, "#offline")):
        page.locator(notice).wait_for(state="hidden")
        assert never_reloaded(page)


def test_pages_that_are_open_while_everything_is_killed_in_turn_show_the_end_by_themselves(
    cluster: Cluster, signed_in: Any
) -> None:
    run, let_them_answer = submit(cluster)
    of_run, inbox = opened(signed_in, f"/runs/{run}"), opened(signed_in, "/inbox")
    of_run.locator(".bubble.leased").first.wait_for()
    for victim in VICTIMS:
        kill(cluster, victim)
        of_run.wait_for_timeout(2_000)
    assert not cluster.statuses([run])[run].final
    let_them_answer()
    shows_the_end(cluster, run, of_run, inbox)


@pytest.mark.slow
def test_pages_that_are_open_while_everything_is_killed_at_once_show_the_end_by_themselves(
    cluster: Cluster, signed_in: Any
) -> None:
    run, let_them_answer = submit(cluster)
    of_run, inbox = opened(signed_in, f"/runs/{run}"), opened(signed_in, "/inbox")
    of_run.locator(".bubble.leased").first.wait_for()
    with cluster.servers_left_alone():
        for name in cluster.keeper.names():
            cluster.keeper[name].revived = False
            cluster.kill(name)
        cluster.kill_redis()
        cluster.kill_postgres()
        for page, notice in ((of_run, "#away"), (inbox, "#offline")):
            page.locator(notice).wait_for(state="visible")
    for name in cluster.keeper.names():
        cluster.keeper[name].revived = True
    let_them_answer()
    shows_the_end(cluster, run, of_run, inbox)
