"""Access to what a run captured. Content-addressed, so reading it keeps a replay deterministic."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from shared.models.deliberation import Question
from shared.models.subject import Subject


@dataclass(frozen=True)
class Materials:
    """`document` gives the bytes of a stored document by its sha256, `run` is the run's id."""

    document: Callable[[str], bytes]
    run: str = ""

    def subject(self, name: str) -> Subject:
        """The captured subject stored under `name`."""
        return Subject.model_validate_json(self.document(name))

    def question(self, name: str) -> Question:
        """The question stored under `name`."""
        return Question.model_validate_json(self.document(name))

    def prompts(self, name: str) -> dict[str, str]:
        """The prompt templates stored under `name`, by their names."""
        templates = json.loads(self.document(name))
        return {str(key): str(text) for key, text in templates.items()}

    def text(self, name: str) -> str:
        """A stored text."""
        return self.document(name).decode("utf-8", errors="replace")
