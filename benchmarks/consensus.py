"""Is what the detectors call consensus consensus? Measured on recorded discussions.

    python -m benchmarks.consensus --data DIR [--json]

DIR holds `delidata`, `mad-commonmt` and `klue-nli` (see `consensus_data`); what is not there is left out. Three
rules stand side by side: the published one, its honest form `lexical`, and `text`. "shipped" is the model that comes
with the product, which has seen the data it was trained on (said in the table); "held out" is trained, and its
constants chosen, on one half of the groups and measured on the other, both ways.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from pathlib import Path
from statistics import fmean
from typing import Any

from benchmarks.consensus_data import (
    ROLE,
    Debate,
    Group,
    Pair,
    digest,
    groups_file,
    load_debates,
    load_groups,
    load_pairs,
    pairs_files,
)
from benchmarks.consensus_fitting import fit_acts, fit_pairs, turns_of
from benchmarks.consensus_measures import Judged, auc, f1_by_class, interval, precision, recall
from orchestrator.core.agreement import act_weights, pair_weights
from orchestrator.core.agreement.acts import AGREE, DISAGREE, OTHER, act_of
from orchestrator.core.agreement.detector import Weighing, assess_text, hear, judge
from orchestrator.core.agreement.linear import LinearModel
from orchestrator.core.agreement.pairs import (
    CONTRADICTS,
    FOLLOWS,
    NEUTRAL,
    RELATIONS,
    pair_features,
)
from orchestrator.core.agreement.pairs import shipped_model as shipped_pairs
from orchestrator.core.cues import count_cues
from orchestrator.core.lexical import (
    Utterance,
    assess_wording,
    compute_convergence,
    detect_agreement_ratio,
)
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.assessment import ConvergenceMetrics, Recommendation
from shared.models.run import Thresholds

STANCES = (AGREE, DISAGREE, OTHER)
RULE = Thresholds()
ENOUGH = 0.85  # precision that constants must have where they are chosen
CHOICES = [
    Weighing(holds, said_yes, 1 - holds - said_yes, joined)
    for holds, said_yes, joined in product((0.68, 0.72, 0.76, 0.8), (0.06, 0.1, 0.14), (0.0, 0.6))
]
Assess = Callable[[Sequence[RoundTaken]], ConvergenceMetrics]


@dataclass(frozen=True)
class Row:
    """A line of the report: of what, by which rule, and its figures."""

    title: str
    figures: dict[str, Any]


# ---- discussions as rounds ----------------------------------------------------------------------


def one_each(group: Group) -> list[RoundTaken]:
    """Every message is a round of one."""
    return [
        RoundTaken(number, ROLE, (Contribution(said.speaker, ROLE, said.text),))
        for number, said in enumerate(group.messages, 1)
    ]


def in_halves(group: Group) -> list[RoundTaken]:
    """Two rounds: what everybody said in the first and in the second half of their messages."""
    rounds: tuple[list[Contribution], list[Contribution]] = ([], [])
    for who in group.positions:
        texts = [said.text for said in group.messages if said.speaker == who]
        for part, half in zip(
            rounds, (texts[: len(texts) // 2], texts[len(texts) // 2 :]), strict=True
        ):
            if half:
                part.append(Contribution(who, ROLE, "\n".join(half)))
    return [RoundTaken(number, ROLE, tuple(part)) for number, part in enumerate(rounds, 1) if part]


def of_debate(debate: Debate) -> list[RoundTaken]:
    """The debate's own rounds."""
    return [
        RoundTaken(
            number,
            ROLE,
            (Contribution("affirmative", ROLE, one), Contribution("negative", ROLE, other)),
        )
        for number, (one, other) in enumerate(debate.rounds, 1)
    ]


def published(rounds: Sequence[RoundTaken]) -> ConvergenceMetrics:
    """The published rule on the same rounds."""
    return compute_convergence(
        [
            Utterance(taken.number, one.role, one.text, one.participant)
            for taken in rounds
            for one in taken.contributions
        ]
    )


# ---- groups -------------------------------------------------------------------------------------


def _judged(metrics: ConvergenceMetrics, consensus: bool) -> Judged:
    fired = metrics.recommendation is Recommendation.CONVERGED
    return Judged(metrics.overall_score, fired, consensus)


def measure_groups(groups: Sequence[Group], trained_on: bool) -> Iterator[Row]:
    """Every rule on every group."""
    for name, assess in (("published", published), ("lexical", assess_wording)):
        rule: Assess = assess
        for form, rounds in (("a message a round", one_each), ("halves", in_halves)):
            judged = [_judged(rule(rounds(one)), one.consensus) for one in groups]
            yield Row(f"{name}, {form}", _group_figures(judged))
    shipped = [_judged(assess_text(one_each(one)), one.consensus) for one in groups]
    seen = "shipped, trained on these data" if trained_on else "shipped, never seen these data"
    yield Row(f"text, {seen}", _group_figures(shipped))
    narrow = [
        Judged(one.score, one.fired, group.submitted_the_same)
        for one, group in zip(shipped, groups, strict=True)
    ]
    yield Row("  the same, consensus = all submitted the same", _group_figures(narrow))
    first = [_ends_at_first(one) for one in groups]
    yield Row("  the same, ending a group as soon as it fires", _group_figures(first))
    held_out, fixed = _held_out(groups)
    yield Row("text, held out (model and constants)", _group_figures(held_out))
    yield Row("text, held out (model; constants as shipped)", _group_figures(fixed))


