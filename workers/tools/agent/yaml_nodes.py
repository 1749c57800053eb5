"""YAML as nodes that know their lines; nothing in a text is built."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import yaml

_LARGEST = 256 * 1024  # PyYAML takes some seconds for this much
_DEEPEST = 60
# What GitHub's and Helm's templates write where YAML has values.
_TEMPLATES = ("{{", "{%")


@dataclass(frozen=True)
class YamlNode:
    """A node: a mapping, a list, or a text. Whatever is asked for of another kind is not there."""

    node: yaml.Node

    @property
    def line(self) -> int:
        """Where it begins, from 1."""
        return int(self.node.start_mark.line) + 1

    @property
    def text(self) -> str:
        """The text of a scalar, else empty."""
        return str(self.node.value) if isinstance(self.node, yaml.ScalarNode) else ""

    @property
    def is_list(self) -> bool:
        """Whether it is a list."""
        return isinstance(self.node, yaml.SequenceNode)

    def get(self, *keys: str) -> YamlNode | None:
        """The value below these keys, one in the other."""
        found: YamlNode | None = self
        for key in keys:
            if found is None:
                return None
            found = next((value for name, value in found.items() if name.text == key), None)
        return found

    def items(self) -> Iterator[tuple[YamlNode, YamlNode]]:
        """Keys and values of a mapping."""
        if isinstance(self.node, yaml.MappingNode):
            for key, value in self.node.value:
                yield YamlNode(key), YamlNode(value)

    def entries(self) -> Iterator[YamlNode]:
        """Those of a list."""
        if isinstance(self.node, yaml.SequenceNode):
            for entry in self.node.value:
                yield YamlNode(entry)

    def is_true(self) -> bool:
        """YAML's true."""
        return self.text.casefold() in ("true", "yes", "on")

    def is_false(self) -> bool:
        """YAML's false."""
        return self.text.casefold() in ("false", "no", "off")

    def walk(self) -> Iterator[tuple[str, YamlNode]]:
        """Every value below with the key that it is under; an alias is gone through once."""
        seen: set[int] = set()
        stack = [("", self, 0)]
        while stack:
            key, node, depth = stack.pop()
            if id(node.node) in seen or depth > _DEEPEST:
                continue
            seen.add(id(node.node))
            yield key, node
            stack += [(name.text, value, depth + 1) for name, value in node.items()]
            stack += [(key, entry, depth + 1) for entry in node.entries()]


def yaml_documents(text: str) -> list[YamlNode]:
    """The documents of a text; none where it is no YAML, a template, or too large."""
    if len(text) > _LARGEST or any(mark in text.replace("${{", "") for mark in _TEMPLATES):
        return []
    try:
        nodes: list[object] = list(yaml.compose_all(text, Loader=yaml.SafeLoader))
    except (yaml.YAMLError, RecursionError, ValueError):
        return []
    return [YamlNode(node) for node in nodes if isinstance(node, yaml.Node)]
