"""Reports of linters that go along with a change, as participants of its review: named after the linters."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pydantic import JsonValue

from orchestrator.application.capture import SubjectInput
from orchestrator.application.subject_input import ChangeInput, GivenChange
from orchestrator.subjects.change import Put
from orchestrator.subjects.linter_reports import (
    LinterReport,
    given_reports,
    inside,
    read_reports,
)
from orchestrator.subjects.location import Located
from shared.models.panel import Participant
from shared.providers.sections import report_participant


def reports_of(
    subject: SubjectInput, directory: Path, located: Located | None
) -> tuple[LinterReport, ...]:
    """The reports that go along with a subject. Raises SubjectError for one that cannot be used."""
    if isinstance(subject, ChangeInput):
        repository = None if located is None else located.repository
        return read_reports(subject.linter_reports, directory, repository)
    return given_reports(subject.reports) if isinstance(subject, GivenChange) else ()


def report_participants(
    reports: Sequence[LinterReport], directory: Path, located: Located | None, put: Put
) -> tuple[Participant, ...]:
    """Who speaks by these reports, which are stored."""
    where: dict[str, JsonValue] = {}
    if located is not None and located.repository.top is not None:
        where["root"] = str(located.repository.top)
        below = inside(located.repository, directory)
        if below not in (None, "."):
            where["below"] = f"{below}/"
    return tuple(
        report_participant(
            report.name, {"report": put(report.content), "format": report.format, **where}
        )
        for report in reports
    )
