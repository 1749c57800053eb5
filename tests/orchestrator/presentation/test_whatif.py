"""Replays, forks and comparisons as text: what is stored beside what would be, and nothing that steers a terminal."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.core.lines import Line, plain
from orchestrator.presentation.comparison import comparison_json, comparison_lines
from orchestrator.presentation.fork_origin import origin
from orchestrator.presentation.forks import plan_json, plan_lines
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.whatif import (
    check_lines,
    sweep_lines,
    variant_lines,
)
from orchestrator.presentation.whatif_json import check_json, what_if_json
from orchestrator.whatif.changes import change_of, sweep_of, variants
from orchestrator.whatif.comparing import Side, compare
from orchestrator.whatif.forking import plan_fork, prefix_of
from orchestrator.whatif.recording import Recording
from orchestrator.whatif.replaying import Difference, check, what_if
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.notices import notice
from shared.models.rows import UsageRow
from tests.support import question_panel
from tests.support.forum_cast import Cast, ends_in, votes
from tests.support.recordings import recorded
from tests.support.reports import make_report
from tests.support.review_panel import submission
from tests.support.review_replies import Step, critique, finding, finished, reply, stances
from tests.support.simulator import Simulation

HOSTILE = "eval\x1b[2J of \u202einput"


def disputed(title: str = "eval of input", **fields: Any) -> Recording:
    """Two critics against one about one finding, for three rounds; every turn cost 25 cents."""

    def act(step: Step) -> Any:
        name = step.participant if isinstance(step.participant, str) else step.participant.name
        match step.reply_model.split(".")[0]:
            case "critique" if step.round == 1:
                found = [finding(title, severity="MINOR", **fields)] if name != "critic3" else []
                return paid(critique(step, found))
            case "critique":
                position = "disagree" if name == "critic3" else "agree"
                said = stances(
                    position, "F1", reason=name + str(step.round), quote="return eval(x)"
                )
                return paid(critique(step, [], said))
            case "rebuttal":
                return paid(reply(step.reply_model, stances=stances("partial", "F1")))
        return finished(step)

    run = submission(critics=3, options=ReviewOptions(rounds=3))
    skips = DecisionAnswer(choice="skip", actor="me", channel="cli")
    simulation = Simulation(start_workflow(run.spec, run.materials), act, lambda _: skips)
    return recorded(run, simulation, simulation.run())


def paid(result: Any) -> Any:
    return result.model_copy(update={"cost_usd": 0.25, "tokens": 100})


def text(lines: list[Line]) -> str:
    return plain(lines)


def found(recording: Recording, **rules: object) -> Any:
    changes = tuple(
        change_of(recording.spec, name.replace("_", "-"), str(value))
        for name, value in rules.items()
    )
    return what_if(recording, [changes])


def test_a_replay_that_repeats_what_is_stored_is_one_line():
    recording = disputed()
    shown = text(check_lines(recording.run, check(recording), None))
    assert shown == "same: 3 rounds, 1 finding, verdict NEEDS_FIX (r1)\n"


def test_a_replay_that_differs_names_the_places():
    recording = disputed()
    outcome = {**(recording.run.outcome or {}), "verdict": "APPROVED"}
    other = replace(recording, run=replace(recording.run, outcome=outcome))
    shown = text(check_lines(other.run, check(other), "recorded with version 0"))
    assert shown.splitlines() == [
        "recorded with version 0",
        "differs from what is stored in 1 place: the code changed since (r1)",
        "where            stored    now",
        "outcome.verdict  APPROVED  NEEDS_FIX",
    ]
    content = check_json(other.run, check(other), None)
    assert content["same"] is False
    assert content["differences"][0]["now"] == "NEEDS_FIX"
    assert dumps(content)


def test_one_variant_shows_rounds_conclusion_and_what_was_not_needed():
    recording = disputed()
    what = found(recording, rounds=1)
    shown = text(variant_lines(recording.run, what.stored, what.variants[0]))
    lines = shown.splitlines()
    assert lines[0] == "What if rounds=1 · r1 a change"
    assert lines[1].split() == [
        "round",
        "agreement",
        "stability",
        "score",
        "recommendation",
        "ending",
    ]
    assert "- → exhausted" in lines[2]
    assert lines[3].endswith("(not held)")
    assert "Would continue: needs synthesis/chair (recorded: synthesis after round 3)" in lines
    assert (
        "Not needed: rebuttal/2/author, critique/3/critic1, critique/3/critic2, critique/3/critic3 "
        "($1.00, 400 tokens)"
    ) in lines


def test_a_gate_that_was_not_set_appears_with_its_reason():
    what = found(disputed(), fail_on="minor")
    shown = text(variant_lines(disputed().run, what.stored, what.variants[0]))
    assert "gate: - → tripped (F1 at MINOR or worse)" in shown
    assert "Not needed" not in shown


def test_a_sweep_is_a_row_for_each_value_under_the_stored_one():
    recording = disputed()
    sweeps = [sweep_of(recording.spec, "agreement=0.1:0.9:0.4")]
    what = what_if(recording, variants(sweeps, []))
    lines = text(sweep_lines(recording.run, what)).splitlines()
    assert lines[1].split()[:2] == ["agreement", "held"]
    assert [line.split()[0] for line in lines[2:6]] == ["stored", "0.1", "0.5", "0.9"]
    content = what_if_json(recording.run, what, None)
    assert [one["options"] for one in content["variants"]] == [
        {"agreement": 0.1},
        {"agreement": 0.5},
        {"agreement": 0.9},
    ]
    assert dumps(content)


def test_votes_are_shown_beside_each_other():
    run = question_panel.submitted("forum", ForumOptions(max_rounds=4))
    script = Cast(selection=ends_in(3), ballot=votes(codex="disagree"))
    outcome, simulation = question_panel.hold(run, script)
    recording = recorded(run, simulation, outcome)
    what = found(recording, consensus=0.6)
    shown = text(variant_lines(recording.run, what.stored, what.variants[0]))
    assert "converged: false → true" in shown
    assert "threshold: 0.70 → 0.60" in shown
    assert "verdict: INCONCLUSIVE → ANSWERED" in shown


def test_no_text_of_a_participant_can_steer_the_terminal():
    recording = disputed(HOSTILE)
    what = found(recording, agreement=0.1)
    views = [
        text(variant_lines(recording.run, what.stored, what.variants[0])),
        text(sweep_lines(recording.run, what)),
        dumps(what_if_json(recording.run, what, None)),
    ]
    usage = UsageRow(0, 0, 0, 0, None, 0)
    sides = Side(disputed(HOSTILE), usage), Side(disputed(), usage)
    views.append(text(comparison_lines(*sides, compare(*sides))))
    views.append(dumps(comparison_json(*sides, compare(*sides))))
    assert not any("\x1b" in view or "\u202e" in view for view in views)


# ---- forks and comparisons ----------------------------------------------------------------------


def test_a_fork_says_what_it_copies_and_how_it_goes_on():
    recording = disputed()
    plan = plan_fork(recording, prefix_of(recording, "round:2"), recording.spec)
    assert text(plan_lines(plan)).splitlines() == [
        "3 results copied from r1 (worth $0.7500, not paid again)",
        "goes on with: rebuttal/2/author",
    ]
    content = plan_json(plan)
    assert content["then"] == ["rebuttal/2/author"]
    assert [one["cost_usd"] for one in content["copied"]] == [0.25, 0.25, 0.25]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_a_fork_that_copies_one_result_says_so(language: str):
    recording = disputed()
    plan = plan_fork(recording, prefix_of(recording, "round:2"), recording.spec)
    one = replace(plan, steps=plan.steps[:1])
    assert "1" in text(plan_lines(one, Translator(language))).splitlines()[0]


def test_where_a_run_comes_from_is_told_in_both_languages():
    report = make_report()
    assert origin(report, ENGLISH) == []
    labels = {"forked_from": "r9", "forked_at": "round:2", "copied_steps": 4, "seats": {"a": "b"}}
    spec = {**report.run.spec, "labels": labels}
    fork = replace(report, run=replace(report.run, spec=spec))
    assert text(origin(fork, ENGLISH)).splitlines() == [
        "Fork of r9 from round:2: 4 results are copied from there and were paid there",
        "b takes the seat of a from there on",
    ]
    assert "r9" in text(origin(fork, Translator("ko")))
    assert "갈라진 실행" in text(origin(fork, Translator("ko")))


def test_two_runs_that_are_the_same_are_a_short_table():
    usage = UsageRow(4, 300, 100, 0, 1.0, 0)
    sides = Side(disputed(), usage), Side(disputed(), usage)
    lines = text(comparison_lines(*sides, compare(*sides))).splitlines()
    assert lines[1] == "same in verdict and findings"
    assert "cost     $1.00      $1.00" in lines
    assert not any(line.startswith(("Findings", "Options", "Rounds")) for line in lines)


def test_a_finding_of_one_run_only_is_a_row_with_its_place():
    usage = UsageRow(0, 0, 0, 0, None, 0)
    other = disputed("nothing is tested", detail="nobody calls this function with a hostile word")
    sides = Side(disputed(), usage), Side(other, usage)
    shown = text(comparison_lines(*sides, compare(*sides)))
    assert "differ in findings\n" in shown
    assert "Findings (0 are the same in both):" in shown
    assert "app.py:2 nothing is tested" in shown


# ---- in Korean ----------------------------------------------------------------------------------


def test_a_replay_speaks_korean():
    recording = disputed()
    shown = text(check_lines(recording.run, check(recording), None, Translator("ko")))
    assert shown == "같음: 3라운드, 지적 1건, 판정 NEEDS_FIX (r1)\n"
    outcome = {**(recording.run.outcome or {}), "verdict": "APPROVED"}
    other = replace(recording, run=replace(recording.run, outcome=outcome))
    remark = notice("recorded_with_version", recorded=1, workflow="review", current=3)
    assert text(check_lines(other.run, check(other), remark, Translator("ko"))).splitlines() == [
        "review 워크플로의 버전 1에서 기록됨, 지금 Quorate의 버전은 3",
        "다름: 저장된 것과 1곳이 다름, 그 뒤 코드가 바뀌었음 (r1)",
        "위치             저장됨    현재",
        "outcome.verdict  APPROVED  NEEDS_FIX",
    ]


def test_a_missing_record_is_told_in_korean_and_what_a_participant_wrote_is_left_alone():
    recording = disputed()
    gone = Difference("critique/9/ada", "recorded", notice("not_asked_for").model_dump(mode="json"))
    written = Difference("outcome.detail.note", "two subjects", "the same subject")
    found = replace(check(recording), differences=(gone, written))
    lines = text(check_lines(recording.run, found, None, Translator("ko"))).splitlines()
    assert [one.split("  ")[0] for one in lines[2:]] == ["critique/9/ada", "outcome.detail.note"]
    assert lines[2].endswith("기록됨        워크플로가 요청하지 않음")
    assert lines[3].endswith("two subjects  the same subject")


def test_a_variant_speaks_korean_and_its_columns_stand_under_one_another():
    recording = disputed()
    what = found(recording, rounds=1)
    lines = text(
        variant_lines(recording.run, what.stored, what.variants[0], Translator("ko"))
    ).splitlines()
    assert lines[:5] == [
        "가정: rounds=1 · r1 a change",
        "라운드   동의율  안정도  점수  권고  종료",
        "round/1  1.00    -       0.60  계속  - → 끝까지 진행함",
        "round/2  0.67    -       0.40  계속  -                  (진행 안 됨)",
        "round/3  0.42    1.00    0.65  교착  교착               (진행 안 됨)",
    ]
    assert "더 진행해야 함, 필요한 차례: synthesis/chair (기록: 3라운드 뒤 종합)" in lines
    gated = found(recording, fail_on="minor")
    shown = text(variant_lines(recording.run, gated.stored, gated.variants[0], Translator("ko")))
    assert "게이트: - → 실패 (MINOR 이상: F1)" in shown


def test_a_sweep_speaks_korean():
    recording = disputed()
    what = what_if(recording, variants([sweep_of(recording.spec, "rounds=1")], []))
    head, stored, one = text(sweep_lines(recording.run, what, Translator("ko"))).splitlines()[1:4]
    assert head.split()[-3:] == ["판정", "지적", "이후"], "no gate was set: no column for it"
    assert stored.split()[0] == "저장됨"
    assert one.endswith("synthesis/chair 필요; 4개 필요 없음 ($1.00, 400토큰)")


def test_a_fork_and_a_comparison_speak_korean():
    recording = disputed()
    plan = plan_fork(recording, prefix_of(recording, "round:2"), recording.spec)
    assert text(plan_lines(plan, Translator("ko"))).splitlines() == [
        "r1에서 결과 3개를 복사 ($0.7500 상당, 다시 치르지 않음)",
        "이어지는 차례: rebuttal/2/author",
    ]
    other = disputed("nothing is tested", detail="nobody calls this function with a hostile word")
    usage = UsageRow(4, 300, 100, 0, 1.0, 0)
    sides = Side(recording, usage), Side(other, usage)
    lines = text(comparison_lines(*sides, compare(*sides), Translator("ko"))).splitlines()
    assert lines[:2] == ["r1, r1 · 같은 실행", "다름 (지적)"]
    assert "종료    교착       교착" in lines
    assert "지적 (양쪽이 같은 것 0건):" in lines
