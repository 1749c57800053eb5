"""What a watcher is told."""

from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.core.lines import plain
from orchestrator.core.views.live import OutputMode
from orchestrator.presentation.live.progress_events import (
    RunHeader,
    RunSnapshot,
    changes,
    held_up,
    still_waiting,
)
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from shared.models.notices import as_column, notice
from shared.models.outcomes import Ending, RunStatus
from shared.models.rows import StepRow
from tests.support.finished_runs import HELD, discussed
from tests.support.reports import make_assessment, make_step
from tests.support.seen_runs import opened, report_of, snapshot_of
from tests.support.snapshots import check_text

SNAPSHOTS = Path(__file__).parent / "snapshots" / "told"

RAISED = {
    "findings": [
        {"title": "Unused import", "severity": "minor", "place": {"path": "한글.py", "line": 2}}
    ]
}
START = RunSnapshot("rabc", RunStatus.RUNNING, "Reviewing", 0.5, RunHeader("review"))
FORUM = replace(START, header=RunHeader(workflow="forum"))


def told(before: RunSnapshot | None, after: RunSnapshot) -> list[str]:
    return plain(changes(before, after, ENGLISH)).splitlines()


def test_a_round_is_announced_with_who_takes_part():
    steps = (make_step("critique/1/ruff", "leased"), make_step("critique/1/bandit", "pending"))
    assert "round 1: critique by ruff, bandit" in told(None, replace(START, steps=steps))


def test_a_later_review_says_which_it_is():
    first = (make_step("critique/1/ruff"), make_step("critique/3/ruff", round=3))
    again = make_step("review2/critique/1/ruff", "leased")
    before, after = replace(START, steps=first), replace(START, steps=(*first, again))
    assert told(before, after) == ["review 2, round 1: critique by ruff"]


def test_a_phase_is_told_in_the_readers_language():
    waits = replace(START, phase="WaitingForReviewDecision")
    assert plain(changes(START, waits, ENGLISH)) == "now: waiting for a decision\n"
    assert plain(changes(START, waits, Translator("ko"))) == "현재: 결정을 기다림\n"


def test_rules_alone_are_told_as_the_one_look_that_they_take():
    alone = replace(START, header=replace(START.header, by_rules=True))
    looking = replace(alone, steps=(make_step("critique/1/ruff", "leased"),))
    looked = replace(alone, steps=(make_step("critique/1/ruff", reply=RAISED),))
    debated = replace(
        looked,
        phase="Synthesizing",
        steps=(
            *looked.steps,
            make_step("rebuttal/2/rules", role="rebuttal", round=2),
            make_step("critique/3/ruff", round=3),
            make_step("synthesis/rules", role="synthesis"),
        ),
        assessments=(make_assessment(Ending.CONVERGED),),
    )
    assert told(None, looking) == ["checking with ruff"]
    assert told(looking, looked) == ["ruff answered with 1 finding after 0.8 s"]
    assert told(looked, debated) == []
    missing = replace(
        debated, steps=(*looked.steps, make_step("critique/3/ruff", "failed", round=3))
    )
    assert any("no answer within" in line for line in told(looked, missing))


def test_that_a_run_is_queued_is_told_once():
    queued = replace(START, status=RunStatus.QUEUED, phase="")
    assert told(None, queued) == ["queued: it starts when its turn comes"]
    assert told(queued, replace(queued, elapsed_s=9)) == []
    assert told(queued, START) == ["now: reviewing"]


def test_findings_are_told_with_place_as_soon_as_one_participant_answers():
    before = replace(START, steps=(make_step("critique/1/ruff", "leased"),))
    after = replace(START, steps=(make_step("critique/1/ruff", reply=RAISED),))
    assert told(before, after) == [
        "ruff answered with 1 finding after 0.8 s",
        "  한글.py:2: MINOR Unused import — ruff",
    ]


def test_a_speaker_who_says_nothing_is_told_with_one_sign():
    silent = make_step("speech/1/ann", "failed")
    shown = told(FORUM, replace(FORUM, steps=(silent,)))[-1]
    assert "ann said nothing" in shown
    assert shown.count("⚠") == 1


@pytest.mark.parametrize("detector", ["ballots", "stance"])
def test_an_ending_has_support_only_where_votes_were_counted(detector: str):
    recorded = make_assessment(Ending.DEGRADED, 1)
    metrics = recorded.figures.metrics.model_copy(update={"detector": detector})
    figures = recorded.figures.model_copy(update={"metrics": metrics})
    ended = replace(START, assessments=(replace(recorded, key="ending", figures=figures),))
    (shown,) = told(START, ended)
    assert ("support" in shown) is (detector == "ballots")


def test_nothing_is_told_twice():
    snapshot = replace(START, steps=(make_step("critique/1/ruff", reply=RAISED),))
    assert told(snapshot, snapshot) == []


