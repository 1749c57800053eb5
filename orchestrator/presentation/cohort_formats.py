"""What the report of a batch is written as: one row a format, by the ending of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.evaluation.cohort import CohortReport, CohortRow
from orchestrator.presentation.cohort import cohort_document, rows_csv, rows_jsonl
from orchestrator.presentation.formats.html import as_page
from orchestrator.presentation.formats.markdown import as_markdown
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator

Render = Callable[[CohortReport, Sequence[CohortRow], Translator], str]


@dataclass(frozen=True)
class CohortFormat:
    """A format of a report: what HTTP calls it, and what writes it."""

    media_type: str
    render: Render


def _json(report: CohortReport, _rows: Sequence[CohortRow], _words: Translator) -> str:
    content = {"schema_version": SCHEMA_VERSION, "report": report.model_dump(mode="json")}
    return dumps(content) + "\n"


COHORT_FORMATS: Mapping[str, CohortFormat] = {
    ".md": CohortFormat(
        "text/markdown", lambda report, _, words: as_markdown(cohort_document(report, words))
    ),
    ".html": CohortFormat(
        "text/html", lambda report, _, words: as_page(cohort_document(report, words), words)
    ),
    ".json": CohortFormat("application/json", _json),
    ".csv": CohortFormat("text/csv", lambda _report, rows, _: rows_csv(rows)),
    ".jsonl": CohortFormat("application/x-ndjson", lambda _report, rows, _: rows_jsonl(rows)),
}
