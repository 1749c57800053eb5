"""SARIF 2.1.0, as code scanning reads it: rules of the fixed catalogue, fingerprints that outlast a push, fixes.

A finding without a place in a change stands at the change's first file, and elsewhere at the run's subject by name:
code hosts refuse a whole file for one result without a location.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any
from urllib.parse import quote

from orchestrator.core.findings.callers import CallSite
from orchestrator.core.findings.defect_catalogue import Defect
from orchestrator.core.lines import clean
from orchestrator.presentation.exit_codes import exit_code
from orchestrator.presentation.formats.listed_findings import ListedFinding, listed_findings
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.build import this_build
from shared.models.findings import Place, Severity
from shared.models.outcomes import RunStatus, Verdict

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
HOME = "urn:quorate:docs:ci"  # `quorate docs ci`: there is no page on the web that is ours
ROOT = "SRCROOT"
_LEVELS = {
    Severity.CRITICAL: "error",
    Severity.MAJOR: "warning",
    Severity.MINOR: "note",
    Severity.INFO: "note",
}
_MOST_RESULTS = 5_000  # as many does GitHub keep
_CONTEXT = 3  # lines around a finding that are shown with it
_MOST_RANK = 100.0

Json = dict[str, Any]


def render(report: RunReport, words: Translator) -> str:
    """The run as SARIF text."""
    return dumps(as_sarif(report, words)) + "\n"


def as_sarif(report: RunReport, words: Translator) -> Json:
    """The run as a SARIF log."""
    shown = listed_findings(report, words)[:_MOST_RESULTS]
    rules = tuple(dict.fromkeys(each.defect for each in shown))
    driver = {
        "name": "Quorate",
        "semanticVersion": this_build().release,
        "informationUri": HOME,
        "rules": [_rule(defect, words) for defect in rules],
    }
    run = {
        "tool": {"driver": driver},
        "automationDetails": {"id": f"quorate/{report.run.workflow}/{report.run.id}"},
        "invocations": [_invocation(report, words)],
        "originalUriBaseIds": {ROOT: {"description": {"text": words.message("sarif_root")}}},
        **_provenance(report),
        "columnKind": "unicodeCodePoints",
        "language": words.language,
        "results": [_result(each, rules.index(each.defect), report, words) for each in shown],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def _rule(defect: Defect, words: Translator) -> Json:
    short, text = (words.message(code) for code in (defect.words, f"{defect.words}_help"))
    danger = defect.security_severity
    severity = {} if danger is None else {"security-severity": f"{danger:.1f}"}
    return {
        "id": defect.rule_id,
        "name": defect.name,
        "shortDescription": {"text": f"{short}."},
        "fullDescription": {"text": text},
        "help": {"text": text, "markdown": text},
        "properties": {"tags": list(defect.tags), "precision": "medium", **severity},
    }


def _result(each: ListedFinding, index: int, report: RunReport, words: Translator) -> Json:
    finding = each.finding
    callers = [_code_flow(call, each, report) for call in each.callers]
    return {
        "ruleId": each.defect.rule_id,
        "ruleIndex": index,
        "kind": "fail",
        "level": _LEVELS[finding.severity],
        "message": {"text": each.message},
        "locations": [_location(each, report)],
        "partialFingerprints": {
            "primaryLocationLineHash": f"{each.fingerprint}:1",
            "quorateFinding/v1": each.fingerprint,
        },
        **({"codeFlows": callers} if callers else {}),
        **_fixes(each, words),
        **_suppressions(each),
        "rank": _rank(each),
        "properties": {
            "severity": finding.severity,
            "status": finding.status,
            "id": finding.id,
            "agreement": f"{each.voices.carrying}/{each.voices.asked}",
            "raisedBy": list(finding.raised_by),
            "rules": list(finding.every_rule),
            "evidence": list(each.ranked.evidence),
        },
    }


def _suppressions(each: ListedFinding) -> Json:
    """An entry of the ignore file, a comment or a known finding keeps an alert closed."""
    if each.ignored is None:
        return {}
    entry = {"kind": "external", "status": "accepted", "justification": clean(each.ignored)}
    return {"suppressions": [entry]}


def _rank(each: ListedFinding) -> float:
    """The share of the voices that carry it, in percent."""
    asked = max(each.voices.asked, 1)
    return round(min(_MOST_RANK, _MOST_RANK * each.voices.carrying / asked), 1)


def _location(each: ListedFinding, report: RunReport) -> Json:
    if each.place is not None:
        return {"physicalLocation": _physical(each.place, report)}
    named = {"name": report.run.title, "fullyQualifiedName": report.run.title, "kind": "subject"}
    first = _first_file(report)
    there = {} if first is None else {"physicalLocation": {"artifactLocation": _artifact(first)}}
    return {**there, "logicalLocations": [named]}


def _first_file(report: RunReport) -> str | None:
    return report.coverage.files[0].path if report.coverage and report.coverage.files else None


def _artifact(path: str) -> Json:
    return {"uri": quote(path, safe="/"), "uriBaseId": ROOT}


def _physical(place: Place, report: RunReport) -> Json:
    lines = report.sources[place.path].split("\n") if place.path in report.sources else None
    region: Json = {"startLine": place.line, "endLine": place.last_line}
    shown: Json = {"artifactLocation": _artifact(place.path), "region": region}
    if lines is None or place.last_line > len(lines):
        return shown
    region["startColumn"] = 1
    region["endColumn"] = len(lines[place.last_line - 1]) + 1
    region["snippet"] = {"text": "\n".join(lines[place.line - 1 : place.last_line])}
    first, last = max(place.line - _CONTEXT, 1), min(place.last_line + _CONTEXT, len(lines))
    if (first, last) != (place.line, place.last_line):
        around = {"text": "\n".join(lines[first - 1 : last])}
        shown["contextRegion"] = {"startLine": first, "endLine": last, "snippet": around}
    return shown


def _code_flow(call: CallSite, each: ListedFinding, report: RunReport) -> Json:
    """From a caller that the finding names to where it stands."""
    caller = Place(path=call.path, line=call.line)
    text = f"{call.within or call.path} calls {call.name}."
    steps = [(caller, text)] + ([(each.place, each.title)] if each.place else [])
    locations = [
        {"location": {"physicalLocation": _physical(place, report), "message": {"text": message}}}
        for place, message in steps
    ]
    return {"message": {"text": text}, "threadFlows": [{"locations": locations}]}


def _fixes(each: ListedFinding, words: Translator) -> Json:
    """Its own patch, where it replaces exactly the finding's lines."""
    if each.replacement is None or each.place is None:
        return {}
    text = words.message("sarif_fix", finding=each.finding.id)
    region = {
        "startLine": each.place.line,
        "startColumn": 1,
        "endLine": each.place.last_line + 1,
        "endColumn": 1,
    }
    replacement = {"deletedRegion": region, "insertedContent": {"text": each.replacement}}
    change = {"artifactLocation": _artifact(each.place.path), "replacements": [replacement]}
    return {"fixes": [{"description": {"text": text}, "artifactChanges": [change]}]}


