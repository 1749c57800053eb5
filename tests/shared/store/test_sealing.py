"""Texts under a key: sealed in every column that holds them, opened wherever they are read, lost by nobody."""

from __future__ import annotations

import json
import subprocess
import sys
from base64 import b64encode
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.application.backend import Backend
from orchestrator.application.encryption import rotate, status
from shared.errors import ConfigurationError, EnvironmentFault, UserError
from shared.models.decision import DecisionAnswer
from shared.models.findings import Finding, Stance
from shared.settings import ServiceSettings
from shared.store.database import Database
from shared.store.decisions import answer_decision
from shared.store.documents import address, get_documents, put_documents
from shared.store.ends import finish, store_response
from shared.store.journal import load_journal
from shared.store.listed_decisions import list_decisions
from shared.store.resealing import COLUMNS
from shared.store.reuse import find_answer
from shared.store.runs import Changes, NewDecision, NewRecord, lock_run
from shared.store.saving import save
from shared.store.sealing import MARK, Sealer, require_keys
from shared.store.views import list_findings, list_stances, list_steps
from tests.support.review_panel import submission
from tests.support.runs import execute, fetch, new_run, response, take

KEY, OTHER = bytes(range(32)), bytes(range(1, 33))
SECRET = "the patient's name is Przybylski"
component = pytest.mark.component

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(VALUES)
def test_a_value_comes_back_as_it_was(value: object) -> None:
    sealer = Sealer([KEY])

    stored = json.dumps(sealer.seal_value(value)).encode()

    assert json.loads(sealer.open_texts(stored, in_json=True)) == value


@given(st.binary(max_size=2_000))
def test_a_document_comes_back_as_it_was(content: bytes) -> None:
    sealed = Sealer([KEY]).seal(content)

    assert content not in sealed or len(content) < 8
    assert Sealer([OTHER, KEY]).open(sealed) == content
    assert Sealer([OTHER]).open(sealed) == sealed


def test_the_same_text_is_never_sealed_alike() -> None:
    sealer = Sealer([KEY])

    assert sealer.seal_text(SECRET) != sealer.seal_text(SECRET)
    assert sealer.seal(b"x") != sealer.seal(b"x")


def test_a_changed_byte_is_noticed() -> None:
    sealer = Sealer([KEY])
    sealed = sealer.seal(b"content")

    for at in range(13, len(sealed)):
        with pytest.raises(EnvironmentFault, match="cannot be decrypted"):
            sealer.open(sealed[:at] + bytes([sealed[at] ^ 1]) + sealed[at + 1 :])


def test_what_only_looks_like_a_sealed_text_is_a_text() -> None:
    sealer = Sealer([KEY])
    text = MARK + "A" * 64

    assert sealer.open_texts(text.encode(), in_json=True) == text.encode()
    stored = json.dumps(sealer.seal_value({"id2": text})).encode()
    assert json.loads(sealer.open_texts(stored, in_json=True)) == {"id2": text}


def test_what_statements_look_for_stays_readable() -> None:
    value = {
        "status": "done",
        "path": "src/app.py",
        "labels": {"batch": "every night"},
        "raised_by": ["Anna B"],
        "sha": "a" * 64,
    }

    assert Sealer([KEY]).seal_value(value) == value


def test_without_a_key_cryptography_is_not_loaded() -> None:
    code = "import sys, shared.store.database; sys.exit('cryptography' in sys.modules)"

    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def key_file(folder: Path, *keys: bytes, mode: int = 0o600) -> Path:
    path = folder / "keys"
    path.write_text(
        "# the newest first\n" + "".join(f"{b64encode(key).decode()}\n" for key in keys)
    )
    path.chmod(mode)
    return path


def test_keys_are_read_from_a_file_that_nobody_else_may_read(tmp_path: Path) -> None:
    path = key_file(tmp_path, KEY, OTHER)

    settings = ServiceSettings.from_environment({"QUORATE_ENCRYPTION_KEY_FILE": str(path)})

    assert settings.encryption_keys == (KEY, OTHER)
    assert b64encode(KEY).decode() not in repr(settings)


