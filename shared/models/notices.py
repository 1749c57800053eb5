"""What a run has to tell people: a code with its parameters. A catalogue tells it in the reader's language at the end.

`orchestrator/presentation/locale/{en,ko}/*.po` hold the words of each code. A notice may hold notices: a warning its
reason, a list its entries. What earlier versions stored as a sentence is a notice that carries its text.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, model_validator

from shared.models.wire import Wire

TEXT = "text"
"""The code of what is told as it is: the words of a model, of a provider or of an earlier version."""


class Notice(Wire):
    """Something that nobody may overlook, without a word of it."""

    code: str
    params: dict[str, NoticeParam] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _of_an_earlier_version(cls, stored: Any) -> Any:
        """Version 0.1.0 called the parameters `values`."""
        if isinstance(stored, dict) and "values" in stored:
            return {"code": stored.get("code"), "params": stored["values"]}
        return stored


NoticeParam = Notice | tuple[Notice, ...] | tuple[str, ...] | str | int | float | bool | None
Notice.model_rebuild()


def _lifted(stored: Any) -> Any:
    return verbatim(stored) if isinstance(stored, str) else stored


def _lifted_or_none(stored: Any) -> Any:
    return _lifted(stored) if stored else None


Told = Annotated[Notice, BeforeValidator(_lifted)]
"""A notice, or the sentence that an earlier version stored in its place."""
OptionalTold = Annotated[Notice | None, BeforeValidator(_lifted_or_none)]
"""The same where there may be none; an earlier version stored an empty text."""


def notice(
    code: str, /, **params: Notice | Iterable[Notice] | Iterable[str] | float | None
) -> Notice:
    """A notice with its parameters: texts, numbers, other notices, and lists of them."""
    return Notice.model_validate({"code": code, "params": params})


def verbatim(text: str) -> Notice:
    """What is told as it is."""
    return Notice(code=TEXT, params={"text": text})
