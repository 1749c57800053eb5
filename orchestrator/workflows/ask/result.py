"""The result of an ask run: the answers, how the panel ranks them, and what they were made into."""

from __future__ import annotations

from pydantic import Field, JsonValue

from orchestrator.core.results import AskedQuestion, RankedText, RunSpending, WorkflowResult
from shared.models.notices import StoredNotice
from shared.models.review_replies import Synthesis
from shared.models.wire import Wire


class RecordedAnswer(Wire):
    """An answer that came; `place` and `score` are its peers' judgement."""

    participant: str
    answer: str
    confidence: float | None
    place: int | None
    score: float | None
    elapsed_s: float | None
    tokens: int | None
    cost_usd: float | None


class MissingAnswer(Wire):
    """A participant that did not answer, and why."""

    participant: str
    kind: str
    message: StoredNotice


class AnswerQuorum(Wire):
    """How many answered, of how many, and how many had to."""

    answered: int
    asked: int
    needed: int

    @property
    def reached(self) -> bool:
        """Whether enough answered."""
        return self.answered >= self.needed


class RankedAnswer(Wire):
    """Where an answer ended in the peers' ranking; None without a ranking that it stood in."""

    participant: str
    place: int | None
    score: float | None
    points: float
    rankings: int


class PeerRanking(Wire):
    """One ranker's order of the others: groups of equal ones, the best first; those left out share the last places."""

    participant: str
    order: tuple[tuple[str, ...], ...]
    left_out: tuple[str, ...] = ()
    reason: str = ""

    @property
    def size(self) -> int:
        """How many answers were to be ranked."""
        return sum(map(len, self.order)) + len(self.left_out)


class AnswerRanking(Wire):
    """Everybody's place, and the rankings that lead to it."""

    places: tuple[RankedAnswer, ...]
    rankings: tuple[PeerRanking, ...]


class AskLabels(Wire):
    """Which letter stood for whom: by ranker, and for the chair."""

    rankings: dict[str, dict[str, str]] = Field(default_factory=dict)
    synthesis: dict[str, str] = Field(default_factory=dict)


class AskResult(WorkflowResult):
    """`synthesised_by` is the chair; `fallback` where the answers are listed one after another."""

    question: AskedQuestion
    answers: tuple[RecordedAnswer, ...]
    missing: tuple[MissingAnswer, ...]
    quorum: AnswerQuorum
    ranking: AnswerRanking | None = None
    synthesis: Synthesis | None = None
    synthesised_by: str | None = None
    labels: AskLabels = AskLabels()
    usage: RunSpending

    @property
    def merged(self) -> Synthesis | None:
        """What the answers were made into."""
        return self.synthesis

    @property
    def vote_figures(self) -> dict[str, JsonValue]:
        """The quorum."""
        return {"quorum": self.quorum.model_dump()}

    @property
    def answers_given(self) -> dict[str, RankedText]:
        """The answers with their places."""
        return {
            given.participant: RankedText(text=given.answer, place=given.place)
            for given in self.answers
        }
