"""The plan workflow's prompts; the templates are in orchestrator/workflows/plan/prompts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.core.discussion.contested import Agenda, settled_line
from orchestrator.core.discussion.strategies import Speaker
from orchestrator.core.discussion.templates import Templates, data
from orchestrator.core.replay.commands import Prompt
from orchestrator.core.wording import findings_text
from shared.models.deliberation import Question
from shared.models.findings import Stance
from shared.models.panel import Participant
from shared.models.steps import PromptPart


@dataclass(frozen=True)
class ShownContribution:
    """A contribution under its letter."""

    label: str
    role: str
    round: int
    text: str


@dataclass(frozen=True)
class PlanView:
    """What a speaker of a round may see: nothing of anybody in the first one."""

    number: int
    plan: str
    critics: int
    agenda: Agenda
    reasons: Sequence[tuple[str, Stance]] = ()
    contributions: Sequence[ShownContribution] = ()
    proposal: str = ""


@dataclass(frozen=True)
class PlanPrompts:
    """One task, or one plan that was given, and how each turn is asked."""

    templates: Templates
    question: Question
    given: bool

    def planning(self, planner: Participant) -> Prompt:
        """Write the plan."""
        parts = (*self._task(), self.templates.part("plan"))
        return self.templates.prompt(self.templates.part("planner"), planner, parts)

    def revision(self, planner: Participant, view: PlanView, synthesis: str, note: str) -> Prompt:
        """Write it again, with the synthesis; the note is the deciding person's own words."""
        parts = [
            *self._task(),
            data("plan", text=view.plan),
            *self._findings(view),
            data("synthesis", text=synthesis),
            *([data("proposal", text=view.proposal)] if view.proposal else ()),
            *([self.templates.part("note", note=note)] if note else ()),
            self.templates.part("revision"),
        ]
        return self.templates.prompt(self.templates.part("planner"), planner, parts)

    def turn(self, speaker: Speaker, view: PlanView) -> Prompt:
        """A contribution to a round; the first round shows the plan alone."""
        participant, role = speaker.participant, speaker.role
        parts = [*self._task(), data("plan", text=view.plan), *self._discussion(view)]
        parts.append(self.templates.part(role.prompt(view.number), number=view.number))
        return self.templates.prompt(self.templates.part(role.system), participant, parts)

    def synthesis(
        self, chair: Participant, view: PlanView, contributions: Sequence[ShownContribution]
    ) -> Prompt:
        """The chair sees the plan, what was found and what was said."""
        parts = [
            *self._task(),
            data("plan", text=view.plan),
            data("findings", text=findings_text(view.agenda.contested, view.critics) or "none"),
            *map(_contribution, contributions),
            self.templates.part("synthesis"),
        ]
        return self.templates.prompt(self.templates.part("chair"), chair, parts)

    def _task(self) -> tuple[PromptPart, ...]:
        """The task in the user's own words; a plan that was given stands by itself, with its files."""
        if not self.given:
            return self.templates.question(self.question)
        return tuple(
            data(f"file {given.path}", document=given.document) for given in self.question.contexts
        )

    def _discussion(self, view: PlanView) -> list[PromptPart]:
        parts = [*map(_contribution, view.contributions), *self._findings(view)]
        if view.reasons:
            parts.append(data("positions", text="\n".join(_reasons(view.reasons))))
        if view.proposal:
            parts.append(data("proposal", text=view.proposal))
        return parts

    def _findings(self, view: PlanView) -> list[PromptPart]:
        parts = []
        if view.agenda.contested:
            parts.append(data("findings", text=findings_text(view.agenda.contested, view.critics)))
        if settled := settled_line(view.agenda):
            parts.append(self.templates.part("settled", settled=settled))
        return parts


def _contribution(shown: ShownContribution) -> PromptPart:
    return data(f"{shown.role} by {shown.label}, round {shown.round}", text=shown.text)


def _reasons(lines: Sequence[tuple[str, Stance]]) -> list[str]:
    return [f"{line.finding}, {label}: {line.position} — {line.reason}" for label, line in lines]
