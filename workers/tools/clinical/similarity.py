"""Which of a case's similar cases are nearest to it, and what each of them has: one reading for both sides.

Whether two charts are alike is a matter of words and of problems. A neighbour's similarity is the mean of the cosine of
both texts' terms (`shared.text.similarity`) and of the share of problems and symptoms that they have in common
(Jaccard, 1912); where neither names any, the cosine alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from shared.clinical.drug_tables import classes_of
from shared.models.case import ChartSpan, SourceText
from shared.text.similarity import nearest_texts
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.mentions import context_at
from workers.tools.clinical.query_words import other_words

PROBLEMS = frozenset({"problem", "symptom"})
CANDIDATES = 40
"""So many that are alike by their words are read; a lens asks for 20 neighbours at most."""
LONGEST_READ = 200_000
"""Characters of a text that are read; a chart of this length has eighty pages."""


@dataclass(frozen=True)
class Feature:
    """Something that a text names: its kind, its first name, where. `stands`: not denied, possible or another's."""

    kind: str
    name: str
    span: ChartSpan
    stands: bool

    @property
    def groups(self) -> frozenset[str]:
        """What it is an instance of: a drug's classes; itself for everything else."""
        return classes_of(self.name) if self.kind == "drug" else frozenset({self.name})


@dataclass(frozen=True)
class CaseFeatures:
    """What a text names, in order; `source` is what citations call it."""

    source: str
    features: tuple[Feature, ...]
    similarity: float = 1.0

    @cached_property
    def problems(self) -> Mapping[str, Feature]:
        """The problems and symptoms that are asserted, each where it is first."""
        return {
            feature.name: feature
            for feature in reversed(self.features)
            if feature.stands and feature.kind in PROBLEMS
        }

    @cached_property
    def groups(self) -> frozenset[tuple[str, str]]:
        """All that is named at all, denied or not, by kind and group."""
        return frozenset((row.kind, group) for row in self.features for group in row.groups)


def features_of(text: str, source: str) -> CaseFeatures:
    """What `text` names."""
    return CaseFeatures(source, tuple(_features(text, source)))


def _features(text: str, source: str) -> Iterator[Feature]:
    chart = read_chart(text[:LONGEST_READ])
    for thing in other_words(chart.text):
        context = context_at(chart, thing.start, thing.end)
        span = chart.span(thing.start, thing.end).model_copy(update={"source": source})
        stands = not (context.negated or context.uncertain or context.family)
        yield Feature(thing.kind, thing.names[0], span, stands)


def by_nearness(
    own: CaseFeatures, text: str, others: Sequence[tuple[SourceText, str]]
) -> list[CaseFeatures]:
    """Of `others` (each with its text) those that are most alike by their words, the nearest to the case first.

    The case itself is not among them.
    """
    alike = nearest_texts(text, [content for _, content in others], CANDIDATES)
    rows = [
        (_blended(own, features_of(others[place][1], others[place][0].name), cosine), place)
        for place, cosine in alike
    ]
    rows.sort(key=lambda row: (-row[0].similarity, row[1]))
    return [features for features, _ in rows]


def _blended(own: CaseFeatures, other: CaseFeatures, cosine: float) -> CaseFeatures:
    both = own.problems.keys() & other.problems.keys()
    either = own.problems.keys() | other.problems.keys()
    similarity = (cosine + len(both) / len(either)) / 2 if either else cosine
    return CaseFeatures(other.source, other.features, round(similarity, 6))
