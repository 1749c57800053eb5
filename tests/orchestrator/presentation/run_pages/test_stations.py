"""Where a run stands: its badge in the colours of the first description, and the way that it takes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.run_pages.stations import (
    StationProgress,
    run_badge,
    stations,
    verdict_badge,
)
from orchestrator.settings.languages import LANGUAGES
from orchestrator.workflows.display import display_of
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.outcomes import RunStatus, Verdict
from tests.support.reports import make_decision, make_report, make_step

CRITIQUE, SYNTHESIS = make_step("critique/1/ada"), make_step("synthesis/chair")
PASSED, HERE, AHEAD, LEFT_OUT = (
    StationProgress.PASSED,
    StationProgress.HERE,
    StationProgress.AHEAD,
    StationProgress.LEFT_OUT,
)


def run_in(phase: str, status: RunStatus = RunStatus.RUNNING, **changes: object) -> RunReport:
    report = make_report(status, ending=None)
    return replace(report, run=replace(report.run, phase=phase), **changes)


def way(report: RunReport) -> list[StationProgress]:
    return [station.progress for station in stations(report, ENGLISH)]


def test_a_review_goes_from_station_to_station() -> None:
    assert way(run_in("Reviewing", steps=(CRITIQUE,))) == [HERE, AHEAD, AHEAD, AHEAD]
    assert way(run_in("Synthesizing", steps=(CRITIQUE, SYNTHESIS))) == [PASSED, HERE, AHEAD, AHEAD]
    waits = run_in(
        "WaitingForReviewDecision",
        RunStatus.WAITING,
        steps=(CRITIQUE, SYNTHESIS),
        decisions=(make_decision(),),
    )
    assert way(waits) == [PASSED, PASSED, HERE, AHEAD]


def test_a_review_that_found_nothing_leaves_stations_out() -> None:
    report = run_in("Executing", RunStatus.COMPLETED, steps=(CRITIQUE, SYNTHESIS))

    assert way(report) == [PASSED, PASSED, LEFT_OUT, LEFT_OUT]


def test_a_second_review_is_at_its_first_station_again() -> None:
    again = run_in("Reviewing", steps=(CRITIQUE, SYNTHESIS), decisions=(make_decision(),))

    assert way(again) == [HERE, AHEAD, AHEAD, AHEAD]


def test_a_cancelled_run_is_nowhere() -> None:
    report = run_in("Reviewing", RunStatus.CANCELLED, steps=(CRITIQUE,))

    assert HERE not in way(report)
    assert AHEAD not in way(report)


@pytest.mark.parametrize(
    ("phase", "status", "tone"),
    [
        ("Reviewing", RunStatus.RUNNING, "reviewing"),
        ("Debating", RunStatus.RUNNING, "debating"),
        ("WaitingForReviewDecision", RunStatus.WAITING, "awaiting"),
        ("WaitingForDebateDecision", RunStatus.WAITING, "awaiting"),
        ("Synthesizing", RunStatus.RUNNING, "synthesizing"),
        ("Reviewing", RunStatus.FAILED, "bad"),
        ("WaitingForReviewDecision", RunStatus.CANCELLED, ""),
    ],
)
def test_badges_have_the_colours_of_their_phase_while_the_run_goes_on(
    phase: str, status: RunStatus, tone: str
) -> None:
    shown = run_badge(status, phase, ENGLISH)

    assert shown.tone == tone
    assert shown.text
    assert shown.icon


@pytest.mark.parametrize("language", LANGUAGES)
def test_everything_has_words_in_every_language(language: str) -> None:
    words = Translator(language)
    badges = [run_badge(status, "", words) for status in RunStatus]
    badges += [each for verdict in Verdict if (each := verdict_badge(verdict.value, words))]

    assert len(badges) == len(RunStatus) + len(Verdict)
    assert all(badge.text and badge.icon for badge in badges)
    for workflow in WORKFLOWS.values():
        for station in display_of(workflow).live.course:
            phase = station.phases[0]
            assert words.knows(f"station_{phase}") or words.knows(f"phase_{phase}"), phase


def test_a_verdict_of_a_later_version_is_shown_as_it_is() -> None:
    shown = verdict_badge("SPLENDID", ENGLISH)

    assert shown is not None
    assert shown.text == "SPLENDID"
    assert verdict_badge(None, ENGLISH) is None