@pytest.mark.parametrize(
    ("content", "mode", "words"),
    [
        (None, 0o600, "cannot be read"),
        ("", 0o600, "must hold keys"),
        ("c2hvcnQ=\n", 0o600, "must hold keys"),
        ("no base64!\n", 0o600, "must hold keys"),
        (b64encode(KEY).decode(), 0o644, "others may read"),
    ],
)
def test_a_file_that_is_no_file_of_keys_is_refused(
    tmp_path: Path, content: str | None, mode: int, words: str
) -> None:
    path = tmp_path / "keys"
    if content is not None:
        path.write_text(content)
        path.chmod(mode)

    with pytest.raises(ConfigurationError, match=words):
        ServiceSettings.from_environment({"QUORATE_ENCRYPTION_KEY_FILE": str(path)})


# ---- in the database ---------------------------------------------------------------------------------


@pytest.fixture
def sealed(database_url: str) -> Iterator[Database]:
    opened = Database(database_url, pool_size=2, patience_s=10, keys=[KEY])
    opened.run(lambda connection: require_keys(connection, opened.sealer))
    yield opened
    opened.close()


def with_keys(database_url: str, *keys: bytes) -> Backend:
    database = Database(database_url, pool_size=2, patience_s=10, keys=keys)
    return Backend(ServiceSettings.from_environment({"HOME": "/nonexistent"}), database)


def everything(database: Database) -> str:
    """A run with the secret in every place where texts are stored; its id."""
    document = SECRET.encode()
    question = json.dumps(
        {"kind": "k", "prompt": SECRET, "options": ["skip"], "shown": {"a": SECRET}}
    )
    run = new_run(
        database,
        "critique/1/a",
        "critique/1/b",
        documents={address(document): document},
    )

    def write(connection: object) -> None:
        locked = lock_run(connection, run)  # type: ignore[arg-type]
        assert locked is not None
        finding = Finding.model_validate(
            {
                "id": "F1",
                "title": SECRET,
                "severity": "MAJOR",
                "detail": SECRET,
                "raised_by": ["a"],
                "category": "bug",
                "raised_in_round": 1,
            }
        )
        stance = Stance.model_validate(
            {"participant": "a", "role": "critique", "round": 1, "finding": "F1"}
            | {"position": "agree", "reason": SECRET}
        )
        record = NewRecord("round/1", "k", 0, json.dumps({"said": SECRET}), (finding,), (stance,))
        decision = NewDecision("decision", "k", question, "sha", None, None)
        save(
            connection,  # type: ignore[arg-type]
            [
                (
                    locked,
                    Changes(
                        status=locked.status,
                        phase="p",
                        noted_steps=2,
                        open_steps=2,
                        records=(record,),
                        decisions=(decision,),
                        outcome=json.dumps({"summary": SECRET}),
                    ),
                )
            ],
        )

    database.run(write, atomic=True)
    claimed = take(database, run, "critique/1/a")
    database.run(lambda c: store_response(c, response(claimed, SECRET.encode())))
    database.run(
        lambda c: finish(
            c, claimed, reply=json.dumps({"text": SECRET}), failure=None, note=f"repaired {SECRET}"
        )
    )
    answer = DecisionAnswer.model_validate(
        {"choice": "skip", "actor": "me", "channel": "cli", "message": SECRET}
    )
    database.run(lambda c: answer_decision(c, run, "decision", answer, None), atomic=True)
    return run


def stored_words(database: Database) -> str:
    """All that the sealed columns and the documents hold, as they are stored."""
    parts = []
    for table, columns in COLUMNS.items():
        text = ", ".join(f"{column}::text" for column in columns)
        for row in database.run(
            lambda c, t=table, x=text: c.execute(f"SELECT {x} FROM {t}").fetchall()
        ):
            parts += [str(value) for value in row]
    for row in database.run(lambda c: c.execute("SELECT content FROM documents").fetchall()):
        parts.append(bytes(row.content).decode("latin-1"))
    return "\n".join(parts)


def require_readable(database: Database, run: str) -> None:
    """Every reader gets the texts as they were written."""
    name = address(SECRET.encode())
    assert database.run(partial(get_documents, names=[name]))[name] == SECRET.encode()
    journal = database.run(partial(load_journal, run=run))
    assert journal.steps[0].reply == {"text": SECRET}
    assert journal.records[0].body == {"said": SECRET}
    [decision] = database.run(lambda c: list_decisions(c, run=run, only_open=False))
    assert decision.question["prompt"] == SECRET
    assert decision.answer is not None
    assert decision.answer["message"] == SECRET
    [finding] = database.run(lambda c: list_findings(c, run))
    assert (finding["title"], finding["detail"]) == (SECRET, SECRET)
    [stance] = database.run(lambda c: list_stances(c, run))
    assert stance.reason == SECRET
    assert database.run(lambda c: list_steps(c, run))[0].note == f"repaired {SECRET}"
    assert database.run(partial(find_answer, request_sha="r")) == SECRET.encode()


