"""What a round's figures mean: go on, confirm, or end, and how.

Theory of operation. Two detectors are always computed; one decides, the other is the second opinion. `stance`
counts positions on findings, `text` follows the answers of plain turns, `lexical` (and `lexical-published`) reads
the wording. A detector gives figures and a recommendation; `assess` adds what no figure knows: quorum, new findings,
repetition, the last round, the budget.

The one rule that everything here keeps: missing data never converges. Replacing any contribution by an
unanswered one never turns an assessment into `converged`. So the test for convergence comes before all
other endings, and every figure it reads can only fall when something goes missing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from orchestrator.core.consensus.agreements import (
    FindingAgreement,
    advice,
    agreement_by_figure,
    agreement_by_voices,
)
from orchestrator.core.consensus.detectors import Detector
from orchestrator.core.consensus.detectors.lexical import (
    Utterance,
    assess_wording,
    compute_convergence,
    overall_score,
)
from orchestrator.core.consensus.detectors.text import assess_text
from orchestrator.core.consensus.loop_detection import oscillations, repeating
from orchestrator.core.findings.reasons import believed
from orchestrator.core.findings.stances import STATED_QUORUM, Floor, stability_within
from orchestrator.core.rounds import Contribution, RoundTaken, absent, turns_by_voice
from shared.models.assessment import Assessment, ConvergenceMetrics, Recommendation
from shared.models.findings import Finding, Severity, Stance
from shared.models.notices import Notice, notice, sentences
from shared.models.outcomes import Ending
from shared.models.run import NEWEST_RULES, RulesVersion, Thresholds

__all__ = ["Contribution", "ConvergenceRule", "Detector", "RoundTaken", "assess"]


class JudgedBy(Protocol):
    """The options of a discussion that say how it is judged."""

    @property
    def thresholds(self) -> Thresholds: ...
    @property
    def detector(self) -> str: ...
    @property
    def quorum(self) -> int | None: ...


@dataclass(frozen=True)
class ConvergenceRule:
    """How a discussion is judged.

    `quorum` is how many of a round must answer (None: more than half, and nobody's silence is taken for
    approval); `stated_quorum` how many positions decide a finding.
    """

    thresholds: Thresholds = field(default_factory=Thresholds)
    detector: Detector = Detector.STANCE
    quorum: int | None = None
    stated_quorum: int = STATED_QUORUM
    rules: RulesVersion = NEWEST_RULES

    @classmethod
    def of(cls, options: JudgedBy, rules: RulesVersion) -> ConvergenceRule:
        """The rule that a discussion's options ask for. Raises ValueError for an unknown detector."""
        return cls(options.thresholds, Detector(options.detector), options.quorum, rules=rules)

    @property
    def by_voices(self) -> bool:
        """Whether every voice is looked at, and its reason, instead of the figures alone."""
        return self.rules >= RulesVersion.EXAMINED

    def counted(self, ledger: Sequence[Stance], findings: Sequence[Finding]) -> Sequence[Stance]:
        """The ledger without positions that their own reasons contradict."""
        return believed(ledger, findings) if self.by_voices else ledger

    def agreement_on(self, finding: Finding, floor: Floor) -> FindingAgreement:
        """How far a finding is agreed on."""
        threshold, quorum = self.thresholds.agreement, self.stated_quorum
        if not self.by_voices:
            return agreement_by_figure(finding, floor, threshold, quorum)
        asked = self.quorum_of(len(floor.asked(finding)))
        return agreement_by_voices(finding, floor, threshold, max(quorum, asked))

    def quorum_of(self, expected: int) -> int:
        """How many of `expected` must answer; a round of one (the author's) never needs two."""
        if self.quorum is not None:
            return max(1, min(self.quorum, expected))
        return expected // 2 + 1


@dataclass(frozen=True)
class _Facts:
    """Everything the ending depends on."""

    recommendation: Recommendation
    answered: int
    expected: int
    quorum: int
    open_findings: tuple[str, ...]
    agreed_findings: tuple[str, ...] | None
    new_findings: int
    nothing_raised: bool
    missing: tuple[str, ...]
    absence_allowed: bool
    unchecked: bool
    wording_incomplete: bool
    swinging: tuple[tuple[str, str], ...]
    repeated: bool
    is_last_round: bool
    over_budget: bool


_Ruling = tuple[Recommendation, Ending | None, Notice]
# A text that is missing could have been the one that disagreed.
_NEEDS_EVERY_TEXT = (Detector.TEXT, Detector.LEXICAL_PUBLISHED)


