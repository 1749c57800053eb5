"""What a person wrote, as the reply that was asked for: JSON as it is, plain words where words are enough.

Form is forgiven and substance never added: a verdict that was not written is not guessed.
"""

from __future__ import annotations

import json
import re
from typing import get_args

from pydantic import JsonValue, ValidationError

from shared.errors import UserError
from shared.models.deliberation import SpokenReply
from shared.models.replies import REPLY_MODELS
from shared.models.wire import ForeignWire
from shared.patterns import regex

_FENCE = regex(r"^```\w*\n(.*)\n```$", re.DOTALL)


# Where not any words do.
_SPOKEN_FORMS = {
    "bid": "Begin with REQUEST or PASS, then say why.",
    "selection": "End with a line SELECT: NAME, or with END: and the conclusion.",
    "ballot": "Begin with AGREE, PARTIAL, DISAGREE or ABSTAIN, then say why.",
    "ranking": "One letter per line, numbered, best first.",
}


def reply_of(text: str, reply_model: str) -> str:
    """The text to be stored for a turn that asks for `reply_model`. Raises UserError that says what is missing."""
    model = REPLY_MODELS[reply_model]
    stripped = text.strip()
    if fenced := _FENCE.match(stripped):
        stripped = fenced[1].strip()
    if not stripped:
        raise UserError("the answer is empty")
    if stripped.startswith("{"):
        return _checked(_object(stripped), model)
    if issubclass(model, SpokenReply):
        if model.from_text(stripped) is None:
            raise UserError("this is not an answer to that turn. {form}", form=form_of(reply_model))
        return stripped
    return _checked(_from_words(stripped, model), model)


def form_of(reply_model: str) -> str:
    """How to answer, in a sentence for a person."""
    model = REPLY_MODELS[reply_model]
    known = ", ".join(model.model_fields)
    if issubclass(model, SpokenReply):
        return _SPOKEN_FORMS.get(reply_model, "Answer in your own words.")
    if words := _words_of(model):
        return f"Begin with {' or '.join(words)}, then say why; or give a JSON object with {known}."
    return f"Answer in your own words, or give a JSON object with {known}."


def _object(text: str) -> dict[str, JsonValue]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise UserError("the answer begins like JSON but is not: {error}", error=error) from None
    assert isinstance(value, dict)  # it begins with a brace
    return value


def _words_of(model: type[ForeignWire]) -> tuple[str, ...]:
    """The words that a verdict may be."""
    field = model.model_fields.get("verdict")
    return tuple(str(word) for word in get_args(field.annotation)) if field is not None else ()


def _from_words(text: str, model: type[ForeignWire]) -> dict[str, JsonValue]:
    fields: dict[str, JsonValue] = {}
    if words := _words_of(model):
        begun = re.match(rf"({'|'.join(map(re.escape, words))})\b[\s:.,-]*", text, re.IGNORECASE)
        if begun is None:
            raise UserError(
                "begin the answer with your verdict, {words}; or give a JSON object",
                words=" or ".join(words),
            )
        fields["verdict"], text = begun[1].upper(), text[begun.end() :]
    place = next(
        (name for name, field in model.model_fields.items() if field.annotation is str), None
    )
    if place is None:
        raise UserError(
            "this turn needs a JSON object with {fields}",
            fields=", ".join(model.model_fields),
        )
    return {**fields, place: text}


def _checked(fields: dict[str, JsonValue], model: type[ForeignWire]) -> str:
    if not fields.keys() & model.model_fields.keys():
        raise UserError(
            "the JSON object has none of the fields {fields}",
            fields=", ".join(model.model_fields),
        )
    try:
        model.model_validate(fields)
    except ValidationError as error:
        problems = "; ".join(
            f"{'.'.join(str(part) for part in item['loc'])}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False)[:8]
        )
        raise UserError("the answer cannot be used: {problems}", problems=problems) from None
    return json.dumps(fields, ensure_ascii=False)
