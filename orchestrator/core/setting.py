"""What a setting says of itself beside its type, range and default; it stands with its field."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import BaseModel


@dataclass(frozen=True)
class Setting:
    """Stands in the annotation of an option's field.

    `words` are those that are known where the type takes any; `rules` the short names under which a replay changes it
    (of a model: its fields).
    """

    words: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()


THRESHOLDS = ("agreement", "stability", "agreement-weight", "stability-weight")
"""The rules of the field that holds the convergence rule's numbers."""


def settings_of(model: type[BaseModel]) -> Iterator[tuple[str, Setting]]:
    """The fields of a model that are settings, in their order."""
    for name, field in model.model_fields.items():
        for fact in field.metadata:
            if isinstance(fact, Setting):
                yield name, fact
