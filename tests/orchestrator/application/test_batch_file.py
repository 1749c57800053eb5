"""A file of a batch is checked as a whole: every line that is wrong is named, and nothing else is."""

from __future__ import annotations

import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from orchestrator.application.batch_file import (
    MOST_KEPT,
    BatchFile,
    FileCheck,
    LineFault,
    check_file,
    fault_rows,
    opened,
    read_items,
)
from orchestrator.application.batch_input import SUBMITTED, item_schema, known_options
from shared.errors import UserError
from tests.support.json_schema import misfits

INPUTS: dict[str, dict[str, Any]] = {
    "ask": {"text": "Why?"},
    "forum": {"text": "Why?"},
    "plan": {"file": "plan.md"},
    "panel": {"text": "Buy or build?", "contexts": ["a.md"]},
    "review": {"diff": "--- a/x\n"},
    "case": {"text": "A chart."},
    "agent": {"text": "Find it.", "repository": "."},
}


def line(custom_id: str = "a", workflow: str = "ask", **more: Any) -> dict[str, Any]:
    return {"custom_id": custom_id, "workflow": workflow, "input": INPUTS[workflow], **more}


def check(tmp_path: Path, *lines: dict[str, Any] | str) -> FileCheck:
    return check_file(written(tmp_path, *lines))


def written(tmp_path: Path, *lines: dict[str, Any] | str) -> BatchFile:
    path = tmp_path / "b.jsonl"
    rows = (row if isinstance(row, str) else json.dumps(row) for row in lines)
    path.write_text("\n".join(rows) + "\n")
    return BatchFile(path, path.name, path.stem, tmp_path)


def faults(tmp_path: Path, *lines: dict[str, Any] | str) -> list[tuple[int, str]]:
    return [(fault.line, fault.reason) for fault in check(tmp_path, *lines).faults]


@pytest.mark.parametrize("workflow", SUBMITTED)
def test_every_workflow_that_people_start_can_be_an_item(workflow: str, tmp_path: Path) -> None:
    item = line("a", workflow, metadata={"team": "shop"})
    seen = check(tmp_path, item)
    assert (seen.total, seen.wrong, seen.workflows) == (1, 0, {workflow: 1})
    assert misfits(item, item_schema(workflow)) == []


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ("{", "it is no JSON"),
        ("[1]", "expected a JSON object"),
        ('{"custom_id": NaN}', "NaN is not a number"),
        ({**line(), "workflow": "reveiw"}, "did you mean 'review'?"),
        ({**line(), "workflow": "undo"}, "there is no workflow 'undo'"),
        ({**line(), "inputs": {}}, "inputs"),
        ({**line(), "input": {}}, "input: expected one of text, file; here: none"),
        ({**line(), "options": {"quorm": 2}}, "did you mean 'quorum'?"),
        ({**line(), "options": {"quorum": -1}}, "options.quorum: "),
        ({**line(), "options": {"settings.timeout": "soon"}}, "expected a duration"),
        ({**line(), "parts": {"critic": "x"}}, "ask has no part 'critic'"),
        ({**line(), "labels": []}, "nothing is labelled"),
        ({**line(), "expected_verdict": "FINE"}, "expected_verdict"),
        ({**line(), "custom_id": "with blank"}, "custom_id: blanks and control characters"),
        ('{"custom_id": "a", "custom_id": "b"}', "'custom_id' stands twice"),
    ],
)
def test_what_is_wrong_with_a_line_is_told_with_its_number(
    wrong: dict[str, Any] | str, reason: str, tmp_path: Path
) -> None:
    told = faults(tmp_path, line("first"), wrong)
    assert [number for number, _ in told] == [2] * len(told)
    assert any(reason in text for _, text in told), told


def test_all_lines_that_are_wrong_are_told_and_not_only_the_first(tmp_path: Path) -> None:
    told = faults(tmp_path, "{", line("a"), "", line("a"), "nothing")
    assert [number for number, _ in told] == [1, 4, 5]
    assert "that of line 2" in told[1][1]


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    assert "there is no item" in faults(tmp_path, "", "  ")[0][1]


def test_what_is_kept_of_the_faults_is_bounded_and_their_number_is_told(tmp_path: Path) -> None:
    seen = check(tmp_path, *["{"] * (MOST_KEPT + 50))
    assert (len(seen.faults), seen.wrong) == (MOST_KEPT, MOST_KEPT + 50)


def test_a_mistake_in_every_line_is_one_row() -> None:
    faults = [*(LineFault(number, "a") for number in range(1, 301)), LineFault(7, "b")]
    rows = fault_rows(faults)
    assert rows == ["lines 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 290 more: a", "line 7: b"]


def test_memory_does_not_grow_with_the_file(tmp_path: Path) -> None:
    text = "a question of some length " * 40

    def peak(items: int) -> int:
        file = written(tmp_path, *(line(str(n), input={"text": text}) for n in range(items)))
        tracemalloc.start()
        check_file(file)
        _, most = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        return most

    check_file(written(tmp_path, line()))  # what is loaded once
    few, many = peak(100), peak(3_000)
    assert many - few < 1_000_000  # the file has three megabytes more


def test_standard_input_can_be_read_twice(tmp_path: Path) -> None:
    content = io.BytesIO(json.dumps(line("a")).encode())
    with opened("-", tmp_path, content) as file:
        assert check_file(file).total == 1
        assert [item.line.custom_id for item in read_items(file)] == ["a"]
        assert file.folder == tmp_path
    assert not file.path.exists()


def test_a_file_that_is_not_there_is_the_users_fault(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="cannot be read"), opened("x", tmp_path, io.BytesIO()):
        pass


def test_options_are_those_of_the_workflow_and_the_keys_of_the_configuration() -> None:
    known = known_options("review")
    assert known["rounds"].key == "review.max_rounds"
    assert known["gate.fail_on"].key == "gate.fail_on"
