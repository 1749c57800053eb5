"""Drugs by every name that a chart calls them: generic, brand and Korean names, ingredients, classes, highest doses.

Each row of the tables is `generic | other names | Korean names | classes | highest daily dose`. A combination is
called by its ingredients with `/` between them. The highest dose is in milligrams a day for an adult by the routes of
the FDA label's own dosing section (DailyMed), the largest of its indications; it is empty where the label gives none,
goes by weight, or differs too much between routes. Classes are those of `drug_tables_classes`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from shared.clinical import (
    drug_tables_circulation,
    drug_tables_infection,
    drug_tables_metabolism,
    drug_tables_nervous_system,
)

MAXIMUM_SOURCE = "FDA label (DailyMed), highest daily dose for adults"
_TABLES = (
    drug_tables_circulation.ROWS,
    drug_tables_nervous_system.ROWS,
    drug_tables_metabolism.ROWS,
    drug_tables_infection.ROWS,
)


@dataclass(frozen=True)
class Drug:
    """A row: `name` is the concept of its mentions, `highest_mg` the highest daily dose."""

    name: str
    names: tuple[str, ...]
    korean: tuple[str, ...]
    classes: frozenset[str]
    highest_mg: float | None

    @property
    def ingredients(self) -> tuple[str, ...]:
        """What is in it."""
        return tuple(self.name.split("/"))


@cache
def drugs() -> Mapping[str, Drug]:
    """Every drug by its generic name."""
    return {drug.name: drug for drug in _read()}


@cache
def latin_names() -> Mapping[str, Drug]:
    """By every name that is written in Latin letters, in lower case, words with single spaces between them."""
    names: dict[str, Drug] = {}
    for drug in drugs().values():
        for name in (drug.name, *drug.names):
            names.setdefault(name.lower(), drug)
    return names


@cache
def korean_names() -> Mapping[str, Drug]:
    """By every Korean name, without spaces."""
    return {name: drug for drug in drugs().values() for name in drug.korean}


def classes_of(concept: str) -> frozenset[str]:
    """The classes of a drug and of its ingredients; of a class its own name; empty for what no table knows."""
    known = drugs()
    if concept not in known:
        return frozenset({concept})
    parts = (known[name].classes for name in (concept, *concept.split("/")) if name in known)
    return frozenset().union(*parts)


def _read() -> Iterator[Drug]:
    for table in _TABLES:
        for row in table.strip().splitlines():
            name, names, korean, classes, highest = (cell.strip() for cell in row.split("|"))
            yield Drug(
                name,
                _cells(names),
                tuple(cell.replace(" ", "") for cell in _cells(korean)),
                frozenset(_cells(classes)),
                float(highest) if highest else None,
            )


def _cells(text: str) -> tuple[str, ...]:
    return tuple(cell.strip() for cell in text.split(",") if cell.strip())
