"""Schedules behind a service: what they are in the store, within what a submission may ask for."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.application import schedules
from orchestrator.application.remote_requests import RemoteReach
from orchestrator.application.remote_schedules import RemoteSchedule
from orchestrator.application.schedule_desk import StoredSchedules
from orchestrator.cli.scheduled_commands import read_command
from orchestrator.client.remote_participants import RemoteParticipants
from orchestrator.client.remote_schedules import RemoteSchedules
from shared.errors import NotAllowed, UnknownRun, UserError
from shared.models.roles import Role
from shared.store.schedules import FiringState
from tests.fixtures.instance import make_repository
from tests.fixtures.web import WebService
from tests.orchestrator.client.test_remote_installation import client
from tests.support.runs import execute, fetch

pytestmark = pytest.mark.component

NIGHTLY = RemoteSchedule("nightly", "0 3 * * *", ("ask", "What should we clean up?"))


@pytest.fixture
def opened_folder(tmp_path: Path) -> Path:
    return make_repository(tmp_path / "opened" / "shop").parent


@pytest.fixture
def service(web: WebService, opened_folder: Path) -> WebService:
    """A service that has opened a folder."""
    reach = RemoteReach(web.context.directory, (opened_folder,))
    return replace(web, context=replace(web.context, reach=reach, read_command=read_command))


@pytest.fixture
def remote(service: WebService) -> Iterator[RemoteSchedules]:
    with client(service) as opened:
        yield RemoteSchedules(opened)


def test_a_schedule_is_added_looked_at_paused_and_removed(
    service: WebService, remote: RemoteSchedules, opened_folder: Path
):
    stored = StoredSchedules(service.backend, service.context.environ)
    added = remote.add_stated(NIGHTLY)
    assert added == stored.report("nightly", 1).schedule
    place = opened_folder / "shop"
    command = ("review", "HEAD~1..HEAD", "--since", "last-run")
    with pytest.raises(UserError, match="--since names the change"):
        remote.add_stated(RemoteSchedule("new", "0 3 * * *", command, str(place)))
    command = ("review", "--since", "last-run", "--fail-on", "major", "-p", "ruff")
    remote.add_stated(RemoteSchedule("new", "0 3 * * *", command, str(place), any_host=True))
    assert remote.reports() == stored.reports()
    assert remote.report("new", 5) == stored.report("new", 5)
    assert (remote.pause("new", paused=True).paused, remote.pause("new", paused=False).paused) == (
        True,
        False,
    )
    remote.remove("new")
    assert [each.schedule.name for each in remote.reports()] == ["nightly"]
    for gone in (lambda: remote.report("new", 1), lambda: remote.remove("new")):
        with pytest.raises(UnknownRun, match="no schedule new"):
            gone()


def test_what_a_run_came_to_is_told_once_a_scheduler_has_started_it(
    service: WebService, remote: RemoteSchedules
):
    remote.add_stated(NIGHTLY)
    due = schedules.fire_now(service.backend, "nightly")
    execute(
        service.backend.database,
        "UPDATE firings SET state = 'failed', message = 'exit code 4: no key' WHERE due_at = %s",
        due,
    )
    firing = remote.report("nightly", 1).firings[0]
    assert (firing.due_at, firing.state) == (due, FiringState.FAILED)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"cron": "0 3 31 2 *"}, "--cron"),
        ({"cron": "often"}, "--cron"),
        ({"timezone": "Mars/Olympus"}, "Mars/Olympus"),
        ({"name": "a/b"}, "cannot be a schedule's name"),
        ({"command": ("status",)}, "a schedule starts a workflow"),
        ({"command": ("ask", "what?", "--rankng")}, "rankng"),
        ({"command": ("ask", "--help")}, "--help"),
        ({"command": ("ask", "what?", "--no-wait")}, "sets --no-wait"),
    ],
)
def test_what_cannot_be_used_is_refused_in_the_words_of_the_command_line(
    remote: RemoteSchedules, changed: dict[str, str], words: str
):
    with pytest.raises(UserError, match=words) as refused:
        remote.add_stated(replace(NIGHTLY, **changed))
    assert not isinstance(refused.value, NotAllowed)
    assert remote.reports() == []


def test_two_schedules_of_one_name_are_one(remote: RemoteSchedules):
    remote.add_stated(NIGHTLY)
    with pytest.raises(UserError, match="there is a schedule nightly already"):
        remote.add_stated(NIGHTLY)


@pytest.mark.parametrize(
    "command",
    [
        ("ask", "what?", "--file", "/etc/passwd"),
        ("ask", "what?", "--context", "../../../etc/passwd"),
        ("ask", "what?", "-o", "/tmp/x.md"),
        ("ask", "what?", "--config", "/tmp/x.yaml"),
        ("ask", "what?", "--trust-project"),
        ("ask", "what?", "--lock", "x"),
        ("ask", "what?", "-p", "./participant.yaml"),
        ("review", "HEAD"),
        ("review", "--diff", "/etc/passwd"),
        ("review", "--decide", "apply_fix"),
        ("agent", "clean up"),
    ],
    ids=" ".join,
)
def test_what_only_a_person_at_the_terminal_may_ask_for_is_refused(
    remote: RemoteSchedules, command: tuple[str, ...]
):
    with pytest.raises(NotAllowed):
        remote.add_stated(replace(NIGHTLY, command=command))
    assert remote.reports() == []


@pytest.mark.parametrize("folder", ["/", "/etc", ".", "opened/shop", "{opened}/../.."])
def test_a_folder_that_was_not_opened_is_refused(
    remote: RemoteSchedules, opened_folder: Path, folder: str
):
    with pytest.raises(NotAllowed, match="below one that the operator opened"):
        remote.add_stated(replace(NIGHTLY, directory=folder.format(opened=opened_folder)))


def test_only_an_operator_changes_schedules_and_tries_participants(
    service: WebService, remote: RemoteSchedules
):
    remote.add_stated(NIGHTLY)
    token = service.client_as(Role.DECIDER).headers["authorization"].removeprefix("Bearer ")
    with client(service, token) as opened:
        decider = RemoteSchedules(opened)
        assert len(decider.reports()) == 1
        for change in (
            lambda: decider.add_stated(replace(NIGHTLY, name="other")),
            lambda: decider.start("nightly"),
            lambda: decider.pause("nightly", paused=True),
            lambda: decider.remove("nightly"),
            lambda: opened.post("/schedules", {"name": "x"}),
            lambda: opened.post("/participants/test", {}),
            lambda: RemoteParticipants(opened).pause_participant("claude", "", None),
        ):
            with pytest.raises(NotAllowed, match="role operator"):
                change()


KEY = "sk-a-key-of-the-test-0123456789"


def test_a_trial_says_what_it_costs_and_never_where_a_key_is(service: WebService):
    environ = {**service.context.environ, "OPENAI_API_KEY": KEY}
    keyed = replace(service, context=replace(service.context, environ=environ))
    with client(keyed) as opened:
        answer = opened.post("/participants/test", {"names": ["gpt"], "timeout_s": 5})
        told = answer.json()
        (tried,) = told["participants"]
        assert 0 < tried["at_most_usd"] < 0.1
        assert answer.headers["location"].endswith(f"/runs/{told['run']['id']}")
        shown = opened.get(f"/runs/{told['run']['id']}").text
        rows = opened.get(f"/rows/runs/{told['run']['id']}").text
        assert KEY not in answer.text + shown + rows
        stored = fetch(keyed.backend.database, "SELECT spec::text FROM specs")
        assert KEY not in json.dumps(stored[0])
        for names in (["/etc/x.yaml"], ["nobody-of-that-name"]):
            with pytest.raises(UserError):
                opened.post("/participants/test", {"names": names})
