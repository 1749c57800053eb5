"""What an ask run knows, and the answers that it got."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from orchestrator.core.discussion.turn_results import TurnResult, over_budget, replies
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.ask.prompts import AskPrompts
from shared.models.deliberation import Answer
from shared.models.panel import Participant
from shared.models.run import RunSpec
from shared.models.steps import Failure


@dataclass(frozen=True)
class AskContext:
    """One question to one panel."""

    spec: RunSpec
    options: AskOptions
    prompts: AskPrompts

    @property
    def participants(self) -> tuple[Participant, ...]:
        """Everybody who is asked."""
        return self.spec.panel.critics


@dataclass(frozen=True)
class QuestionAnswers:
    """The turns in which everybody was asked, in the panel's order."""

    turns: tuple[TurnResult, ...]

    @cached_property
    def given(self) -> dict[str, Answer]:
        """The answers that came, by participant."""
        return replies(self.turns, Answer)

    @property
    def missing(self) -> dict[str, Failure]:
        """Why those that did not come are missing, by participant."""
        return {turn.participant: turn.failure for turn in self.turns if turn.failure is not None}

    @property
    def over_budget(self) -> bool:
        """True when the budget refused one of them."""
        return over_budget(self.turns)

    @property
    def texts(self) -> dict[str, str]:
        """The replies of everybody who answered."""
        return {name: answer.answer for name, answer in self.given.items()}
