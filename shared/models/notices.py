"""What a run has to tell people: a code with its parameters. A catalogue tells it in the reader's language at the end.

`orchestrator/presentation/locale/{en,ko}/*.po` hold the words of each code. A notice may hold notices: a warning its
reason, a list its entries. What earlier versions stored as a sentence is a notice that carries its text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, TypeGuard

from pydantic import BeforeValidator, Field, JsonValue, PlainSerializer, model_validator

from shared.models.wire import Wire
from shared.sentences import Sentence

SENTENCES = "sentences"
SENTENCE = "sentence"
"""The code of an error's text: its template in the parameter of that name, beside what fills it."""
TEXT = "text"
"""The code of what is shown as it is: the words of a model, of a provider or of an earlier version."""


class Notice(Wire):
    """Something that nobody must overlook, as a code and its parameters, without words."""

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

# What `core.findings` adds again and again; the rest of what version 0.1.0 stored is shown as it is.
_EARLIER_CAVEATS = {
    "names a file that the change does not touch": "file_not_in_change",
    "not on a changed line": "not_on_changed_line",
}


def read_notice(stored: object) -> Notice:
    """A notice from where it was stored as JSON, or the sentence that an earlier version stored in its place."""
    if isinstance(stored, Notice):
        return stored
    return (
        Notice.model_validate(stored) if isinstance(stored, dict) else verbatim(str(stored or ""))
    )


def is_notice(stored: object) -> TypeGuard[Mapping[str, JsonValue]]:
    """Whether a JSON value is a notice."""
    return isinstance(stored, dict) and stored.keys() == {"code", "params"}


def _lifted(stored: Any) -> Any:
    return verbatim(stored) if isinstance(stored, str) else stored


def _lifted_or_none(stored: Any) -> Any:
    return _lifted(stored) if stored else None


def _caveat(stored: Any) -> Any:
    if not isinstance(stored, str):
        return stored
    whole: Notice | None = None
    for sentence in stored.split("; ") if stored else ():
        code = _EARLIER_CAVEATS.get(sentence)
        whole = sentences(whole, Notice(code=code) if code else verbatim(sentence))
    return whole


StoredNotice = Annotated[Notice, BeforeValidator(_lifted)]
"""A notice, or the sentence that an earlier version stored in its place."""
NoticeOrNone = Annotated[Notice | None, BeforeValidator(_lifted_or_none)]
"""The same where there may be none."""
StoredReason = Annotated[
    Notice | None,
    BeforeValidator(_lifted_or_none),
    PlainSerializer(lambda stored: "" if stored is None else stored.model_dump(mode="json")),
]
"""The same where there may be none, which is stored as an empty text."""
Caveat = Annotated[Notice | None, BeforeValidator(_caveat)]
"""What is to be said of a finding; an earlier version stored sentences with semicolons between them."""


def notice(
    code: str, /, **params: Notice | Iterable[Notice] | Iterable[str] | float | None
) -> Notice:
    """A notice with its parameters: texts, numbers, other notices, and lists of them."""
    plain = {
        name: value if isinstance(value, str | int | float | Notice | None) else tuple(value)
        for name, value in params.items()
    }
    return Notice.model_validate({"code": code, "params": plain})


def verbatim(text: str) -> Notice:
    """What is shown as it is."""
    return Notice(code=TEXT, params={"text": text})


def of_error(text: str, longest: int) -> Notice:
    """The text of an error, which people of every language can be told; values are cut to `longest` characters."""
    if not isinstance(text, Sentence):
        return verbatim(text[:longest])
    values = {name: _stored(value, longest) for name, value in text.values.items()}
    return notice(SENTENCE, template=text.template, **values)


def _stored(value: object, longest: int) -> NoticeParam:
    if isinstance(value, Sentence):
        return of_error(value, longest)
    return value if isinstance(value, int | float) else str(value)[:longest]


def sentences(first: Notice | None, *others: Notice | None) -> Notice:
    """One after the other; the same is not said twice. Raises ValueError when there is nothing to say."""
    parts: list[Notice] = []
    for part in (part for whole in (first, *others) for part in _parts(whole)):
        if part not in parts:
            parts.append(part)
    if not parts:
        raise ValueError("nothing to say")
    return parts[0] if len(parts) == 1 else notice(SENTENCES, parts=parts)


def holds(stored: Notice, code: str) -> bool:
    """Whether a notice, or one within it, has the code."""
    return stored.code == code or any(
        isinstance(part, Notice) and holds(part, code)
        for value in stored.params.values()
        for part in (value if isinstance(value, tuple) else (value,))
    )


def earlier_text(stored: Notice) -> str:
    """What of a notice is the text of an earlier version."""
    return "; ".join(str(part.params.get("text")) for part in _parts(stored) if part.code == TEXT)


def _parts(whole: Notice | None) -> tuple[Notice, ...]:
    if whole is None:
        return ()
    parts = whole.params.get("parts") if whole.code == SENTENCES else None
    return (
        tuple(part for part in parts if isinstance(part, Notice))
        if isinstance(parts, tuple)
        else (whole,)
    )


# ---- where a notice is kept in a column of text -------------------------------------------------

_MARK = '{"code":'


def as_column(stored: Notice | str) -> str:
    """What a column of text holds of a notice, or of words that are nobody's notice."""
    if isinstance(stored, str):
        return stored if not stored.startswith(_MARK) else verbatim(stored).model_dump_json()
    return stored.model_dump_json()


def of_column(stored: str | None) -> Notice | None:
    """The notice in a column of text, whatever the words before it; None where it is empty."""
    if not stored:
        return None
    words, mark, rest = (
        ("", _MARK, stored[len(_MARK) :])
        if stored.startswith(_MARK)
        else (stored.partition(f"; {_MARK}"))
    )
    try:
        noted = Notice.model_validate_json(_MARK + rest) if mark else None
    except ValueError:
        return verbatim(stored)
    return sentences(verbatim(words) if words else None, noted)
