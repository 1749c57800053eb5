"""What services log: one JSON object a line with run and step, and nothing that anybody said."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from typing import Any

import pytest
from pydantic import BaseModel

SECRET = "sk-the-canary-of-this-test"

SCRIPT = """
import json, logging, sys
import structlog
from pydantic import BaseModel
from shared.errors import EnvironmentFault
from shared.logs import bound, configure

class Reply(BaseModel):
    number: int

configure(sys.argv[1], sys.argv[2])
log = structlog.get_logger("a")
said = sys.argv[3]
with bound(run="run_1", step="critique/1/a"):
    log.info("step.failed", kind="refusal")
    logging.getLogger("lib").warning('a "quoted" %s', "line\\nand another")
    try:
        try:
            Reply.model_validate({"number": said})
        except ValueError as error:
            raise KeyError(said) from error
    except KeyError:
        log.exception("step.bug")
        logging.getLogger("lib").exception("lost")
    try:
        raise EnvironmentFault("the database does not answer")
    except EnvironmentFault:
        log.exception("away")
log.info("after")
log.debug("not at info")
"""


def logged(level: str = "info", form: str = "json") -> str:
    """What a process writes to its stderr."""
    words = [sys.executable, "-c", SCRIPT, level, form, SECRET]
    done = subprocess.run(words, capture_output=True, text=True, check=True, timeout=120)
    assert done.stdout == ""
    return done.stderr


@pytest.fixture(scope="module")
def lines() -> list[dict[str, Any]]:
    return [json.loads(line) for line in logged().splitlines()]


def test_every_line_is_an_object_with_its_moment_and_level(lines: list[dict[str, Any]]) -> None:
    assert [line["event"] for line in lines] == [
        "step.failed",
        "library",
        "step.bug",
        "library",
        "away",
        "after",
    ]
    assert all(line["timestamp"] and line["level"] for line in lines)


def test_run_and_step_are_with_all_that_is_logged_for_them(lines: list[dict[str, Any]]) -> None:
    *inside, after = lines
    assert {(line["run"], line["step"]) for line in inside} == {("run_1", "critique/1/a")}
    assert "run" not in after


def test_a_line_of_a_library_is_told_as_it_is(lines: list[dict[str, Any]]) -> None:
    assert lines[1]["message"] == 'a "quoted" line\nand another'
    assert lines[1]["logger"] == "lib"


def test_an_exception_tells_where_and_not_what_was_said(lines: list[dict[str, Any]]) -> None:
    for line in (lines[2], lines[3]):
        told = line["exception"]
        assert "ValidationError" in told
        assert told.splitlines()[-1] == "KeyError"
        assert "<string>" in told
    assert lines[4]["exception"].endswith("EnvironmentFault: the database does not answer")
    assert SECRET not in json.dumps(lines)


def test_only_at_debug_words_of_every_exception_are_told() -> None:
    assert SECRET in logged("debug")


def test_text_is_for_people() -> None:
    text = logged(form="text")

    assert "info     step.failed kind=refusal run=run_1 step=critique/1/a\n" in text
    assert SECRET not in text


def test_the_model_of_the_test_would_tell(caplog: pytest.LogCaptureFixture) -> None:
    """The negative control: what is left out is there to be told."""

    class Reply(BaseModel):
        number: int

    try:
        Reply.model_validate({"number": SECRET})
    except ValueError:
        logging.getLogger("lib").exception("lost")

    assert SECRET in caplog.text