def test_a_whole_run_seen_at_once_is_told_in_its_order():
    steps = (
        make_step("critique/1/ruff", queued_at_s=0.1, finished_at_s=1.0),
        make_step("rebuttal/2/rules", queued_at_s=1.1, finished_at_s=2.0),
        make_step("synthesis/rules", queued_at_s=2.1, finished_at_s=3.0),
    )
    recorded = (make_assessment(None, 1), make_assessment(Ending.CONVERGED, 2))
    snapshot = RunSnapshot(
        "rabc", RunStatus.COMPLETED, "", 3.0, RunHeader("review"), steps, recorded
    )
    firsts = [" ".join(one.split()[:2]) for one in told(None, snapshot)]
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
    snapshot = replace(START, steps=(make_step("critique/1/bandit", "failed"),))
    assert "⚠ critique by bandit in round 1 failed: timeout: no answer within 300 s" in told(
        None, snapshot
    )
    alone = replace(
        snapshot, header=RunHeader("review", critics=("bandit",))
    )  # its result follows at once
    assert "⚠ critique by bandit in round 1 failed: timeout" in told(None, alone)


def test_the_same_failure_in_a_later_round_is_told_briefly():
    first = make_step("critique/1/bandit", "failed")
    again = make_step("critique/3/bandit", "failed", finished_at_s=2.0)
    lines = told(None, replace(START, steps=(first, again)))
    assert "⚠ critique by bandit in round 3 failed again, for the same reason" in lines
    other = replace(again, failure_kind="refusal")
    lines = told(None, replace(START, steps=(first, other)))
    assert "⚠ critique by bandit in round 3 failed: refusal: no answer within 300 s" in lines


def test_what_becomes_of_fixes_is_told():
    fixes = [
        {"findings": ["F1", "F3"], "patch": "x", "source": "bert"},
        {"findings": ["F2"], "patch": "y", "source": "ada", "problem": "it does not apply"},
    ]
    steps = (
        make_step("fix/bert", reply={"fixes": fixes[:1]}),
        make_step("fixes/check", role="fixes", participant="git", reply={"fixes": fixes}),
        make_step("patches/check", role="fixes", participant="git", reply={"fixes": fixes}),
        make_step("review2/fixes/check", role="fixes", reply={"fixes": fixes[:1]}),
    )
    lines = told(None, replace(START, steps=steps))
    assert "bert wrote a patch for F1, F3 (0.8 s)" in lines
    assert lines.count("the patch by bert for F1, F3 applies") == 1
    assert "⚠ the patch by ada for F2 cannot be used: it does not apply" in lines
    assert "the patch by bert for R2F1, R2F3 applies" in lines


def test_an_author_who_writes_no_patch_is_told_so():
    steps = (make_step("fix/bert", reply={"fixes": []}),)
    assert "bert wrote no patch (0.8 s)" in told(None, replace(START, steps=steps))


def test_whoever_waits_hears_for_whom_and_how_long_whatever_the_attempt():
    step = make_step("critique/1/claude", "leased", queued_at_s=2.0, leased_at_s=41.0)
    snapshot = replace(START, elapsed_s=44.0, steps=(step,))
    assert plain(still_waiting(snapshot, ENGLISH)) == "still waiting for claude (42 s)\n"
    assert still_waiting(START, ENGLISH) == []


def test_whoever_waits_hears_why_a_turn_was_handed_back_and_once_for_all_that_wait_alike():
    paused = "claude waits: an operator paused 'claude'."
    steps = (
        make_step("critique/1/claude", "pending", note=paused, finished_at_s=None),
        make_step("rebuttal/1/claude", "pending", note=paused, finished_at_s=None),
        make_step("critique/1/gpt", "leased", note="gpt waits", leased_at_s=2.0),
    )
    told = plain(still_waiting(replace(START, elapsed_s=44.0, steps=steps), ENGLISH)).splitlines()
    assert told[1:] == [f"⏳ {paused}"]
    assert plain(held_up(steps, Translator("ko"))) == f"⏳ 대기: {paused}\n"


def held(code: str, again_at_s: float) -> RunSnapshot:
    note = as_column(notice(code, who="claude", why="HTTP 503", s=57.0))
    step = make_step(
        "critique/1/claude", "pending", note=note, again_at_s=again_at_s, finished_at_s=None
    )
    return replace(START, elapsed_s=44.0, steps=(step,))


def test_whoever_watches_hears_at_once_that_a_provider_fails_until_when_and_what_can_be_done():
    failing = held("waits_failing", 101.0)
    told = plain(changes(replace(failing, steps=()), failing, ENGLISH))
    assert "⏳ claude's provider failed repeatedly (HTTP 503); it is tried again in 57 s." in told
    assert f"`quorate cancel {START.run}` ends it" in told
    # the next try failed in the same way: that is no news
    assert changes(failing, replace(failing, elapsed_s=120.0), ENGLISH) == []
    assert f"`quorate cancel {START.run}`" in plain(
        changes(replace(failing, steps=()), failing, Translator("ko"))
    )


