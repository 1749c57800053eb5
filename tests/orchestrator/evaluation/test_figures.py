"""Figures, their intervals, calibration, and two panels beside each other."""

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.evaluation.calibration import reliability
from orchestrator.evaluation.cases import ExpectedFinding
from orchestrator.evaluation.intervals import bootstrap, wilson
from orchestrator.evaluation.result import DefinedCase, EvalResult, PanelOutcomes, evaluated
from orchestrator.evaluation.scoring import (
    CaseOutcome,
    CaseState,
    JudgedFinding,
    ReadingRules,
    SpentOnCase,
    score,
)
from shared.models.findings import Finding, FindingStatus, Place, Severity

ALL = ReadingRules()


def judged(
    line: int, by: str = "ann", *, status: str = "accepted", severity: str = "MAJOR"
) -> JudgedFinding:
    finding = Finding(
        id=f"F{line}",
        title=f"defect {line}",
        detail="",
        severity=Severity(severity),
        category="general",
        place=Place(path="a.py", line=line),
        raised_by=(by,),
        raised_in_round=1,
        status=FindingStatus(status),
    )
    return JudgedFinding(finding, 0.8, {by: 0.9})


def label(line: int, severity: str = "MAJOR") -> ExpectedFinding:
    return ExpectedFinding(path="a.py", line=line, severity=Severity(severity))


def outcome(
    case: str, *findings: JudgedFinding, cost: float | None = 0.5, by: str = "ann"
) -> CaseOutcome:
    spent = {by: SpentOnCase(1, cost, int(cost is None))}
    return CaseOutcome(case, f"r{case}", CaseState.MEASURED, "NEEDS_FIX", findings, spent)


def panel(name: str, *pairs: tuple[list[ExpectedFinding], CaseOutcome]) -> PanelOutcomes:
    cases = tuple(
        (DefinedCase(custom_id=came.case, expected=tuple(labels)), came) for labels, came in pairs
    )
    return PanelOutcomes(name, ("ann", "ben"), cases)


def result(*panels: PanelOutcomes, rules: ReadingRules = ALL) -> EvalResult:
    return evaluated(["test"], "review", panels, rules)


def test_true_false_and_missed_are_counted():
    scored = score([label(10), label(50)], outcome("a", judged(10), judged(90)), ALL)
    assert (scored.true, len(scored.findings), scored.missed) == (1, 2, (1,))


def test_a_second_finding_for_one_label_is_a_repeat_and_no_true_finding():
    scored = score([label(10)], outcome("a", judged(10), judged(11)), ALL)
    assert (scored.true, scored.repeats, scored.missed) == (1, 1, ())


def test_what_the_panel_rejected_and_what_is_not_grave_enough_does_not_count():
    came = outcome("a", judged(10, status="rejected"), judged(50, severity="INFO"), judged(90))
    assert len(score([], came, ALL).findings) == 2
    assert len(score([], came, ReadingRules(least=Severity.MINOR)).findings) == 1
    assert len(score([], came, ReadingRules(first=1)).findings) == 1


def test_the_figures_of_a_panel_and_of_its_participants():
    came = result(
        panel(
            "both",
            ([label(10), label(50)], outcome("a", judged(10), judged(90, "ben"))),
            ([], outcome("b")),
            ([], outcome("c", judged(5, "ben"))),
        )
    )
    (only,) = came.panels
    figures = {name: figure.value for name, figure in only.sheet.figures.items()}
    assert figures["precision"] == pytest.approx(1 / 3)
    assert figures["recall"] == figures["recall_of_all"] == 0.5
    assert figures["left_alone"] == 0.5
    assert figures["f1"] == pytest.approx(0.4)
    assert figures["cost_per_true_usd"] == pytest.approx(1.5)
    ann, ben = only.participants
    assert (ann.counts.raised, ann.counts.true, ann.counts.cost_usd) == (1, 1, 1.5)
    assert (ben.counts.raised, ben.counts.true, ben.figures["precision"].value) == (2, 0, 0.0)
    assert ben.figures["cost_per_true_usd"].value is None


