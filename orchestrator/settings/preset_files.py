"""Presets and personas: ready-made configurations, one YAML file each.

Ours are in orchestrator/settings/presets; a person's own are below `~/.config/quorate/presets`, or any file that is
named with its path. A preset says which workflow it is for; its `options` are that workflow's section of the
configuration.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path
from typing import Literal

from pydantic import Field, JsonValue

from orchestrator.settings.documents import Document, parse_yaml, read_yaml
from orchestrator.settings.places import absolute, entries_of, presets_folder
from orchestrator.settings.problems import checked, validate
from orchestrator.settings.schema import SECTIONS
from orchestrator.settings.sections import ParticipantEntry
from orchestrator.settings.trees import Position, overlaid
from shared.configuration import Section, did_you_mean
from shared.errors import ConfigurationError
from shared.sentences import Sentence

_PERSONAS = "personas.yaml"
_ENDINGS = (".yaml", ".yml")
_RENAMED = {"code-review": "everyone"}
"""Presets of ours that were called otherwise, which still works: `code_review` is another one, a debate."""


class PresetFile(Section):
    """What a preset's file holds."""

    description: str = ""
    workflow: Literal[tuple(SECTIONS)] | None = None  # type: ignore[valid-type]  # read from the workflows
    options: dict[str, JsonValue] = Field(default_factory=dict)
    configuration: dict[str, JsonValue] = Field(default_factory=dict)


@dataclass(frozen=True)
class Preset:
    """A named configuration, below every other one in precedence. `workflow` None: for all of them.

    `asked_as` is the earlier name by which it was asked for.
    """

    name: str
    description: str
    document: Document
    workflow: str | None = None
    participants: tuple[ParticipantEntry, ...] = ()
    asked_as: str | None = None

    def serves(self, workflow: str | None) -> bool:
        """True when it is meant for that workflow, or when nobody says for which."""
        return workflow is None or self.workflow in (None, workflow)


def preset_names(folder: Path | None = None) -> tuple[str, ...]:
    """The names of our presets and of those in a person's own `folder`, sorted."""
    ours = (entry.name for entry in (files("orchestrator.settings") / "presets").iterdir())
    own = (entry.name for entry in entries_of(folder))
    names = {name.removesuffix(".yaml") for name in (*ours, *own) if name.endswith(".yaml")}
    return tuple(sorted(names - {_PERSONAS.removesuffix(".yaml")}))


def is_file(name: str) -> bool:
    """True when a preset is named by its file, not by its name."""
    return "/" in name or name.endswith(_ENDINGS)


def load_preset(name: str, folder: Path | None = None) -> Preset:
    """The preset of that name, or in that file; `folder` holds a person's own, which come first.

    Raises ConfigurationError with the nearest name, or with the line of every problem.
    """
    if is_file(name):
        return _preset(Path(name).stem, _read_own(Path(name)))
    if name not in preset_names(folder) and name in _RENAMED:
        return replace(load_preset(_RENAMED[name], folder), asked_as=name)
    if name not in preset_names(folder):
        known = [*preset_names(folder)]
        raise ConfigurationError(
            "There is no preset '{name}'{hint}",
            name=name,
            hint=did_you_mean(name, known),
        )
    own = None if folder is None else folder / f"{name}.yaml"
    if own is not None and own.is_file():
        return _preset(name, _read_own(own))
    text = (files("orchestrator.settings") / "presets" / f"{name}.yaml").read_text(encoding="utf-8")
    return _preset(name, parse_yaml(text, f"preset {name}", Path(), project=False))


def _read_own(file: Path) -> Document:
    if not file.is_file():
        raise ConfigurationError("There is no preset file {file}.", file=file)
    return read_yaml(file, project=False)


