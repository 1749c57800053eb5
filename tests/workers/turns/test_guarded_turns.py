"""Turns through the whole step worker: what leaves the machine, what a run forbids, what a trap caught."""

from __future__ import annotations

import json
import socket
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from orchestrator.engine.advance import Engine
from shared.allowed import Allowed, program_identity, suite_identity
from shared.delivery.contracts import StepPayload
from shared.delivery.presence import Presence
from shared.models.outcomes import FailureKind
from shared.models.panel import Panel, Participant
from shared.models.steps import StepKind
from shared.store.database import Database
from shared.tools.commands import ready_commands
from tests.support.notices import column_words
from tests.support.review_panel import participant, submission
from tests.support.runs import execute, fetch, step_row
from workers.turns.spool import Spool
from workers.turns.steps import StepWorker
from workers.turns.turn import TurnWorker

pytestmark = pytest.mark.component

SECRET = "hunter2-and-more"
DIFF = (
    "--- a/app.py\n+++ b/app.py\n@@ -2 +2,2 @@\n-    return int(x)\n+    return eval(x)\n"
    f'+password = "{SECRET}"\n'
)
APPROVED = json.dumps({"verdict": "APPROVED", "summary": "fine"})
# An agent that keeps what it was told, and one that does what the data asks for.
KEEPS = "import sys; open(sys.argv[1], 'w').write(sys.stdin.read()); print(sys.argv[2])"
OBEYS = r"""
import json, re, sys
data = re.search(r"<<<BEGIN \w+ diff>>>(.*?)<<<END", sys.stdin.read(), re.DOTALL).group(1)
one, other = re.findall(r'"([a-z]{8})"', data)
print(json.dumps({"verdict": "APPROVED", "summary": f"{one}{other}{one} all is well"}))
"""


@pytest.fixture
def worker(database: Database, tmp_path: Path) -> Iterator[StepWorker]:
    presence = Presence(database, "turns")
    presence.start()
    yield StepWorker(TurnWorker(database), presence, Spool(tmp_path / "spool"))
    presence.stop()


def agent(*arguments: str) -> Participant:
    command = [sys.executable, "-c", *arguments]
    return participant("bob", "command", options={"command": command})


def first_turn(database: Database, speaker: Participant, **spec: Any) -> str:
    """A run whose first step is the speaker's critique."""
    panel = Panel(critics=(speaker,), author=participant("author"), chair=participant("chair"))
    wanted = submission(panel=panel, diff=DIFF)
    engine = Engine(database)
    run = engine.submit(wanted.spec.model_copy(update=spec), "a change", wanted.documents)
    engine.advance(run)
    return run


def work(worker: StepWorker, run: str) -> Any:
    step = "critique/1/bob"
    worker.work(StepPayload(run=run, step=step, participant="bob", role="critique", round=1))
    return step_row(worker.database, run, step)


def calls(database: Database, run: str) -> tuple[int, int]:
    """How many calls were counted, and of how many the answer is stored."""
    sql = "SELECT count(*) AS counted, count(response) AS stored FROM usage WHERE run_id = %s"
    row = fetch(database, sql, run)
    return row.counted, row.stored


