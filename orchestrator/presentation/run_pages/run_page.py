"""The page of a run, as values: where it stands, what was said, how far it came, what it costs, who is waited for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import attrgetter

from orchestrator.core.document import Block, Drawing, Grid
from orchestrator.core.pictures import AnnotatedText, DrawnValue, Plots, RangePlot
from orchestrator.presentation.convergence import convergence_line, shortened_names
from orchestrator.presentation.durations import duration
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.money import cost_of
from orchestrator.presentation.questions import asked
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import course_document, document
from orchestrator.presentation.run_pages.code_page import code_page_of
from orchestrator.presentation.run_pages.stations import (
    Badge,
    ShownStation,
    run_badge,
    stations,
    verdict_badge,
)
from orchestrator.presentation.run_pages.talk import Round, rounds
from orchestrator.presentation.warning_lines import gathered
from orchestrator.workflows.descriptor import SubjectKind
from shared.models.assessment import ConvergenceMetrics, RecordedAssessment
from shared.models.outcomes import Ending, StepStatus
from shared.models.rows import StepRow
from shared.models.run import Thresholds
from shared.text.amounts import dollars

WHOLE_UP_TO = 60
"""A run of so many turns is on its page as a whole; of a longer one folded rounds are read when they are opened."""
OPEN_ROUNDS = 1


@dataclass(frozen=True)
class Convergence:
    """How far a discussion came: the last score, how it is called, its class, and its history as plots."""

    score: float
    wording: str
    tone: str
    line: str
    reason: str
    history: Drawing | None


@dataclass(frozen=True)
class Waiting:
    """Somebody that the run waits for: a participant at work, one that is held back, or a run that it started."""

    who: str
    what: str
    why: str = ""
    run: str = ""


@dataclass(frozen=True)
class Share:
    """What one participant took of the run."""

    who: str
    turns: int
    failed: int
    tokens: str
    cost: str


@dataclass(frozen=True)
class RunPageView:
    """A run as its page shows it. `live` is what turns that are being written have said so far, by step."""

    report: RunReport
    words: Translator
    live: Mapping[str, str] = field(default_factory=dict)

    @property
    def badge(self) -> Badge:
        """What it does now."""
        return run_badge(self.report.run.status, self.report.run.phase, self.words)

    @property
    def verdict(self) -> Badge | None:
        """What it came to."""
        return verdict_badge(self.report.verdict, self.words)

    @property
    def has_code(self) -> bool:
        """Whether it is about code, which has a page then."""
        return self.report.workflow.subject in (SubjectKind.CHANGE, SubjectKind.TASK)

    @property
    def code(self) -> str:
        """The address of that page where places can be looked up in it; empty where no graph is known."""
        return code_page_of(self.report)

    @cached_property
    def stations(self) -> tuple[ShownStation, ...]:
        """Its way."""
        return stations(self.report, self.words)

    @cached_property
    def rounds(self) -> tuple[Round, ...]:
        """All that was said."""
        return rounds(self.report, self.words)

    @cached_property
    def unfolded(self) -> frozenset[str]:
        """The rounds that stand open: those that go on, and of a run without a result the last one."""
        going = [part.id for part in self.rounds if part.is_open]
        last = [part.id for part in self.rounds[-OPEN_ROUNDS:]] if not self.result else []
        return frozenset(going or last)

    @property
    def is_whole(self) -> bool:
        """Whether folded rounds are on the page."""
        return len(self.report.steps) <= WHOLE_UP_TO

    @cached_property
    def result(self) -> list[Block]:
        """What it came to, or what is known when a person is asked; empty before."""
        report = self.report
        if not report.run.status.final and report.open_decision is None:
            return []
        asked = report.open_decision is not None
        return document(report, self.words, deciding=asked, on_page=True)

    @property
    def has_text(self) -> bool:
        """Whether a whole text belongs beside the result, which then takes the width of the page."""
        return any(isinstance(block, AnnotatedText) for block in self.result)

    @cached_property
    def course(self) -> list[Block]:
        """How it came about so far; empty where its workflow does not tell."""
        return course_document(self.report, self.words)

    @property
    def cost(self) -> str:
        """What it has cost so far; empty where nobody was paid."""
        return cost_of(self.report.usage, self.words) or ""

    @property
    def took(self) -> str:
        """How long it was worked on."""
        return duration(self.report.run.worked_s, self.words)

    @property
    def question(self) -> str:
        """What a person is asked now; empty when nobody is."""
        decision = self.report.open_decision
        return "" if decision is None else asked(decision, self.words)

    @property
    def warnings(self) -> list[str]:
        """What a reader must not overlook; a result says it itself."""
        return [] if self.result else gathered(self.report.warnings, self.words)

    @cached_property
    def convergence(self) -> Convergence | None:
        """How far the discussion came; None where rounds are not assessed, or none is yet."""
        last = self.report.assessment
        if last is None or not self.report.workflow.assesses:
            return None
        ending = self.report.ending
        how = ending.value if ending is not None else last.metrics.recommendation.value
        reason = shortened_names(last.reason) if last.reason else None
        return Convergence(
            score=last.metrics.overall_score,
            wording=self.words.message(f"how_{how}"),
            tone=_tone(ending),
            line=convergence_line(self.report, self.words),
            reason=self.words.translate(reason) if reason else "",
            history=_history(self.report, self.words),
        )

    @cached_property
    def waiting(self) -> tuple[Waiting, ...]:
        """Who is waited for, and why where a worker knows."""
        if self.report.run.status.final:
            return ()
        children = {child.run.parent_step: child.run.id for child in self.report.children}
        opened = (step for step in self.report.steps if step.is_open)
        return tuple(
            Waiting(
                who=step.participant,
                what=self.words.role(step.role),
                why=self._why(step),
                run=children.get(step.key, ""),
            )
            for step in opened
        )

    def _why(self, step: StepRow) -> str:
        if step.status == StepStatus.LEASED:
            return self.words.message("turn_leased")
        return self.words.column(step.note) if step.note else self.words.message("went_queue")

    @cached_property
    def bill(self) -> tuple[Share, ...]:
        """What each participant took, whoever took most first."""
        steps: dict[str, list[StepRow]] = {}
        for step in self.report.steps:
            if step.kind == "turn":
                steps.setdefault(step.participant, []).append(step)
        costs = {name: sum(step.cost_usd or 0.0 for step in taken) for name, taken in steps.items()}
        ordered = sorted(steps, key=lambda name: (-costs[name], name))
        return tuple(_share(name, steps[name], costs[name]) for name in ordered)


def _tone(ending: Ending | None) -> str:
    if ending is None:
        return ""
    return "converged" if ending is Ending.CONVERGED else "stalled"


def _share(name: str, steps: list[StepRow], cost: float) -> Share:
    tokens = sum(step.tokens or 0 for step in steps)
    failed = sum(step.status == StepStatus.FAILED for step in steps)
    return Share(
        name, len(steps), failed, f"{tokens:,}" if tokens else "–", dollars(cost) if cost else "–"
    )


def _history(report: RunReport, words: Translator) -> Drawing | None:
    """Agreement, stability and score over the rounds, each beside what is needed of it."""
    recorded = [each for each in report.assessments if each.is_of_round]
    if len(recorded) < 2:
        return None
    needed = Thresholds.model_validate(report.spec.options.get("thresholds") or {})
    plots = (
        _plot("agreement", recorded, _agreement, needed.agreement, words),
        _plot("stability", recorded, _stability, needed.stability, words),
        _plot("score", recorded, _score, None, words),
    )
    names = ("round", "agreement", "stability", "score", "advice")
    table = Grid(
        tuple(words.message(f"figure_{name}") for name in names),
        tuple(_row(each, words) for each in recorded),
    )
    return Drawing(Plots(plots), table)


Figure = Callable[[ConvergenceMetrics], float | None]
_agreement: Figure = attrgetter("agreement_ratio")
_stability: Figure = attrgetter("avg_stability")
_score: Figure = attrgetter("overall_score")


def _plot(
    name: str,
    recorded: Sequence[RecordedAssessment],
    figure: Figure,
    needed: float | None,
    words: Translator,
) -> RangePlot:
    values = [figure(each.figures.metrics) for each in recorded]
    return RangePlot(
        name=words.message(f"figure_{name}"),
        unit="",
        values=tuple(
            DrawnValue(
                value,
                f"{value:.2f}",
                line=number,
                when=words.message("round_n", n=number),
                outside=needed is not None and value < needed,
            )
            for number, value in enumerate(values, 1)
            if value is not None
        ),
        low=needed,
        high=None if needed is None else 1.0,
        range_text="" if needed is None else words.message("figure_needed", needed=needed),
    )


def _row(recorded: RecordedAssessment, words: Translator) -> tuple[str, ...]:
    metrics = recorded.figures.metrics
    return (
        str(recorded.figures.round),
        f"{metrics.agreement_ratio:.2f}",
        "-" if metrics.avg_stability is None else f"{metrics.avg_stability:.2f}",
        f"{metrics.overall_score:.2f}",
        words.message(f"how_{metrics.recommendation.value}"),
    )
