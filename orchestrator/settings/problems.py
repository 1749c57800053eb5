"""What pydantic found wrong, as sentences with file, line and a suggestion. Values are never repeated."""

from __future__ import annotations

import re
from functools import partial
from typing import TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from orchestrator.settings.documents import Document
from orchestrator.settings.schema import KEYS, Settings
from orchestrator.settings.trees import Position, dotted
from shared.configuration import PLAINTEXT_KEY, UNKNOWN_KEY, Section, did_you_mean
from shared.errors import ConfigurationError
from shared.providers.catalogue import CATALOGUE
from shared.sentences import Sentence

S = TypeVar("S", bound=Section)

# Errors about a key itself; what they are found in is the mapping around it.
_KEYS = frozenset({"unknown_key", "plaintext_key"})

_BOUNDS = {
    "less_than_equal": "expected at most {le:g}",
    "less_than": "expected less than {lt:g}",
    "greater_than_equal": "expected at least {ge:g}",
    "greater_than": "expected more than {gt:g}",
    "string_too_short": "expected some text",
    "finite_number": "expected a finite number",
}

_PLAIN = {
    "missing": "this key is required",
    "model_type": "expected a mapping of keys",
    "model_attributes_type": "expected a mapping of keys",
    "dict_type": "expected a mapping of keys",
    "tuple_type": "expected a list",
    "string_type": "expected a text",
    "int_type": "expected a whole number",
    "int_parsing": "expected a whole number",
    "int_from_float": "expected a whole number",
    "float_type": "expected a number",
    "float_parsing": "expected a number",
    "bool_type": "expected true or false",
    "bool_parsing": "expected true or false",
}


def validate(document: Document) -> Settings:
    """The settings of one document by itself. Raises ConfigurationError that names every problem."""
    return checked(document, Settings)


def checked(document: Document, section: type[S]) -> S:
    """The document as a section. Raises ConfigurationError that names every problem."""
    try:
        return section.model_validate(document.tree)
    except ValidationError as error:
        problems = sorted(error.errors(include_url=False), key=partial(_line, document))
        sentences = dict.fromkeys(_sentence(document, problem) for problem in problems)
        raise ConfigurationError(Sentence.joined("\n", sentences)) from None


def _line(document: Document, problem: ErrorDetails) -> int:
    """Where in the file it stands; what has no line comes first."""
    return document.line_of(_position(document, problem)) or 0


def _sentence(document: Document, problem: ErrorDetails) -> str:
    position = _position(document, problem)
    where = document.where(position)
    if problem["type"] in _KEYS:
        message = Sentence.joined("", (_of_key(problem), _elsewhere(problem)))
        return Sentence(
            "{where}: {message}{end}",
            where=where,
            message=message,
            end="" if message.endswith("?") else ".",
        )
    name = dotted(position)
    if problem["type"] == "missing":
        name = dotted((*position, problem["loc"][-1]))
    words = _words(problem)
    if not name:
        return Sentence("{where}: {words}", where=where, words=words)
    return Sentence("{where}: {name}: {words}", where=where, name=name, words=words)


def _of_key(problem: ErrorDetails) -> str:
    context = problem["ctx"]
    if problem["type"] == "plaintext_key":
        return Sentence(PLAINTEXT_KEY, key=context["key"])
    return Sentence(
        UNKNOWN_KEY, key=context["key"], hint=did_you_mean(context["key"], context["known"])
    )


def _elsewhere(problem: ErrorDetails) -> str:
    """The keys of other sections that are called as the unknown one: `panel.strategy` may mean `debate.strategy`."""
    context = problem.get("ctx", {})
    if problem["type"] != "unknown_key" or "did you mean" in context["hint"]:
        return ""
    same = [f"`{name}`" for name in KEYS if name.rpartition(".")[2] == context["key"]]
    return Sentence("; there is {names}", names=" and ".join(same)) if same else ""


def _words(problem: ErrorDetails) -> str:
    kind, context = problem["type"], problem.get("ctx", {})
    if kind in ("literal_error", "enum", "union_tag_invalid"):
        expected = str(context.get("expected", context.get("expected_tags")))
        known = re.findall(r"'([^']*)'", expected) or [expected]
        given = problem["input"]
        if kind == "union_tag_invalid":
            given = context.get("tag")
        if isinstance(given, str) and len(given) <= 40:
            return Sentence(
                "'{given}' is not known here{hint}", given=given, hint=did_you_mean(given, known)
            )
        template = "expected one of {known}." if len(known) > 1 else "expected {known}."
        return Sentence(template, known=", ".join(known))
    if kind == "union_tag_not_found":
        return Sentence("this needs a `type`: {types}.", types=", ".join(CATALOGUE))
    if kind in _BOUNDS:
        return Sentence(f"{_BOUNDS[kind]}.", **context)
    return Sentence(f"{_PLAIN.get(kind, problem['msg'])}.")


def _position(document: Document, problem: ErrorDetails) -> Position:
    """The keys that lead to the problem, without the names of union branches that pydantic puts between."""
    node: object = document.tree
    position: Position = ()
    for part in problem["loc"]:
        match node:
            case dict() if part in node:
                node = node[part]
            case list() if isinstance(part, int) and part < len(node):
                node = node[part]
            case _:
                continue
        position = (*position, part)
    if problem["type"] in _KEYS:
        return (*position, str(problem["ctx"]["key"]))
    return position
