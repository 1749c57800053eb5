"""Data files that strangers wrote are parsed within bounds, in a process of their own."""

from __future__ import annotations

import pytest

from shared.errors import ToolError
from tests.support.linear import processor_s
from tests.workers.tools.analysers.test_diffcheck import one
from tests.workers.tools.changes import review, stored, subject_of
from workers.tools.analysers.syntaxchecks import MAX_TEXT, SyntaxProblem, Unparsed, check_syntax
from workers.tools.registry import MemoryDocuments
from workers.tools.sandbox.sandbox import Countdown

BOMB = ".".join("a" * 60_000) + "=1"


def check(**files: str) -> dict[str, SyntaxProblem | Unparsed | None]:
    named = {name.replace("_", "."): text for name, text in files.items()}
    return check_syntax(named, Countdown(120))


def test_each_file_has_its_own_answer() -> None:
    found = check(a_json='{"a": 1,}', b_toml="a = ", c_yml="a: [1\nb: 2", d_json="{}", e_txt="{")
    assert {path: getattr(problem, "line", None) for path, problem in found.items()} == {
        "a.json": 1,
        "b.toml": 1,
        "c.yml": 2,
        "d.json": None,
    }


def test_what_no_one_writes_by_hand_never_reaches_a_parser() -> None:
    found = check(
        a_toml=BOMB,
        b_json="[" * 5_000,
        c_yaml="[" * 5_000,
        d_toml="a=" + "[" * 5_000,
        e_yml=" " * (MAX_TEXT + 1),
        f_toml="a=1",
    )
    assert isinstance(found.pop("f.toml"), type(None))
    assert all(isinstance(problem, Unparsed) for problem in found.values())


def test_numbers_of_any_length_and_odd_texts_are_no_error_of_ours() -> None:
    found = check(
        a_toml="a=" + "9" * 5_000, b_json="9" * 5_000, c_json='"\\ud800"', d_yaml="\ud800"
    )
    assert set(found) == {"a.toml", "b.json", "c.json", "d.yaml"}


def test_a_review_of_a_bomb_says_that_nobody_parsed_it() -> None:
    reply = review("diffcheck", *one("bomb.toml", BOMB))
    assert [(f.rule, f.severity) for f in reply.findings] == [("diffcheck/unparsed", "MINOR")]


def test_a_lock_file_is_parsed_where_that_is_cheap_and_else_no_defect() -> None:
    rows = [f'"p{n}": "1.0.0"' for n in range(40_000)]
    assert check(package_json="{" + ",\n".join(rows) + "}") == {"package.json": None}
    reply = review("diffcheck", *one("pnpm-lock.yaml", "\n".join(rows) + "\n"))
    assert [(f.rule, f.severity) for f in reply.findings] == [("diffcheck/unparsed", "INFO")]
    assert reply.verdict == "APPROVED"


def test_a_file_made_of_findings_costs_no_more_than_another() -> None:
    def look(lines: int) -> float:
        documents = MemoryDocuments()
        text = "=======\n" * lines + "a\u200bb\n" * lines
        name = stored(documents, subject_of(documents, {"a.md": (None, text)}))
        return processor_s(lambda: review("diffcheck", documents, name))

    look(10)
    assert look(40_000) < 3 * look(20_000) + 0.5


def test_time_that_is_over_is_said() -> None:
    with pytest.raises(ToolError, match="time limit"):
        check_syntax({"a.json": "{}"}, Countdown(0))
