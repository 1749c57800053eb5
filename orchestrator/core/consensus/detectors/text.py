"""The detector `text`: consensus from plain turns alone, where nobody states positions in a form.

Agreement between: does everybody hold the same answer (`answers`), and did each say it or say yes to it (`acts`)?
Stability within: did somebody's last turn change what they hold? The constants were chosen on recorded discussions
(benchmarks/consensus.py); figures and limits are in docs/design/convergence.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from operator import attrgetter
from statistics import fmean

from orchestrator.core.consensus.detectors import original_answers
from orchestrator.core.consensus.detectors.acts import act_of, original_act_of
from orchestrator.core.consensus.detectors.answers import likeness_of
from orchestrator.core.consensus.detectors.ending import SHIPPED_END, EndScore, end_figures
from orchestrator.core.consensus.detectors.floor import (
    AnswerFloor,
    AnswerTurn,
    HeldAnswer,
    follow_floor,
)
from orchestrator.core.consensus.detectors.lexical import overall_score
from orchestrator.core.consensus.detectors.linear import LinearModel
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.assessment import ConvergenceMetrics, Recommendation
from shared.models.run import NEWEST_RULES, RulesVersion, Thresholds

TEXT = "text"
# Nobody holds an answer that can be compared: as much as half-heard words are worth.
WITHOUT_ANSWERS = 0.3
LATELY = 3  # turns of one participant
# A nod is a commitment once this many later turns of the same participant have left it as it is.
NOD_STAYS = 2  # turns


@dataclass(frozen=True)
class Weighing:
    """The detector's constants.

    How sure it is that somebody holds what they seem to hold: because they spoke at all (`holds`), said yes lately
    (`said_yes`, times its probability), said it in their own words (`said_it`). An answer that was
    declared in a line of its own leaves no doubt. A participant who moved to somebody else's answer in their last turn
    has the stability `joined`; one who moved elsewhere has none.
    """

    holds: float = 0.78
    said_yes: float = 0.16
    said_it: float = 0.06
    joined: float = 0.6


SHIPPED = Weighing()


@dataclass(frozen=True)
class FollowedDiscussion:
    """A discussion as it was read: everybody's turns, what they hold, and the share of contributions that came."""

    turns: dict[str, list[AnswerTurn]]
    answers: dict[str, HeldAnswer]
    share: float
    rules: RulesVersion = NEWEST_RULES
    floor: AnswerFloor | None = None

    def alike(self, name: str, other: str) -> float:
        """How alike the answers of two participants are; 0 when one of them holds none."""
        first, second = self.answers.get(name), self.answers.get(other)
        if first is None or second is None:
            return 0.0
        compare = (
            likeness_of if self.rules >= RulesVersion.EXAMINED else original_answers.likeness_of
        )
        return compare(first.answer, second.answer)


def assess_text(
    rounds: Sequence[RoundTaken],
    thresholds: Thresholds | None = None,
    rules: RulesVersion = NEWEST_RULES,
    *,
    ended: bool = False,
) -> ConvergenceMetrics:
    """Agreement, stability and a recommendation from the texts of `rounds`.

    `ended`: no round will follow, so what is only unconfirmed counts where the whole discussion speaks for it.

    A missing or empty contribution anywhere lowers both figures by its share and rules `converged` out. Stability
    is None, and nothing converges, while nobody has spoken twice.
    """
    discussion = follow_discussion(rounds, rules=rules)
    judge_it = judge_end if ended else judge
    return judge_it(discussion, thresholds or Thresholds())


def follow_discussion(
    rounds: Sequence[RoundTaken],
    model: LinearModel | None = None,
    expected: Iterable[str] = (),
    rules: RulesVersion = NEWEST_RULES,
) -> FollowedDiscussion:
    """Follow a discussion turn by turn; `model` replaces the shipped one.

    `expected` names who takes part besides those in `rounds`: someone who has not spoken yet holds nothing.
    """
    ordered = sorted(rounds, key=lambda taken: taken.number)
    contributions = [contribution for taken in ordered for contribution in taken.contributions]
    names = tuple(sorted({*expected, *map(attrgetter("participant"), contributions)}))
    heard = _turns_by_round(ordered, names, model, rules)
    turns = {
        name: [turn for each in heard for turn in each if turn.speaker == name] for name in names
    }
    share = sum(map(len, heard)) / len(contributions) if contributions else 0.0
    if rules < RulesVersion.EXAMINED:
        return FollowedDiscussion(turns, original_answers.follow(heard), share, rules)
    floor = follow_floor(heard, names)
    return FollowedDiscussion(turns, floor.answers, share, rules, floor)


def judge(
    discussion: FollowedDiscussion, rule: Thresholds, weighing: Weighing = SHIPPED
) -> ConvergenceMetrics:
    """The figures of a discussion that was read."""
    agreement = discussion.share * _agreement(discussion, weighing)
    stability = _stability(discussion, weighing)
    if stability is not None:
        stability *= discussion.share
    return ConvergenceMetrics(
        detector=TEXT,
        agreement_ratio=agreement,
        avg_stability=stability,
        overall_score=overall_score(agreement, stability, rule),
        recommendation=_advice(agreement, stability, rule, settled=_settled(discussion)),
    )


