"""Find the configuration's sources, check each by itself, and merge them by precedence.

From the lowest: built-in defaults, the preset, the user's file, the project's file, the environment, the
command line. A file named with --config or $QUORATE_CONFIG stands in the place of the project's, and is
trusted, because the user named it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

import yaml
from pydantic import JsonValue

from orchestrator.configuration.documents import (
    Document,
    Position,
    Tree,
    read_pyproject,
    read_yaml,
)
from orchestrator.configuration.places import absolute, user_folder
from orchestrator.configuration.preset_choice import Chooser
from orchestrator.configuration.presets import Preset
from orchestrator.configuration.problems import validate
from orchestrator.configuration.schema import Settings
from orchestrator.configuration.trust import check_project
from shared.errors import ConfigurationError

PROJECT_FILES = (".quorate.yaml", ".quorate/config.yaml", ".dev/config.yaml")
_SHARED_PLACE = ".dev/config.yaml"

ENVIRONMENT: dict[str, str] = {
    "QUORATE_LANG": "language",
    "QUORATE_PRESET": "preset",
    "QUORATE_PANEL": "participants",
    "QUORATE_STRATEGY": "review.strategy",
    "QUORATE_ROUNDS": "review.max_rounds",
    "QUORATE_TIMEOUT": "settings.timeout",
    "QUORATE_FAIL_ON": "gate.fail_on",
    "QUORATE_MAX_COST": "budget.per_run_usd",
    "QUORATE_DECIDE": "decision.mode",
}
"""The variables that mirror options, and the keys that they set."""

DEFAULT = "default"
_ADDED_UP = (("privacy", "never_send"),)
_WHOLE = "providers"


@dataclass(frozen=True)
class Configuration:
    """The settings that hold, and where each one that is not a default comes from (`file:line`).

    `preset` is the one that was applied: the workflow's own, when a workflow was named.
    """

    settings: Settings
    sources: Mapping[str, str]
    documents: tuple[Document, ...]
    preset: Preset | None = None

    def in_language(self, language: str) -> Configuration:
        """The same, speaking that language: personas are captured in it."""
        return replace(self, settings=self.settings.model_copy(update={"language": language}))

    def source(self, key: str) -> str:
        """Where a key like `gate.fail_on` comes from; `default` when nobody set it."""
        parts = key.split(".")
        tried = (".".join(parts[:count]) for count in range(len(parts), 0, -1))
        return next((self.sources[name] for name in tried if name in self.sources), DEFAULT)

    def known_keys(self) -> Iterator[tuple[str, JsonValue, str]]:
        """Every key with its value and source, for people."""
        for section, value in self.settings.model_dump(mode="json").items():
            if isinstance(value, dict) and value:
                for key, inner in value.items():
                    yield f"{section}.{key}", inner, self.source(f"{section}.{key}")
            else:
                yield section, value, self.source(section)


def load_configuration(
    directory: Path,
    environ: Mapping[str, str],
    *,
    explicit: Path | None = None,
    overrides: Mapping[str, JsonValue] | None = None,
    trust_project: bool = False,
    workflow: str | None = None,
) -> Configuration:
    """The configuration for work in `directory`.

    `overrides` are the command line's, by key (`review.max_rounds`). A preset of another workflow than `workflow` is an
    error when it was typed; a file serves all workflows, so its preset is passed over. Raises ConfigurationError that
    names every problem with file, line and suggestion, EnvironmentFault for a file without permission.
    """
    layers: list[Document] = []
    user = _user_document(environ)
    trusted = Settings()
    if user is not None:
        trusted = validate(user)
        layers.append(user)
    named = _named_document(directory, environ, explicit)
    project = named or _project_document(directory)
    if project is not None:
        settings = validate(project)
        if project.project and not trust_project:
            check_project(project, settings, trusted)
        layers.append(project)
    for document in (_environment_document(environ), _override_document(overrides or {})):
        if document.tree:
            validate(document)
            layers.append(document)
    preset = Chooser(directory, environ, workflow, trust_project).choose(layers)
    if preset is not None:
        layers.insert(0, preset.document)
    tree: Tree = {}
    sources: dict[str, str] = {}
    for layer in layers:
        _merge(tree, _with_whole_paths(layer, environ), layer, (), sources)
    merged = Document("the merged configuration", tree)
    return Configuration(validate(merged), sources, tuple(layers), preset)


def user_file(environ: Mapping[str, str]) -> Path | None:
    """The user's own configuration file, whether it exists or not; None without a home."""
    folder = user_folder(environ)
    return None if folder is None else folder / "config.yaml"


def _user_document(environ: Mapping[str, str]) -> Document | None:
    file = user_file(environ)
    return read_yaml(file, project=False) if file is not None and file.is_file() else None


def _named_document(
    directory: Path, environ: Mapping[str, str], explicit: Path | None
) -> Document | None:
    variable = environ.get("QUORATE_CONFIG")
    if explicit is None and not variable:
        return None
    file = directory / (explicit or Path(variable or ""))
    if not file.is_file():
        named_by = "--config" if explicit is not None else "$QUORATE_CONFIG"
        raise ConfigurationError(f"{named_by} names {file}, and there is no such file.")
    return read_yaml(file, project=False)


def _project_document(directory: Path) -> Document | None:
    for folder in _folders_up_to_repository(directory.resolve()):
        for name in PROJECT_FILES:
            file = folder / name
            if not file.is_file():
                continue
            document = read_yaml(file, project=True)
            # A folder `.dev` may hold another tool's file.
            if name != _SHARED_PLACE or document.tree.keys() & Settings.model_fields.keys():
                return document
        pyproject = folder / "pyproject.toml"
        found = read_pyproject(pyproject) if pyproject.is_file() else None
        if found is not None:
            return found
    return None


def _folders_up_to_repository(directory: Path) -> list[Path]:
    folders = [directory, *directory.parents]
    roots = [number for number, folder in enumerate(folders) if (folder / ".git").exists()]
    return folders[: roots[0] + 1] if roots else folders[:1]


def _environment_document(environ: Mapping[str, str]) -> Document:
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


def _override_document(overrides: Mapping[str, JsonValue]) -> Document:
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
        for key in ("script", "api_key_file", "profile", "selectors"):
            if key in whole:
                whole[key] = str(absolute(str(whole[key]), document.folder, environ))
        if isinstance(files := whole.get("header_file"), dict):
            whole["header_file"] = {
                header: str(absolute(str(file), document.folder, environ))
                for header, file in files.items()
            }
        resolved[name] = whole
    return {**document.tree, _WHOLE: resolved}


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


def yaml_of(configuration: Configuration) -> str:
    """The settings that hold, as a file that could be used."""
    shown = configuration.settings.model_dump(mode="json", exclude_defaults=True)
    return str(yaml.safe_dump(shown, allow_unicode=True, sort_keys=False))
