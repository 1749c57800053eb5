"""What a decision's page shows: a view model of the report, the same for every workflow that declares decisions.

The parts are those of the workflow's own document (`core/document.py`), in its order; findings get boxes to pick them,
patches their colours. What is the page's own: the answers, how far the panel came, who changed their mind, and what is
held against findings.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from markupsafe import Markup

from orchestrator.presentation.choices import keys_for, options_of
from orchestrator.presentation.convergence import convergence_line
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.questions import asked
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.result import decision_document
from orchestrator.presentation.run_pages.code_page import code_page_of
from orchestrator.web.pages.documents import (
    DocumentPart,
    PickBoxes,
    document_markup,
    document_parts,
    headline_and_rest,
)
from orchestrator.workflows.registry import decision_choices
from shared.models.assessment import Assessment
from shared.models.decision import DecisionAnswer, DecisionState
from shared.models.findings import Position
from shared.models.outcomes import Ending
from shared.models.rows import DecisionRow


@dataclass(frozen=True)
class AnswerButton:
    """An answer that can be given: what stands on its button, what follows from it, and its key."""

    word: str
    label: str
    consequence: str
    key: str
    writes: bool
    picks: bool
    asks_why: bool


def answer_buttons(decision: DecisionRow, words: Translator) -> tuple[AnswerButton, ...]:
    """The answers that are offered, in the workflow's order."""
    declared = decision_choices()
    keys = {option: key for key, option in keys_for(options_of(decision)).items()}
    return tuple(
        AnswerButton(
            word=word,
            label=label_of(decision.kind, word, words),
            consequence=words.word(f"then_{decision.kind}_{word}", ""),
            key=keys[word],
            writes=word in declared and declared[word].writes,
            picks=word in declared and (declared[word].writes or declared[word].picks),
            asks_why=word in declared and declared[word].asks_why,
        )
        for word in options_of(decision)
    )


def label_of(kind: str, word: str, words: Translator) -> str:
    """What an answer is called on its button: as that question calls it, else as any does, else its plain word."""
    plain = words.word(f"option_{word}", word)
    return words.word(f"button_{kind}_{word}", words.word(f"button_{word}", plain))


# ---- how far the panel came ---------------------------------------------------------------------


@dataclass(frozen=True)
class RoundMark:
    """A round's figures, for a row of the history."""

    number: int
    score: float
    agreement: float
    stability: float | None
    state: str


@dataclass(frozen=True)
class ConvergenceView:
    """The last figures, their history, and in `tone` whether that is good (`converged`) or bad (`stalled`)."""

    score: float
    state: str
    tone: str
    line: str
    rounds: tuple[RoundMark, ...]


_TONES = {
    Ending.CONVERGED.value: "converged",
    Ending.STALLED.value: "stalled",
    Ending.LOOPING.value: "stalled",
    Ending.OSCILLATING.value: "stalled",
}


def convergence_view(report: RunReport, words: Translator) -> ConvergenceView | None:
    """How far the discussion came; None where nothing was assessed, or nobody but rules looked."""
    last = report.assessment
    if last is None or report.spec.panel.by_rules:
        return None
    ended = (report.ending or last.metrics.recommendation).value
    return ConvergenceView(
        score=last.metrics.overall_score,
        state=words.message(f"how_{ended}"),
        tone=_TONES.get(ended, "open"),
        line=convergence_line(report, words),
        rounds=tuple(_round(each.figures, words) for each in report.assessments),
    )


def _round(figures: Assessment, words: Translator) -> RoundMark:
    metrics = figures.metrics
    return RoundMark(
        figures.round,
        metrics.overall_score,
        metrics.agreement_ratio,
        metrics.avg_stability,
        words.message(f"how_{metrics.recommendation.value}"),
    )


# ---- who changed their mind ---------------------------------------------------------------------


@dataclass(frozen=True)
class ChangeOfMind:
    """Somebody who left a position on a finding for another one, when, and why."""

    participant: str
    finding: str
    title: str
    before: str
    after: str
    round: int
    reason: str


def changes_of_mind(report: RunReport, words: Translator) -> tuple[ChangeOfMind, ...]:
    """In the order in which it happened."""
    titles = {finding.id: words.finding(finding).title for finding in report.findings}
    stances: dict[tuple[str, str], list[tuple[Position, int, str]]] = {}
    for stance in report.ledger:
        stated = stances.setdefault((stance.participant, stance.finding), [])
        stated.append((stance.position, stance.round, stance.reason))
    changes = [
        ChangeOfMind(
            participant=participant,
            finding=finding,
            title=titles.get(finding, ""),
            before=words.message(f"position_{before.value}"),
            after=words.message(f"position_{after.value}"),
            round=number,
            reason=reason,
        )
        for (participant, finding), stated in stances.items()
        for (before, _, _), (after, number, reason) in pairwise(stated)
        if before is not after
    ]
    return tuple(sorted(changes, key=lambda change: (change.round, change.finding)))


# ---- all of it ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class GivenAnswer:
    """What was decided, by whom and how."""

    label: str
    actor: str
    channel: str
    message: str
    only: tuple[str, ...] | None

    @classmethod
    def of(cls, decision: DecisionRow, words: Translator) -> GivenAnswer | None:
        """The recorded answer; None while there is none."""
        if decision.answer is None:
            return None
        answer = DecisionAnswer.model_validate(decision.answer)
        label = label_of(decision.kind, answer.choice, words)
        return cls(label, answer.actor, answer.channel, answer.message, answer.only)


@dataclass(frozen=True)
class DecisionView:
    """A decision as its page shows it."""

    decision: DecisionRow
    question: str
    buttons: tuple[AnswerButton, ...]
    silence: str
    selectable: tuple[str, ...]
    without_card: tuple[tuple[str, bool], ...]
    has_findings: bool
    headline: Markup
    parts: tuple[DocumentPart, ...]
    convergence: ConvergenceView | None
    changes: tuple[ChangeOfMind, ...]
    given: GivenAnswer | None

    @property
    def is_open(self) -> bool:
        """Whether it can be answered."""
        return self.decision.state is DecisionState.OPEN


def decision_view(
    report: RunReport, decision: DecisionRow, words: Translator, picked: Iterable[str] | None = None
) -> DecisionView:
    """The page of one of the run's decisions; `picked` are the findings that were picked so far (None: all)."""
    selectable = tuple(decision.question.get("selectable") or ())
    is_open = decision.state is DecisionState.OPEN
    chosen = None if picked is None else frozenset(picked)
    buttons = answer_buttons(decision, words)
    picks = is_open and any(button.picks for button in buttons)
    boxes = PickBoxes(words, selectable if picks else (), chosen, "answer", code_page_of(report))
    headline, rest = headline_and_rest(decision_document(report, words))
    silence = decision.question.get("on_timeout")
    parts = document_parts(rest, words, boxes)
    return DecisionView(
        decision=decision,
        question=asked(decision, words),
        buttons=buttons,
        silence="" if silence is None else label_of(decision.kind, str(silence), words),
        selectable=boxes.selectable,
        without_card=boxes.left,
        has_findings=bool(report.kept),
        headline=document_markup(headline, words, boxes),
        parts=parts,
        convergence=convergence_view(report, words),
        changes=changes_of_mind(report, words),
        given=GivenAnswer.of(decision, words),
    )
