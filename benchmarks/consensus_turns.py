"""Single turns: F1 of agreement, disagreement and neither; what reading them costs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from inspect import unwrap
from statistics import fmean

from benchmarks.consensus_data import Group, Reply
from benchmarks.consensus_fitting import CrossFit, turns_of
from benchmarks.consensus_measures import Row, f1_by_class, interval
from benchmarks.consensus_rounds import one_each
from orchestrator.core.consensus.detectors.acts import AGREE, DISAGREE, OTHER, act_of
from orchestrator.core.consensus.detectors.lexical import detect_agreement_ratio
from orchestrator.core.consensus.detectors.linear import LinearModel
from orchestrator.core.consensus.detectors.text import assess_text
from orchestrator.core.findings.cues import count_cues

STANCES = (AGREE, DISAGREE, OTHER)


def measure_turns(
    groups: Sequence[Group], fits: Sequence[CrossFit], trained_on: bool
) -> Iterator[Row]:
    """Agree, disagree or neither: every message against its annotation."""
    truth = [act if act in STANCES else OTHER for group in groups for _, _, act in turns_of(group)]
    texts = [text for group in groups for text, _, _ in turns_of(group)]
    yield f1_row(
        "published cues", truth, [by_ratio(detect_agreement_ratio(text)) for text in texts]
    )
    yield f1_row("lexical cues", truth, [by_ratio(honest_ratio(text)) for text in texts])
    seen = "trained on these data" if trained_on else "never seen these data"
    yield f1_row(
        f"text, shipped, {seen}", truth, [one for group in groups for one in _stances(group)]
    )
    held_out = [
        f1_row(
            "text, held out",
            truth,
            [
                one
                for at, group in enumerate(groups)
                for one in _stances(group, fit.model_for(at), fit.arguments_for(at))
            ],
        ).figures
        for fit in fits
    ]
    means = {name: fmean(one[name] for one in held_out) for name in held_out[0]}
    yield Row(
        "text, held out (mean of the repetitions)", {**means, "examples": held_out[0]["examples"]}
    )


def _stances(
    group: Group, model: LinearModel | None = None, arguments: LinearModel | None = None
) -> list[str]:
    names = tuple(group.positions)
    return [
        act_of(text, before, names, model, arguments).stance for text, before, _ in turns_of(group)
    ]


def honest_ratio(text: str) -> float:
    ratio = count_cues(text).ratio
    return 0.5 if ratio is None else ratio


def by_ratio(ratio: float) -> str:
    if ratio == 0.5:
        return OTHER
    return AGREE if ratio > 0.5 else DISAGREE


def f1_row(title: str, truth: Sequence[str], found: Sequence[str]) -> Row:
    by_class = f1_by_class(truth, found, sorted(set(truth)))
    return Row(title, {"examples": len(truth), "macro_f1": fmean(by_class.values()), **by_class})


# ---- replies to an argument ---------------------------------------------------------------------

ANY = 100_000
LENGTHS = ((1, 25), (26, 60), (61, ANY))  # words of the reply


def measure_replies(replies: Sequence[Reply]) -> Iterator[Row]:
    """Agree, disagree or neither: no weight was trained on these, so the shipped model is held out."""
    truth = [reply.side for reply in replies]
    ratios = [detect_agreement_ratio(reply.text) for reply in replies]
    yield f1_row("published cues", truth, list(map(by_ratio, ratios)))
    yield f1_row("lexical cues", truth, [by_ratio(honest_ratio(reply.text)) for reply in replies])
    judged = [(reply, act_of(reply.text, reply.said).stance) for reply in replies]
    yield _sides("text, shipped, never seen these data", judged)
    for least, most in LENGTHS:
        if part := [one for one in judged if least <= len(one[0].text.split()) <= most]:
            title = f"{least} words and more" if most == ANY else f"{least} to {most} words"
            yield _sides(f"  {title}", part)


def _sides(title: str, judged: Sequence[tuple[Reply, str]]) -> Row:
    row = f1_row(title, [reply.side for reply, _ in judged], [stance for _, stance in judged])
    return Row(title, {**row.figures, "macro_f1_95": interval(judged, _macro_f1)})


def _macro_f1(judged: Sequence[tuple[Reply, str]]) -> float:
    truth = [reply.side for reply, _ in judged]
    return fmean(f1_by_class(truth, [stance for _, stance in judged], STANCES).values())


# ---- speed --------------------------------------------------------------------------------------


def measure_speed(groups: Sequence[Group]) -> Iterator[Row]:
    """Milliseconds to read one turn, nothing remembered."""
    turns = [
        (text, before, tuple(one.positions)) for one in groups for text, before, _ in turns_of(one)
    ]
    act_of("Let us begin.")  # reads the table
    started = time.process_time()
    for text, before, names in turns:
        unwrap(act_of)(text, before, names)
    each = (time.process_time() - started) * 1000 / len(turns)
    started = time.process_time()
    for one in groups:
        assess_text(one_each(one))
    whole = (time.process_time() - started) * 1000 / len(groups)
    yield Row("milliseconds", {"a turn": round(each, 3), "a group of many turns": round(whole, 1)})