def judge_end(
    discussion: FollowedDiscussion,
    rule: Thresholds,
    weighing: Weighing = SHIPPED,
    score: EndScore = SHIPPED_END,
) -> ConvergenceMetrics:
    """The figures of a discussion that has ended.

    The overall score is how likely it ended in agreement. What is only unconfirmed is agreed where that is likely and
    no contribution is missing. The first rules know no such end.
    """
    metrics = judge(discussion, rule, weighing)
    figures = figures_at_end(discussion, weighing)
    if figures is None:
        return metrics
    likely = discussion.share * score.of(figures)
    unconfirmed = metrics.recommendation is Recommendation.CONFIRM and discussion.share == 1.0
    changes: dict[str, object] = {"overall_score": likely}
    declared = all(answer.declared for answer in discussion.answers.values())
    if (
        unconfirmed
        and metrics.avg_stability is not None
        and (declared or likely >= score.agreed_from)
    ):
        changes["recommendation"] = Recommendation.CONVERGED
    return metrics.model_copy(update=changes)


def figures_at_end(
    discussion: FollowedDiscussion, weighing: Weighing = SHIPPED
) -> dict[str, float] | None:
    """The figures that the end is judged by; None under the first rules."""
    if discussion.floor is None:
        return None
    return end_figures(discussion.turns, discussion.floor, _agreement(discussion, weighing))


def _turns_by_round(
    rounds: Sequence[RoundTaken],
    names: tuple[str, ...],
    model: LinearModel | None,
    rules: RulesVersion,
) -> list[list[AnswerTurn]]:
    """Every round's turns and what each does to the last turn of somebody else before it."""
    turns: list[list[AnswerTurn]] = []
    last: dict[str, str] = {}  # the latest speaker comes last
    for taken in rounds:
        present = [turn for turn in taken.contributions if turn.answered and turn.text.strip()]
        present.sort(key=attrgetter("participant", "role", "text"))  # they speak at once
        turns.append([_turn(turn, last, names, model, rules) for turn in present])
        for turn in present:
            last.pop(turn.participant, None)
            last[turn.participant] = turn.text
    return turns


def _turn(
    contribution: Contribution,
    last: dict[str, str],
    names: tuple[str, ...],
    model: LinearModel | None,
    rules: RulesVersion,
) -> AnswerTurn:
    before = next(
        (last[speaker] for speaker in reversed(last) if speaker != contribution.participant), ""
    )
    read = act_of if rules >= RulesVersion.EXAMINED else original_act_of
    act = read(contribution.text, before, names, model)
    return AnswerTurn(contribution.participant, contribution.text, act)


def _agreement(discussion: FollowedDiscussion, weighing: Weighing) -> float:
    answers = discussion.answers
    if not any(discussion.turns.values()):
        return 0.0
    pairs = [discussion.alike(a, b) for a, b in combinations(discussion.turns, 2)]
    alike = fmean(pairs) if pairs else float(bool(answers))
    sure = prod(
        _sureness(turns, answers.get(name), weighing) for name, turns in discussion.turns.items()
    )
    return (WITHOUT_ANSWERS + (1 - WITHOUT_ANSWERS) * alike) * sure


def _sureness(turns: list[AnswerTurn], answer: HeldAnswer | None, weighing: Weighing) -> float:
    if answer is not None and answer.declared:
        return 1.0
    yes = max((turn.act.agree for turn in turns[-LATELY:]), default=0.0)
    stated = answer is not None and answer.stated
    return weighing.holds + weighing.said_yes * yes + weighing.said_it * stated


def _stability(discussion: FollowedDiscussion, weighing: Weighing) -> float | None:
    """Mean over everybody who spoke twice: 1 for an unchanged answer, `joined`, or 0 for another or none."""
    steady = [
        _steadiness(discussion.answers.get(name), weighing)
        for name, turns in discussion.turns.items()
        if len(turns) > 1
    ]
    return fmean(steady) if steady else None


def _steadiness(answer: HeldAnswer | None, weighing: Weighing) -> float:
    if answer is None:
        return 0.0
    if not answer.moved:
        return 1.0
    return weighing.joined if answer.joined else 0.0


def _settled(discussion: FollowedDiscussion) -> bool:
    """No contribution is missing, nobody's last turn moved, and those who only nodded have stayed with it."""
    return discussion.share == 1.0 and all(
        not answer.moved and (answer.stated or answer.stayed >= NOD_STAYS)
        for answer in discussion.answers.values()
    )


def _advice(
    agreement: float, stability: float | None, rule: Thresholds, *, settled: bool
) -> Recommendation:
    """The same table of two figures as for stances; never `stalled`, because text shows no settled dispute."""
    if agreement < rule.agreement:
        return Recommendation.CONTINUE
    if stability is None or stability < rule.stability or not settled:
        return Recommendation.CONFIRM
    return Recommendation.CONVERGED
