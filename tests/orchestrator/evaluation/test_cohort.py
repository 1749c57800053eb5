"""What a batch came to is counted item by item, and paid run by run."""

from __future__ import annotations

import csv
import io
import json
from typing import Any

import pytest

from orchestrator.evaluation.cohort import CohortReport, CohortRow, ParticipantCost, cohort
from orchestrator.presentation.cohort import cohort_document, rows_csv, rows_jsonl
from orchestrator.presentation.formats.html import as_page
from orchestrator.presentation.formats.markdown import as_markdown
from orchestrator.presentation.locale.translator import Translator
from shared.models.batches import ItemState
from shared.models.outcomes import Verdict


def row(custom_id: str, run: str | None = None, **more: Any) -> CohortRow:
    fields: dict[str, Any] = {"workflow": "review", "state": ItemState.SUCCEEDED, **more}
    return CohortRow(custom_id=custom_id, run=run or f"r{custom_id}", **fields)


ROWS = (
    row(
        "a",
        verdict="NEEDS_FIX",
        ending="converged",
        agreement=1.0,
        rounds=2,
        severities={"MAJOR": 2},
        statuses={"accepted": 1, "rejected": 1},
        raised_by={"ann": 2, "bob": 1},
        accepted_of={"ann": 1},
        said={"ann": "NEEDS_FIX", "bob": "APPROVED"},
        calls=4,
        cost_usd=0.5,
        seconds=10.0,
        expected=(Verdict.NEEDS_FIX,),
    ),
    row("b", "ra", verdict="NEEDS_FIX", calls=4, cost_usd=0.5, expected=(Verdict.APPROVED,)),
    row("c", state=ItemState.FAILED, reason="timeout", calls=1, cost_usd=0.1, unknown_costs=1),
    row("=d", verdict="APPROVED", ending="stalled", agreement=0.35, rounds=3, seconds=30.0),
)
COSTS = {"ann": ParticipantCost(3, 0.4, 0), "bob": ParticipantCost(2, None, 2)}


def report() -> CohortReport:
    return cohort("nightly", 5, ROWS, COSTS)


def test_items_are_counted_each_and_runs_are_paid_once() -> None:
    counted = report()
    assert counted.states == {"succeeded": 3, "failed": 1}
    assert counted.verdicts == {"NEEDS_FIX": 2, "APPROVED": 1}
    assert counted.failures == {"timeout": 1}
    assert counted.findings.severities == {"MAJOR": 2}
    assert counted.money.cost_usd == pytest.approx(0.6)
    assert counted.money.per_item_usd == pytest.approx(0.2)
    assert (counted.money.calls, counted.money.unknown_costs) == (5, 1)


def test_agreement_is_counted_by_tenths() -> None:
    counted = report()
    assert counted.agreement == (0, 0, 0, 1, 0, 0, 0, 0, 0, 1)
    assert counted.agreement_spread is not None
    assert counted.agreement_spread.median == pytest.approx(0.675)


def test_verdicts_are_held_against_those_that_were_expected() -> None:
    counted = report()
    assert (counted.expected.right, counted.expected.judged) == (1, 2)
    assert counted.expected.wrong == ("b",)
    ann, bob = counted.participants
    assert (ann.name, ann.raised, ann.accepted, ann.right, ann.judged) == ("ann", 2, 1, 1, 1)
    assert (bob.right, bob.judged, bob.cost_usd, bob.unknown_costs) == (0, 1, None, 2)


def test_nothing_that_ended_is_a_report_too() -> None:
    counted = cohort("empty", 3, (), {})
    assert (counted.agreement_spread, counted.money.cost_usd) == (None, None)
    assert as_markdown(cohort_document(counted, Translator("en"))).startswith("# Batch empty")


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_page_draws_what_the_tables_say_and_needs_nothing_else(language: str) -> None:
    words = Translator(language)
    page = as_page(cohort_document(report(), words), words)
    assert page.count('<svg class="bars"') == 7
    assert "<script" not in page
    assert "http" not in page.replace("http-equiv", "")
    assert "NEEDS_FIX: 2" in page


def test_rows_are_a_table_and_lines_and_no_formula() -> None:
    table = [*csv.DictReader(io.StringIO(rows_csv(ROWS)))]
    assert [each["custom_id"] for each in table] == ["a", "b", "c", "'=d"]
    assert table[0]["findings_major"] == "2"
    assert (table[0]["right"], table[1]["right"], table[2]["right"]) == ("true", "false", "")
    lines = [json.loads(text) for text in rows_jsonl(ROWS).splitlines()]
    assert [line["right"] for line in lines] == [True, False, None, None]
