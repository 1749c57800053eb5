"""Prompts from captured templates: our own words as text, everybody else's as data under a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from string import Template

from orchestrator.core.replay.commands import Prompt
from shared.models.deliberation import Question
from shared.models.panel import Participant
from shared.models.steps import PromptPart


@dataclass(frozen=True)
class Templates:
    """Templates by name, as `orchestrator.settings.builtin_prompts.load` gives them and a run captures them."""

    texts: Mapping[str, str]

    def line(self, name: str, /, **values: object) -> str:
        """A template filled in, as text."""
        return Template(self.texts[name]).safe_substitute(values).strip()

    def part(self, name: str, /, **values: object) -> PromptPart:
        """A template filled in, as a part of a prompt."""
        return PromptPart(text=self.line(name, **values))

    def question(self, question: Question) -> tuple[PromptPart, ...]:
        """The question in its own words (the user's, so no data), then its contexts as data: every turn begins so."""
        contexts = (
            data(f"file {context.path}", document=context.document, stable=True)
            for context in question.contexts
        )
        opening = (self.line("question"), question.text)
        return (*(PromptPart(text=text, stable=True) for text in opening), *contexts)

    def prompt(
        self, system: PromptPart, speaker: Participant, user: Sequence[PromptPart]
    ) -> Prompt:
        """Both halves; a persona is part of who the speaker is."""
        return self.addressed(Prompt((system,), tuple(user)), speaker)

    def addressed(self, prompt: Prompt, speaker: Participant) -> Prompt:
        """What several are asked alike, as this one of them is asked it."""
        if not speaker.persona:
            return prompt
        persona = self.part("persona", persona=speaker.persona)
        return Prompt((*prompt.system, persona), prompt.user)


@dataclass
class SharedPrompt:
    """What the turns of a stage ask alike: made for the first of them and dropped with the last."""

    make: Callable[[], Prompt]
    turns: int
    made: Prompt | None = None

    def __call__(self) -> Prompt:
        """The prompt, as one more of the turns asks it."""
        prompt = self.made or self.make()
        self.turns -= 1
        self.made = prompt if self.turns > 0 else None
        return prompt


def data(
    label: str, *, text: str | None = None, document: str | None = None, stable: bool = False
) -> PromptPart:
    """A text that somebody else wrote, to be put between fences."""
    return PromptPart(text=text, document=document, fence=label, stable=stable)