def _ends_at_first(group: Group) -> Judged:
    """The ruling of the first message after which the detector says converged, or the last."""
    rounds = one_each(group)
    judged = [
        _judged(judge(hear(rounds[:count], expected=group.positions), RULE), group.consensus)
        for count in range(1, len(rounds) + 1)
    ]
    return next((one for one in judged if one.fired), judged[-1])


def _held_out(groups: Sequence[Group]) -> tuple[list[Judged], list[Judged]]:
    """Every group under a model of the other half; with constants chosen there, and with the shipped ones."""
    halves = groups[::2], groups[1::2]
    models = fit_acts(halves[1]), fit_acts(halves[0])
    heard = [
        [(hear(one_each(one), model), one.consensus) for one in half]
        for half, model in zip(halves, models, strict=True)
    ]

    def by(half: int, weighing: Weighing) -> list[Judged]:
        return [_judged(judge(one, RULE, weighing), consensus) for one, consensus in heard[half]]

    def worth(half: int, weighing: Weighing) -> tuple[bool, float, float]:
        return _worth(by(half, weighing))

    chosen = [max(CHOICES, key=partial(worth, half)) for half in (0, 1)]
    crossed = [*by(0, chosen[1]), *by(1, chosen[0])]
    return crossed, [*by(0, Weighing()), *by(1, Weighing())]


def _worth(judged: Sequence[Judged]) -> tuple[bool, float, float]:
    """Precise enough, then recall, then the area under the curve."""
    right = precision(judged)
    return right >= ENOUGH, recall(judged) if right >= ENOUGH else 0.0, auc(judged)


def _group_figures(judged: Sequence[Judged]) -> dict[str, Any]:
    fired = sum(one.fired for one in judged)
    figures: dict[str, Any] = {
        "groups": len(judged),
        "consensus": sum(one.consensus for one in judged),
        "fires": fired,
        "right": sum(one.fired and one.consensus for one in judged),
        "precision": precision(judged),
        "recall": recall(judged),
        "auc": auc(judged),
        "auc_95": interval(judged, auc),
    }
    return {**figures, "precision_95": interval(judged, precision)} if fired else figures


# ---- debates ------------------------------------------------------------------------------------


def measure_debates(debates: Sequence[Debate]) -> Iterator[Row]:
    """After every round of every debate: does a rule ever say converged?"""
    for name, assess in (
        ("published", published),
        ("lexical", assess_wording),
        ("text", assess_text),
    ):
        rule: Assess = assess
        fired = [_ever_fires(of_debate(one), rule) for one in debates]
        yield Row(
            name,
            {
                "debates": len(debates),
                "never settled": sum(not one.settled for one in debates),
                "fires on never settled": sum(
                    hit and not one.settled for hit, one in zip(fired, debates, strict=True)
                ),
                "settled": sum(one.settled for one in debates),
                "fires on settled": sum(
                    hit and one.settled for hit, one in zip(fired, debates, strict=True)
                ),
            },
        )
    kind = [(one.settled, _ends_in_assent(one)) for one in debates]
    yield Row(
        "both last turns agree in words",
        {"never settled": kind.count((False, True)), "settled": kind.count((True, True))},
    )


def _ends_in_assent(debate: Debate) -> bool:
    return all(act.agree > act.disagree for act in map(act_of, debate.rounds[-1]))


def _ever_fires(rounds: Sequence[RoundTaken], assess: Assess) -> bool:
    return any(
        assess(rounds[:count]).recommendation is Recommendation.CONVERGED
        for count in range(1, len(rounds) + 1)
    )


# ---- turns --------------------------------------------------------------------------------------


def measure_turns(groups: Sequence[Group], trained_on: bool) -> Iterator[Row]:
    """Agree, disagree or neither: every message against its annotation."""
    truth = [act if act in STANCES else OTHER for group in groups for _, _, act in turns_of(group)]
    texts = [text for group in groups for text, _, _ in turns_of(group)]
    yield _f1("published cues", truth, [_by_ratio(detect_agreement_ratio(text)) for text in texts])
    yield _f1("lexical cues", truth, [_by_ratio(_honest_ratio(text)) for text in texts])
    seen = "trained on these data" if trained_on else "never seen these data"
    yield _f1(f"text, shipped, {seen}", truth, [one for group in groups for one in _stances(group)])
    folds = 5
    models = [
        fit_acts([one for at, one in enumerate(groups) if at % folds != fold])
        for fold in range(folds)
    ]
    found = [
        stance for at, group in enumerate(groups) for stance in _stances(group, models[at % folds])
    ]
    yield _f1("text, held out (five parts)", truth, found)


