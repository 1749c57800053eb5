"""What a watcher is told."""

from dataclasses import replace

from orchestrator.views.lines import plain
from orchestrator.views.progress import Look, changes, still_waiting
from shared.models.outcomes import Ending, RunStatus
from tests.support.reports import make_assessment, make_step

RAISED = {
    "findings": [
        {"title": "Unused import", "severity": "minor", "place": {"path": "한글.py", "line": 2}}
    ]
}
START = Look("rabc", RunStatus.RUNNING, "Reviewing", 0.5)


def told(before: Look | None, after: Look) -> list[str]:
    return plain(changes(before, after, "en")).splitlines()


def test_a_round_is_announced_with_who_takes_part():
    steps = (make_step("critique/1/ruff", "leased"), make_step("critique/1/bandit", "pending"))
    assert "round 1: critique by ruff, bandit" in told(None, replace(START, steps=steps))


def test_findings_are_told_with_place_as_soon_as_one_participant_answers():
    before = replace(START, steps=(make_step("critique/1/ruff", "leased"),))
    after = replace(START, steps=(make_step("critique/1/ruff", reply=RAISED),))
    assert told(before, after) == [
        "ruff answered with 1 finding after 0.8 s",
        "  한글.py:2: MINOR Unused import — ruff",
    ]


def test_nothing_is_told_twice():
    look = replace(START, steps=(make_step("critique/1/ruff", reply=RAISED),))
    assert told(look, look) == []


def test_a_whole_run_seen_at_once_is_told_in_its_order():
    steps = (
        make_step("critique/1/ruff", queued_at_s=0.1, finished_at_s=1.0),
        make_step("rebuttal/2/rules", queued_at_s=1.1, finished_at_s=2.0),
        make_step("synthesis/rules", queued_at_s=2.1, finished_at_s=3.0),
    )
    recorded = (make_assessment(None, 1), make_assessment(Ending.CONVERGED, 2))
    look = Look("rabc", RunStatus.COMPLETED, "", 3.0, steps, recorded)
    firsts = [" ".join(one.split()[:2]) for one in told(None, look)]
    assert firsts == [
        "round 1:",
        "ruff answered",
        "round 1:",
        "round 2:",
        "rules answered",
        "round 2:",
        "synthesis by",
        "rules answered",
    ]


def test_a_failure_is_loud_and_says_why():
    look = replace(START, steps=(make_step("critique/1/bandit", "failed"),))
    assert "⚠ critique/1/bandit failed: timeout: no answer within 300 s" in told(None, look)


def test_whoever_waits_hears_for_whom_and_how_long():
    step = make_step("critique/1/claude", "leased", leased_at_s=2.0)
    look = replace(START, elapsed_s=44.0, steps=(step,))
    assert plain(still_waiting(look, "en")) == "still waiting for claude (42 s)\n"
    assert still_waiting(START, "en") == []


def test_a_reply_of_an_unknown_form_is_not_an_error():
    look = replace(START, steps=(make_step("critique/1/x", reply={"findings": [{"nope": 1}]}),))
    assert any("x answered" in one for one in told(None, look))
