"""The forum workflow's prompts; the templates are in orchestrator/workflows/forum/prompts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from orchestrator.core.discussion.labels import label_of
from orchestrator.core.discussion.templates import Templates, data
from orchestrator.core.replay.commands import Prompt
from orchestrator.workflows.forum.floor import FloorStanding, due, eligible
from shared.models.deliberation import Opening, Question, Selection
from shared.models.panel import Panel, Participant
from shared.models.steps import PromptPart


@dataclass(frozen=True)
class NumberedSpeech:
    """A speech as it is shown: its number in the discussion, its speaker, its words."""

    number: int
    participant: str
    text: str


@dataclass(frozen=True)
class ForumPrompts:
    """One question, one panel, and how each turn is asked.

    With `labels` (letters to names) everybody knows the participants by their letters only.
    """

    templates: Templates
    question: Question
    panel: Panel
    labels: Mapping[str, str] = field(default_factory=dict)

    def called(self, name: str) -> str:
        """What a participant is called in prompts."""
        return label_of(self.labels, name, name)

    def named(self, wish: Selection) -> Selection:
        """The orchestrator's wish with the participant's name for its letter."""
        words = re.findall("[A-Za-z]+", wish.speaker or "")
        letters = self.labels.keys() & words
        if len(letters) != 1:
            return wish
        return wish.model_copy(update={"speaker": self.labels[letters.pop()]})

    def opening(self, speaker: Participant) -> Prompt:
        """What do you hold, before you have heard anyone?"""
        parts = (*self.templates.question(self.question), self.templates.part("opening"))
        return self._to_participant(speaker, parts)

    def bid(
        self, speaker: Participant, speeches: Sequence[NumberedSpeech], *, reminder: bool
    ) -> Prompt:
        """Do you want the floor?"""
        parts = [*self._discussion(speeches)]
        if reminder:
            parts.append(self.templates.part("reminder"))
        parts.append(self.templates.part("bid"))
        return self._to_participant(speaker, parts)

    def selection(
        self,
        speeches: Sequence[NumberedSpeech],
        everybody: Sequence[FloorStanding],
        patience: int,
        left: int,
    ) -> Prompt:
        """Who speaks next, or how does it end? It says beforehand what code will enforce."""
        parts = [*self._discussion(speeches), self.templates.part("floor")]
        parts.append(data("floor requests", text="\n".join(map(self._request, everybody))))
        asking = any(standing.asks for standing in everybody)
        names = ", ".join(self.called(standing.name) for standing in eligible(everybody))
        parts.append(self.templates.part("eligible" if asking else "nobody_asks", names=names))
        if asking and (starving := due(everybody, patience)):
            parts.append(self.templates.part("due", name=self.called(starving[0].name)))
        parts.append(self.templates.part("selection", left=left))
        return self._to_orchestrator(parts)

    def speech(
        self, speaker: Participant, speeches: Sequence[NumberedSpeech], *, called: bool
    ) -> Prompt:
        """You have the floor."""
        task = self.templates.part("speech.called" if called else "speech")
        return self._to_participant(speaker, [*self._discussion(speeches), task])

    def conclusion(self, speeches: Sequence[NumberedSpeech], stop: str) -> Prompt:
        """It is over: what is the conclusion?"""
        why = self.templates.line(f"stop.{stop}")
        parts = [*self._discussion(speeches), self.templates.part("conclusion", why=why)]
        return self._to_orchestrator(parts)

    def ballot(
        self,
        speaker: Participant,
        speeches: Sequence[NumberedSpeech],
        conclusion: str,
        opening: Opening | None = None,
    ) -> Prompt:
        """Is that what you hold, and is it what you held at first? Nobody sees another ballot."""
        parts = [*self._discussion(speeches)]
        if opening is not None:
            position = f"{opening.position}\n\n{opening.reason}".strip()
            parts.append(data("your opening position", text=position))
        parts += [data("conclusion", text=conclusion), self.templates.part("ballot")]
        if opening is not None:
            parts.append(self.templates.part("ballot.opening"))
        return self._to_participant(speaker, parts)

    def _discussion(self, speeches: Sequence[NumberedSpeech]) -> tuple[PromptPart, ...]:
        """The question and all that was said; a speech is one stored document however often it is shown."""
        shown = [
            data(f"speech {speech.number} by {self.called(speech.participant)}", text=speech.text)
            for speech in speeches
        ]
        opening = self.templates.part("history" if shown else "history.empty")
        return (*self.templates.question(self.question), opening, *shown)

    def _request(self, standing: FloorStanding) -> str:
        line = self.templates.line(
            "request" if standing.asks else "pass",
            name=self.called(standing.name),
            waiting=standing.waiting,
            floors=standing.floors,
            reason=" ".join(standing.reason.split()) or "-",
        )
        return f"{line} {self.templates.line('last')}" if standing.last else line

    def _to_participant(self, speaker: Participant, parts: Sequence[PromptPart]) -> Prompt:
        called = self.called(speaker.name)
        others = [name for name in self._everybody() if name != called]
        system = self.templates.part("participant", name=called, others=", ".join(others) or "-")
        return self.templates.prompt(system, speaker, parts)

    def _to_orchestrator(self, parts: Sequence[PromptPart]) -> Prompt:
        names = ", ".join(self._everybody())
        system = self.templates.part("orchestrator", participants=names)
        return self.templates.prompt(system, self.panel.chair, parts)

    def _everybody(self) -> list[str]:
        """The participants as they are called; letters in their own order, which says nothing about the panel's."""
        return list(self.labels) or [critic.name for critic in self.panel.critics]
