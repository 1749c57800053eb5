"""The case workflow's prompts; the templates are in orchestrator/workflows/case/prompts.

Everything that is shown besides our own words goes through the case's `Disclosure`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel

from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.discussion.templates import Templates, data
from orchestrator.core.replay.commands import Prompt
from orchestrator.core.wording import findings_text
from orchestrator.workflows.case.chart_parts import ChartPart, last_line, within
from orchestrator.workflows.case.disclosure import Disclosure
from orchestrator.workflows.case.result import SolutionEntry
from orchestrator.workflows.case.roles import CaseRole
from orchestrator.workflows.case.state import GraphState
from shared.models.case import Case, CaseEvidence, LensResult
from shared.models.findings import Finding
from shared.models.notices import TEXT, Notice
from shared.models.panel import Participant
from shared.models.steps import PromptPart
from shared.tools.card import ToolCard


@dataclass(frozen=True)
class CritiqueView:
    """What a critic sees of the critique so far: what is known, what is to be mended, what must be improved."""

    findings: Sequence[Finding]
    cycle: Cycle
    feedback: int = 0
    instructions: tuple[Notice, ...] = ()
    memory: tuple[Notice, ...] = ()
    note: str = ""


Part = ChartPart | None
"""The part of the chart that a turn is shown; None is all of it."""


@dataclass(frozen=True)
class CasePrompts:
    """One case, and how each turn is asked; `voices` may raise something: the critics that read, and the lenses."""

    templates: Templates
    case: Case
    disclosure: Disclosure
    voices: int

    def analysis(
        self,
        analyst: Participant,
        role: CaseRole,
        state: GraphState,
        memory: Sequence[Notice] = (),
        part: Part = None,
    ) -> Prompt:
        """The analyst reads the chart and what code made of it."""
        parts = [*self._known(analyst, state, part), *self._memory(analyst, memory)]
        return self._asked("analyst", analyst, parts, self.templates.part(role))

    def routing(
        self,
        analyst: Participant,
        state: GraphState,
        registry: Sequence[ToolCard],
        most: int,
        part: Part = None,
    ) -> Prompt:
        """The analyst picks tools by their cards."""
        parts = [*self._known(analyst, state, part), data("cards", text=_cards(registry))]
        return self._asked("analyst", analyst, parts, self.templates.part("routing", most=most))

    def critique(
        self, critic: Participant, state: GraphState, view: CritiqueView, part: Part = None
    ) -> Prompt:
        """A critic reads everything; from the second iteration on it revises."""
        parts = [*self._known(critic, state, part), *self._similar(critic, part)]
        parts += self._lenses(critic, within(state, part))
        parts += self._findings(critic, view.findings, part)
        if view.cycle.number > 1:
            parts += self._memory(critic, view.memory)
            parts.append(self.templates.part("revision", number=view.cycle.number))
        if view.note:
            note = self.disclosure.text_for(critic, view.note)
            parts.append(self.templates.part("note", note=note))
        if view.feedback:
            parts.append(self.templates.part("patch"))
            parts += self._issues(critic, "instructions", view.instructions)
        return self._asked("critic", critic, parts, self.templates.part("critique"))

    def feedback(
        self,
        analyst: Participant,
        state: GraphState,
        findings: Sequence[Finding],
        registry: Sequence[ToolCard],
        left: int,
        part: Part = None,
    ) -> Prompt:
        """The analyst judges a critique."""
        unrun = [card for card in registry if card.name not in state.results]
        parts = [*self._known(analyst, state, part), *self._lenses(analyst, within(state, part))]
        parts += self._findings(analyst, findings, part)
        parts.append(data("cards", text=_cards(unrun) or "none"))
        task = self.templates.part("feedback", most=left)
        return self._asked("analyst", analyst, parts, task)

    def verification(
        self,
        verifier: Participant,
        state: GraphState,
        findings: Sequence[Finding],
        proposals: Sequence[SolutionEntry],
        part: Part = None,
    ) -> Prompt:
        """The verifier turns points into solutions, with similar cases and evidence as grounds."""
        parts = [*self._known(verifier, state, part), *self._similar(verifier, part)]
        parts += self._findings(verifier, findings, part)
        if proposals:
            text = "\n".join(f"{each.finding}: {_worded(each.action)}" for each in proposals)
            parts.append(self._data(verifier, "proposals", text))
        return self._asked("verifier", verifier, parts, self.templates.part("verification"))

    # ---- what is shown

    def _asked(
        self, system: str, speaker: Participant, parts: Sequence[PromptPart], task: PromptPart
    ) -> Prompt:
        return self.templates.prompt(self.templates.part(system), speaker, (*parts, task))

    def _known(self, speaker: Participant, state: GraphState, part: Part) -> list[PromptPart]:
        """What every turn begins with: the chart or a part of it, then what was read out of that."""
        state = within(state, part)
        done = state.preprocessing
        facts: list[tuple[str, BaseModel]] = [
            ("evidence spans", done.evidence),
            ("timeline", done.timeline),
            ("record gaps", done.gaps),
            ("diagnosis analysis", state.diagnosis),
            ("treatment analysis", state.treatment),
            ("intervention coverage", state.coverage),
            ("evidence", self._evidence(speaker, state)),
        ]
        return [
            self.templates.part("chart"),
            *self._chart(speaker, part),
            *(
                self._fact(speaker, label, fact)
                for label, fact in facts
                if fact.model_dump(exclude_defaults=True)
            ),
        ]

    def _chart(self, speaker: Participant, part: Part) -> list[PromptPart]:
        """The chart as this one may see it; of a part a sentence says that it is one."""
        if part is None:
            chart = self.disclosure.document_for(speaker)
            return [data("chart", document=chart, stable=True)]
        position = {"number": part.number, "count": part.count}
        return [
            self.templates.part("portion" if part.number else "excerpt", **position),
            *(
                data(
                    f"chart, lines {piece.line} to {last_line(piece)}",
                    text=self.disclosure.quoted_for(speaker, piece),
                    stable=True,
                )
                for piece in part.pieces
            ),
        ]

    def _similar(self, speaker: Participant, part: Part) -> list[PromptPart]:
        """The similar cases, whole: masking misses some, so with it only those on this machine read them.

        Nor does whoever cannot hold the chart: what was found in them stands in the evidence.
        """
        if part is not None or self.disclosure.hides_from(speaker):
            return []
        return [data(each.name, document=each.text, stable=True) for each in self.case.similar]

    def _lenses(self, speaker: Participant, state: GraphState) -> list[PromptPart]:
        return [
            self._fact(speaker, f"result of {name}", self._result(speaker, result))
            for name, result in state.results.items()
        ]

    def _evidence(self, speaker: Participant, state: GraphState) -> CaseEvidence:
        """Passages of similar cases are other patients' words: only those on this machine read them."""
        if not self.disclosure.hides_from(speaker):
            return state.evidence
        others = {source.name for source in self.case.similar}
        kept = (each for each in state.evidence.passages if each.span.source not in others)
        return state.evidence.model_copy(update={"passages": tuple(kept)})

    def _result(self, speaker: Participant, result: LensResult) -> LensResult:
        if not self.disclosure.hides_from(speaker):
            return result
        points = (point.model_copy(update={"sources": ()}) for point in result.points)
        return result.model_copy(update={"points": tuple(points)})

    def _findings(
        self, speaker: Participant, findings: Sequence[Finding], part: Part
    ) -> list[PromptPart]:
        """Those that stand in what is shown."""
        known = [each for each in findings if part is None or part.holds(each)]
        return [self._data(speaker, "findings", findings_text(known, self.voices))] if known else []

    def _memory(self, speaker: Participant, memory: Sequence[Notice]) -> list[PromptPart]:
        if not memory:
            return []
        return [self.templates.part("memory"), *self._issues(speaker, "memory", memory)]

    def _issues(
        self, speaker: Participant, label: str, issues: Sequence[Notice]
    ) -> list[PromptPart]:
        """What is to be improved: our own sentences with what they are about, models' words as they are."""
        lines = [self._issue(issue) for issue in issues]
        return (
            [self._data(speaker, label, "\n".join(f"- {line}" for line in lines))] if lines else []
        )

    def _issue(self, issue: Notice) -> str:
        if issue.code == TEXT:
            return _worded(issue)
        params = {
            name: ", ".join(map(str, value)) if isinstance(value, tuple) else value
            for name, value in issue.params.items()
        }
        return self.templates.line(issue.code.removeprefix("case_").replace("_", "."), **params)

    def _fact(self, speaker: Participant, label: str, fact: BaseModel) -> PromptPart:
        content = fact.model_dump(mode="json", exclude_defaults=True)
        shown = self.disclosure.content_for(speaker, content)
        return data(label, text=json.dumps(shown, ensure_ascii=False))

    def _data(self, speaker: Participant, label: str, text: str) -> PromptPart:
        return data(label, text=self.disclosure.text_for(speaker, text))


def as_data(fact: BaseModel) -> str:
    """A record as a participant reads it: JSON without what says nothing."""
    content = fact.model_dump(mode="json", exclude_defaults=True)
    return json.dumps(content, ensure_ascii=False)


def _worded(action: Notice) -> str:
    """A notice as a participant reads it: a text as it is, else its code with its parameters."""
    return str(action.params.get("text")) if action.code == TEXT else as_data(action)


def _cards(registry: Sequence[ToolCard]) -> str:
    return "\n".join(f"{card.name}: {card.purpose}" for card in registry)
