"""What code finds out about the findings once they have been discussed: it orders them, and decides nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from orchestrator.core.discussion.loop import History
from orchestrator.core.discussion.turn_results import failure_notice
from orchestrator.core.findings.callers import CallMap, code_names
from orchestrator.core.findings.evidence import weighty
from orchestrator.core.findings.quotations import SubjectTexts
from orchestrator.core.replay.commands import Effect, ToolRun, single
from orchestrator.workflows.review.context import FindingGrounds, ReviewContext, good_fixes
from orchestrator.workflows.review.fixes import check_fixes, raised_with
from shared.models.findings import FindingStatus, Ground
from shared.models.notices import Notice, notice
from shared.models.review_replies import CheckedFix, CheckedFixes, SuiteReport
from shared.tools.inputs import Reproduction, SuiteInput

UNDISCARDED = (FindingStatus.CONTESTED, FindingStatus.UNDECIDED)
TESTS_S = 600.0
LAST_LINES = 3

Gathered = tuple[FindingGrounds, tuple[Notice, ...]]


def gather_evidence(
    context: ReviewContext, history: History, fixes: CheckedFixes
) -> Effect[Gathered]:
    """What could be checked of each finding besides what it has itself, and what a reader must know of the tests.

    Runs of earlier rules keep nothing of it: a report sees the fixes that were tried.
    """
    if not context.examined:
        return {}, ()
    applying = [*good_fixes(fixes), *(yield from _undecided_patches(context, history))]
    applied = {name for fix in applying for name in fix.findings}
    supplied = [
        Reproduction(finding=finding.id, test=finding.test)
        for finding in history.findings
        if finding.test is not None and finding.status is not FindingStatus.REJECTED
    ]
    tests, warnings = yield from _run_tests(context, applying, supplied)
    holds = {
        Ground.CALLERS: shown_callers(context, history),
        Ground.PATCH: applied - tests.broken if tests else applied,
        Ground.REPRODUCED: set(tests.reproduced) if tests else set(),
        Ground.TESTS: set(tests.mended | tests.confirmed) if tests else set(),
    }
    return _by_finding(holds), warnings


def _undecided_patches(context: ReviewContext, history: History) -> Effect[list[CheckedFix]]:
    """The patches that apply of what the panel neither accepted nor rejected: not offered, but they count."""
    patched = [
        finding
        for finding in weighty(history.findings)
        if finding.patch and finding.status in UNDISCARDED
    ]
    if not patched:
        return []
    checked, _problems = yield from check_fixes(context, "patches", [*map(raised_with, patched)])
    return good_fixes(checked)


def _run_tests(
    context: ReviewContext, fixes: Sequence[CheckedFix], supplied: Sequence[Reproduction]
) -> Effect[tuple[SuiteReport | None, tuple[Notice, ...]]]:
    """What the project's tests come to with each patch and supplied test: only where a person switched it on."""
    command = context.options.tests
    if command is None:
        return None, ()
    result = yield from single(
        ToolRun(
            key=context.cycle.key("tests", "run"),
            tool="tests.run",
            participant="tests",
            role="fixes",
            round=0,
            reply_model="tests.ran",
            inputs=lambda: SuiteInput(
                subject=context.subject_hash,
                command=command,
                fixes=tuple(fixes),
                tests=tuple(supplied),
            ),
            timeout_s=TESTS_S,
        )
    )
    if result.failure is not None:
        return None, (notice("review_tests_not_run", why=failure_notice(result.failure)),)
    report = SuiteReport.model_validate(result.reply)
    return report, _suite_warnings(report, context)


def _suite_warnings(report: SuiteReport, context: ReviewContext) -> tuple[Notice, ...]:
    """Tests that fail without any patch, that never ended, and patches that break them."""
    code = report.before.code
    warnings = []
    if code is None:
        warnings.append(notice("review_tests_unended"))
    elif code != 0:
        warnings.append(notice("review_tests_fail", code=code))
        if end := _last_lines(report.before.told):
            warnings.append(notice("review_tests_say", end=end))
    if report.broken:
        names = sorted(map(context.cycle.label, report.broken))
        warnings.append(notice("review_tests_broken", findings=names))
    return tuple(warnings)


def _last_lines(output: str) -> str:
    """How their output ends, in one line."""
    lines = [" ".join(line.split()) for line in output.splitlines()[-LAST_LINES - 2 :]]
    return " / ".join(list(filter(None, lines))[-LAST_LINES:])


def shown_callers(context: ReviewContext, history: History) -> set[str]:
    """Of which findings the callers that they name are in the change."""
    naming = [
        finding
        for finding in weighty(history.findings)
        if finding.place is not None and len(code_names(f"{finding.title}\n{finding.detail}")) > 0
    ]
    if not naming:
        return set()
    calls = CallMap.of(SubjectTexts(context.subject, context.document).reviewed_files())
    return {finding.id for finding in naming if calls.shows_callers(finding)}


def _by_finding(holds: Mapping[Ground, set[str]]) -> FindingGrounds:
    every = sorted({name for names in holds.values() for name in names})
    return {name: tuple(kind for kind, names in holds.items() if name in names) for name in every}
