"""Configuration files as values with positions: YAML by the safe loader's nodes, TOML as it is."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import JsonValue

from orchestrator.settings.trees import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_KEY,
    MAX_KEYS,
    MAX_NODES,
    MAX_PYPROJECT,
    Position,
    Tree,
    one_line,
    unusable,
)
from shared.errors import ConfigurationError, EnvironmentFault
from shared.patterns import regex
from shared.sentences import Sentence
from shared.text.toml_bounds import TomlTooLargeError, check_toml

MAX_PARTS = 12
"""Of a dotted key in TOML."""
_TABLE = ("tool", "quorate")
_ADDRESSED = regex(
    rb"""(?m)^[ \t]*+(?:\[{1,2}[ \t]*+)?(?:["']?tool["']?[ \t]*+\.[ \t]*+)?["']?quorate["']?[ \t]*+(?:[.=\]]|\r?$)"""
)
_NO_KEY = Sentence("a key must be a word of at most {most} letters", most=MAX_KEY)
_TOO_MANY_KEYS = Sentence("there are more than {most} keys in one mapping", most=MAX_KEYS)


@dataclass(frozen=True)
class Document:
    """One source of settings: its values, the line of every key, and whom it belongs to.

    `place` is how people call it; `folder` is where its relative paths start; `typed` is true of what came from the
    command line or the environment.
    """

    place: str
    tree: Tree
    lines: Mapping[Position, int] = field(default_factory=dict)
    folder: Path = Path()
    project: bool = False
    typed: bool = False

    def where(self, position: Position) -> str:
        """`file:line` of a position, or of the nearest one around it that has a line."""
        line = self.line_of(position)
        return self.place if line is None else f"{self.place}:{line}"

    def line_of(self, position: Position) -> int | None:
        """The line of a position, or of the nearest one around it that has a line."""
        while position and position not in self.lines:
            position = position[:-1]
        return self.lines.get(position)


def read_yaml(file: Path, *, project: bool) -> Document:
    """A YAML file. Raises ConfigurationError with the line, EnvironmentFault without permission."""
    return parse_yaml(_read(file), str(file), file.parent, project=project)


def parse_yaml(given: str | bytes, place: str, folder: Path, *, project: bool) -> Document:
    """The values of a YAML text; an empty one has none."""
    place = one_line(place)
    text = _decoded(given, place) if isinstance(given, bytes) else given
    root = _composed(text, place)
    if root is None:
        return Document(place, {}, {}, folder, project)
    reader = _Reader(place)
    tree = reader.value(root, ())
    if not isinstance(tree, dict):
        raise ConfigurationError(
            "{place}:1: expected a mapping of keys, like `language: en`.", place=place
        )
    return Document(place, tree, reader.lines, folder, project)


class _TooLarge(Exception):
    """More nodes or a deeper nesting than anybody writes; the line is its argument."""


class _Composer(yaml.SafeLoader):
    """Composes nodes, and stops at the limits instead of recursing to its end."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._nodes = 0
        self._depth = 0

    def compose_node(self, parent: yaml.Node | None, index: Any) -> yaml.Node | None:
        """As the original, counted."""
        self._nodes += 1
        self._depth += 1
        if self._nodes > MAX_NODES or self._depth > MAX_DEPTH:
            raise _TooLarge(self.line + 1)
        node: yaml.Node | None = super().compose_node(parent, index)
        self._depth -= 1
        return node


def _composed(text: str, place: str) -> yaml.Node | None:
    try:
        loader = _Composer(text)
        try:
            node: yaml.Node | None = loader.get_single_node()
        finally:
            loader.dispose()
    except _TooLarge as error:
        raise ConfigurationError(
            "{place}:{line}: the file is too large or nested too deeply.",
            place=place,
            line=error.args[0],
        ) from None
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        hint = " Indent with spaces, not tabs." if "'\\t'" in str(error.problem) else ""
        problem = one_line(str(error.problem))[:200]
        raise ConfigurationError(
            "{place}:{line}: this is not YAML: {problem}.{hint}",
            place=place,
            line=line,
            problem=problem,
            hint=hint,
        ) from None
    except (yaml.YAMLError, ValueError, OverflowError) as error:
        # Among them: an escape for a sign that does not exist.
        raise ConfigurationError(
            "{place}: this is not YAML: {error}.", place=place, error=one_line(str(error))[:200]
        ) from None
    return node


def parse_pyproject(content: bytes, place: str, folder: Path) -> Document | None:
    """The table [tool.quorate] of a pyproject.toml, None when there is none.

    A file that does not speak to Quorate is not parsed, whatever it is.
    """
    if _ADDRESSED.search(content) is None:
        return None
    place = one_line(place)
    text = _decoded(content, place, MAX_PYPROJECT)
    tree = _toml_table(text, place)
    if tree is None:
        return None
    return Document(place, tree, _toml_lines(text), folder, project=True)


def _toml_table(text: str, place: str) -> Tree | None:
    """The table's content, None when there is none. Raises ConfigurationError."""
    try:
        check_toml(text, MAX_PARTS, MAX_DEPTH)
        table: Any = tomllib.loads(text)
    except TomlTooLargeError as error:
        raise ConfigurationError(
            "{place}:{line}: this is nested too deeply.", place=place, line=error.line
        ) from None
    except (ValueError, RecursionError, OverflowError) as error:
        # ValueError also of numbers with thousands of digits.
        raise ConfigurationError(
            "{place}: this is not TOML: {error!r}.", place=place, error=str(error)[:200]
        ) from None
    for key in _TABLE:
        table = table.get(key) if isinstance(table, dict) else None
    return _Plain(place).mapping(table) if isinstance(table, dict) else None


def _toml_lines(text: str) -> dict[Position, int]:
    """The lines of the keys, as far as they stand on lines of their own: tomllib keeps no positions."""
    lines: dict[Position, int] = {}
    table: tuple[str, ...] = ()
    for number, line in enumerate(text.split("\n"), 1):
        words = line.strip()
        if words.startswith("["):
            table = _parts(words.lstrip("[").partition("]")[0])
            position = table
        elif "=" in words:
            position = (*table, *_parts(words.partition("=")[0]))
        else:
            continue
        if position[: len(_TABLE)] == _TABLE:
            lines.setdefault(position[len(_TABLE) :], number)
    return lines


def _parts(words: str) -> tuple[str, ...]:
    if len(words) > MAX_KEY * MAX_PARTS:
        return ()
    return tuple(part.strip(" \t\"'") for part in words.split("."))


class _Plain:
    """Turns what tomllib gives into values that JSON knows, within the limits."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._nodes = 0

    def mapping(self, table: dict[str, Any]) -> Tree:
        self._check(len(table) <= MAX_KEYS, _TOO_MANY_KEYS)
        return {self._key(key): self._value(value) for key, value in table.items()}

    def _key(self, key: str) -> str:
        fits = len(key) <= MAX_KEY and key.isprintable()
        self._check(fits, _NO_KEY)
        return key

    def _value(self, value: Any) -> Any:
        self._nodes += 1
        self._check(self._nodes <= MAX_NODES, "the table is too large")
        if isinstance(value, dict):
            return self.mapping(value)
        if isinstance(value, list):
            return [self._value(inner) for inner in value]
        reason = unusable(value)
        self._check(reason is None, reason or "")
        return value if isinstance(value, str | bool | int | float) else str(value)

    def _check(self, fits: bool, reason: str) -> None:
        if not fits:
            raise ConfigurationError("{place}: {reason}.", place=self._place, reason=reason)


class _Reader:
    """Turns composed nodes into values and remembers where each key stood."""

    def __init__(self, place: str) -> None:
        self.lines: dict[Position, int] = {}
        self._place = place
        self._nodes = 0
        self._scalars = yaml.constructor.SafeConstructor()

    def value(self, node: yaml.Node, position: Position) -> JsonValue:
        self._nodes += 1
        # Aliases are followed by value, so that a small file could grow without end.
        if self._nodes > MAX_NODES or len(position) > MAX_DEPTH:
            raise self._error(node, "the file is too large or nested too deeply")
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, position)
        if isinstance(node, yaml.SequenceNode):
            items: list[JsonValue] = []
            for number, item in enumerate(node.value):
                self.lines[(*position, number)] = item.start_mark.line + 1
                items.append(self.value(item, (*position, number)))
            return items
        return self._scalar(node)

    def _mapping(self, node: yaml.MappingNode, position: Position) -> Tree:
        tree: Tree = {}
        for key_node, value_node in node.value:
            key = self._scalar(key_node) if isinstance(key_node, yaml.ScalarNode) else None
            if not isinstance(key, str) or len(key) > MAX_KEY or not key.isprintable():
                raise self._error(key_node, _NO_KEY)
            if len(tree) >= MAX_KEYS:
                raise self._error(key_node, _TOO_MANY_KEYS)
            if key in tree:
                raise self._error(
                    key_node, Sentence("the key '{key}' appears here a second time", key=key)
                )
            self.lines[(*position, key)] = key_node.start_mark.line + 1
            tree[key] = self.value(value_node, (*position, key))
        return tree

    def _scalar(self, node: yaml.Node) -> JsonValue:
        numeric = node.tag.endswith((":int", ":float"))
        if numeric and len(node.value) > MAX_KEY:
            raise self._error(node, "a number that is too long")
        try:
            value = self._scalars.construct_object(node)
        except (
            yaml.YAMLError,
            ArithmeticError,
            AttributeError,
            LookupError,
            TypeError,
            ValueError,
        ):
            # What the tags !!int, !!bool and the like make of words that are none.
            raise self._error(node, "a tag or value that is not allowed here") from None
        if (reason := unusable(value)) is not None:
            raise self._error(node, reason)
        if value is None or isinstance(value, str | bool | int | float):
            return value
        # Dates and binary values have no place in any key: their text does.
        return str(node.value)

    def _error(self, node: yaml.Node, reason: str) -> ConfigurationError:
        return ConfigurationError(
            "{place}:{line}: {reason}.",
            place=self._place,
            line=node.start_mark.line + 1,
            reason=reason,
        )


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except PermissionError:
        raise EnvironmentFault(
            "No permission to read the configuration {file}.", file=file
        ) from None
    except OSError as error:
        raise ConfigurationError(
            "The configuration {file} cannot be read: {why}.", file=file, why=error.strerror
        ) from None
    return _decoded(data, one_line(str(file)))


def _decoded(data: bytes, place: str, limit: int = MAX_BYTES) -> str:
    if len(data) > limit:
        raise ConfigurationError(
            "The configuration {place} is over {limit} bytes.", place=place, limit=limit
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError("The configuration {place} is not UTF-8.", place=place) from None
