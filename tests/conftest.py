"""What holds for the whole session: trip-wires, markers, and where server fixtures are plugged in.

Trip-wires, set before the first test module is imported:
- HOME and the XDG folders are a throw-away directory, so no test touches a person's data;
- credentials, proxies and server URLs of the person's environment are gone, here and in children;
- this process connects to AF_UNIX and loopback only: an audit hook refuses the rest, and a test in
  whose time it happened fails even if the product swallowed the refusal;
- warnings are errors (pyproject.toml).

A machine that stands still for a moment fails no example of a property: Hypothesis watches no clock.

Environment that a person or CI may set for tests begins with QUORATE_TEST_ and is kept.
"""

import gc
import os
import shutil
import signal
from collections.abc import Generator, Iterable
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from tests.tripwires import NetworkGuard, clean_environment, make_home

# Fixtures that own servers, workers and repositories live in tests/fixtures/*.py, one topic a file.
pytest_plugins: list[str] = [
    f"tests.fixtures.{path.stem}"
    for path in sorted((Path(__file__).parent / "fixtures").glob("[!_]*.py"))
]

NEEDS = {
    "needs_npm": (lambda: shutil.which("npm"), "npm is not on PATH"),
    "needs_chromium": (
        lambda: any(map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))),
        "no Chromium on PATH",
    ),
    "needs_promtool": (lambda: shutil.which("promtool"), "promtool is not on PATH"),
    "needs_pgbouncer": (lambda: shutil.which("pgbouncer"), "pgbouncer is not on PATH"),
    "needs_helm": (
        lambda: os.environ.get("QUORATE_TEST_HELM"),
        "QUORATE_TEST_HELM is not set (.ci/run sets it to an interpreter with Helm's engine)",
    ),
    "needs_prometheus": (lambda: shutil.which("prometheus"), "prometheus is not on PATH"),
    "needs_grafana_sdk": (
        lambda: os.environ.get("QUORATE_TEST_GRAFANA"),
        "QUORATE_TEST_GRAFANA is not set (.ci/run sets it to an interpreter with Grafana's models)",
    ),
    "needs_dclint": (
        lambda: os.environ.get("QUORATE_TEST_DCLINT"),
        "QUORATE_TEST_DCLINT is not set (.ci/run sets it to the program)",
    ),
    "needs_schemathesis": (
        lambda: os.environ.get("QUORATE_TEST_SCHEMATHESIS"),
        "QUORATE_TEST_SCHEMATHESIS is not set (.ci/run sets it to the program)",
    ),
    "needs_rabbitmq": (
        lambda: os.environ.get("QUORATE_TEST_AMQP_URL"),
        "QUORATE_TEST_AMQP_URL is not set (.ci/run sets it where RabbitMQ answers)",
    ),
}

NETWORK = NetworkGuard()


def pytest_configure(config: pytest.Config) -> None:
    home = make_home()
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    clean_environment(os.environ, home)
    NETWORK.install()
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # The session is a script's background job: what tests start would ignore Ctrl-C, too.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.register_profile(
        "unhurried", deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    settings.load_profile("unhurried")


# Modules that wait for processes go first, so that a parallel session does not end with one of them alone. Between two
# of them stand some that compute: what waits leaves its processor to those.
SLOW_FIRST = ("chaos", "acceptance", "benchmarks", "workers/tools", "orchestrator/cli")
COMPUTING_AFTER_EACH = 4


def _turn(module: Path) -> int:
    """Where the module's folder stands among the slow ones; behind them all for the rest."""
    place = module.relative_to(Path(__file__).parent).as_posix()
    return next((n for n, slow in enumerate(SLOW_FIRST) if place.startswith(slow)), len(SLOW_FIRST))


def _order(modules: Iterable[Path]) -> list[Path]:
    """The slow modules in their order, and after each of them a few of the others."""
    turns = sorted(modules, key=_turn)
    slow = [module for module in turns if _turn(module) < len(SLOW_FIRST)]
    others = iter(turns[len(slow) :])
    mixed = [each for module in slow for each in (module, *islice(others, COMPUTING_AFTER_EACH))]
    return [*mixed, *others]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    turn = {module: n for n, module in enumerate(_order(dict.fromkeys(i.path for i in items)))}
    items.sort(key=lambda item: turn[item.path])
    missing = {name: reason for name, (found, reason) in NEEDS.items() if not found()}
    for item in items:
        for name in missing.keys() & {mark.name for mark in item.iter_markers()}:
            item.add_marker(pytest.mark.skip(reason=missing[name]))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """The garbage collector looks at what tests make, and not at a million objects of modules and tests each time."""
    gc.disable()
    result = yield
    gc.freeze()
    gc.enable()
    return result


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call() -> Generator[None, object, object]:
    NETWORK.forget()
    result = yield
    refused = NETWORK.forget()
    if refused:
        pytest.fail(f"this test reached for the network: {', '.join(refused)}", pytrace=False)
    return result
