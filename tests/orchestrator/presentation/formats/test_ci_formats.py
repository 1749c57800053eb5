"""The formats that pipelines read follow their documented rules, whatever a finding says."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.findings.defect_catalogue import DEFECTS
from orchestrator.core.formats import FORMATS, format_named
from orchestrator.presentation.formats.annotations import MOST_OF_A_KIND
from orchestrator.presentation.formats.sarif import as_sarif
from orchestrator.presentation.formats.summary import MOST_BYTES
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.report import RunReport
from shared.models.findings import FindingStatus, Place, Severity
from shared.models.outcomes import Ending, RunStatus, Verdict
from tests.support.case_reports import case_report
from tests.support.finished_runs import HELD
from tests.support.reports import PATCH, make_finding, make_report, make_step
from tests.support.seen_runs import report_of

FIRST = Place(path="app.py", line=1)
SOURCES = {"app.py": "bad\n값 = 1\n"}


def reviewed(*changes: dict[str, Any], **others: Any) -> RunReport:
    findings = tuple(make_finding(f"F{n}", **each) for n, each in enumerate(changes, 1))
    return make_report(verdict=Verdict.NEEDS_FIX, findings=findings, sources=SOURCES, **others)


def held(name: str) -> Callable[[], RunReport]:
    def report() -> RunReport:
        run = HELD[name]()
        return report_of(run.run, run.simulation, run.outcome)

    return report


def sarif_faults(log: dict[str, Any]) -> list[str]:
    """What code scanning, or `sarif-multitool validate`, would not take."""
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    faults = [f"rule {rule['id']}" for rule in rules if not _is_whole(rule)]
    for result in run["results"]:
        if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
            faults.append("ruleIndex")
        if not result["message"]["text"] or not result["locations"]:
            faults.append("result")
    messages = [
        note["message"]["text"] for note in run["invocations"][0]["toolExecutionNotifications"]
    ]
    return faults + [text for text in messages if not text.endswith(".")]


def _is_whole(rule: dict[str, Any]) -> bool:
    texts = [rule[name]["text"] for name in ("shortDescription", "fullDescription", "help")]
    known = rule["id"].removeprefix("quorate/") in DEFECTS
    return known and all(text and len(text) <= 1024 for text in texts) and rule["name"].isalnum()


@pytest.mark.parametrize("language", ["en", "ko"])
@pytest.mark.parametrize("report", [*map(held, HELD), case_report])
def test_the_result_of_every_workflow_is_sarif(
    report: Callable[[], RunReport], language: str
) -> None:
    assert sarif_faults(as_sarif(report(), Translator(language))) == []


def test_a_result_has_its_place_its_fingerprint_and_its_fix():
    report = reviewed({"place": FIRST, "patch": PATCH})
    (run,) = as_sarif(report, ENGLISH)["runs"]
    (result,) = run["results"]
    (location,) = result["locations"]
    assert result["ruleId"] == "quorate/shell"
    assert result["level"] == "error"
    assert location["physicalLocation"]["artifactLocation"] == {
        "uri": "app.py",
        "uriBaseId": "SRCROOT",
    }
    assert location["physicalLocation"]["region"]["snippet"] == {"text": "bad"}
    assert re.fullmatch(r"[0-9a-f]{32}:1", result["partialFingerprints"]["primaryLocationLineHash"])
    (change,) = result["fixes"][0]["artifactChanges"]
    assert change["replacements"][0]["insertedContent"] == {"text": "good\n"}
    assert run["automationDetails"]["id"].startswith("quorate/review/")


def test_a_finding_without_a_place_has_a_location_all_the_same():
    (run,) = as_sarif(reviewed({"place": None}), ENGLISH)["runs"]
    assert run["results"][0]["locations"][0]["logicalLocations"][0]["name"] == "a change"


def test_callers_that_a_finding_names_are_a_code_flow():
    sources = {
        "app.py": "def load(path):\n    return path\n",
        "b.py": "def save():\n    load('x')\n",
    }
    finding = make_finding(detail="`save()` calls `load()` without the lock.", place=FIRST)
    report = make_report(
        verdict=Verdict.NEEDS_FIX, findings=(finding,), detail={"evidence": {"F1": ["callers"]}}
    )
    (run,) = as_sarif(replace(report, sources=sources), ENGLISH)["runs"]
    (flow,) = run["results"][0]["codeFlows"]
    steps = [step["location"]["physicalLocation"] for step in flow["threadFlows"][0]["locations"]]
    assert [(s["artifactLocation"]["uri"], s["region"]["startLine"]) for s in steps] == [
        ("b.py", 2),
        ("app.py", 1),
    ]


def test_an_inconclusive_run_is_never_a_success():
    report = make_report(ending=Ending.DEGRADED, verdict=Verdict.INCONCLUSIVE)
    assert not as_sarif(report, ENGLISH)["runs"][0]["invocations"][0]["executionSuccessful"]
    suite = ElementTree.fromstring(format_named("junit").render(report, ENGLISH))
    assert [each.tag for each in suite.iter("error")] == ["error"]


def test_what_is_rejected_or_mended_is_in_no_list():
    report = reviewed(
        {"status": FindingStatus.REJECTED}, {"place": FIRST}, detail={"standing": ["F1"]}
    )
    for name in ("sarif", "junit", "gitlab", "rdjsonl", "annotations"):
        assert "Shell injection" not in format_named(name).render(report, ENGLISH), name


def junit_faults(text: str) -> list[str]:
    """What the schema of Jenkins' xUnit plugin (junit-10.xsd) would refuse."""
    whole = ElementTree.fromstring(text)
    allowed = {
        "testsuites": {"name", "tests", "failures", "errors", "time"},
        "testsuite": {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
        "testcase": {"name", "classname", "time"},
        "failure": {"message", "type"},
        "error": {"message", "type"},
        "skipped": {"message"},
        "system-out": set(),
    }
    faults = [
        f"{each.tag}: {name}"
        for each in whole.iter()
        for name in each.attrib.keys() - allowed[each.tag]
    ]
    (suite,) = whole
    cases = suite.findall("testcase")
    counted = {
        "tests": len(cases),
        "failures": len(suite.findall("testcase/failure")),
        "errors": len(suite.findall("testcase/error")),
        "skipped": len(suite.findall("testcase/skipped")),
    }
    return faults + [name for name, count in counted.items() if suite.get(name) != str(count)]


def test_in_junit_findings_at_the_gate_fail_and_absences_are_errors():
    steps = (make_step("critique/1/claude", "failed"),)
    report = replace(reviewed({}, {"severity": "MINOR"}, fail_on=Severity.MAJOR), steps=steps)
    text = format_named("junit").render(report, ENGLISH)
    whole = ElementTree.fromstring(text)
    assert junit_faults(text) == []
    assert [
        case.get("classname") for case in whole.iter("testcase") if case.find("failure") is not None
    ] == [
        "quorate.gate",
        "quorate.shell",
    ]
    assert len(list(whole.iter("error"))) == 1


def test_gitlab_gets_one_entry_for_each_place_with_its_own_fingerprint():
    report = reviewed({"place": FIRST}, {"place": FIRST, "severity": "MINOR"}, {"place": None})
    issues = json.loads(format_named("gitlab").render(report, ENGLISH))
    assert {issue["severity"] for issue in issues} == {"blocker", "minor"}
    assert len({issue["fingerprint"] for issue in issues}) == 2
    assert all(
        issue.keys() >= {"description", "check_name", "fingerprint", "severity", "location"}
        and issue["location"]["lines"]["begin"] == 1
        and not issue["location"]["path"].startswith(("./", "/"))
        for issue in issues
    )


def test_rdjsonl_is_one_diagnostic_a_line():
    report = reviewed({"place": FIRST, "patch": PATCH}, {"place": Place(path="app.py", line=2)})
    lines = format_named("rdjsonl").render(report, ENGLISH).splitlines()
    diagnostics = [json.loads(line) for line in lines]
    assert len(diagnostics) == 2
    (suggestion,) = next(each["suggestions"] for each in diagnostics if "suggestions" in each)
    assert suggestion["text"] == "good\n"
    assert suggestion["range"]["end"] == {"line": 2, "column": 1}
    assert {each["severity"] for each in diagnostics} == {"ERROR"}


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_nothing_that_a_finding_says_begins_a_command_of_the_runner(text: str) -> None:
    hostile = f"{text}\n::set-output name=x::y\r::error::z"
    report = reviewed({"title": hostile.strip(), "detail": hostile, "place": FIRST})
    lines = format_named("annotations").render(report, ENGLISH).splitlines()
    assert len(lines) == 1
    assert lines[0].startswith("::error file=app.py,line=1,endLine=1,title=CRITICAL quorate/")


@given(st.text(st.characters(codec="utf-8"), max_size=60))
def test_whatever_a_finding_says_every_format_can_be_read(text: str) -> None:
    report = reviewed({"title": f"x{text}", "detail": f"]]>{text}\x00\x1b[31m", "place": FIRST})
    assert junit_faults(format_named("junit").render(report, ENGLISH)) == []
    assert sarif_faults(as_sarif(report, ENGLISH)) == []
    assert len(json.loads(format_named("gitlab").render(report, ENGLISH))) == 1
    assert len(format_named("rdjsonl").render(report, ENGLISH).splitlines()) == 1


def test_a_title_that_ends_with_a_rules_name_is_one_sentence() -> None:
    report = reviewed({"title": "shell=True, security issue. (B602)", "place": FIRST})
    (told,) = format_named("annotations").render(report, ENGLISH).splitlines()
    assert "::shell=True, security issue (B602)." in told


def test_a_step_gets_as_many_annotations_as_the_runner_shows():
    report = reviewed(*({"place": Place(path="app.py", line=n)} for n in range(1, 15)))
    assert len(format_named("annotations").render(report, ENGLISH).splitlines()) == MOST_OF_A_KIND


def test_a_summary_is_never_larger_than_a_step_may_write():
    report = reviewed(*({"detail": "가" * 200_000} for _ in range(4)))
    text = format_named("summary").render(report, ENGLISH)
    assert 1000 < len(text.encode()) <= MOST_BYTES


@pytest.mark.parametrize("form", [row.name for row in FORMATS])
@pytest.mark.parametrize("status", [RunStatus.RUNNING, RunStatus.CANCELLED])
def test_every_format_takes_a_run_without_an_outcome(form: str, status: RunStatus) -> None:
    assert isinstance(format_named(form).render(make_report(status, ending=None), ENGLISH), str)
