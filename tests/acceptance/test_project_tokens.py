"""A token that sees one project, at a running service: at its API, on its pages, and from a laptop by `--server`."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest

from tests.fixtures.instance import CommandLine, make_command_line, make_repository

pytestmark = pytest.mark.acceptance

SHOP, BANK = "shop-of-ours", "bank-of-theirs"
NOT_FOUND, REFUSED = 404, 403


@dataclass(frozen=True)
class Project:
    """What an installation holds of a project: a review that waits for an answer, a batch, a schedule."""

    name: str
    run: str
    batch: str
    schedule: str


@dataclass(frozen=True)
class Served:
    """A service with both projects, and the token that sees the shop's runs only; `laptop` has that token."""

    url: str
    token: str
    laptop: CommandLine
    shop: Project
    bank: Project


def make_project(live: CommandLine, name: str, folder: Path) -> Project:
    """Fill a project at the machine's own command line."""
    repository = make_repository(folder / name)
    mine = {"QUORATE_PROJECT": name}
    asked = live(
        *("review", "-p", "ruff", "--decide", "later", "--json"), cwd=repository, environ=mine
    )
    assert asked.returncode == 8, asked.stderr
    line = {
        "custom_id": f"item-of-{name}",
        "workflow": "review",
        "input": {"files": {"a.py": "x = 1\n"}, "after": {"a.py": "x = eval('1')\n"}},
        "participants": ["bandit"],
    }
    items = folder / f"{name}.jsonl"
    items.write_text(json.dumps(line) + "\n")
    batch = live("batch", "submit", str(items), "--name", f"batch-of-{name}", environ=mine)
    assert batch.returncode == 0, batch.stderr
    schedule = f"nightly-{name}"
    added = live(
        *("schedule", "add", schedule, "--cron", "0 3 * * *", "--project", name, "--paused"),
        *("--", "review", "-p", "ruff"),
        cwd=repository,
    )
    assert added.returncode == 0, added.stderr
    run = json.loads(asked.stdout)["run"]["id"]
    return Project(name, run, batch.stdout.strip(), schedule)


@pytest.fixture(scope="module")
def served(live: CommandLine, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    folder = tmp_path_factory.mktemp("projects")
    projects = [make_project(live, name, folder) for name in (SHOP, BANK)]
    added = live("tokens", "add", "shop-team", "--role", "operator", "--project", SHOP)
    assert added.returncode == 0, added.stderr
    token = added.stdout.strip()
    service = live.start("serve", "--port", "0", "--no-open")
    assert service.stdout is not None
    url = json.loads(service.stdout.readline())["url"]
    laptop = make_command_line(
        tmp_path_factory.mktemp("laptop"), QUORATE_SERVER=url, QUORATE_TOKEN=token
    )
    yield Served(url, token, laptop, *projects)
    service.terminate()
    service.communicate(timeout=60)
    live("tokens", "rm", "shop-team")


@contextmanager
def bearer(served: Served) -> Iterator[httpx.Client]:
    """A program with the token."""
    headers = {"Authorization": f"Bearer {served.token}"}
    with httpx.Client(base_url=f"{served.url}/api/v1", headers=headers) as client:
        yield client


@contextmanager
def signed_in(served: Served) -> Iterator[httpx.Client]:
    """A browser that the token let in."""
    with httpx.Client(base_url=served.url, headers={"Accept": "text/html"}) as browser:
        answer = browser.post(
            "/sign-in", data={"token": served.token}, headers={"Origin": served.url}
        )
        assert answer.status_code == 303
        yield browser


Client = Callable[[Served], AbstractContextManager[httpx.Client]]


def require_only_ours(served: Served, text: str, *expected: str) -> None:
    assert [word for word in expected if word not in text] == []
    foreign = (BANK, served.bank.run, served.bank.batch, served.bank.schedule)
    assert [word for word in foreign if word in text] == []


LISTS: dict[str, Callable[[Project], str]] = {
    "/runs": lambda project: project.run,
    "/inbox": lambda project: project.run,
    "/batches": lambda project: project.batch,
    "/schedules": lambda project: project.schedule,
}


@pytest.mark.parametrize("path", LISTS)
@pytest.mark.parametrize("client", [bearer, signed_in])
def test_lists_hold_what_is_the_projects(served: Served, client: Client, path: str) -> None:
    with client(served) as asking:
        answer = asking.get(path)
    assert answer.status_code == 200
    require_only_ours(served, answer.text, LISTS[path](served.shop))


@pytest.mark.parametrize("client", [bearer, signed_in])
def test_what_is_anothers_is_not_there_and_stays_as_it_is(
    served: Served, live: CommandLine, client: Client
) -> None:
    paths = ["/runs/{run}", "/batches/{batch}"]
    paths.append(
        "/runs/{run}/decisions/decision" if client is signed_in else "/schedules/{schedule}"
    )
    with client(served) as asking:
        for path in paths:
            answers = [asking.get(path.format(**vars(each))) for each in (served.shop, served.bank)]
            assert [each.status_code for each in answers] == [200, NOT_FOUND], path
    with bearer(served) as asking:
        changes = ("/runs/{run}/cancel", "/batches/{batch}/cancel", "/schedules/{schedule}/resume")
        for path in changes:
            refused = asking.post(path.format(**vars(served.bank)))
            assert refused.status_code == NOT_FOUND, path
        decided = asking.post(
            f"/runs/{served.bank.run}/decisions/decision", json={"choice": "skip"}
        )
        assert decided.status_code == NOT_FOUND
    shown = json.loads(live("show", served.bank.run, "--json").stdout)
    assert shown["run"]["status"] == "waiting"


def test_costs_are_the_projects_and_what_is_the_installations_is_refused(served: Served) -> None:
    with bearer(served) as asking:
        for by in ("participant", "workflow", "batch", "day"):
            cost = asking.get("/cost", params={"by": by})
            assert cost.status_code == 200, cost.text
            require_only_ours(served, cost.text)
        for path in ("/status", "/webhooks"):
            assert asking.get(path).status_code == REFUSED, path
    with httpx.Client(headers={"Authorization": f"Bearer {served.token}"}) as asking:
        assert asking.get(f"{served.url}/metrics").status_code == REFUSED


def test_commands_from_elsewhere_show_the_projects_runs_and_refuse_the_others(
    served: Served, live: CommandLine
) -> None:
    shop, bank, laptop = served.shop, served.bank, served.laptop
    for words, expected in (
        (("list",), shop.run),
        (("inbox",), shop.run),
        (("batch", "list"), shop.batch),
        (("schedule", "list"), shop.schedule),
        (("cost", "--by", "batch"), ""),
        (("cost",), ""),
    ):
        done = laptop(*words)
        assert done.returncode == 0, (words, done.stderr)
        require_only_ours(served, done.stdout, expected)
    assert laptop("show", shop.run).returncode in (0, 1, 8)
    for words in (
        ("show", bank.run),
        ("decide", bank.run, "skip"),
        ("cancel", bank.run),
        ("watch", bank.run),
        ("batch", "status", bank.batch),
        ("batch", "cancel", bank.batch),
        ("schedule", "show", bank.schedule),
        ("schedule", "rm", bank.schedule),
    ):
        refused = laptop(*words)
        assert refused.returncode == 2, (words, refused.returncode, refused.stderr)
        assert refused.stdout == ""
    assert bank.schedule in live("schedule", "list").stdout
    answered = laptop("decide", shop.run, "skip", "--json")
    assert json.loads(answered.stdout)["decision"]["answer"]["actor"] == "shop-team"