def _invocation(report: RunReport, words: Translator) -> Json:
    """How the run went; a reader of alerts has to see that an empty list may mean that nobody came to a conclusion."""
    run = report.run
    conclusive = run.status is RunStatus.COMPLETED and report.verdict is not Verdict.INCONCLUSIVE
    reasons = (report.gate.reason, *report.every_warning)
    moments = {"startTimeUtc": run.created_at, "endTimeUtc": run.finished_at}
    return {
        "executionSuccessful": conclusive,
        "exitCode": int(exit_code(report)),
        **{name: _utc(at) for name, at in moments.items() if at is not None},
        "toolExecutionNotifications": _notifications(map(words.translate, reasons)),
    }


def _utc(moment: Any) -> str:
    return f"{moment:%Y-%m-%dT%H:%M:%S}Z"


def _notifications(texts: Iterable[str]) -> Sequence[Json]:
    return [
        {"level": "note", "message": {"text": text if text.endswith(".") else f"{text}."}}
        for text in dict.fromkeys(texts)
        if text
    ]


def _provenance(report: RunReport) -> Json:
    place = report.published
    if place is None:
        return {}
    control = {
        "repositoryUri": place.project,
        "revisionId": place.commit,
        "mappedTo": {"uriBaseId": ROOT},
    }
    return {"versionControlProvenance": [control]}
