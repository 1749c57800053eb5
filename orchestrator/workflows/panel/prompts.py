"""The panel workflow's prompts; the templates are in orchestrator/workflows/panel/prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.core.discussion.contested import Agenda, settled_line
from orchestrator.core.discussion.templates import Templates, data
from orchestrator.core.replay.commands import Prompt
from shared.models.deliberation import Question
from shared.models.findings import Finding, Position, Stance
from shared.models.panel import Participant
from shared.models.steps import PromptPart

NOTHING = Agenda(())
LabelledReason = tuple[str, Stance]
"""Somebody's position with its reason, under a letter."""


@dataclass(frozen=True)
class ShownStatement:
    """A statement under its letter."""

    label: str
    round: int
    position: str
    argument: str


@dataclass(frozen=True)
class DebaterView:
    """What somebody sees of a debate; `own` is their own last statement, `feedback` what stands in for arguments."""

    number: int
    last: int
    label: str
    own: ShownStatement | None = None
    others: Sequence[ShownStatement] = ()
    agenda: Agenda = NOTHING
    reasons: Sequence[LabelledReason] = ()
    feedback: str | None = None


@dataclass(frozen=True)
class RevealedVote:
    """A ballot under its voter's letter, as it is revealed to the judge."""

    label: str
    choice: str | None
    confidence: float | None
    reason: str


@dataclass(frozen=True)
class PanelPrompts:
    """One question, and how each turn is asked."""

    templates: Templates
    question: Question

    def opening(self, debater: Participant) -> Prompt:
        """What do you hold, before you have heard anyone?"""
        parts = (*self.templates.question(self.question), self.templates.part("opening"))
        return self._to_debater(debater, "", parts)

    def argument(self, debater: Participant, view: DebaterView) -> Prompt:
        """A debater's turn."""
        heard = [*self._arguments(view), *self._points(view)]
        name = "later" if heard else "first"
        if view.feedback is not None:
            heard.append(data("feedback", text=view.feedback))
            name = "delphi"
        parts = [*self.templates.question(self.question), *heard]
        task = self.templates.part(f"argument.{name}", number=view.number, last=view.last)
        return self._to_debater(debater, view.label, [*parts, task])

    def moderation(self, moderator: Participant, view: DebaterView) -> Prompt:
        """How far have they come together?"""
        parts = [
            *self.templates.question(self.question),
            *self._arguments(view),
            *self._points(view),
        ]
        parts.append(self.templates.part("moderation", number=view.number))
        return self.templates.prompt(self.templates.part("moderator"), moderator, parts)

    def ballot(
        self, debater: Participant, view: DebaterView, candidates: Sequence[Finding]
    ) -> Prompt:
        """Which of the positions do you hold? Nobody sees another ballot."""
        parts = [
            *self.templates.question(self.question),
            *self._arguments(view),
            data("positions", text=positions_text(candidates)),
            self.templates.part("ballot", ids=", ".join(candidate.id for candidate in candidates)),
        ]
        return self._to_debater(debater, view.label, parts)

    def judgement(
        self,
        judge: Participant,
        view: DebaterView,
        candidates: Sequence[Finding],
        votes: Sequence[RevealedVote],
    ) -> Prompt:
        """The verdict, over everything that was said and the votes, without a name in it."""
        parts = [*self.templates.question(self.question), *self._arguments(view)]
        parts.append(data("positions", text=positions_text(candidates)))
        parts += self._points(view)
        if votes:
            parts.append(data("votes", text="\n".join(map(_vote_line, votes))))
        ids = ", ".join(candidate.id for candidate in candidates)
        parts.append(self.templates.part("judgement", ids=ids))
        return self.templates.prompt(self.templates.part("judge"), judge, parts)

    def _arguments(self, view: DebaterView) -> list[PromptPart]:
        parts = [_statement(statement) for statement in view.others]
        if view.own is not None:
            parts.append(data("your own last argument", text=_words(view.own)))
        return parts

    def _points(self, view: DebaterView) -> list[PromptPart]:
        parts = []
        if view.agenda.contested:
            parts.append(data("points", text=points_text(view.agenda.contested)))
        if view.reasons:
            parts.append(data("stances", text="\n".join(map(_reason_line, view.reasons))))
        if settled := settled_line(view.agenda):
            parts.append(self.templates.part("settled", settled=settled))
        return parts

    def _to_debater(self, debater: Participant, label: str, parts: Sequence[PromptPart]) -> Prompt:
        system = self.templates.part("debater.named" if label else "debater", label=label)
        return self.templates.prompt(system, debater, parts)


def points_text(points: Sequence[Finding]) -> str:
    """Points with what they are and how they stand, without names."""
    return "\n".join(map(_point_line, points))


def positions_text(candidates: Sequence[Finding]) -> str:
    """The positions to choose from."""
    return "\n".join(f"{candidate.id}: {candidate.title}" for candidate in candidates)


def _point_line(point: Finding) -> str:
    counts = dict.fromkeys(Position, 0)
    for position in point.stances.values():
        counts[position] += 1
    tally = ", ".join(f"{count} {position}" for position, count in counts.items() if count)
    line = f"{point.id} ({point.category}; {tally}): {point.title}"
    return f"{line}\n    {point.detail}" if point.detail else line


def _reason_line(line: LabelledReason) -> str:
    label, stance = line
    quote = f" [quotes: {stance.quote}]" if stance.quote else ""
    return f"{stance.finding}, {label}: {stance.position} — {stance.reason}{quote}"


def _vote_line(vote: RevealedVote) -> str:
    confidence = "not stated" if vote.confidence is None else f"{vote.confidence:.2f}"
    return f"{vote.label}: {vote.choice or 'none of them'} (confidence {confidence}) — {vote.reason or '-'}"


def _statement(shown: ShownStatement) -> PromptPart:
    return data(f"argument by {shown.label}, round {shown.round}", text=_words(shown))


def _words(shown: ShownStatement) -> str:
    return f"{shown.position}\n\n{shown.argument}" if shown.argument else shown.position
