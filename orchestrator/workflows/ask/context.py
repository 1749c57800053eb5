"""What an ask run knows, and what its stages bring."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.core.discussion.turn_results import TurnResult
from orchestrator.workflows.ask.borda import RankOrder, RankPlace
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.ask.prompts import AskPrompts
from shared.models.notices import Notice
from shared.models.panel import Participant
from shared.models.replies import Synthesis
from shared.models.run import RunSpec
from shared.models.steps import Failure, StepResult


@dataclass(frozen=True)
class AskContext:
    """One question to one panel."""

    spec: RunSpec
    options: AskOptions
    prompts: AskPrompts

    @property
    def participants(self) -> tuple[Participant, ...]:
        """Who is asked."""
        return self.spec.panel.critics


@dataclass(frozen=True)
class GivenAnswer:
    """An answer that came."""

    participant: str
    text: str
    confidence: float | None
    result: StepResult


@dataclass(frozen=True)
class Missing:
    """Who did not do what was asked, and why."""

    participant: str
    failure: Failure


@dataclass(frozen=True)
class QuestionAnswers:
    """The answers in the panel's order, and whose are missing."""

    given: tuple[GivenAnswer, ...]
    missing: tuple[Missing, ...]
    heard: tuple[TurnResult, ...]
    over_budget: bool

    @property
    def texts(self) -> dict[str, str]:
        """What everybody who answered said."""
        return {one.participant: one.text for one in self.given}


@dataclass(frozen=True)
class RankedBy:
    """One ranker's order of the others, the letters it was shown, and its reason."""

    participant: str
    labels: Mapping[str, str]
    order: RankOrder
    reason: str


@dataclass(frozen=True)
class RankingResult:
    """Everybody's place, the rankings behind it, and whose are missing."""

    places: tuple[RankPlace, ...]
    rankings: tuple[RankedBy, ...]
    heard: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()


@dataclass(frozen=True)
class SynthesisResult:
    """The chair's text; `by` is None when the answers stand one after another instead."""

    text: Synthesis
    by: str | None
    labels: Mapping[str, str]
    heard: tuple[TurnResult, ...] = ()
    warnings: tuple[Notice, ...] = ()
