"""The layers of a configuration: what the environment and the command line set, and how layers are merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from pydantic import JsonValue

from orchestrator.settings.documents import Document
from orchestrator.settings.places import absolute
from orchestrator.settings.schema import KEYS
from orchestrator.settings.trees import Position, Tree
from shared.providers.configuration import file_keys

ENVIRONMENT: dict[str, str] = {
    key.setting.variable: name for name, key in KEYS.items() if key.setting.variable is not None
}
"""The variables that mirror options, and the keys that they set."""

_ADDED_UP = (("privacy", "never_send"),)
_WHOLE = "providers"
_FILES = file_keys()


def merged(layers: Sequence[Document], environ: Mapping[str, str]) -> tuple[Tree, dict[str, str]]:
    """All layers in one tree, the last one above all, and where each key comes from."""
    tree: Tree = {}
    sources: dict[str, str] = {}
    for layer in layers:
        _merge(tree, _with_whole_paths(layer, environ), layer, (), sources)
    return tree, sources


def environment_document(environ: Mapping[str, str]) -> Document:
    """What the variables of ENVIRONMENT set."""
    tree: Tree = {}
    names = []
    for variable, key in ENVIRONMENT.items():
        text = environ.get(variable, "").strip()
        if not text:
            continue
        value: JsonValue = text
        if key == "participants":
            value = [name.strip() for name in text.split(",") if name.strip()]
        names.append(f"${variable}")
        _plant(tree, key, value)
    return Document(f"environment ({', '.join(names)})", tree, typed=True)


def override_document(overrides: Mapping[str, JsonValue]) -> Document:
    """What the command line sets, by key."""
    tree: Tree = {}
    for key, value in overrides.items():
        if value is not None:
            _plant(tree, key, value)
    return Document("command line", tree, typed=True)


def _plant(tree: Tree, key: str, value: JsonValue) -> None:
    section, _, inner = key.partition(".")
    if not inner:
        tree[section] = value
        return
    branch = tree.setdefault(section, {})
    if isinstance(branch, dict):
        branch[inner] = value


def _with_whole_paths(document: Document, environ: Mapping[str, str]) -> Tree:
    """The tree with its files as absolute paths: they are relative to the file that names them."""
    prompts = document.tree.get("prompts")
    if isinstance(prompts, str):
        there = str(absolute(prompts, document.folder, environ))
        document = replace(document, tree={**document.tree, "prompts": there})
    providers = document.tree.get(_WHOLE)
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
    return {**document.tree, _WHOLE: resolved}


def _whole_path(stated: JsonValue, document: Document, environ: Mapping[str, str]) -> str:
    return str(absolute(str(stated), document.folder, environ))


def _merge(
    into: Tree, tree: Tree, document: Document, position: Position, sources: dict[str, str]
) -> None:
    for key, value in tree.items():
        here = (*position, key)
        present = into.get(key)
        # A provider is replaced as a whole: an endpoint must not meet another file's key.
        if isinstance(value, dict) and (not position or position[0] != _WHOLE):
            branch = present if isinstance(present, dict) else {}
            into[key] = branch
            _merge(branch, value, document, here, sources)
            continue
        if here in _ADDED_UP and isinstance(present, list) and isinstance(value, list):
            into[key] = [*present, *value]
        else:
            into[key] = value
        sources[".".join(str(part) for part in here)] = document.where(here)
