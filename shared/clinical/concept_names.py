"""Problems, symptoms, tests and procedures by all their names, and the word for a concept in a reader's language.

Rows of the tables are `concept | English names | Korean names`, names separated by `;`; a row may go on in an indented
line. The concept is the first English name; the first Korean name is the word for it in Korean reports.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from shared.clinical import concept_findings, concept_problems
from shared.clinical.drug_classes import class_words
from shared.clinical.drug_tables import drugs
from shared.models.mentions import MentionKind

_TABLES = (
    (MentionKind.PROBLEM, concept_problems.CHRONIC),
    (MentionKind.PROBLEM, concept_problems.ACUTE),
    (MentionKind.SYMPTOM, concept_findings.SYMPTOMS),
    (MentionKind.TEST, concept_findings.TESTS),
    (MentionKind.PROCEDURE, concept_findings.PROCEDURES),
)


@dataclass(frozen=True)
class Concept:
    """A row. `chronic`: a disease that one has for life, or for years."""

    name: str
    kind: MentionKind
    chronic: bool
    english: tuple[str, ...]
    korean: tuple[str, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Every name, its own first."""
        return self.name, *self.english, *self.korean


@cache
def concepts() -> Mapping[str, Concept]:
    """Every concept by its name."""
    return {concept.name: concept for concept in _read()}


@cache
def korean_words() -> Mapping[str, str]:
    """The Korean word for a concept, a drug or a class of drugs; what has none is called as it is everywhere."""
    simple = {drug.name: drug.korean[0] for drug in drugs().values() if drug.korean}
    combined = {
        drug.name: "/".join(simple[part] for part in drug.ingredients)
        for drug in drugs().values()
        if all(part in simple for part in drug.ingredients)
    }
    named = {concept.name: concept.korean[0] for concept in concepts().values() if concept.korean}
    return {**class_words(), **simple, **combined, **named}


def _read() -> Iterator[Concept]:
    for kind, table in _TABLES:
        chronic = table is concept_problems.CHRONIC
        for row in table.strip().replace("\n    ", " ").split("\n"):
            name, english, korean = (part.strip() for part in row.split("|"))
            yield Concept(name, kind, chronic, _names(english), _names(korean))


def _names(names: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in names.split(";") if name.strip())