def _preset(name: str, written: Document) -> Preset:
    content = checked(written, PresetFile)
    if content.options and content.workflow is None:
        raise ConfigurationError(
            "{where}: options: say which `workflow` they are for ({sections}).",
            where=written.where(("options",)),
            sections=", ".join(SECTIONS),
        )
    document = _as_configuration(content, written)
    if "preset" in document.tree:
        raise ConfigurationError(
            "{where}: preset: a preset cannot build on another one.",
            where=document.where(("preset",)),
        )
    settings = validate(document)
    return Preset(
        name, content.description, document, content.workflow, settings.participants or ()
    )


def _as_configuration(content: PresetFile, written: Document) -> Document:
    """The settings of a preset as one document; every key keeps its line."""
    section = "" if content.workflow is None else SECTIONS[content.workflow]
    tree = overlaid(content.configuration, {section: content.options} if content.options else {})
    lines: dict[Position, int] = {}
    for position, line in written.lines.items():
        match position:
            case ("configuration", *inner) if inner:
                lines[tuple(inner)] = line
            case ("options", *inner):
                lines[(section, *inner)] = line
    return Document(written.place, tree, lines, written.folder)


def load_persona(name: str, language: str) -> str:
    """The text that a participant of that persona is given; a sentence of the user's own is its own persona.

    Raises ConfigurationError for an unknown name.
    """
    if any(letter.isspace() for letter in name.strip()):
        return name.strip()
    text = (files("orchestrator.settings") / "presets" / _PERSONAS).read_text(encoding="utf-8")
    personas = parse_yaml(text, _PERSONAS, Path(), project=False).tree
    texts = personas.get(name)
    if not isinstance(texts, dict):
        known = [*personas]
        raise ConfigurationError(
            "There is no persona '{name}'{hint} A sentence of your own works too.",
            name=name,
            hint=did_you_mean(name, known),
        )
    return str(texts.get(language, texts["en"])).strip()


# ---- which preset lies below the files ---------------------------------------------------------


@dataclass(frozen=True)
class PresetChoice:
    """The preset that was chosen, and the layer that names it."""

    preset: Preset
    named_by: Document


@dataclass(frozen=True)
class Chooser:
    """What a choice depends on besides the files: `workflow` None accepts a preset for any of them."""

    directory: Path
    environ: Mapping[str, str]
    workflow: str | None
    trust_project: bool

    def choose(self, layers: Sequence[Document]) -> PresetChoice | None:
        """The preset of the highest layer that names one for the workflow.

        A file serves all workflows, so one that names another workflow's preset is ignored, and
        whoever typed it is told so.
        Raises ConfigurationError, with the place that names the preset.
        """
        for layer in reversed(layers):
            if not layer.tree.get("preset"):
                continue
            preset = self._load(layer)
            if preset.serves(self.workflow):
                return PresetChoice(preset, layer)
            if layer.typed:
                raise ConfigurationError(
                    "{where}: {why}", where=layer.where(("preset",)), why=self._misfit(preset)
                )
        return None

    def _load(self, layer: Document) -> Preset:
        name = str(layer.tree["preset"])
        if is_file(name):
            folder = self.directory if layer.typed else layer.folder
            name = str(absolute(name, folder, self.environ))
        # A repository's own file chooses among ours: a preset of yours may say more than it may.
        theirs = layer.project and not self.trust_project
        try:
            return load_preset(name, None if theirs else presets_folder(self.environ))
        except ConfigurationError as error:
            raise ConfigurationError(
                "{where}: {error}", where=layer.where(("preset",)), error=error
            ) from None

    def _misfit(self, preset: Preset) -> str:
        fitting = ", ".join(name for name in preset_names(self._own) if self._fits(name))
        return Sentence(
            "The preset '{preset}' is for the workflow {its_workflow}, not for {workflow}, which has {fitting}.",
            preset=preset.name,
            its_workflow=preset.workflow,
            workflow=self.workflow,
            fitting=fitting or "none",
        )

    @property
    def _own(self) -> Path | None:
        return presets_folder(self.environ)

    def _fits(self, name: str) -> bool:
        try:
            return load_preset(name, self._own).serves(self.workflow)
        except ConfigurationError:
            return False
