"""Ready-made configurations and personas, from the YAML files in orchestrator/presets."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from pydantic import JsonValue

from orchestrator.configuration.documents import Document, Tree, parse_yaml
from orchestrator.configuration.sections import did_you_mean
from shared.errors import ConfigurationError

_PERSONAS = "personas.yaml"


@dataclass(frozen=True)
class Preset:
    """A named configuration, below every other one in precedence."""

    name: str
    description: str
    document: Document


def preset_names() -> tuple[str, ...]:
    """The names of the presets, sorted."""
    folder = files("orchestrator") / "presets"
    return tuple(
        sorted(
            entry.name.removesuffix(".yaml")
            for entry in folder.iterdir()
            if entry.name.endswith(".yaml") and entry.name != _PERSONAS
        )
    )


def load_preset(name: str) -> Preset:
    """The preset of that name. Raises ConfigurationError with the nearest name."""
    if name not in preset_names():
        known = [*preset_names()]
        raise ConfigurationError(f"There is no preset '{name}'{did_you_mean(name, known)}")
    tree = _read(f"{name}.yaml")
    configuration = tree.get("configuration")
    return Preset(
        name,
        str(tree.get("description", "")),
        Document(f"preset {name}", configuration if isinstance(configuration, dict) else {}),
    )


def load_persona(name: str, language: str) -> str:
    """The text that a participant of that persona is given; a sentence of one's own is its own persona.

    Raises ConfigurationError for an unknown name.
    """
    if any(letter.isspace() for letter in name.strip()):
        return name.strip()
    personas = _read(_PERSONAS)
    texts = personas.get(name)
    if not isinstance(texts, dict):
        known = [*personas]
        raise ConfigurationError(
            f"There is no persona '{name}'{did_you_mean(name, known)} A sentence of your own works too."
        )
    return _text(texts, language)


def _text(texts: dict[str, JsonValue], language: str) -> str:
    return str(texts.get(language, texts["en"])).strip()


def _read(file: str) -> Tree:
    text = (files("orchestrator") / "presets" / file).read_text(encoding="utf-8")
    return parse_yaml(text, file, Path(), project=False).tree
