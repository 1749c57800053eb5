"""Every command there is, with `--server`: it asks the service, needs none, or says in one sentence why it cannot."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import click
import pytest

from orchestrator.cli.elsewhere import ALONE, HERE, CommandReach, reach_of
from orchestrator.cli.main import cli
from orchestrator.workflows import ROWS
from tests.fixtures.instance import CommandLine, make_command_line, make_repository
from tests.support.doc_blocks import ROOT

ITEM = {"custom_id": "a", "workflow": "ask", "input": {"text": "Is it?"}}
ARGUMENTS = {
    **dict.fromkeys(("ask", "forum", "panel", "plan"), ("Is a monolith right for three people?",)),
    "debate": ("Is a monolith right for three people?",),
    "batch submit": ("items.jsonl",),
    "batch retry": ("last", "--failed"),
    "decide": ("last", "skip"),
    "answer": ("last", "-m", "text"),
    **dict.fromkeys(("wait", "cancel", "resume"), ("last",)),
    "schedule add": ("nightly", "--cron", "0 3 * * *", "--", "review", "HEAD"),
    **dict.fromkeys(
        (f"schedule {name}" for name in ("show", "run", "pause", "resume", "rm")), ("n",)
    ),
    **dict.fromkeys(("participants pause", "participants resume"), ("claude",)),
}
"""What a command needs that works through a service, besides its name."""


def leaves(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Every command that there is, by its words."""
    if not isinstance(command, click.Group):
        yield path
        return
    context = click.Context(command)
    for name in {*command.list_commands(context), *getattr(command, "table", ())}:
        below = command.get_command(context, name)
        assert below is not None
        yield from leaves(below, (*path, name))


EVERY = sorted(leaves(cli))
BY_REACH = {
    reach: [words for words in EVERY if reach_of(words)[0] is reach] for reach in CommandReach
}


@pytest.fixture(scope="module")
def refusing() -> Iterator[tuple[str, list[str]]]:
    """A service that knows nobody, and the requests that it got."""
    asked: list[str] = []

    class Refusing(BaseHTTPRequestHandler):
        def _refuse(self) -> None:
            asked.append(self.path)
            self.rfile.read(int(self.headers.get("Content-Length") or 0))
            problem = {
                "code": "unauthenticated",
                "detail": "the token is wrong, expired or withdrawn",
            }
            body = json.dumps(problem).encode()
            self.send_response(401)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_DELETE = _refuse  # noqa: N815 - the library's names

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Refusing)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def laptop(
    tmp_path_factory: pytest.TempPathFactory, refusing: tuple[str, list[str]]
) -> CommandLine:
    """A home without servers, in which a service is named."""
    home = tmp_path_factory.mktemp("laptop")
    repository = make_repository(home / "repository")
    (repository / "items.jsonl").write_text(json.dumps(ITEM))
    return make_command_line(home, QUORATE_SERVER=refusing[0], QUORATE_TOKEN="wrong")


@pytest.mark.parametrize("words", BY_REACH[CommandReach.SERVICE], ids=" ".join)
def test_a_command_that_works_through_a_service_asks_it_and_nobody_here(
    laptop: CommandLine, refusing: tuple[str, list[str]], words: tuple[str, ...]
):
    refusing[1].clear()
    typed = (*words, *ARGUMENTS.get(" ".join(words), ()))
    refused = laptop(*typed, cwd=laptop.home / "repository")
    assert (refused.returncode, refused.stdout) == (4, ""), refused.stderr
    assert "the token is wrong" in refused.stderr
    assert len(refusing[1]) == 1
    assert not (laptop.home / ".local/share/quorate").exists()


@pytest.mark.parametrize("words", BY_REACH[CommandReach.HERE], ids=" ".join)
def test_a_command_that_works_on_its_own_machine_only_says_why_in_one_sentence(
    laptop: CommandLine, refusing: tuple[str, list[str]], words: tuple[str, ...]
):
    refusing[1].clear()
    refused = laptop(*words)
    assert (refused.returncode, refused.stdout, refusing[1]) == (2, "", [])
    assert reach_of(words)[1] in refused.stderr
    assert "leave --server out and unset QUORATE_SERVER" in refused.stderr
    assert laptop(*words, "--help").returncode == 0


def test_the_tables_name_commands_that_there_are():
    groups = {words[:length] for words in EVERY for length in (1, 2)}
    assert {tuple(name.split()) for name in (*ALONE, *HERE)} <= groups
    assert not ALONE & HERE.keys()


def test_every_workflow_of_people_is_sent_or_says_why_not():
    for row in ROWS:
        if row.summary:
            assert reach_of([row.name])[0] in (CommandReach.SERVICE, CommandReach.HERE)


def test_the_guide_lists_them_as_they_are():
    guide = (ROOT / "docs/api.md").read_text(encoding="utf-8")
    section = guide[guide.index("## From a laptop") : guide.index("## When something goes wrong")]
    rows = {
        reach: re.search(rf"^\| {reach.value} \| (.*) \|$", section, re.MULTILINE)
        for reach in CommandReach
    }
    for reach, row in rows.items():
        assert row is not None, reach
        named = {tuple(name.split()) for name in re.findall(r"`([^`]+)`", row[1])}
        assert named == shortened(reach)


def shortened(reach: CommandReach) -> set[tuple[str, ...]]:
    """The commands of that reach; a group of which all are is named alone."""
    hidden = {name for name, entry in cli.table.items() if entry.hidden}  # type: ignore[attr-defined]
    shown = [words for words in BY_REACH[reach] if words[0] not in hidden]
    whole = {
        words[:1] for words in shown if all(each in shown for each in EVERY if each[0] == words[0])
    }
    return whole | {words for words in shown if words[:1] not in whole}
