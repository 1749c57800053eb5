"""Which runs a list wants, in SQL. Every condition that many rows would be read for has an index."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any, ClassVar

from shared.models.rows import ASIDE
from shared.patterns import regex

MOST_WORDS = 10
TITLE_TERMS = "to_tsvector('simple', translate(title, './-_@#~^', '        '))"
"""What is searched in titles: words, also those of a path, of a branch and of a range of commits."""
# Postgres takes this to be true of half of the runs; that a label IS NULL it takes to be seldom, and reads them all.
NOT_ASIDE = f"(SELECT spec -> 'labels' ? '{ASIDE}' FROM specs WHERE run_id = id) IS NOT TRUE"
_WORD = regex(r"[^\W_]+")

LINE, REVIEWED = "since_line", "since_commit"
"""The labels of runs that continue one another: what they have in common, and the newest commit of each."""


@dataclass(frozen=True)
class RunFilter:
    """Which runs are listed; None: any. `since_s` is an age, the last ones are labels.

    `words` are beginnings of words of the title, all of them, or the beginning of an id. `before_at` with `before_id`:
    only what is listed after that run.
    """

    status: str | None = None
    workflow: str | None = None
    since_s: float | None = None
    verdict: str | None = None
    words: str | None = None
    before_at: datetime | None = None
    before_id: str | None = None
    repository: str | None = None
    batch: str | None = None
    pipeline: str | None = None
    line: str | None = None

    words_condition: ClassVar[str] = (
        f"({TITLE_TERMS} @@ to_tsquery('simple', %(terms)s) "
        "OR id BETWEEN %(words)s AND %(words)s || repeat('z', 20))"
    )

    @property
    def conditions(self) -> tuple[str, ...]:
        """Those that apply, in SQL: a parameter that may be NULL would read every run."""
        wanted = {
            "status": "status = %(status)s",
            "workflow": "workflow = %(workflow)s",
            "verdict": "verdict = %(verdict)s",
            "words": self.words_condition,
            "before_at": "(created_at, id) < (%(before_at)s, %(before_id)s)",
            "repository": labelled("repository"),
            "batch": labelled("batch"),
            "pipeline": f"{label_of('id', 'pipeline')} = %(pipeline)s",
            "line": f"{label_of('id', LINE)} = %(line)s",
            "since_s": "created_at >= now() - make_interval(secs => %(since_s)s)",
        }
        stated = tuple(sql for name, sql in wanted.items() if getattr(self, name) is not None)
        if self.workflow is None:
            stated = (*stated, NOT_ASIDE)
        return stated if self.status is not None else ("parent_run IS NULL", *stated)

    @property
    def parameters(self) -> dict[str, Any]:
        """What the conditions are filled with."""
        return {**asdict(self), "terms": beginnings_of(self.words or "")}


ALL_RUNS = RunFilter()


def label_of(run: str, label: str) -> str:
    """A label of the run that a column names, in SQL."""
    return f"(SELECT spec -> 'labels' ->> '{label}' FROM specs WHERE run_id = {run})"


def labelled(label: str) -> str:
    """That a run has a label which an index knows, in SQL."""
    return f"id IN (SELECT run_id FROM specs WHERE spec -> 'labels' ->> '{label}' = %({label})s)"


def beginnings_of(words: str) -> str:
    """A query for titles with words that begin like all of these; empty, which fits nothing, without a letter."""
    terms = dict.fromkeys(_WORD.findall(words))
    return " & ".join(f"'{term}':*" for term in list(terms)[:MOST_WORDS])
