"""A case while it goes on: the graph's phases, and what each tool and critic brought."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.core.lines import plain
from orchestrator.presentation.live.live_layout import Size, frame
from orchestrator.presentation.live.progress_events import RunHeader, RunSnapshot, changes
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.wrapping import width_of
from orchestrator.workflows.case.live import NODES
from shared.models.outcomes import RunStatus
from shared.models.rows import StepRow
from tests.support.case_cast import hold_case, submitted_case
from tests.support.reports import make_step

START = RunSnapshot("rabc", RunStatus.RUNNING, "critic", 0.5, RunHeader("case", most_rounds=3))
KOREAN = Translator("ko")


def told(step: StepRow, words: Translator = ENGLISH) -> list[str]:
    before = replace(START, steps=(replace(step, status="leased", reply=None, finished_at_s=None),))
    return plain(changes(before, replace(START, steps=(step,)), words)).splitlines()


def tool(name: str, role: str, **reply: object) -> StepRow:
    return make_step(name, participant=name, role=role, kind="tool", reply=reply)


@pytest.mark.parametrize(
    ("step", "english", "korean"),
    [
        (
            tool("chart.structure", "structuring", sections=[1, 2], mentions=[1], measurements=[]),
            "chart: read; sections: 2, mentions: 1, values: 0 (0.8 s)",
            "차트 읽기: 단락 2개, 언급 1개, 측정값 0개 (0.8초)",
        ),
        (
            tool("evidence.retrieve", "retrieval", passages=[1, 2, 3]),
            "evidence: 3 passages (0.8 s)",
            "근거 찾기: 문단 3개 (0.8초)",
        ),
        (
            tool("preprocess.record_gaps", "preprocessing", gaps=[1]),
            "record gaps: 1 gap (0.8 s)",
            "기록 누락 확인: 누락 1건 (0.8초)",
        ),
        (
            tool(
                "interventions.check",
                "interventions",
                items=[{"status": "covered"}, {"status": "open"}, {"status": "unfounded"}],
            ),
            "interventions: 1 of 2 problems have a plan (0.8 s)",
            "조치 확인: 문제 2건 중 1건에 계획 있음 (0.8초)",
        ),
        (
            tool("preprocess.timeline", "preprocessing"),
            "timeline: 0 events (0.8 s)",
            "시간순 정리: 사건 0건 (0.8초)",
        ),
        (
            tool("interventions.check", "interventions"),
            "interventions: no problem is named (0.8 s)",
            "조치 확인: 이름이 붙은 문제 없음 (0.8초)",
        ),
        (
            tool("lens_severity_risk", "lens", points=[1, 2]),
            "severity and risk: 2 points (0.8 s)",
            "중증도와 위험: 지적 2건 (0.8초)",
        ),
    ],
    ids=lambda value: value.role if isinstance(value, StepRow) else "",
)
def test_a_tool_says_what_it_brought(step: StepRow, english: str, korean: str):
    assert told(step) == [english]
    assert told(step, KOREAN) == [korean]


def test_a_critics_points_are_told_with_their_severity_whatever_it_wrote():
    points = [
        {"point": "No potassium", "severity": "critical"},
        {"point": "Odd", "severity": "dire"},
        7,
    ]
    step = make_step("critique/1/ada", reply={"critique_points": points})
    assert told(step) == ["ada: 3 points (0.8 s)", "  CRITICAL No potassium", "  MINOR Odd"]


def test_feedback_says_what_is_to_be_mended():
    sent_back = {"ok": False, "requested_tools": ["lens_x"], "patch_instructions": ["quote it"]}
    step = make_step("feedback/ada", role="feedback", reply=sent_back)
    assert told(step) == ["ada: sent back: lens_x; quote it (0.8 s)"]
    assert told(replace(step, reply={"ok": True})) == ["ada: the critique will do (0.8 s)"]


def test_every_node_of_the_graph_is_a_phase_with_words_that_the_picture_names():
    for node in NODES:
        for words in (ENGLISH, KOREAN):
            footer = plain(frame(replace(START, phase=node), Size(120, 10), words))
            assert words.message(f"phase_{node}") in footer


def test_the_phases_of_a_run_are_those_nodes():
    _, run = hold_case(submitted_case())
    assert set(run.phases) - set(NODES) <= {"Complete", "WaitingForReviewDecision"}


@pytest.mark.parametrize("size", [Size(140, 40), Size(40, 10), Size(5, 2), Size(1, 1)])
def test_the_picture_fits_the_terminal(size: Size):
    step = make_step("critique/1/ada", "leased", finished_at_s=None)
    for node in NODES:
        lines = frame(replace(START, phase=node, steps=(step,)), size, KOREAN)
        assert len(lines) <= max(size.rows - 1, 1)
        assert all(width_of(line) <= size.columns for line in lines)
