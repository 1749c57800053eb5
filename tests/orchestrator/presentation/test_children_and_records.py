"""Runs that a run started, and facts that its workflow recorded, wherever a run is shown."""

from __future__ import annotations

from dataclasses import replace

from orchestrator.core.lines import plain
from orchestrator.presentation.formats import markdown, text
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.json_rows import run_tree
from orchestrator.presentation.listings import RunList, runs
from orchestrator.presentation.live.live_layout import Size, frame
from orchestrator.presentation.live.progress_events import RunHeader, RunSnapshot, changes
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.report import ReportedChild, RunReport
from orchestrator.presentation.timeline import rounds
from shared.models.outcomes import RunStatus
from shared.models.rows import RecordRow, RunRow, UsageRow
from tests.support.reports import make_report, make_step

TALLY = RecordRow("tally/1", "tally", {"answered": ["ann", "bob"], "least": 2}, 1.5)
SPENT = UsageRow(3, 100, 20, 0, 0.03, 0)


def make_child(status: RunStatus = RunStatus.COMPLETED) -> RunRow:
    run = make_report(status, verdict="ANSWERED").run
    return replace(
        run, id="rchild", workflow="ask", title="beside", parent="rabc", parent_step="beside"
    )


def make_parent() -> RunReport:
    child = ReportedChild(make_child(), UsageRow(1, 40, 10, 0, 0.01, 0))
    return replace(make_report(), usage=SPENT, children=(child,), records=(TALLY,))


def test_a_result_names_its_child_runs_with_their_state_verdict_and_cost() -> None:
    shown = text.render(make_parent(), ENGLISH)
    (row,) = [line for line in shown.splitlines() if "rchild" in line]
    assert row.split() == ["rchild", "ask", "completed", "ANSWERED", "$0.0100", "beside"]
    assert "$0.0300, child runs included\n" in shown
    assert "child runs included" not in text.render(make_report(), ENGLISH)
    assert "| rchild | ask | completed | ANSWERED |" in markdown.render(make_parent(), ENGLISH)
    assert "하위 실행" in text.render(make_parent(), Translator("ko"))


def test_a_result_tells_what_was_recorded_beside_its_rounds() -> None:
    assert "  tally/1: Answered: ann, bob; Least: 2 (tally)\n" in text.render(
        make_parent(), ENGLISH
    )
    assert "tally/1: Answered: ann, bob" in plain(rounds(make_parent()))
    many = replace(make_parent(), records=tuple(replace(TALLY, key=f"t/{n}") for n in range(9)))
    assert "t/8" in text.render(many, ENGLISH)


def test_a_child_says_who_started_it() -> None:
    child = replace(make_report(), run=replace(make_child(), workflow="review"))
    assert "started by run rabc in its step beside\n" in text.render(child, ENGLISH)
    assert as_json(child)["run"]["parent"] == "rabc"


def test_json_has_children_records_and_the_parent_of_a_run() -> None:
    content = as_json(make_parent())
    (child,) = content["children"]
    assert (child["id"], child["workflow"], child["status"]) == ("rchild", "ask", "completed")
    assert (child["verdict"], child["usage"]["cost_usd"]) == ("ANSWERED", 0.01)
    assert (child["parent"], child["parent_step"]) == ("rabc", "beside")
    assert content["usage"]["cost_usd"] == 0.03
    (fact,) = content["records"]
    assert fact == {"key": "tally/1", "kind": "tally", "body": TALLY.body, "at_s": 1.5}
    assert content["run"]["parent"] is None
    empty = as_json(make_report())
    assert (empty["children"], empty["records"]) == ([], [])


def test_a_list_has_a_child_below_the_run_that_started_it() -> None:
    parent, child = make_report().run, make_child()
    listed = RunList([parent], {"rabc": [child]})
    _, first, second = plain(runs(listed)).splitlines()
    assert first.startswith("rabc ")
    assert second.startswith("└ rchild ")
    assert second.endswith("beside")
    (whole,) = run_tree(listed)
    assert [below["id"] for below in whole["children"]] == ["rchild"]


def test_a_child_in_a_list_without_its_parent_names_it() -> None:
    assert "beside (started by run rabc in its step beside)" in plain(runs(RunList([make_child()])))


HEADER = RunHeader(workflow="poll")


def watched(status: RunStatus) -> RunSnapshot:
    step = make_step(
        "beside",
        "pending",
        kind="run",
        participant="ask",
        role="run",
        queued_at_s=1.0,
        leased_at_s=None,
    )
    child = replace(make_child(status), phase="Answering")
    return RunSnapshot(
        "rabc", RunStatus.RUNNING, "Comparing", 4.0, HEADER, (step,), children=(child,)
    )


def test_a_watcher_is_told_when_a_child_starts_waits_for_a_person_and_ends() -> None:
    before = RunSnapshot("rabc", RunStatus.RUNNING, "Comparing", 0.5, HEADER)
    started, waiting = watched(RunStatus.RUNNING), watched(RunStatus.WAITING)
    assert plain(changes(before, started, ENGLISH)) == "child run rchild (ask): beside\n"
    assert "child run rchild waits for a person" in plain(changes(started, waiting, ENGLISH))
    assert changes(waiting, waiting, ENGLISH) == []
    reply = {"run": "rchild", "status": "completed", "verdict": "ANSWERED"}
    done = replace(started.steps[0], status="done", finished_at_s=5.0, reply=reply)
    told = plain(changes(waiting, replace(started, steps=(done,)), ENGLISH))
    assert told == "child run rchild (ask): ANSWERED (4.0 s)\n"


def test_the_live_picture_has_the_phase_of_a_child() -> None:
    size = Size(80, 24)
    shown = plain(frame(watched(RunStatus.RUNNING), size, ENGLISH))
    assert "⤷ ask rchild  Answering · 3.0 s" in shown
    waits = plain(frame(watched(RunStatus.WAITING), size, ENGLISH))
    assert "waits for a person" in waits
