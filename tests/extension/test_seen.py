"""What an added workflow does is seen without a line for it: its child run, its record, its stages, its roles."""

from __future__ import annotations

import base64
import json
import re
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine
from tests.support.terminals import terminal

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]
LOGIN = "me:secret"


def test_a_child_run_and_a_record_are_seen_wherever_the_run_is(
    extended: CommandLine, poll: tuple[str, ...]
) -> None:
    followed = extended(*poll, "--decide", "publish", "--json")
    assert followed.returncode == 0, followed.stderr
    report = json.loads(followed.stdout)
    run = report["run"]["id"]

    (child,) = report["children"]
    assert (child["workflow"], child["status"], child["verdict"]) == (
        "ask",
        "completed",
        "ANSWERED",
    )
    assert (child["parent"], child["parent_step"]) == (run, "beside")
    assert report["usage"]["calls"] == 5  # three of its own, two of the child
    assert child["usage"]["calls"] == 2
    (fact,) = report["records"]
    assert (fact["kind"], fact["body"]) == ("tally", {"answered": ["ann", "bob"]})
    below = json.loads(extended("show", child["id"], "--json").stdout)
    assert below["run"]["parent"] == run

    assert f"child run {child['id']} (ask): asked beside" in followed.stderr
    assert f"child run {child['id']} (ask): ANSWERED" in followed.stderr
    text = extended("show", run).stdout
    assert re.search(rf"{child['id']} +ask +completed +ANSWERED", text)
    assert "tally: Answered: ann, bob" in text
    assert f"started by run {run} in its step beside" in extended("show", child["id"]).stdout
    assert f"| {child['id']} | ask |" in extended("show", run, "--markdown").stdout
    assert "하위 실행" in extended("show", run, "--lang", "ko").stdout
    assert "tally" in json.loads(extended("show", run, "--schema").stdout)["records"]

    listed = extended("list").stdout.splitlines()
    (at,) = (number for number, row in enumerate(listed) if row.startswith(f"{run} "))
    assert listed[at + 1].startswith(f"└ {child['id']} ")
    whole = json.loads(extended("list", "--json").stdout)["runs"]
    (entry,) = (entry for entry in whole if entry["id"] == run)
    assert [started["id"] for started in entry["children"]] == [child["id"]]


def test_the_live_picture_names_its_stages(
    extended: CommandLine, poll: tuple[str, ...], tmp_path: Path
) -> None:
    command = [str(extended.scripts / "quorate"), *poll, "--no-stdin"]
    with terminal(command, extended.environ, tmp_path) as shown:
        shown.until(lambda text: "🎤 ann  estimate" in text)
        shown.until(lambda text: re.search(r"⤷ ask \w+ ", text) is not None)
        shown.until(lambda text: "or [l]ater? " in text)
        shown.type("p\r")
        assert shown.end() == 0
    stages = re.findall(r"estimate by ann, bob|tell by \w+|child run \w+ \(ask\): \w+", shown.text)
    assert [stage.split()[0] for stage in stages] == ["estimate", "tell", "child", "child"]


@pytest.fixture
def flower(extended: CommandLine) -> Iterator[str]:
    """The address of the installation's own Flower."""
    process = extended.start("flower", "--port", "0", f"--basic-auth={LOGIN}")
    assert process.stderr is not None
    try:
        yield process.stderr.readline().partition("Flower: ")[2].strip()
    finally:
        process.terminate()
        process.communicate(timeout=60)


def test_flower_shows_its_roles(extended: CommandLine, poll: tuple[str, ...], flower: str) -> None:
    wanted = {"quorate.turn.estimate", "quorate.turn.tell", "quorate.turn.answer"}
    names: set[str | None] = set()
    for _ in range(3):  # events reach workers a moment after Flower began to look
        followed = extended(*poll, "--decide", "publish", "--json")
        assert followed.returncode == 0, followed.stderr
        deadline = time.monotonic() + 5
        while not wanted <= names and time.monotonic() < deadline:
            names = task_names(flower)
            time.sleep(0.2)
    assert wanted <= names


def task_names(flower: str) -> set[str | None]:
    """The names of the tasks that Flower has seen."""
    credentials = base64.b64encode(LOGIN.encode()).decode()
    request = urllib.request.Request(f"{flower}/api/tasks")
    request.add_header("Authorization", f"Basic {credentials}")
    with urllib.request.urlopen(request, timeout=30) as reply:
        return {task["name"] for task in json.load(reply).values()}