@component
def test_no_text_stands_in_the_database_and_every_reader_gets_it(
    sealed: Database, database: Database
) -> None:
    run = everything(sealed)

    assert "Przybylski" not in stored_words(database)
    require_readable(sealed, run)
    assert database.run(partial(find_answer, request_sha="r")) != SECRET.encode()


@component
def test_a_killed_turn_adopts_an_answer_that_is_sealed(sealed: Database) -> None:
    run = new_run(sealed, "a")
    claimed = take(sealed, run, "a")
    sealed.run(lambda c: store_response(c, response(claimed, b"a paid answer")))
    execute(sealed, "UPDATE steps SET status = 'pending', owner = NULL")

    again = take(sealed, run, "a", nonce="2")

    assert again.responses == (b"a paid answer",)


@component
def test_a_claims_request_is_opened(sealed: Database, database: Database) -> None:
    from tests.support.runs import new_step

    request = json.dumps({"prompt": {"parts": [{"text": f'{SECRET} "quoted"\n'}]}})
    run = new_run(sealed, new_step("a", request=request))

    assert "Przybylski" not in stored_words(database)
    assert json.loads(take(sealed, run, "a").request) == json.loads(request)


@component
def test_a_process_without_the_key_does_not_begin(sealed: Database, database: Database) -> None:
    everything(sealed)

    for keys in ((), (OTHER,)):
        with pytest.raises(EnvironmentFault, match="are encrypted with the key"):
            database.run(partial(require_keys, sealer=Sealer(keys)))
    database.run(partial(require_keys, sealer=Sealer([OTHER, KEY])))


@component
def test_a_process_that_began_before_there_was_a_key_says_so_when_it_meets_a_sealed_document(
    sealed: Database, database: Database
) -> None:
    sealed.run(partial(put_documents, documents={address(b"x"): b"x"}))

    with pytest.raises(EnvironmentFault, match="encrypted"):
        database.run(partial(get_documents, names=[address(b"x")]))


@component
def test_what_was_stored_before_there_was_a_key_is_read_and_can_be_encrypted(
    database: Database, database_url: str
) -> None:
    run = everything(database)
    backend = with_keys(database_url, KEY)
    require_readable(backend.database, run)

    done = rotate(backend)

    assert done.documents > 0
    assert done.rows > 0
    assert "Przybylski" not in stored_words(database)
    require_readable(backend.database, run)
    assert (rotate(backend).documents, rotate(backend).rows) == (0, 0)
    backend.close()


@component
def test_a_new_key_takes_the_place_of_an_old_one(
    sealed: Database, database: Database, database_url: str
) -> None:
    run = everything(sealed)
    both = with_keys(database_url, OTHER, KEY)
    both.read(partial(require_keys, sealer=both.database.sealer))
    before = {each.key: each for each in status(both).sealed}
    old, new = Sealer([KEY]).ids[0], Sealer([OTHER]).ids[0]
    assert before[old].documents > 0
    assert before[new].documents == 0

    rotate(both)

    after = {each.key: each for each in status(both).sealed}
    assert (after[old].documents, after[old].rows, after[""].documents) == (0, 0, 0)
    assert after[new].documents == before[old].documents
    only = with_keys(database_url, OTHER)
    only.read(partial(require_keys, sealer=only.database.sealer))
    require_readable(only.database, run)
    both.close()
    only.close()


@component
def test_nothing_is_rotated_without_a_key(database_url: str) -> None:
    backend = with_keys(database_url)

    with pytest.raises(UserError, match="there is no key"):
        rotate(backend)
    backend.close()


@component
def test_every_column_that_is_listed_is_one_of_its_table(database: Database) -> None:
    for table, columns in COLUMNS.items():
        fetch(database, f"SELECT count({columns[0]}) FROM {table}")
        database.run(lambda c, t=table, x=columns: c.execute(f"SELECT {', '.join(x)} FROM {t}"))
    assert submission().spec
