"""JUnit XML, as Jenkins, GitLab and Azure Pipelines read it: a case for the gate, one for each finding and absence.

A finding fails where it trips the gate (without a gate, from MAJOR on); a run without a conclusion is an error, never a
pass.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from orchestrator.core.lines import clean, drop_unseen
from orchestrator.presentation.exit_code import ExitCode
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.formats.listed_findings import ListedFinding, listed_findings
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.findings import Severity
from shared.models.outcomes import StepStatus
from shared.models.rows import StepRow

_WITHOUT_GATE = Severity.MAJOR
_GATE_ERRORS = frozenset({ExitCode.INCONCLUSIVE, ExitCode.CREDENTIALS, ExitCode.PENDING})


def render(report: RunReport, words: Translator) -> str:
    """The run as one test suite."""
    suite = Element("testsuite", name=f"quorate.{report.run.workflow}")
    suite.set("timestamp", f"{report.run.created_at:%Y-%m-%dT%H:%M:%S}")
    suite.set("time", f"{report.run.worked_s:.3f}")
    _gate_case(suite, report, words)
    for each in listed_findings(report, words):
        _finding_case(suite, each, report.gate_rule.fail_on or _WITHOUT_GATE)
    for step in report.steps:
        if step.status == StepStatus.FAILED:
            _absence_case(suite, step, words)
    for kind, tag in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        suite.set(kind, str(len(suite.findall(f"testcase/{tag}"))))
    suite.set("tests", str(len(suite.findall("testcase"))))
    whole = Element("testsuites", name="quorate")
    for count in ("tests", "failures", "errors", "time"):
        whole.set(count, suite.get(count, "0"))
    whole.append(suite)
    indent(whole)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(whole, encoding="unicode")}\n'


def _gate_case(suite: Element, report: RunReport, words: Translator) -> None:
    reason = _shown(words.translate(report.gate.reason))
    case = SubElement(suite, "testcase", classname="quorate.gate", name="gate", time="0")
    code = exit_code(report)
    if code in _GATE_ERRORS:
        kind = code.name.lower()
        SubElement(case, "error", message=reason or kind, type=kind).text = reason
    elif code is ExitCode.GATE_TRIPPED:
        SubElement(case, "failure", message=reason, type="gate_tripped").text = reason


def _finding_case(suite: Element, each: ListedFinding, fails_from: Severity) -> None:
    finding, place = each.finding, each.place
    where = "" if place is None else f"{place.path}:{place.line}"
    name = _shown(": ".join(filter(None, (where, each.title))))
    case = SubElement(suite, "testcase", classname=each.defect.rule_id.replace("/", "."), name=name)
    case.set("time", "0")
    if each.ignored is not None:
        SubElement(case, "skipped", message=_shown(clean(each.ignored)))
        return
    text = _shown(f"{finding.severity} {where}\n{each.message}")
    if finding.severity.rank <= fails_from.rank:
        SubElement(case, "failure", message=_shown(each.title), type=finding.severity).text = text
    else:
        SubElement(case, "system-out").text = text


def _absence_case(suite: Element, step: StepRow, words: Translator) -> None:
    case = SubElement(suite, "testcase", classname="quorate.participants", name=_shown(step.key))
    case.set("time", "0")
    message = _shown(words.column(step.failure_message))
    SubElement(case, "error", message=message, type=step.failure_kind or "failed").text = message


def _shown(text: str) -> str:
    """The text as XML 1.0 can hold it."""
    kept = (letter for letter in drop_unseen(text) if letter in "\t\n" or _is_allowed(ord(letter)))
    return "".join(kept).strip()


def _is_allowed(code: int) -> bool:
    return 0x20 <= code <= 0xD7FF or 0xE000 <= code <= 0xFFFD or code >= 0x10000
