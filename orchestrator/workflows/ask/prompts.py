"""The ask workflow's prompts; the templates are in orchestrator/workflows/ask/prompts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator.core.discussion.templates import Templates, data
from orchestrator.core.replay.commands import Prompt
from orchestrator.workflows.ask.result import RankedAnswer
from shared.models.deliberation import Question
from shared.models.panel import Participant
from shared.models.steps import PromptPart


@dataclass(frozen=True)
class AskPrompts:
    """One question, and how each turn is asked."""

    templates: Templates
    question: Question

    def answer(self, speaker: Participant) -> Prompt:
        """Everybody gets the same, and nothing of anybody else."""
        parts = (*self.templates.question(self.question), self.templates.part("answer"))
        return self.templates.prompt(self.templates.part("participant"), speaker, parts)

    def ranking(
        self, ranker: Participant, labels: Mapping[str, str], texts: Mapping[str, str]
    ) -> Prompt:
        """The others' answers under letters."""
        parts = (
            *self.templates.question(self.question),
            *_answers(labels, texts),
            self.templates.part("ranking", labels=", ".join(labels)),
        )
        return self.templates.prompt(self.templates.part("ranker"), ranker, parts)

    def synthesis(
        self,
        chair: Participant,
        labels: Mapping[str, str],
        texts: Mapping[str, str],
        places: Sequence[RankedAnswer],
    ) -> Prompt:
        """All answers under letters, and how the panel ranked them."""
        parts = [*self.templates.question(self.question), *_answers(labels, texts)]
        letters = {name: label for label, name in labels.items()}
        ranked = [answer for answer in places if answer.place is not None]
        if ranked:
            lines = (
                f"{answer.place}. {letters[answer.participant]} ({answer.score:.2f})"
                for answer in ranked
            )
            parts += [self.templates.part("standings"), PromptPart(text="\n".join(lines))]
        parts.append(self.templates.part("synthesis"))
        return self.templates.prompt(self.templates.part("chair"), chair, parts)


def _answers(labels: Mapping[str, str], texts: Mapping[str, str]) -> list[PromptPart]:
    return [data(f"answer {label}", text=texts[name]) for label, name in labels.items()]
