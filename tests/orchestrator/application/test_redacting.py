"""Runs without their texts: none of their words is left, and they replay as before."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from orchestrator.application.redacting import RedactedRun, redacted, replays
from shared.text.pseudonyms import Pseudonyms
from tests.recorded_runs.reading import RecordedRun, runs

ENDED = [run for run in runs() if run.row["status"] == "completed"]
TABLES = ("steps", "decisions")
NAME = re.compile(r"[0-9a-f]{64}")


def rows_of(run: RecordedRun) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows as today's tables have them."""
    name = run.row["id"]
    yield "specs", {"run_id": name, "spec": run.row["spec"]}
    yield "runs", {key: value for key, value in run.row.items() if key != "spec"}
    for table in TABLES:
        yield from ((table, row) for row in run.state.of(table, name))
    for row in run.state.of("assessments", name):
        yield "records", {**row, "kind": "assessment"}


def documents_of(run: RecordedRun) -> Mapping[str, bytes]:
    stored, reached = run.state.documents, dict[str, bytes]()
    waiting = [json.dumps([row for _, row in rows_of(run)])]
    while waiting:
        for name in NAME.findall(waiting.pop()):
            if name in stored and name not in reached:
                reached[name] = stored[name].encode()
                waiting.append(stored[name])
    return reached


def without_texts(run: RecordedRun, key: bytes = b"a key for tests") -> RedactedRun:
    return redacted(rows_of(run), documents_of(run), Pseudonyms(key))


def test_most_recorded_runs_replay_to_the_same_steps_without_their_texts() -> None:
    readable = [run for run in ENDED if replays(tuple(rows_of(run)), documents_of(run))]

    kept = [without_texts(run).replays for run in readable]

    assert len(readable) > 150
    assert sum(kept) / len(kept) > 0.9


@pytest.mark.parametrize("workflow", ["review", "plan", "panel", "forum", "ask"])
def test_no_word_of_a_text_is_left(workflow: str) -> None:
    run = next(run for run in ENDED if run.spec.workflow == workflow)
    secret = "Przybylski's sk-live-4242quokka at /home/przybylski/zebrafish.py, 주민등록번호"
    texts = {name: content.decode() + secret for name, content in documents_of(run).items()}
    rows = [
        (table, {**row, "title": secret, "note": f"{row.get('note', '')} {secret}"})
        for table, row in rows_of(run)
    ]

    made = redacted(rows, {name: text.encode() for name, text in texts.items()})

    written = json.dumps(made.rows, ensure_ascii=False)
    written += " ".join(content.decode(errors="replace") for content in made.documents.values())
    for word in ("Przybylski", "przybylski", "4242quokka", "quokka", "zebrafish", "주민등록번호"):
        assert word not in written


def test_texts_keep_their_structure_and_what_is_alike_stays_alike() -> None:
    words = Pseudonyms(b"k")
    text = "Load (the) file:\n  open('data.txt', 42)\n파일을 연다"

    made = words.text(text)

    assert [len(part) for part in made.split()] == [len(part) for part in text.split()]
    assert re.sub(r"\w", "x", made) == re.sub(r"\w", "x", text)
    assert words.text("the file") == f"{words.word('the')} {words.word('file')}"
    assert words.word("Load") == words.word("load").capitalize()
    assert words.word("load") != Pseudonyms(b"other").word("load")


def test_a_patch_stays_a_patch() -> None:
    patch = (
        "diff --git a/app.py b/app.py\n--- a/app.py\n+++ b/app.py\n@@ -1,2 +1,3 @@\n-old\n+new\n"
    )

    made = Pseudonyms(b"k").text(patch).splitlines()

    assert made[0].startswith("diff --git a/")
    assert " b/" in made[0]
    assert made[3] == "@@ -1,2 +1,3 @@"
    assert [line[0] for line in made[4:]] == ["-", "+"]


def test_hashes_become_hashes() -> None:
    commit = "0123456789abcdef0123456789abcdef01234567"

    made = Pseudonyms(b"k").text(commit)

    assert re.fullmatch(r"[0-9a-f]{40}", made)
    assert made != commit
