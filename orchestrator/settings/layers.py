"""The layers of a configuration: what the environment and the command line set, and how layers are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from orchestrator.settings.documents import Document
from orchestrator.settings.places import absolute
from orchestrator.settings.schema import KEYS
from orchestrator.settings.trees import Tree, dotted, leaves, plant
from shared.providers.configuration import file_keys

ENVIRONMENT = tuple(
    (key.setting.variable, name) for name, key in KEYS.items() if key.setting.variable is not None
)
"""The variables that mirror options, each with a key that it sets; one may set those of several workflows."""

_ADDED_UP = ("privacy", "never_send")
_PROVIDERS = "providers"
_FILES = file_keys()


def merged(layers: Sequence[Document], environ: Mapping[str, str]) -> tuple[Tree, dict[str, str]]:
    """All layers in one tree, the last one above all, and where each key comes from.

    A provider is replaced as a whole: an endpoint must not meet another file's key.
    """
    tree: Tree = {}
    sources: dict[str, str] = {}
    never_sent: list[JsonValue] = []
    for layer in layers:
        for position, stated in leaves(with_whole_paths(layer, environ)):
            if position == _ADDED_UP and isinstance(stated, list):
                never_sent = [*never_sent, *stated]
            plant(tree, position, never_sent if position == _ADDED_UP else stated)
            sources[dotted(position)] = layer.where(position)
    return tree, sources


def environment_document(environ: Mapping[str, str]) -> Document:
    """What the variables of ENVIRONMENT set."""
    tree: Tree = {}
    names: dict[str, None] = {}
    for variable, key in ENVIRONMENT:
        text = environ.get(variable, "").strip()
        if not text:
            continue
        value: JsonValue = text
        if key == "participants":
            value = [name.strip() for name in text.split(",") if name.strip()]
        names[f"${variable}"] = None
        plant(tree, tuple(key.split(".")), value)
    return Document(f"environment ({', '.join(names)})", tree, typed=True)


def override_document(overrides: Mapping[str, JsonValue]) -> Document:
    """What the command line sets, by key."""
    tree: Tree = {}
    for key, value in overrides.items():
        if value is not None:
            plant(tree, tuple(key.split(".")), value)
    return Document("command line", tree, typed=True)


def with_whole_paths(document: Document, environ: Mapping[str, str]) -> Tree:
    """The tree with its files as absolute paths: they are relative to the file that names them."""
    prompts = document.tree.get("prompts")
    if isinstance(prompts, str):
        there = str(absolute(prompts, document.folder, environ))
        document = replace(document, tree={**document.tree, "prompts": there})
    rules = document.tree.get("rules")
    if isinstance(rules, dict) and isinstance(rules.get("baseline"), str):
        there = _whole_path(rules["baseline"], document, environ)
        document = replace(document, tree={**document.tree, "rules": {**rules, "baseline": there}})
    providers = document.tree.get(_PROVIDERS)
    if not isinstance(providers, dict):
        return document.tree
    resolved: Tree = {}
    for name, provider in providers.items():
        whole = dict(provider) if isinstance(provider, dict) else {}
        for key in _FILES & whole.keys():
            stated = whole[key]
            whole[key] = (
                {inner: _whole_path(file, document, environ) for inner, file in stated.items()}
                if isinstance(stated, dict)
                else _whole_path(stated, document, environ)
            )
        resolved[name] = whole
    return {**document.tree, _PROVIDERS: resolved}


def _whole_path(stated: JsonValue, document: Document, environ: Mapping[str, str]) -> str:
    return str(absolute(str(stated), document.folder, environ))