def assess(
    rounds: Sequence[RoundTaken],
    findings: Sequence[Finding],
    ledger: Sequence[Stance],
    *,
    rule: ConvergenceRule,
    new_findings: int,
    is_last_round: bool,
    over_budget: bool,
    unchecked: bool = False,
) -> Assessment:
    """Judge the discussion after the latest of `rounds` (all of them so far, in any order).

    `findings` are all known ones, `ledger` all stances including those that raising implies, `new_findings` how
    many the latest round brought; `unchecked` says that something was left out of them that a missing turn might
    have proved. Raises ValueError without a round.
    """
    if not rounds:
        raise ValueError("there is no round to assess")
    latest = max(rounds, key=lambda taken: taken.number)
    ledger = rule.counted(ledger, findings)
    floor = Floor.of(rounds, ledger)
    agreements = {finding.id: rule.agreement_on(finding, floor) for finding in findings}
    stances = _stance_metrics(rounds, findings, ledger, agreements, rule)
    metrics, second = _with_words(stances, rounds, rule, ended=is_last_round)
    facts = _Facts(
        recommendation=metrics.recommendation,
        answered=latest.answered,
        expected=len(latest.contributions),
        quorum=rule.quorum_of(len(latest.contributions)),
        open_findings=_ids(agreements.values(), agreed=False),
        agreed_findings=_ids(agreements.values(), agreed=True) if rule.by_voices else None,
        new_findings=new_findings,
        nothing_raised=not findings and new_findings == 0,
        missing=absent(rounds),
        absence_allowed=rule.quorum is not None,
        unchecked=unchecked,
        wording_incomplete=rule.detector in _NEEDS_EVERY_TEXT and _lacks_a_text(rounds),
        swinging=oscillations(floor.lines),
        repeated=repeating(rounds),
        is_last_round=is_last_round,
        over_budget=over_budget,
    )
    recommendation, ending, reason = _rule_on(facts)
    if rule.detector is not Detector.LEXICAL_PUBLISHED:  # the published rule keeps its three words
        metrics = _settled_metrics(metrics, facts, recommendation, ending)
    return Assessment(
        round=latest.number,
        metrics=metrics,
        second_opinion=second,
        answered=facts.answered,
        expected=facts.expected,
        quorum=facts.quorum,
        open_findings=facts.open_findings,
        agreed_findings=facts.agreed_findings,
        new_findings=new_findings,
        ending=ending,
        reason=reason,
    )


def _settled_metrics(
    metrics: ConvergenceMetrics,
    facts: _Facts,
    recommendation: Recommendation,
    ending: Ending | None,
) -> ConvergenceMetrics:
    """The figures with the recommendation; where nothing was said that could change, they say so, too."""
    silent = facts.nothing_raised and ending is Ending.CONVERGED
    stable = {"avg_stability": 1.0, "overall_score": 1.0} if silent else {}
    return metrics.model_copy(update={"recommendation": recommendation, **stable})


def _ids(agreements: Iterable[FindingAgreement], *, agreed: bool) -> tuple[str, ...]:
    return tuple(each.finding for each in agreements if each.agreed is agreed)


def _with_words(
    stances: ConvergenceMetrics,
    rounds: Sequence[RoundTaken],
    rule: ConvergenceRule,
    *,
    ended: bool,
) -> tuple[ConvergenceMetrics, ConvergenceMetrics]:
    """The figures of the rule's detector, and those of the other kind as a second opinion."""
    if rule.detector is Detector.STANCE:
        return stances, _wording_metrics(rounds, Detector.LEXICAL, rule)
    return _wording_metrics(rounds, rule.detector, rule, ended=ended), stances


def _lacks_a_text(rounds: Sequence[RoundTaken]) -> bool:
    return any(
        not (contribution.answered and contribution.text.strip())
        for taken in rounds
        for contribution in taken.contributions
    )


# ---- figures ------------------------------------------------------------------------------------


def _stance_metrics(
    rounds: Sequence[RoundTaken],
    findings: Sequence[Finding],
    ledger: Sequence[Stance],
    agreements: Mapping[str, FindingAgreement],
    rule: ConvergenceRule,
) -> ConvergenceMetrics:
    if findings:
        agreement = sum(sorted(each.figure for each in agreements.values())) / len(findings)
    else:
        # Nothing to stand on: the share of those who were there to say so.
        turns = turns_by_voice(rounds).values()
        present = sum(taken[-1].contribution.answered for taken in turns)
        agreement = present / len(turns) if turns else 0.0
    stability = stability_within(rounds, ledger, findings)
    # An average must not drown a dispute about a grave defect.
    grave = any(
        not agreements[finding.id].agreed and finding.severity.rank <= Severity.MAJOR.rank
        for finding in findings
    )
    agrees = agreement >= rule.thresholds.agreement and not grave
    stable = None if stability is None else stability >= rule.thresholds.stability
    return ConvergenceMetrics(
        detector=Detector.STANCE,
        agreement_ratio=agreement,
        avg_stability=stability,
        overall_score=overall_score(agreement, stability, rule.thresholds),
        recommendation=advice(agrees, stable, agreements.values(), rule.thresholds.agreement),
    )


