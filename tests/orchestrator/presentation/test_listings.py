"""Lists of runs and decisions, in the reader's language and in straight columns."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from rich.cells import cell_len

from orchestrator.core.lines import plain
from orchestrator.presentation.json_rows import run_tree
from orchestrator.presentation.listings import AwaitedAnswer, RunList, decisions, runs
from orchestrator.presentation.locale.translator import Translator
from shared.models.decision import DecisionState
from shared.models.outcomes import RunStatus
from shared.models.rows import DecisionRow
from tests.support.reports import make_report

WHEN = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def waiting() -> DecisionRow:
    question = {
        "prompt": "Apply the fix, or skip and continue?",
        "options": ["apply_fix", "skip"],
    }
    return DecisionRow(
        "r1",
        "decision",
        "review",
        question,
        "0" * 64,
        DecisionState.OPEN,
        None,
        WHEN,
        None,
        None,
        "변경",
    )


def cells_before(text: str, line: str) -> int:
    return cell_len(line[: line.index(text)])


def test_runs_are_listed_in_korean_in_straight_columns() -> None:
    run = make_report().run
    rows = [replace(run, ending="stalled", title="first"), replace(run, ending="over_budget")]
    head, one, other = plain(runs(RunList(rows), Translator("ko"))).splitlines()
    assert head.split("  ")[0] == "실행"
    assert cells_before("종료", head) == cells_before("교착", one)
    assert cells_before("종료", head) == cells_before("예산 초과", other)
    assert cells_before("제목", head) == cells_before("first", one)
    assert plain(runs(RunList([]), Translator("ko"))) == "실행 없음\n"


def test_runs_are_listed_in_english_without_a_language() -> None:
    head, one = plain(runs(RunList([replace(make_report().run, ending="stalled")]))).splitlines()
    names = ["run", "workflow", "status", "verdict", "ending", "started", "took", "title"]
    assert head.split() == names
    assert " stalled " in one
    assert plain(runs(RunList([]))) == "no runs\n"


def test_a_list_counts_work_and_names_repositories_where_there_are_any() -> None:
    run = replace(make_report().run, elapsed_s=2253.0, waited_s=2246.8)
    named = replace(run, spec={**run.spec, "labels": {"repository": "shop"}})
    head, one, other = plain(runs(RunList([named, run]))).splitlines()
    assert head.split()[-2:] == ["repository", "title"]
    assert cells_before("repository", head) == cells_before("shop", one)
    assert cells_before("6.2 s", one) == cells_before("took", head)
    assert other.endswith("-           a change")


def test_a_list_at_eighty_columns_keeps_the_age_and_a_title_that_says_something() -> None:
    run = replace(
        make_report().run, verdict="NEEDS_FIX", title="feature since it left main (1 commit)"
    )
    rows = [
        replace(run, spec={**run.spec, "labels": {"repository": name}}) for name in ("shop", "bank")
    ]
    _, one, _ = plain(runs(RunList(rows), width=80)).splitlines()
    assert f"{run.created_at:%m-%d %H:%M}" in one
    assert "feature since it left" in one
    assert "shop" in one


def test_a_list_says_that_there_are_more() -> None:
    run = make_report().run
    assert "`quorate list -n 20`" in plain(runs(RunList([run, run], has_more=True)))
    assert "quorate list" not in plain(runs(RunList([run, run])))


@pytest.mark.parametrize("width", [30, 60])
def test_the_hint_below_a_list_fits_and_hangs(width: int) -> None:
    rows = plain(decisions([waiting()], width=width)).splitlines()[2:]
    assert len(rows) > 1
    assert max(map(cell_len, rows)) <= width
    assert all(row.startswith("  ") for row in rows[1:])


def test_decisions_are_listed_in_korean_and_their_options_as_they_are_typed() -> None:
    head, row, hint = plain(decisions([waiting()], Translator("ko"))).splitlines()
    assert head.split()[:2] == ["실행", "종류"]
    assert "apply_fix|skip" in row
    assert cells_before("질문", head) == cells_before("수정을 적용하시겠습니까", row)
    assert hint == "질문 보기: quorate show RUN, 답하기: quorate decide RUN CHOICE"
    assert plain(decisions([], Translator("ko"))) == "기다리는 결정 없음\n"


def test_a_run_whose_fix_was_taken_back_says_so_beside_its_verdict() -> None:
    reviewed = replace(make_report().run, verdict="APPROVED")
    spec = {**reviewed.spec, "labels": {"of": reviewed.id}}
    undoing = replace(reviewed, id="rundo", workflow="undo", verdict="DONE", spec=spec)
    shown = plain(runs(RunList([undoing, reviewed])))
    assert "APPROVED (fix taken back)" in shown
    assert [run["fix_taken_back"] for run in run_tree(RunList([undoing, reviewed]))] == [
        False,
        True,
    ]
    failed = replace(undoing, verdict="INCONCLUSIVE")
    assert "taken back" not in plain(runs(RunList([failed, reviewed])))


def test_a_waiting_run_says_what_it_waits_for_and_one_that_ended_says_its_verdict() -> None:
    run = replace(make_report().run, verdict=None, status=RunStatus.WAITING)
    ended = replace(run, id="rdef", verdict="NEEDS_FIX", status=RunStatus.COMPLETED)
    asks = AwaitedAnswer(options=("apply_fix", "skip"))
    listed = RunList([run, ended], awaited={run.id: asks, ended.id: asks})
    _, waiting, over = plain(runs(listed)).splitlines()
    assert "waits: apply_fix|skip" in waiting
    assert "NEEDS_FIX" in over
    assert "waits" not in over
    turns = RunList([run], awaited={run.id: AwaitedAnswer(people=("grace", "omar"))})
    assert "waits for grace, omar" in plain(runs(turns))
    assert "grace, omar 대기" in plain(runs(turns, Translator("ko")))
    told = run_tree(listed)
    assert told[0]["waits_for"] == {"options": ("apply_fix", "skip"), "people": ()}
    assert run_tree(RunList([run]))[0]["waits_for"] is None
