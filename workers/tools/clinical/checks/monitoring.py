"""Checks of what a chart does about drugs and problems: monitoring, problems and plans that lack each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice

from shared.models.case import CoverageItem, LensPoint
from shared.models.findings import Severity
from shared.models.notices import notice
from shared.patterns import regex
from workers.tools.clinical.checks.view import LensView
from workers.tools.clinical.drug_tables_classes import (
    GENERAL_LABS,
    MONITORING,
    MONITORING_WORDS,
    SPECIFIC,
    Monitoring,
)
from workers.tools.clinical.points import first_of_each, point

MONITORING_CATEGORY = "monitoring"
PLAN_CATEGORY = "plan"
_MOST_COVERAGE_POINTS = 5
_MOST_WORDS = 200
_NEAR = 60
_NOT_DONE_BEFORE = regex(
    r"\b(?:(?:no|without|not had|never had|lacks?|missing|declined|refused|missed|overdue for)"
    r"(?: (?:an?|any|the|his|her|recent|recorded|documented|available|follow-?up|baseline|prior|previous|current|new"
    r"|further|regular|routine|serum|lithium|monitoring)){0,3}"
    r"|not (?:check(?:ed|ing)|measur(?:ed|ing)|monitor(?:ed|ing)|obtain(?:ed|ing)|order(?:ed|ing)|done)"
    r"(?: (?:an?|any|the|his|her)){0,2}) \Z",
    2,
)
_NOT_DONE_AFTER = regex(
    r"(?: (?:levels?|tests?|checks?|results?|values?|monitoring)){0,2}[ ,:(-]{1,3}"
    r"(?:(?:(?:is|was|were|are|has|have) )?(?:not|never)(?: been)?(?: yet)? (?:been )?"
    r"(?:check|measur|monitor|obtain|order|done|available|record|document|drawn|perform|sent)"
    r"|(?:is |was |were )?(?:unavailable|missing|overdue|not available|none on file))"
    r"|[ ]?(?:수치|검사|농도|결과|측정|모니터링)?[은는이가을를도]? ?(?:미시행|미측정|미확인|없음|없었|안 ?함"
    r"|시행하지|측정하지|확인하지"
    r"|하지 ?않|시행한 적 ?없|기록 ?없)",
    2,
)
"""What is said of a test that was not done."""


def monitoring_missing(view: LensView) -> list[LensPoint]:
    """A drug is taken, and nothing of what its label asks to be watched is in the chart.

    What is missing in part is said where the first of its items is missing, by which the dose is found: at the lowest
    severity, but MINOR where that item is one that no general panel holds and the drug's range is narrow.
    """
    return first_of_each(
        (row, raised) for row in MONITORING for raised in _of_row(view, row, _general_labs(view))
    )


def problems_and_plans(view: LensView) -> list[LensPoint]:
    """Problems that nothing is done about, and drugs for which the chart gives no reason."""
    raised = [
        item
        for item in view.inputs.coverage.items
        if item.status != "covered" and (item.problem or item.interventions)
    ]
    return [_coverage_point(item) for item in raised[:_MOST_COVERAGE_POINTS]]


def _coverage_point(item: CoverageItem) -> LensPoint:
    if item.status == "open":
        return point(
            "problem_without_plan",
            Severity.INFO,
            notice("lens_problem_without_plan", problem=item.concept),
            item.problem,
            category=PLAN_CATEGORY,
        )
    return point(
        "plan_without_finding",
        Severity.INFO,
        notice("lens_plan_without_finding", intervention=item.concept),
        item.interventions,
        category=PLAN_CATEGORY,
    )


def _of_row(view: LensView, row: Monitoring, labs: bool) -> Iterator[LensPoint]:
    use = next((use for use in view.drugs if row.taken & (use.classes | {use.name})), None)
    if use is None:
        return
    missing = [item for item in row.items if not _is_documented(view, item, labs)]
    severity = _severity(row, missing)
    if severity is None:
        return
    yield point(
        "monitoring_missing",
        severity,
        notice(
            "lens_monitoring_missing",
            drug=use.name,
            items=[notice(f"monitored_{item.replace(' ', '_')}") for item in missing],
        ),
        (use.mention.span,),
        category=MONITORING_CATEGORY,
        citation=row.source,
    )


def _severity(row: Monitoring, missing: list[str]) -> Severity | None:
    """That of the row where nothing is told; none where the first of its items is, by which the dose is found."""
    if len(missing) == len(row.items):
        return row.severity
    if row.items[0] not in missing:
        return None
    narrow = row.severity is Severity.MAJOR and row.items[0] in SPECIFIC
    return Severity.MINOR if narrow else Severity.INFO


def _is_documented(view: LensView, item: str, labs: bool) -> bool:
    if labs and item not in SPECIFIC:
        return True
    text = view.chart.text
    matches = islice(_words(MONITORING_WORDS[item]).finditer(text), _MOST_WORDS)
    return any(not _is_not_done(text, match.start(), match.end()) for match in matches)


def _is_not_done(text: str, start: int, end: int) -> bool:
    """Whether the words around say that the test was not done: "no INR on file", "INR 검사 미시행"."""
    if _NOT_DONE_AFTER.match(text, end):
        return True
    return _NOT_DONE_BEFORE.search(text, max(0, start - _NEAR), start) is not None


def _general_labs(view: LensView) -> bool:
    return _words(GENERAL_LABS).search(view.chart.text) is not None


@cache
def _words(source: str) -> re.Pattern[str]:
    return re.compile(source, re.I)