def _stances(group: Group, model: LinearModel | None = None) -> list[str]:
    names = tuple(group.positions)
    return [act_of(text, before, names, model).stance for text, before, _ in turns_of(group)]


def _honest_ratio(text: str) -> float:
    ratio = count_cues(text).ratio
    return 0.5 if ratio is None else ratio


def _by_ratio(ratio: float) -> str:
    if ratio == 0.5:
        return OTHER
    return AGREE if ratio > 0.5 else DISAGREE


def _f1(title: str, truth: Sequence[str], found: Sequence[str]) -> Row:
    by_class = f1_by_class(truth, found, sorted(set(truth)))
    return Row(title, {"examples": len(truth), "macro_f1": fmean(by_class.values()), **by_class})


# ---- Korean pairs -------------------------------------------------------------------------------


def measure_pairs(pairs: Sequence[Pair], trained_on: bool) -> Iterator[Row]:
    """Entailment (agreement), contradiction (disagreement) or neither; pairs of one premise stay in one part."""
    truth = [one.relation for one in pairs]
    words = {AGREE: FOLLOWS, DISAGREE: CONTRADICTS, OTHER: NEUTRAL}
    yield _f1(
        "published cues",
        truth,
        [words[_by_ratio(detect_agreement_ratio(one.claim))] for one in pairs],
    )
    yield _f1("lexical cues", truth, [words[_by_ratio(_honest_ratio(one.claim))] for one in pairs])
    yield _f1("negation came or went", truth, [_by_negation(one) for one in pairs])
    seen = "trained on these data" if trained_on else "never seen these data"
    relate = partial(_relation, shipped_pairs())
    yield _f1(f"text, shipped, {seen}", truth, [relate(one) for one in pairs])
    half = {premise: at % 2 for at, premise in enumerate(sorted({one.premise for one in pairs}))}
    models = [fit_pairs([one for one in pairs if half[one.premise] != part]) for part in (0, 1)]
    found = [_relation(models[half[one.premise]], one) for one in pairs]
    yield _f1("text, held out (halves)", truth, found)


def _relation(model: LinearModel, pair: Pair) -> str:
    found = model.probabilities(pair_features(pair.premise, pair.claim))
    return max(RELATIONS, key=lambda one: found[one])


def _by_negation(pair: Pair) -> str:
    features = pair_features(pair.premise, pair.claim)
    return CONTRADICTS if any(one.startswith("odd1") for one in features) else FOLLOWS


# ---- speed --------------------------------------------------------------------------------------


def measure_speed(groups: Sequence[Group]) -> Iterator[Row]:
    """Milliseconds to read one turn, nothing remembered."""
    turns = [
        (text, before, tuple(one.positions)) for one in groups for text, before, _ in turns_of(one)
    ]
    act_of("Let us begin.")  # reads the table
    started = time.process_time()
    for text, before, names in turns:
        act_of.__wrapped__(text, before, names)
    each = (time.process_time() - started) * 1000 / len(turns)
    started = time.process_time()
    for one in groups:
        assess_text(one_each(one))
    whole = (time.process_time() - started) * 1000 / len(groups)
    yield Row("milliseconds", {"a turn": round(each, 3), "a group of many turns": round(whole, 1)})


# ---- the report ---------------------------------------------------------------------------------


def measure(data: Path) -> dict[str, list[Row]]:
    """Everything that `data` has."""
    report: dict[str, list[Row]] = {}
    if groups_file(data).is_file():
        groups = load_groups(data)
        known = digest(groups_file(data)) in act_weights.TRAINED_ON
        report["groups (delidata)"] = list(measure_groups(groups, known))
        report["turns (delidata)"] = list(measure_turns(groups, known))
        report["speed"] = list(measure_speed(groups))
    if (data / "mad-commonmt").is_dir():
        report["debates (mad-commonmt)"] = list(measure_debates(load_debates(data)))
    if files := pairs_files(data):
        known = all(digest(one) in pair_weights.TRAINED_ON for one in files)
        report["Korean pairs (klue-nli)"] = list(measure_pairs(load_pairs(data), known))
    return report


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return "..".join(map(_shown, value))
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.3f}"
    return str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = measure(options.data)
    if options.json:
        print(
            json.dumps(
                {key: {row.title: row.figures for row in rows} for key, rows in report.items()},
                indent=2,
            )
        )
        return
    for section, rows in report.items():
        print(section)
        for row in rows:
            figures = "  ".join(f"{name} {_shown(value)}" for name, value in row.figures.items())
            print(f"  {row.title:48} {figures}")


if __name__ == "__main__":
    main()