def _wording_metrics(
    rounds: Sequence[RoundTaken],
    detector: Detector,
    rule: ConvergenceRule,
    *,
    ended: bool = False,
) -> ConvergenceMetrics:
    if detector is Detector.LEXICAL:
        return assess_wording(rounds, rule.thresholds)
    if detector is Detector.TEXT:
        return assess_text(rounds, rule.thresholds, rule.rules, ended=ended)
    utterances = [
        Utterance(taken.number, contribution.role, contribution.text, contribution.participant)
        for taken in rounds
        for contribution in taken.contributions
        if contribution.answered
    ]
    return compute_convergence(utterances, rule.thresholds)


# ---- rulings, in their order --------------------------------------------------------------------


def _rule_on(facts: _Facts) -> _Ruling:
    if facts.answered < facts.quorum:
        return _without_quorum(facts)
    if (converged := _converged(facts)) is not None:
        return converged
    if (stuck := _stuck(facts)) is not None:
        return stuck
    advised = (
        Recommendation.CONFIRM
        if facts.recommendation is Recommendation.CONFIRM and not facts.new_findings
        else Recommendation.CONTINUE
    )
    if facts.is_last_round:
        return advised, Ending.EXHAUSTED, notice("last_round_over", open=_left_open(facts))
    if facts.over_budget:
        reason = notice("budget_for_no_round", open=_left_open(facts))
        return advised, Ending.OVER_BUDGET, reason
    return advised, None, _left_open(facts)


def _without_quorum(facts: _Facts) -> _Ruling:
    counted = notice(
        "quorum_missed", answered=facts.answered, expected=facts.expected, n=facts.quorum
    )
    if facts.over_budget:
        reason = notice("budget_before_quorum", counted=counted)
        return Recommendation.DEGRADED, Ending.OVER_BUDGET, reason
    return Recommendation.DEGRADED, Ending.DEGRADED, counted


def _converged(facts: _Facts) -> _Ruling | None:
    if facts.unchecked:
        return None
    if facts.nothing_raised:
        if not facts.missing:
            reason = notice("nothing_raised")
        elif facts.absence_allowed:
            reason = notice("nothing_raised_by_quorum", who=facts.missing)
        else:
            return None
        return Recommendation.CONVERGED, Ending.CONVERGED, reason
    if facts.recommendation is not Recommendation.CONVERGED:
        return None
    if facts.new_findings or facts.wording_incomplete:
        return None
    return Recommendation.CONVERGED, Ending.CONVERGED, _agreed(facts)


def _agreed(facts: _Facts) -> Notice:
    agreed = facts.agreed_findings
    if agreed is None or not facts.open_findings:
        return notice("agreed")
    known = len(agreed) + len(facts.open_findings)
    return notice("agreed_on_some", agreed=len(agreed), known=known, open=facts.open_findings)


def _stuck(facts: _Facts) -> _Ruling | None:
    """Endings without agreement that another round would not change; something new always deserves one."""
    if facts.new_findings:
        return None
    if facts.swinging:
        trails = [
            notice("someone_on", who=participant, what=what) for participant, what in facts.swinging
        ]
        reason = notice("positions_swing", trails=trails)
        return Recommendation.OSCILLATING, Ending.OSCILLATING, reason
    if facts.repeated and facts.open_findings:
        reason = notice("everybody_repeats", open=_open(facts))
        return Recommendation.LOOPING, Ending.LOOPING, reason
    if facts.recommendation is Recommendation.STALLED:
        reason = notice("positions_settled", open=_open(facts))
        return Recommendation.STALLED, Ending.STALLED, reason
    return None


def _open(facts: _Facts) -> Notice:
    if not facts.open_findings:
        return notice("nothing_open")
    if facts.agreed_findings:
        return notice(
            "findings_open_of",
            findings=facts.open_findings,
            agreed=len(facts.agreed_findings),
            known=len(facts.agreed_findings) + len(facts.open_findings),
        )
    return notice("findings_open", findings=facts.open_findings)


def _left_open(facts: _Facts) -> Notice:
    if facts.new_findings:
        return notice("new_findings_unanswered", n=facts.new_findings)
    if facts.unchecked:
        return notice("rests_on_missing_turn")
    if facts.nothing_raised:
        return notice("silence_is_no_approval", who=facts.missing)
    if facts.recommendation is Recommendation.CONVERGED:
        return notice("wording_incomplete")
    if facts.recommendation is Recommendation.CONFIRM:
        return notice("agreed_unconfirmed")
    reason = notice("not_agreed_yet", open=_open(facts))
    return sentences(
        reason, notice("missing_participants", who=facts.missing) if facts.missing else None
    )
