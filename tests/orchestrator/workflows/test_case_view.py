"""A case as people read it: what is wrong first, with the chart's words; nothing is said that nobody looked at."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from orchestrator.core.lines import plain
from orchestrator.presentation.formats import html, markdown, text
from orchestrator.presentation.formats.json import as_json
from orchestrator.presentation.formats.text import question_lines, result_lines
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.workflows.case.drawings import day_of
from shared.models.case import (
    ChartSpan,
    LensResult,
    Measurement,
    Score,
    StructuredChart,
    Timeline,
    TimelineEvent,
)
from shared.models.decision import DecisionState
from shared.models.findings import Place, Severity
from shared.models.notices import notice, verbatim
from shared.models.outcomes import RunStatus
from tests.support.case_reports import (
    CHART,
    FINDINGS,
    case_finding,
    case_report,
    case_result,
    chart_span,
)
from tests.support.reports import make_decision, make_step

FORMATS = (html, markdown, text)


def lines(report, language: str = "en", **changes) -> list[str]:
    options = {"max_findings": 3, "words": Translator(language), **changes}
    return plain(result_lines(report, **options)).splitlines()


def test_the_first_twenty_lines_have_every_point_with_quotation_line_severity_advice_and_who_said_it():
    top = "\n".join(lines(case_report())[:20])
    for told in (
        "chart:15: CRITICAL allergy conflict: Amoxicillin is given although an allergy to penicillin",
        "“amoxicillin 500 mg”",
        "See also chart:4 “allergic to penicillin”",
        "Suggestion: Choose a drug of another class",
        "Raised by: lenses (drugs and monitoring)",
        "chart:12: MAJOR trend Potassium rises",
        "Source: Royal College of Physicians, NEWS2, 2017",
        "2 of 3 similar cases stopped it (similar/1)",
    ):
        assert told in top


def test_what_is_only_for_information_is_a_line_each_unless_all_is_shown():
    minor = case_finding("F9", "HR 128", Severity.INFO, verbatim("The pulse is high"))
    report = case_report((*FINDINGS, minor))
    line = "chart:7: INFO allergy_conflict The pulse is high F9"
    assert line in lines(report, max_findings=50)
    assert "“HR 128”" not in "\n".join(lines(report, max_findings=50))
    assert "“HR 128”" in "\n".join(lines(report, max_findings=None))


def test_a_score_that_lacks_a_value_tells_what_is_known():
    score = Score(name="qsofa", points=None, parts={"x": 1, "y": 1}, missing=("consciousness",))
    result = case_result(lens_results={"lens_severity_risk": LensResult(scores=(score,))})
    told = "  The sepsis score qSOFA: not complete; what is known adds up to 2 (x 1, y 1; missing: consciousness)"
    assert told in lines(case_report(result=result))


def test_after_the_points_come_gaps_coverage_scores_and_then_what_was_not_looked_at():
    shown = "\n".join(lines(case_report()))
    order = [
        "CRITICAL",
        "Missing in the record",
        "1 of 2 problems have a plan",
        "no plan: hypertension (chart:3)",
        "NEWS2: 13 points (respiration 3, blood pressure 3; missing: consciousness)",
        "Not looked at, and why",
        "diagnosis: no model takes part (analyst)",
        "similar cases: no similar case",
        "evidence: nothing was found for “urine culture”",
    ]
    assert [shown.index(part) for part in order] == sorted(shown.index(part) for part in order)


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.__name__.rpartition(".")[2])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_report_says_that_it_is_no_medical_advice(form, language):
    words = Translator(language)
    shown = form.render(case_report(language=language), words)
    assert words.message("no_medical_advice") in shown.replace("\\", "")


@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.CANCELLED])
def test_a_run_without_a_result_says_it_too(status):
    report = case_report()
    report = replace(report, run=replace(report.run, status=status, outcome=None))
    assert ENGLISH.message("no_medical_advice") in "\n".join(lines(report))
    assert as_json(report)["notices"][0]["code"] == "no_medical_advice"


def test_whoever_decides_sees_it_and_the_points():
    report = case_report()
    decision = replace(make_decision(DecisionState.OPEN), kind="case")
    run = replace(report.run, status=RunStatus.WAITING, outcome=None)
    shown = plain(
        question_lines(replace(report, run=run, recorded=FINDINGS, decisions=(decision,)), ENGLISH)
    )
    assert ENGLISH.message("no_medical_advice") in shown
    assert "“amoxicillin 500 mg”" in shown


def test_json_has_the_report_of_the_first_design():
    detail = as_json(case_report())["detail"]
    (first, *_), (solution,) = detail["critique"], detail["solutions"]
    assert first["issue"] == "Amoxicillin is given although an allergy to penicillin is recorded"
    names = {"issue", "severity", "category", "action", "citation", "priority"}
    assert names <= first.keys()
    assert names <= solution.keys()
    assert (first["severity"], first["priority"]) == ("CRITICAL", "high")
    assert first["spans"][0]["text"] == "amoxicillin 500 mg"
    assert detail["text"] == CHART


def test_what_a_lens_says_with_a_notice_is_in_the_readers_language_everywhere():
    told = notice("case_covered", n=1, all=2)
    advice = notice("case_no_score", n=3)
    finding = case_finding("F1", "BP 84/46", Severity.MAJOR, told, advice=advice)
    report = case_report((finding,), case_result(critique=(), solutions=()))
    korean = Translator("ko")
    for form in FORMATS:
        shown = form.render(report, korean)
        assert korean.translate(told) in shown
        assert korean.translate(advice) in shown
        assert "code: parameters" not in shown
    (row,) = as_json(report)["findings"]
    assert row["title"] == row["message"] == "1 of 2 problems have a plan"
    assert row["message_notice"]["code"] == "case_covered"
    assert row["suggestion"] == "not complete; what is known adds up to 3"


def test_with_everything_the_choices_the_trace_and_the_chart_are_there():
    shown = text.render(case_report(), ENGLISH)
    for told in (
        "severity and risk: vital signs are there (picked)",
        "similar cases: no case (not picked)",
        "two points had no place",
        "name the place of F2",
        "nothing to say",
        "failed: it took too long",
        "chart:15: “Start amoxicillin 500 mg three times a day” (supports, 0.80; sepsis antibiotics)",
        "  15  1. Sepsis, likely urinary. Start amoxicillin 500 mg three times a day.  [F1]",
        "similar/1: cohort.jsonl:1 (similarity 0.71)",
    ):
        assert told in shown


def test_the_page_highlights_every_span_and_draws_events_and_values():
    page = html.render(case_report(), ENGLISH)
    assert (
        '<mark class="critical">amoxicillin 500 mg</mark><a class="reference" href="#F1">F1</a>'
        in page
    )
    assert '<mark class="critical">allergic to penicillin</mark>' in page
    assert page.count("<mark") == 5
    assert 'See also <a class="place" href="#L4">chart:4</a>' in page
    assert page.count('<g class="event">') == 10
    assert page.count('<svg class="plot"') == 3
    assert page.count('<g class="out">') == 6


def test_a_hostile_chart_is_text_on_the_page():
    hostile = "</style></div><script>alert(1)</script> K 9 & <img src=x onerror=alert(1)>"
    span = chart_span("K 9", hostile)
    event = TimelineEvent(span=span, kind="<b>", date="2024-01-01", text=hostile)
    measured = Measurement(span=span, name="<i>x</i>", value=9.0, unit="<u>", low=1.0, high=5.0)
    result = case_result(
        text=hostile,
        timeline=Timeline(events=(event,)),
        structured_chart=StructuredChart(language="en", measurements=(measured,)),
        lens_results={"<script>": LensResult(abstains=(verbatim(hostile),))},
        critique=(),
    )
    page = html.render(case_report((), result), ENGLISH)
    for tag in ("<script", "<img", "<b>", "<i>", "<u>", "</style></div>"):
        assert tag not in page
    assert page.count("&lt;script&gt;alert(1)&lt;/script&gt;") == 4


@pytest.mark.parametrize(
    ("moment", "day"),
    [
        ("2024", 738886.0),
        ("2024-03", 738946.0),
        ("2024-03-07", 738952.0),
        ("2024-03-07T12:00", 738952.5),
        ("2024-02-30", None),
        ("0000-01-01", None),
        ("yesterday", None),
        (None, None),
    ],
)
def test_a_date_is_a_day_as_far_as_it_is_known(moment, day):
    assert day_of(moment) == day


def test_values_that_are_no_numbers_and_dates_that_are_none_are_listed_and_not_drawn():
    span = chart_span("BP 84/46")
    wild = tuple(
        Measurement(span=span, name="x", value=value, unit=None, low=1.0)
        for value in (None, float("nan"), float("inf"))
    )
    events = (
        TimelineEvent(span=span, kind="other"),
        TimelineEvent(span=span, kind="other", date="2024-99-99"),
        TimelineEvent(span=span, kind="other", date="2024-01-01"),
        TimelineEvent(span=span, kind="other", offset_days=float("inf")),
    )
    result = case_result(
        structured_chart=StructuredChart(language="en", measurements=wild),
        timeline=Timeline(events=events),
    )
    report = case_report(result=result)
    page = html.render(replace(report, run=_with_detail(report, result)), ENGLISH)
    assert page.count('<g class="event">') == 1
    assert '<svg class="plot"' not in page


def _with_detail(report, result):
    """JSON has no infinity: what was stored is read as it was written."""
    detail = json.loads(result.model_dump_json())
    return replace(report.run, outcome={**report.run.outcome, "detail": detail})


def test_a_span_outside_the_chart_breaks_nothing():
    far = ChartSpan(start=10_000, end=10_005, line=99, text="gone")
    entry = case_result().critique[0].model_copy(update={"spans": (far,)})
    page = html.render(case_report(result=case_result(critique=(entry,))), ENGLISH)
    assert "<mark" not in page


def test_who_decides_sees_the_lines_of_the_chart_with_the_places_of_the_points():
    sections = [
        {"heading": "PLAN", "division": "assessment_and_plan", "first_line": 2, "last_line": 4}
    ]
    spans = [
        {"id": "E1", "start": 0, "end": 10, "line": 3, "text": "Start amoxicillin\n500 mg today."},
        {"id": "E2", "start": 11, "end": 20, "line": 4, "text": "Return soon."},
    ]
    steps = (
        make_step(
            "chart_structurer",
            participant="chart.structure",
            reply={"language": "en", "sections": sections},
        ),
        make_step("evidence", participant="preprocess.evidence", reply={"spans": spans}),
    )
    finding = FINDINGS[0].model_copy(
        update={"quote": "amoxicillin", "place": Place(path="chart", line=3)}
    )
    report = case_report(steps=steps)
    decision = replace(make_decision(DecisionState.OPEN), kind="case")
    run = replace(report.run, status=RunStatus.WAITING, outcome=None)
    waiting = replace(report, run=run, recorded=(finding,), decisions=(decision,))
    shown = plain(question_lines(waiting, ENGLISH))
    assert "3  Start amoxicillin  [F1]" in shown
    assert "4  500 mg today. Return soon." in shown
    assert "2  PLAN" in shown