def test_an_external_participant_gets_no_secret_and_the_step_says_what_was_hidden(
    worker: StepWorker, database: Database, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    row = work(worker, first_turn(database, agent(KEEPS, str(told), APPROVED)))
    assert row.status == "done"
    assert SECRET not in told.read_text()
    assert 'password = "\u00abmasked:assigned-secret:1\u00bb"' in told.read_text()
    assert column_words(row.note) == "masked 1 secret (assigned-secret)"


def test_a_run_that_keeps_its_texts_here_makes_no_external_call(
    worker: StepWorker, database: Database, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    run = first_turn(database, agent(KEEPS, str(told), APPROVED), allow_external=False)
    row = work(worker, run)
    assert (row.status, row.failure_kind) == ("failed", FailureKind.NOT_ALLOWED)
    assert "bob" in row.failure_message
    assert not told.exists()
    assert calls(database, run) == (0, 0)


def test_a_command_that_only_a_row_names_is_not_run_until_somebody_here_allows_it(
    worker: StepWorker, database: Database, tmp_path: Path
) -> None:
    """What a writer of Postgres forges: before, the command ran with the worker's keys and network."""
    told = tmp_path / "told"
    bob = agent(KEEPS, str(told), APPROVED)
    worker.turns.allowed = Allowed(tmp_path / "allowed")
    row = work(worker, first_turn(database, bob))
    assert (row.status, row.failure_kind) == ("failed", FailureKind.NOT_ALLOWED)
    assert "quorate participants allow --config FILE" in row.failure_message
    assert not told.exists()
    worker.turns.allowed.allow_all([bob])
    assert work(worker, first_turn(database, bob)).status == "done"
    assert told.exists()


@pytest.mark.parametrize(
    ("provider", "options"),
    [
        ("openai", {"base_url": "ADDRESS", "api_key_env": "PATH"}),
        ("ollama", {"base_url": "ADDRESS"}),
        ("openai", {"api_key_file": "/etc/hostname"}),
        ("scripted", {"script": "/etc/hostname"}),
        ("browser", {"site": "chatgpt", "i_accept_the_sites_terms": True}),
    ],
)
def test_a_row_sends_no_key_anywhere_and_reads_no_file(
    worker: StepWorker, database: Database, tmp_path: Path, provider: str, options: dict[str, Any]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.setblocking(False)
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        aimed = {name: address if said == "ADDRESS" else said for name, said in options.items()}
        worker.turns.allowed = Allowed(tmp_path / "allowed")
        bob = participant("bob", provider, options=aimed).model_copy(update={"model": "m"})
        row = work(worker, first_turn(database, bob))
        assert (row.status, row.failure_kind) == ("failed", FailureKind.NOT_ALLOWED)
        with pytest.raises(BlockingIOError):
            listener.accept()


def test_tests_that_only_a_row_names_are_not_run_until_somebody_here_allows_them(
    worker: StepWorker, database: Database, tmp_path: Path
) -> None:
    allowed = worker.turns.allowed = Allowed(tmp_path / "allowed")

    def forged() -> Any:
        run = first_turn(database, participant("bob", "analyser", tool="ruff"))
        for old, new in (
            ('"tool": "ruff"', '"tool": "tests.run"'),
            ('"inputs": {', '"inputs": {"command": "true", '),
        ):
            statement = "UPDATE requests SET bodies = replace(bodies::text, %s, %s)::jsonb"
            execute(database, statement, old, new)
        return work(worker, run)

    row = forged()
    assert (row.status, row.failure_kind) == ("failed", FailureKind.NOT_ALLOWED)
    assert "run the tests by 'true'" in row.failure_message
    allowed.allow(suite_identity("true"))
    row = forged()
    assert (row.status, row.failure_kind) == ("failed", FailureKind.TOOL_ERROR)
    assert "tests.run is given is malformed" in column_words(row.failure_message)


def test_a_linter_that_only_a_row_names_is_not_run_until_somebody_here_allows_it(
    worker: StepWorker, database: Database, tmp_path: Path
) -> None:
    allowed = worker.turns.allowed = Allowed(tmp_path / "allowed")
    row = {"command": ["no-such-linter"], "files": ["*.py"]}

    def forged(program: object) -> Any:
        run = first_turn(database, participant("bob", "analyser", tool="ruff"))
        more = f'"inputs": {{"name": "bob", "program": {json.dumps(program)}, '
        for old, new in (('"tool": "ruff"', '"tool": "command"'), ('"inputs": {', more)):
            statement = "UPDATE requests SET bodies = replace(bodies::text, %s, %s)::jsonb"
            execute(database, statement, old, new)
        return work(worker, run)

    for program in (row, "sh", {**row, "command": ["shellcheck", "-x"]}):
        assert forged(program).failure_kind == FailureKind.NOT_ALLOWED
    identity = program_identity(row)
    assert identity is not None
    allowed.allow(identity)
    told = column_words(forged(row).failure_message)
    assert "'no-such-linter' is not installed" in told
    ready = ready_commands()["shellcheck"].row.model_dump(mode="json")
    assert forged(ready).failure_kind != FailureKind.NOT_ALLOWED


def test_a_worker_for_tools_takes_no_turn_whatever_message_names_it(
    worker: StepWorker, database: Database, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    worker.kind = StepKind.TOOL
    run = first_turn(database, agent(KEEPS, str(told), APPROVED))
    assert work(worker, run).status == "pending"
    assert not told.exists()
    worker.kind = StepKind.TURN
    execute(database, "UPDATE steps SET not_before = NULL")
    assert work(worker, run).status == "done"


def test_who_stands_in_needs_an_entry_of_its_own(
    worker: StepWorker, database: Database, tmp_path: Path
) -> None:
    told = tmp_path / "told"
    bob = participant("bob", "openai", options={}).model_copy(
        update={"model": "m", "fallback": (agent(KEEPS, str(told), APPROVED),)}
    )
    worker.turns.allowed = Allowed(tmp_path / "allowed")
    row = work(worker, first_turn(database, bob))
    assert (row.status, row.failure_kind) == ("failed", FailureKind.NOT_ALLOWED)
    assert not told.exists()


@pytest.mark.parametrize("promise", ["allow_external", "allow_models"])
def test_the_stored_run_keeps_its_promise_whatever_a_step_and_its_stand_ins_say(
    worker: StepWorker, database: Database, tmp_path: Path, promise: str
) -> None:
    told = tmp_path / "told"
    bob = agent(KEEPS, str(told), APPROVED)
    stand_in = bob.model_copy(update={"name": "eve"})
    run = first_turn(database, bob.model_copy(update={"fallback": (stand_in,)}))
    execute(database, f"UPDATE runs SET {promise} = false WHERE id = %s", run)
    row = work(worker, run)
    assert (row.status, row.failure_kind) == ("failed", FailureKind.NOT_ALLOWED)
    assert not told.exists()
    assert calls(database, run) == (0, 0)


def test_such_a_run_still_asks_who_is_here(worker: StepWorker, database: Database) -> None:
    here = participant("bob", options={"replies": [{"when": {}, "reply": json.loads(APPROVED)}]})
    row = work(worker, first_turn(database, here, allow_external=False))
    assert row.status == "done"
    assert row.note == ""


def test_a_turn_that_obeyed_its_data_is_quarantined_stored_and_counted(
    worker: StepWorker, database: Database
) -> None:
    run = first_turn(database, agent(OBEYS))
    row = work(worker, run)
    assert (row.status, row.failure_kind) == ("failed", FailureKind.QUARANTINED)
    assert "bob followed an instruction" in row.failure_message
    assert row.reply is None
    assert calls(database, run) == (1, 1)
