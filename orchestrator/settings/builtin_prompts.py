"""Prompt templates by workflow and language; captured at submission, so a run keeps its wording."""

from __future__ import annotations

from importlib import resources

from orchestrator.settings.languages import LANGUAGES
from shared.errors import ConfigurationError


def workflows() -> tuple[str, ...]:
    """The workflows that have prompts, sorted."""
    folder = resources.files("orchestrator.workflows")
    return tuple(
        sorted(
            entry.name
            for entry in folder.iterdir()
            if entry.is_dir() and (entry / "prompts" / LANGUAGES[0]).is_dir()
        )
    )


def load(workflow: str, language: str) -> dict[str, str]:
    """All templates of a workflow in one language, by name. Raises ConfigurationError for an unknown language."""
    if language not in LANGUAGES:
        raise ConfigurationError(
            "There are no prompts in {language!r}: choose one of {languages}.",
            language=language,
            languages=", ".join(LANGUAGES),
        )
    folder = resources.files("orchestrator.workflows") / workflow / "prompts" / language
    return {
        entry.name.removesuffix(".md"): entry.read_text(encoding="utf-8")
        for entry in folder.iterdir()
        if entry.name.endswith(".md")
    }
