"""The loop of a discussion of findings: rounds of turns, what each brought, and the assessment that ends them.

`review` and `plan` are discussions: they say which steps a speaker takes, and what its claims and positions weigh.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Protocol

from orchestrator.core.consensus.convergence import ConvergenceRule, assess
from orchestrator.core.discussion.clarifying import Contradicted, contradicted, restated
from orchestrator.core.discussion.contested import Agenda, agenda, unanswered
from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.discussion.portions import Portion
from orchestrator.core.discussion.strategies import DiscussionRole, Speaker, Strategy
from orchestrator.core.discussion.turn_results import (
    TurnResult,
    absences,
    in_round,
    over_budget,
    take_turns,
)
from orchestrator.core.findings.evidence import weighty
from orchestrator.core.findings.reasons import not_believed
from orchestrator.core.findings.stances import settle
from orchestrator.core.replay.commands import Effect, RoundRecord, ToolRun, Turn, record, together
from orchestrator.core.rounds import Contribution, RoundTaken, Voice, joined
from orchestrator.core.wording import spoken_text
from shared.models.assessment import Assessment, Recommendation
from shared.models.findings import Finding, Stance
from shared.models.notices import Notice, notice, sentences
from shared.models.outcomes import Ending
from shared.models.panel import Participant
from shared.models.replies import REPLY_MODELS
from shared.models.review_replies import Clarification
from shared.models.steps import StepResult


@dataclass(frozen=True)
class DiscussionTerms:
    """Who discusses by which strategy, for how long, and how it is judged.

    `cycle` makes the names of steps and findings unique in the run.
    """

    strategy: Strategy
    critics: Sequence[Participant]
    author: Participant
    rounds: int
    rule: ConvergenceRule
    cycle: Cycle


@dataclass(frozen=True)
class PlannedStep:
    """A step of a round: whose it is, and which pieces of a change it is shown (None: all of it)."""

    speaker: Speaker
    step: Turn | ToolRun
    shown: Portion | None = None


@dataclass(frozen=True)
class TakenStep(PlannedStep):
    """A step that has ended."""

    result: StepResult = field(kw_only=True)

    @property
    def turn(self) -> TurnResult:
        """The result as a bill shows it: what computes and calls nobody costs nothing."""
        participant, result = self.speaker.participant, self.result
        if participant.rule_based:
            result = result.model_copy(update={"tokens": 0, "cost_usd": 0.0})
        return TurnResult(participant.name, result)


@dataclass(frozen=True)
class RoundRead:
    """A round's replies, read."""

    taken: RoundTaken
    steps: tuple[TakenStep, ...]
    contributions: tuple[Contribution, ...]
    clarified: tuple[TurnResult, ...] = ()

    @property
    def turns(self) -> tuple[TurnResult, ...]:
        """The results with whose they are."""
        return (*(step.turn for step in self.steps), *self.clarified)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Who did not answer."""
        return absences([step.turn for step in self.steps], in_round(self.taken.number))

    def with_contributions(
        self, changed: Mapping[Voice, Contribution], clarified: Sequence[TurnResult]
    ) -> RoundRead:
        """The same, with what some of its voices stated again."""
        contributions, taken = (
            tuple(changed.get((each.participant, each.role), each) for each in every)
            for every in (self.contributions, self.taken.contributions)
        )
        return RoundRead(
            replace(self.taken, contributions=taken), self.steps, contributions, tuple(clarified)
        )


@dataclass(frozen=True)
class History:
    """What has been said so far, and what the panel made of it."""

    read: tuple[RoundRead, ...] = ()
    findings: tuple[Finding, ...] = ()
    ledger: tuple[Stance, ...] = ()
    assessments: tuple[Assessment, ...] = ()

    @property
    def rounds(self) -> tuple[RoundTaken, ...]:
        """The rounds as the detectors see them."""
        return tuple(read.taken for read in self.read)

    @property
    def contributions(self) -> tuple[Contribution, ...]:
        """What everybody said, in order."""
        return tuple(contribution for read in self.read for contribution in read.contributions)

    @property
    def assessment(self) -> Assessment | None:
        """The last round's."""
        return self.assessments[-1] if self.assessments else None

    @property
    def ending(self) -> Ending | None:
        """How it ended; a discussion without a round lacks everybody."""
        return Ending.DEGRADED if self.assessment is None else self.assessment.ending

    @property
    def blind(self) -> tuple[TurnResult, ...]:
        """The turns of the first round, in which nobody has heard anyone else."""
        return self.read[0].turns if self.read else ()

    @property
    def debate(self) -> tuple[TurnResult, ...]:
        """The turns of the rounds after it."""
        return tuple(turn for read in self.read[1:] for turn in read.turns)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Who did not answer, round by round."""
        return tuple(warning for read in self.read for warning in read.warnings)

    def contradictions(self, cycle: Cycle) -> tuple[Notice, ...]:
        """Whose position on a finding did not count because of its own reason, each once."""
        doubted = ((line.participant, line.finding) for line in self.ledger if not_believed(line))
        return tuple(
            notice("position_against_reason", who=participant, finding=cycle.label(finding))
            for participant, finding in dict.fromkeys(doubted)
        )

    @property
    def over_budget(self) -> bool:
        """True when the budget refused a turn of the last round."""
        return bool(self.read) and over_budget(self.read[-1].turns)

    def points_for(self, role: DiscussionRole) -> Agenda:
        """What a round is about: what is contested, and for the author all that it has not answered yet."""
        due = unanswered(self.findings, self.ledger) if role.answers else ()
        return agenda(self.findings, self.assessment, due)

    def followed_by(self, read: RoundRead, written: RoundRecord) -> History:
        """The history with one more round."""
        return History(
            read=(*self.read, read),
            findings=written.findings,
            ledger=(*self.ledger, *written.stances),
            assessments=(*self.assessments, written.assessment),
        )


@dataclass(frozen=True)
class Weighed:
    """All findings after a round, how many it brought, and the positions taken in it.

    `unchecked` says that something was left out that a missing turn might have proved.
    """

    findings: tuple[Finding, ...]
    new: int
    stances: tuple[Stance, ...]
    unchecked: bool = False


class Discussion(Protocol):
    """What differs between one workflow's discussion and another's."""

    @property
    def terms(self) -> DiscussionTerms:
        """Who discusses how."""
        ...

    def steps(
        self, speakers: Sequence[Speaker], number: int, history: History
    ) -> Iterable[PlannedStep]:
        """A round: the steps of its speakers, in their order."""
        ...

    def clarification(self, asked: Contradicted, number: int) -> Turn:
        """Asks somebody to state positions again that contradict their reasons."""
        ...

    def weigh(self, history: History, read: RoundRead) -> Weighed:
        """What the claims and positions of a round are worth by their evidence."""
        ...


def discuss(
    discussion: Discussion, answered: Mapping[str, StepResult] = MappingProxyType({})
) -> Effect[History]:
    """Rounds until an assessment ends them; what is `answered`, by step key, is not asked again."""
    terms, history = discussion.terms, History()
    for number in range(1, terms.rounds + 1):
        cast = terms.strategy.cast(number)
        speakers = cast.speakers(terms.critics, terms.author)
        planned = list(discussion.steps(speakers, number, history))
        results = yield from results_of([each.step for each in planned], answered)
        read = read_round(
            number,
            cast.roles[0].name,
            [
                TakenStep(
                    planned_step.speaker, planned_step.step, planned_step.shown, result=result
                )
                for planned_step, result in zip(planned, results, strict=True)
            ],
        )
        if terms.rule.by_voices:
            read = yield from clarify(discussion, history, read)
        written = yield from record(
            terms.cycle.key("round", number), RoundRecord, partial(judge, discussion, history, read)
        )
        history = history.followed_by(read, written)
        if written.assessment.ending is not None:
            break
    return history


def clarify(discussion: Discussion, history: History, read: RoundRead) -> Effect[RoundRead]:
    """Ask whoever contradicts themselves once, before the round is judged."""
    asked = _contradicting(history, read)
    if not asked:
        return read
    number = read.taken.number
    turns = yield from take_turns(
        discussion.clarification(whose, number) for whose in asked.values()
    )
    stated = {(each.participant, each.role): each for each in read.taken.contributions}
    changed = {
        voice: restated(stated[voice], whose, Clarification.model_validate(turn.result.reply))
        for (voice, whose), turn in zip(asked.items(), turns, strict=True)
        if turn.result.reply is not None
    }
    return read.with_contributions(changed, turns)


def _contradicting(history: History, read: RoundRead) -> dict[Voice, Contradicted]:
    """Who takes positions against their own reasons; what computes has rules for reasons."""
    speakers = {
        (step.speaker.participant.name, step.speaker.role.name): step.speaker for step in read.steps
    }
    asked: dict[Voice, Contradicted] = {}
    for contribution in read.taken.contributions:
        if contribution.computes or not contribution.answered:
            continue
        voice = contribution.participant, contribution.role
        if stances := contradicted(contribution, history.findings):
            asked[voice] = Contradicted.by(speakers[voice], stances, history.findings)
    return asked


def results_of(
    steps: Sequence[Turn | ToolRun], answered: Mapping[str, StepResult]
) -> Effect[tuple[StepResult, ...]]:
    """The results of the steps in their order, asking for those that are not there yet."""
    missing = [step for step in steps if step.key not in answered]
    new = yield from together(missing)
    known = {**answered, **{step.key: result for step, result in zip(missing, new, strict=True)}}
    return tuple(known[step.key] for step in steps)


def read_round(number: int, role: str, steps: Sequence[TakenStep]) -> RoundRead:
    """Read the replies of a round; a failure is a contribution that is missing."""
    contributions = [_contribution(number, step) for step in steps]
    return RoundRead(
        taken=RoundTaken(number, role, joined(contributions)),
        steps=tuple(steps),
        contributions=tuple(
            contribution for contribution in contributions if contribution.answered
        ),
    )


def _contribution(number: int, step: TakenStep) -> Contribution:
    name, role = step.speaker.participant.name, step.speaker.role
    computes = step.speaker.participant.rule_based
    reply = step.result.reply
    if reply is None:
        return Contribution(name, role.name, answered=False, computes=computes)
    stated = REPLY_MODELS[role.reply].model_validate(reply)
    return Contribution(
        participant=name,
        role=role.name,
        text=spoken_text(reply),
        stances=getattr(stated, "stances", ()),
        round=number,
        reply=reply,
        stated=stated,
        verdict=getattr(stated, "verdict", None),
        computes=computes,
    )


def judge(discussion: Discussion, history: History, read: RoundRead) -> RoundRecord:
    """What a round brought: merged findings, the ledger's new lines, the figures.

    Only what its evidence shows has weight; the rest is recorded with the reason.
    """
    terms = discussion.terms
    rule = terms.rule
    weighed = discussion.weigh(history, read)
    stances = tuple(rule.counted(weighed.stances, weighed.findings))
    ledger = (*history.ledger, *stances)
    findings = settle(
        weighed.findings, ledger, threshold=rule.thresholds.agreement, rules=rule.rules
    )
    assessment = assess(
        (*history.rounds, read.taken),
        weighty(findings),
        ledger,
        rule=terms.rule,
        new_findings=weighed.new,
        is_last_round=read.taken.number == terms.rounds,
        over_budget=over_budget(step.result for step in read.steps),
        unchecked=weighed.unchecked,
    )
    return RoundRecord(
        prefix=terms.cycle.prefix,
        assessment=not_too_early(terms.strategy, assessment),
        findings=findings,
        stances=stances,
    )


def not_too_early(strategy: Strategy, assessment: Assessment) -> Assessment:
    """The assessment, without an agreement that comes before everybody has had the word."""
    early = assessment.round < strategy.fewest_rounds
    if not early or assessment.ending is not Ending.CONVERGED:
        return assessment
    metrics = assessment.metrics.model_copy(update={"recommendation": Recommendation.CONFIRM})
    awaited = notice(strategy.awaited) if strategy.awaited else None
    reason = sentences(assessment.reason, awaited)
    return assessment.model_copy(update={"metrics": metrics, "ending": None, "reason": reason})
