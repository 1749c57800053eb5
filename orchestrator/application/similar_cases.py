"""Cases that earlier runs of this database captured, the most similar to a new one first.

They are other people's. Nothing is taken from them unless the person asks for it (`--similar stored`), and whoever
takes a text masks it like any other similar case's before it is shown to somebody over the network.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial

from pydantic import ValidationError

from orchestrator.application.backend import Backend
from shared.models.case import Case
from shared.store.documents import get_documents
from shared.store.passages import newest_subjects, sharing_documents
from shared.text.search_terms import TERMS_VERSION, search_terms
from shared.text.similarity import nearest_texts

WORKFLOW = "case"
MOST_CASES = 5_000
CANDIDATES = 100


@dataclass(frozen=True)
class StoredNeighbour:
    """A stored case: the last run that was about it, its chart's text, and how alike it is, 0 to 1."""

    run: str
    title: str
    text: str
    similarity: float


def stored_neighbours(backend: Backend, text: str, count: int) -> list[StoredNeighbour]:
    """At most `count` of the cases of the newest 5,000 runs that are most like `text`, the most similar first.

    Candidates are the hundred that share most with it, by the passages that their runs stored; among these the measure
    is `shared.text.similarity`. A case whose run has not looked for evidence yet is not found. The same text is no
    neighbour of itself.
    """
    subjects = backend.read(partial(newest_subjects, workflow=WORKFLOW, limit=MOST_CASES))
    documents = backend.read(partial(get_documents, names=list(subjects)))
    cases = _cases(subjects, documents)
    candidates = backend.read(
        partial(
            sharing_documents,
            documents=list(cases),
            version=TERMS_VERSION,
            terms=search_terms(text),
            limit=CANDIDATES,
        )
    )
    contents = backend.read(partial(get_documents, names=candidates))
    texts = [contents[chart].decode(errors="replace") for chart in candidates]
    return [
        StoredNeighbour(*cases[candidates[place]], texts[place], similarity)
        for place, similarity in nearest_texts(text, texts, count)
        if similarity > 0
    ]


def _cases(
    subjects: Mapping[str, str], documents: Mapping[str, bytes]
) -> dict[str, tuple[str, str]]:
    """By the chart: the newest run about it, and what the case is called there."""
    cases: dict[str, tuple[str, str]] = {}
    for subject, run in subjects.items():
        try:
            case = Case.model_validate_json(documents[subject])
        except ValidationError:
            continue
        cases.setdefault(case.chart, (run, case.title))
    return cases
