"""The picture of what is going on: it fits the terminal, and shows who says what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.core.lines import plain
from orchestrator.presentation.live.live_layout import Size, frame, opening
from orchestrator.presentation.live.progress_events import RunHeader, RunSnapshot
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.wrapping import width_of
from shared.models.outcomes import RunStatus
from shared.models.rows import StepRow, UsageRow
from shared.text.unfinished import SoFar
from tests.support.finished_runs import HELD, asked, discussed, judged
from tests.support.reports import make_assessment, make_step
from tests.support.seen_runs import opened, report_of, snapshot_of

SIZES = [Size(140, 40), Size(80, 24), Size(40, 10), Size(20, 4), Size(5, 2), Size(1, 1)]
LONG = "현재 규모를 고려하면 모놀리식으로 시작하는 게 좋을 것 같습니다. 🎤 " * 40


def snapshots(workflow: str) -> list[RunSnapshot]:
    """The run at every stage, its latest steps under way and streaming."""
    held = HELD[workflow]("ko")
    seen = []
    for stages in range(1, len(held.simulation.stages) + 1):
        report = report_of(held.run, held.simulation, None, stages=stages)
        latest = len(held.simulation.stages[stages - 1])
        steps = tuple(
            opened(step) if number >= len(report.steps) - latest else step
            for number, step in enumerate(report.steps)
        )
        live = {step.key: SoFar(len(LONG), LONG) for step in steps if step.status == "leased"}
        seen.append(replace(snapshot_of(report), steps=steps, live=live))
    return seen


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("workflow", HELD)
def test_every_picture_fits_every_terminal(workflow: str, language: str) -> None:
    for snapshot in snapshots(workflow):
        for size in SIZES:
            lines = frame(snapshot, size, Translator(language))
            assert len(lines) <= max(size.rows - 1, 1)
            assert all(width_of(one) <= size.columns for one in lines)
            assert all(
                width_of(one) <= size.columns
                for one in opening(snapshot, size.columns, Translator("ko"))[:2]
            )


def asking(**live: str) -> RunSnapshot:
    """Three are asked; those that are named have said so much."""
    held = asked()
    report = report_of(held.run, held.simulation, None, stages=1)
    steps = tuple(map(opened, report.steps[:3]))
    so_far = {f"answer/{who}": SoFar(len(text), text) for who, text in live.items()}
    return replace(snapshot_of(report, elapsed_s=3.2), steps=steps, live=so_far)


def shown(snapshot: RunSnapshot, size: Size, language: str = "en") -> list[str]:
    return plain(frame(snapshot, size, Translator(language))).splitlines()


def test_answers_stream_side_by_side() -> None:
    lines = shown(asking(claude="one process", gemini="모듈러 모놀리스"), Size(100, 20))
    assert [part.strip() for part in lines[0].split("│")] == [
        "🎤 claude  3.0 s",
        "🎤 gemini  3.0 s · 8 characters",
        "🎤 codex  3.0 s",
    ]
    assert [part.strip() for part in lines[1].split("│")] == [
        "one process",
        "모듈러 모놀리스",
        "thinking...",
    ]


def test_many_answers_stand_in_rows_of_the_same_length() -> None:
    snapshot = asking()
    names = [f"p{number}" for number in range(8)]
    steps = tuple(replace(snapshot.steps[0], key=f"answer/{n}", participant=n) for n in names)
    live = {step.key: SoFar(9, "some words") for step in steps}
    lines = shown(replace(snapshot, steps=steps, live=live), Size(140, 40))
    rules = [[at for at, sign in enumerate(one) if sign == "│"] for one in lines[:-2]]
    assert len(rules[0]) == 3
    assert all(places == rules[0] for places in (rules[0], rules[2]))
    assert all(places == rules[1] for places in (rules[1], rules[3]))


@pytest.mark.parametrize("size", [Size(100, 20), Size(40, 20)])
def test_a_turn_that_was_handed_back_says_what_it_waits_for(size: Size) -> None:
    snapshot = asking(claude="old words", gemini="new words")
    why = "claude waits for a person's answer: `quorate inbox`."
    waiting = replace(snapshot.steps[0], status="pending", note=why)
    lines = shown(replace(snapshot, steps=(waiting, *snapshot.steps[1:])), size)
    text = " ".join(one.split("│")[0].strip() for one in lines)
    assert why in " ".join(text.split())
    assert "old words" not in text


def test_a_turn_that_was_handed_back_counts_down_to_its_next_try() -> None:
    snapshot = asking(claude="", gemini="new words")
    waiting = replace(snapshot.steps[0], status="pending", note="claude waits", again_at_s=61.0)
    later = replace(snapshot, steps=(waiting, *snapshot.steps[1:]), elapsed_s=20.0)
    assert "tried again in 41 s" in " ".join(shown(later, Size(140, 20)))
    assert "tried again" not in " ".join(shown(replace(later, elapsed_s=62.0), Size(140, 20)))


def test_on_a_narrow_terminal_answers_stand_below_one_another() -> None:
    lines = shown(asking(claude="one process", gemini="two"), Size(40, 20))
    assert not any("│" in one for one in lines)
    assert lines.index("two") > lines.index("one process")


def test_on_a_low_terminal_only_names_and_counts_remain() -> None:
    lines = shown(asking(claude="one process"), Size(40, 5))
    assert lines[0].startswith("🎤 claude")
    assert "and 2 more" in lines
    assert lines[-1].endswith("3.2 s")


def test_a_finished_answer_can_be_read_from_its_beginning() -> None:
    snapshot = asking(gemini="x")
    done = make_step("answer/claude", role="answer", reply={"answer": "First.\n" + "word " * 500})
    snapshot = replace(snapshot, steps=(done, *snapshot.steps[1:]))
    lines = shown(snapshot, Size(100, 12))
    assert lines[0].startswith("✓ claude")
    assert lines[1].startswith("First.")


def test_a_failed_answer_says_why_in_its_column() -> None:
    snapshot = asking()
    failed = make_step("answer/claude", "failed", role="answer")
    snapshot = replace(snapshot, steps=(failed, *snapshot.steps[1:]))
    lines = shown(snapshot, Size(120, 12))
    assert lines[0].startswith("⚠ claude")
    assert "timeout: no answer" in lines[1]


def forum_at(role: str, text: str = "") -> RunSnapshot:
    """The forum's first round when the first step of a role has just begun."""
    held = discussed()
    report = report_of(held.run, held.simulation, None)
    steps: list[StepRow] = []
    for step in report.steps:
        steps.append(opened(step) if step.role == role else step)
        if step.role == role and step.round == 1:
            break
    so_far = {steps[-1].key: SoFar(len(text), text)}
    return replace(snapshot_of(report, elapsed_s=12.0), steps=tuple(steps), live=so_far)


