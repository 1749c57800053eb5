"""Configuration files as values with positions: YAML by the safe loader's nodes, TOML as it is."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml
from pydantic import JsonValue

from shared.errors import ConfigurationError, EnvironmentFault

MAX_BYTES = 1_000_000
MAX_NODES = 20_000
MAX_DEPTH = 40

Tree = dict[str, JsonValue]
Position = tuple[str | int, ...]


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


def parse_yaml(text: str, place: str, folder: Path, *, project: bool) -> Document:
    """The values of a YAML text; an empty one has none."""
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        hint = " Indent with blanks, not tabs." if "'\\t'" in str(error.problem) else ""
        raise ConfigurationError(
            f"{place}:{line}: this is not YAML: {error.problem}.{hint}"
        ) from None
    except yaml.YAMLError as error:
        raise ConfigurationError(f"{place}: this is not YAML: {error}.") from None
    except RecursionError:
        raise ConfigurationError(f"{place}: the file is nested too deeply.") from None
    if root is None:
        return Document(place, {}, {}, folder, project)
    reader = _Reader(place)
    tree = reader.value(root, ())
    if not isinstance(tree, dict):
        raise ConfigurationError(f"{place}:1: expected a mapping of keys, like `language: en`.")
    return Document(place, tree, reader.lines, folder, project)


def read_pyproject(file: Path) -> Document | None:
    """The table [tool.quorate] of a pyproject.toml, None when there is none."""
    text = _read(file)
    if "quorate" not in text:
        return None
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigurationError(f"{file}: this is not TOML: {error}.") from None
    table = tables.get("tool", {}).get("quorate")
    if not isinstance(table, dict):
        return None
    tree = _json_like(table)
    return Document(str(file), tree, _toml_lines(text, tree), file.parent, project=True)


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
            if not isinstance(key, str):
                raise self._error(key_node, "a key must be a word")
            if key in tree:
                raise self._error(key_node, f"the key '{key}' stands here a second time")
            self.lines[(*position, key)] = key_node.start_mark.line + 1
            tree[key] = self.value(value_node, (*position, key))
        return tree

    def _scalar(self, node: yaml.Node) -> JsonValue:
        try:
            value = self._scalars.construct_object(node)
        except (yaml.YAMLError, ValueError):
            raise self._error(node, "a tag or value that is not allowed here") from None
        if value is None or isinstance(value, str | bool | int | float):
            return value
        # Dates and binary values have no place in any key: their text does.
        return str(node.value)

    def _error(self, node: yaml.Node, reason: str) -> ConfigurationError:
        return ConfigurationError(f"{self._place}:{node.start_mark.line + 1}: {reason}.")


def _read(file: Path) -> str:
    try:
        with file.open("rb") as stream:
            data = stream.read(MAX_BYTES + 1)
    except PermissionError:
        raise EnvironmentFault(f"No permission to read the configuration {file}.") from None
    except OSError as error:
        raise ConfigurationError(
            f"The configuration {file} cannot be read: {error.strerror}."
        ) from None
    if len(data) > MAX_BYTES:
        raise ConfigurationError(f"The configuration {file} is over {MAX_BYTES} bytes.")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ConfigurationError(f"The configuration {file} is not UTF-8.") from None


def _json_like(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _json_like(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_json_like(inner) for inner in value]
    return value if isinstance(value, str | bool | int | float) else str(value)


def _toml_lines(text: str, tree: Tree, position: Position = ()) -> dict[Position, int]:
    """The lines of the keys that stand only once in the file: tomllib keeps no positions."""
    lines: dict[Position, int] = {}
    for key, value in tree.items():
        pattern = rf"(?m)^\s*(?:\"?{re.escape(key)}\"?\s*=|\[tool\.quorate\.(?:[^\]]*\.)?{re.escape(key)}\])"
        found = [*re.finditer(pattern, text)]
        if len(found) == 1:
            start = found[0].end()
            lines[(*position, key)] = text.count("\n", 0, start) + 1
        if isinstance(value, dict):
            lines |= _toml_lines(text, value, (*position, key))
    return lines