def test_what_was_not_answered_is_in_no_figure_but_in_the_recall_of_all():
    lost = replace(outcome("b"), state=CaseState.FAILED)
    running = replace(outcome("c"), state=CaseState.OPEN)
    (only,) = result(
        panel(
            "p",
            ([label(10)], outcome("a", judged(10))),
            ([label(1), label(2)], lost),
            ([label(3)], running),
        )
    ).panels
    assert only.states == {CaseState.MEASURED: 1, CaseState.FAILED: 1, CaseState.OPEN: 1}
    assert only.sheet.figures["recall"].value == 1.0
    assert only.sheet.figures["recall_of_all"].value == pytest.approx(1 / 3)
    assert only.sheet.counts.unanswered == 2


def test_an_unknown_price_is_never_zero():
    (only,) = result(panel("p", ([label(10)], outcome("a", judged(10), cost=None)))).panels
    assert only.sheet.counts.cost_usd is None
    assert only.sheet.counts.unknown_costs == 1
    assert only.sheet.figures["cost_per_true_usd"].value is None
    both = result(
        panel("p", ([label(10)], outcome("a", judged(10), cost=None))),
        panel("q", ([label(10)], outcome("a", judged(10)))),
    )
    assert "cost_per_true_usd" not in {row.figure for row in both.comparisons[0].differences}


def test_panels_are_compared_on_the_cases_that_both_measured_with_the_same_labels():
    good = panel("good", *(([label(10)], outcome(str(n), judged(10))) for n in range(30)))
    poor = panel("poor", *(([label(10)], outcome(str(n), judged(90))) for n in range(29)))
    other = panel("other", *(([label(11)], outcome(str(n), judged(10))) for n in range(30)))
    worse, strange = result(good, poor, other).comparisons
    assert worse.cases == 29
    recall = next(row for row in worse.differences if row.figure == "recall")
    assert (recall.first, recall.second, recall.difference.value, recall.sure) == (
        1.0,
        0.0,
        -1.0,
        True,
    )
    assert (strange.cases, strange.differences) == (0, ())
    (same,) = result(good, good).comparisons
    assert not any(row.sure for row in same.differences)


# ---- intervals and calibration ------------------------------------------------------------------


@given(st.integers(1, 400).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of))))
def test_wilsons_interval_holds_the_share_and_stays_within_one(counts: tuple[int, int]):
    hits, of = counts
    bounds = wilson(hits, of)
    assert bounds is not None
    assert 0.0 <= bounds.low <= hits / of + 1e-12
    assert hits / of - 1e-12 <= bounds.high <= 1.0


def test_wilson_as_published():
    """10 of 20: 0.2993 to 0.7007."""
    bounds = wilson(10, 20)
    assert bounds is not None
    assert (round(bounds.low, 4), round(bounds.high, 4)) == (0.2993, 0.7007)


def test_the_bootstrap_covers_what_it_should_and_repeats_itself():
    """Samples of 60 from a known share: the interval holds the share about 95 times of 100."""
    chance = random.Random(7)
    covered = 0
    for seed in range(100):
        tallies = [(float(chance.random() < 0.3), 1.0) for _ in range(60)]
        (bounds,) = bootstrap(tallies, [lambda total: total[0] / total[1]], seed)
        assert bounds is not None
        covered += bounds.low <= 0.3 <= bounds.high
    assert 85 <= covered <= 100
    again = [bootstrap([(0.0, 1.0), (1.0, 1.0)] * 9, [lambda t: t[0] / t[1]], 5) for _ in range(2)]
    assert again[0] == again[1]


def test_where_every_draw_agrees_the_interval_is_wilsons():
    (only,) = result(
        panel("p", *(([label(10)], outcome(str(n), judged(10))) for n in range(5)))
    ).panels
    recall = only.sheet.figures["recall"]
    assert (recall.value, recall.high) == (1.0, 1.0)
    assert recall.low is not None
    assert 0.5 < recall.low < 0.6


def test_reliability_knows_right_wrong_and_overconfident():
    right = reliability([(1.0, True), (0.0, False)])
    assert (right.brier, right.expected_error) == (0.0, 0.0)
    wrong = reliability([(1.0, False), (0.0, True)])
    assert (wrong.brier, wrong.expected_error) == (1.0, 1.0)
    over = reliability([(0.9, True)] * 5 + [(0.9, False)] * 5)
    assert over.expected_error == pytest.approx(0.4)
    (only,) = over.bins
    assert (only.count, only.true, only.share) == (10, 5, 0.5)
    assert math.isclose(only.stated, 0.9)
    assert reliability([]).brier is None
