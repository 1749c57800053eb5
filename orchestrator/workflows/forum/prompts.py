"""The forum workflow's prompts; the templates stand in orchestrator/prompts/forum."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.core.commands import Prompt
from orchestrator.core.templates import Templates, data
from orchestrator.workflows.forum.floor import Standing, due, eligible
from shared.models.deliberation import Question
from shared.models.panel import Panel, Participant
from shared.models.steps import PromptPart


@dataclass(frozen=True)
class Heading:
    """A speech as it is shown: its number in the discussion, its speaker, its words."""

    number: int
    participant: str
    text: str


@dataclass(frozen=True)
class ForumPrompts:
    """One question, one panel, and how each turn is asked."""

    templates: Templates
    question: Question
    panel: Panel

    def bid(self, speaker: Participant, speeches: Sequence[Heading], *, reminder: bool) -> Prompt:
        """Do you want the floor?"""
        parts = [*self._discussion(speeches)]
        if reminder:
            parts.append(self.templates.part("reminder"))
        parts.append(self.templates.part("bid"))
        return self._to_participant(speaker, parts)

    def selection(
        self, speeches: Sequence[Heading], everybody: Sequence[Standing], patience: int, left: int
    ) -> Prompt:
        """Who speaks next, or how does it end? What code will watch is said beforehand."""
        parts = [*self._discussion(speeches), self.templates.part("floor")]
        parts.append(data("floor requests", text="\n".join(map(self._request, everybody))))
        asking = any(one.asks for one in everybody)
        names = ", ".join(one.name for one in eligible(everybody))
        parts.append(self.templates.part("eligible" if asking else "nobody_asks", names=names))
        if asking and (starving := due(everybody, patience)):
            parts.append(self.templates.part("due", name=starving[0].name))
        parts.append(self.templates.part("selection", left=left))
        return self._to_orchestrator(parts)

    def speech(self, speaker: Participant, speeches: Sequence[Heading], *, called: bool) -> Prompt:
        """You have the floor."""
        task = self.templates.part("speech.called" if called else "speech")
        return self._to_participant(speaker, [*self._discussion(speeches), task])

    def conclusion(self, speeches: Sequence[Heading], stop: str) -> Prompt:
        """It is over: what came of it?"""
        why = self.templates.line(f"stop.{stop}")
        parts = [*self._discussion(speeches), self.templates.part("conclusion", why=why)]
        return self._to_orchestrator(parts)

    def ballot(self, speaker: Participant, speeches: Sequence[Heading], conclusion: str) -> Prompt:
        """Is that what you hold? Nobody sees another ballot."""
        parts = [
            *self._discussion(speeches),
            data("conclusion", text=conclusion),
            self.templates.part("ballot"),
        ]
        return self._to_participant(speaker, parts)

    def _discussion(self, speeches: Sequence[Heading]) -> tuple[PromptPart, ...]:
        """The question and all that was said; a speech is one stored document however often it is shown."""
        said = [
            data(f"speech {one.number} by {one.participant}", text=one.text) for one in speeches
        ]
        opening = self.templates.part("history" if said else "history.empty")
        return (*self.templates.question(self.question), opening, *said)

    def _request(self, one: Standing) -> str:
        line = self.templates.line(
            "request" if one.asks else "pass",
            name=one.name,
            waiting=one.waiting,
            floors=one.floors,
            reason=" ".join(one.reason.split()) or "-",
        )
        return f"{line} {self.templates.line('last')}" if one.last else line

    def _to_participant(self, speaker: Participant, parts: Sequence[PromptPart]) -> Prompt:
        others = [one.name for one in self.panel.critics if one.name != speaker.name]
        system = self.templates.part(
            "participant", name=speaker.name, others=", ".join(others) or "-"
        )
        return self.templates.prompt(system, speaker, parts)

    def _to_orchestrator(self, parts: Sequence[PromptPart]) -> Prompt:
        names = ", ".join(one.name for one in self.panel.critics)
        system = self.templates.part("orchestrator", participants=names)
        return self.templates.prompt(system, self.panel.chair, parts)