def test_the_speaker_is_seen_speaking() -> None:
    lines = shown(forum_at("speech", text="현재 규모를 고려하면"), Size(60, 20))
    assert any("🎤" in one and one.startswith("[") for one in lines)
    assert "현재 규모를 고려하면" in lines


def test_the_footer_holds_round_convergence_cost_and_time() -> None:
    snapshot = forum_at("speech")
    snapshot = replace(
        snapshot, assessments=(make_assessment(),), usage=UsageRow(3, 10, 10, 0, 0.0123, 0)
    )
    footer = shown(snapshot, Size(100, 20))[-1]
    assert footer == "round 1/6  ·  Convergence ████████░░ 0.82  ·  $0.0123  ·  12.0 s"
    assert shown(snapshot, Size(30, 20))[-1].endswith("12.0 s")


@pytest.mark.parametrize(
    ("usage", "told"),
    [
        (UsageRow(2, 1, 1, 0, None, 2), "cost unknown"),
        (UsageRow(2, 1, 1, 0, 0.5, 1), "$0.5000 and more"),
        (UsageRow(2, 1, 1, 0, 0.5, 0), "$0.5000"),
    ],
)
def test_a_running_cost_never_hides_an_unknown_one(usage: UsageRow, told: str) -> None:
    snapshot = replace(forum_at("speech"), usage=usage)
    assert f"  {told}  " in shown(snapshot, Size(100, 20))[-1]


def test_the_head_names_the_command_the_run_who_leads_and_the_question() -> None:
    snapshot = snapshot_of(report_of(discussed().run, discussed().simulation, None, title="왜?"))
    lines = plain(opening(snapshot, 50, Translator("ko"))).splitlines()
    assert lines[0] == "ask --forum  rabc                      진행: chair"
    assert lines[1] == "─" * 50
    assert lines[2] == "[나] 왜?"


def test_a_review_has_no_head_and_shows_who_works_on_what() -> None:
    steps = (make_step("critique/1/ruff", "leased"), make_step("critique/1/claude", "pending"))
    snapshot = RunSnapshot("r", RunStatus.RUNNING, "Reviewing", 3.0, RunHeader("review"), steps)
    assert opening(snapshot, 80, ENGLISH) == []
    lines = shown(snapshot, Size(80, 24))
    assert lines[0] == "🎤 ruff  critique  2.8 s"
    assert lines[1] == "💤 claude  critique  waiting"


def test_a_queued_run_says_so_where_its_time_stands() -> None:
    snapshot = RunSnapshot("r", RunStatus.QUEUED, "", 3.0, RunHeader("review"))
    assert shown(snapshot, Size(80, 24))[-1].endswith(
        "queued: it starts when its turn comes · 3.0 s"
    )


def test_what_a_model_streams_cannot_steer_the_terminal() -> None:
    lines = plain(
        frame(asking(claude="\x1b[2J\x1b]0;x\x07a\rb\u202ec\x9b31m"), Size(100, 20), ENGLISH)
    )
    assert not set(lines) & set("\x1b\x07\r\u202e\x9b")


def test_a_panel_shows_its_debaters_and_their_words() -> None:
    held = judged()
    report = report_of(held.run, held.simulation, None, stages=1)
    steps = tuple(map(opened, report.steps))
    live: dict[str, Any] = {steps[0].key: SoFar(9, "Yes\nit is old")}
    lines = shown(replace(snapshot_of(report), steps=steps, live=live), Size(80, 24))
    assert lines[0].startswith("🎤 ada  argument")
    assert "  it is old" in lines


def footer_of(phase: str, *keys: str, most: int = 3) -> str:
    steps = tuple(
        make_step(
            key, "leased", role=key.split("/")[-3] if key.count("/") > 1 else key.split("/")[0]
        )
        for key in keys
    )
    header = RunHeader("review", most_rounds=most)
    snapshot = RunSnapshot("rabc", RunStatus.RUNNING, phase, 5.0, header, steps=steps)
    return plain(frame(snapshot, Size(100, 20), ENGLISH)).splitlines()[-1]


def test_the_footer_names_the_phase_once_the_rounds_are_over_and_the_review():
    assert footer_of("Reviewing", "critique/3/ruff").startswith("round 3/3")
    assert footer_of("Synthesizing", "critique/3/ruff", "synthesis/rules").startswith("writing the")
    again = footer_of("Reviewing", "critique/3/ruff", "review2/critique/1/ruff")
    assert again.startswith("review 2, round 1/3")
    assert "4/3" not in footer_of("Reviewing", "critique/4/ruff")