@pytest.mark.parametrize(("code", "again_at_s"), [("waits_limit", 46.0), ("waits_person", 3600.0)])
def test_short_waits_and_turns_of_people_are_no_news(code: str, again_at_s: float):
    waiting = held(code, again_at_s)
    assert "⏳" not in plain(changes(replace(waiting, steps=()), waiting, ENGLISH))


def test_a_reply_of_an_unknown_form_is_not_an_error():
    snapshot = replace(START, steps=(make_step("critique/1/x", reply={"findings": [{"nope": 1}]}),))
    assert any("x answered" in one for one in told(None, snapshot))


# ---- deliberation -------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", list(OutputMode))
@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("workflow", HELD)
def test_a_whole_deliberation_is_told_as_it_was_written_down(
    workflow: str, language: str, mode: OutputMode
):
    held = HELD[workflow](language)
    snapshot = snapshot_of(report_of(held.run, held.simulation, held.outcome))
    told_lines = plain(changes(None, snapshot, Translator(language), mode))
    check_text(SNAPSHOTS / f"{workflow}.{language}.{mode.value}.txt", told_lines)


@pytest.mark.parametrize("mode", list(OutputMode))
@pytest.mark.parametrize("workflow", HELD)
def test_told_piece_by_piece_it_is_the_same_story(workflow: str, mode: OutputMode):
    held = HELD[workflow]()
    whole = snapshot_of(report_of(held.run, held.simulation, held.outcome))
    steps = [step for step in whole.steps if step.finished_at_s is not None]
    ends = sorted({step.finished_at_s for step in steps} | {step.queued_at_s for step in steps})
    before, pieces = None, []
    for now in ends:
        seen = tuple(_as_of(step, now) for step in whole.steps if step.queued_at_s <= now)
        snapshot = replace(whole, steps=seen, assessments=(), elapsed_s=now)
        pieces += changes(before, snapshot, ENGLISH, mode)
        before = snapshot
    at_once = changes(None, replace(whole, assessments=()), ENGLISH, mode)
    assert plain(pieces) == plain(at_once)


def _as_of(step: StepRow, now: float) -> StepRow:
    return step if (step.finished_at_s or 0.0) <= now else opened(step)


def test_live_requests_for_the_floor_stand_in_one_line_and_who_gets_it_below():
    held = discussed()
    snapshot = snapshot_of(report_of(held.run, held.simulation, held.outcome))
    lines = plain(changes(None, snapshot, ENGLISH, OutputMode.LIVE)).splitlines()
    at = lines.index("    claude: ✋  gemini: ✋  codex: ✋")
    assert lines[at - 1] == "[O] asking for the floor... round 1/6"
    assert lines[at + 1].startswith("    → gemini")
    assert "[gemini] 🎤" in lines[at + 2 : at + 5]


def test_a_bid_a_pass_and_a_missing_bid_are_told_one_by_one_in_a_log():
    bids = (
        make_step("bid/1/Claude", role="bid", reply={"action": "REQUEST", "reason": "비용"}),
        make_step("bid/1/Codex", role="bid", reply={"action": "PASS"}),
        make_step("bid/1/Gemini", "failed", role="bid"),
    )
    snapshot = replace(START, steps=bids, header=RunHeader(workflow="forum", most_rounds=10))
    assert told(None, snapshot) == [
        "[O] asking for the floor... round 1/10",
        "    Claude ✋ (비용)",
        "    Codex 💤",
        "⚠ floor request by Gemini failed: timeout: no answer within 300 s",
    ]


def test_a_speaker_that_was_not_the_wish_is_named_as_chosen_by_rule():
    steps = (
        make_step("bid/1/a", role="bid", reply={"action": "REQUEST"}),
        make_step(
            "selection/1", role="selection", round=1, reply={"action": "SELECT", "speaker": "b"}
        ),
        make_step("speech/1/a", "leased", role="speech"),
    )
    assert "    → a (by rule)" in told(None, replace(FORUM, steps=steps))


def test_a_failed_step_is_called_by_its_role_and_its_cycle_in_every_language():
    failed = make_step("fix/eve", "failed", role="fix", participant="eve")
    later = make_step("review/2/fix/eve", "failed", role="fix", participant="eve")
    lines = told(None, replace(START, steps=(failed,)))
    assert "⚠ fix by eve failed: timeout: no answer within 300 s" in lines
    assert not any("fix/eve" in each for each in lines)
    again = told(None, replace(START, steps=(later,)))
    assert not any("/fix/" in each for each in again)


def test_the_patches_of_one_author_are_told_in_one_line():
    fixes = [{"findings": [f"F{n}"], "patch": "x", "source": "ruff"} for n in range(1, 101)]
    step = make_step("fixes/check", role="fixes", participant="git", reply={"fixes": fixes})
    lines = told(None, replace(START, steps=(step,)))
    assert [each for each in lines if "patch" in each and "ruff" in each] == [
        "the patches by ruff for F1–F100 apply"
    ]
