"""What an `ask` came to: the answers one after another, how the panel ranks them, and what they were made into."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from orchestrator.core.document import Span, Style, line
from orchestrator.presentation.formats.text import VERDICT_STYLES, state_lines
from orchestrator.presentation.report import took_s
from orchestrator.presentation.results.document import (
    Block,
    Grid,
    Heading,
    Item,
    Items,
    Remark,
    Words,
)
from orchestrator.presentation.results.reading import (
    Reading,
    closing,
    confidence,
    figures,
    price,
    synthesis,
    tokens,
)
from shared.models.outcomes import StepStatus
from shared.models.panel import Role
from shared.models.rows import StepRow


@dataclass(frozen=True)
class Given:
    """One participant's answer."""

    participant: str
    text: str
    confidence: float | None
    took_s: float | None
    tokens: int | None
    cost_usd: float | None
    place: int | None = None


def document(reading: Reading) -> list[Block]:
    """The answers are what the reader came for; a chair's synthesis stands last, or alone when it is to be brief."""
    given = _given(reading)
    merged = _synthesis(reading)
    if reading.brief:
        return [*(merged or _answers(reading, given)), *closing(reading)]
    return [
        *_opening(reading, given),
        *_answers(reading, given),
        *_ranking(reading),
        *merged,
        *_below(closing(reading)),
    ]


def _opening(reading: Reading, given: list[Given]) -> list[Block]:
    report = reading.report
    verdict = report.verdict
    shown = (
        Span(reading.say("running"), Style.STRONG)
        if verdict is None
        else Span(verdict.value, VERDICT_STYLES.get(verdict, Style.STRONG))
    )
    answered = reading.say("answered_of", answered=len(given), asked=len(report.critics))
    took = reading.say("seconds", s=report.run.elapsed_s)
    states = state_lines(report, reading.language)
    return [Remark(line(shown, f" · {answered} · {took}")), *(Remark(one) for one in states)]


def _given(reading: Reading) -> list[Given]:
    if "answers" in reading.detail:
        steps = {
            step.participant: step for step in reading.report.steps if step.role == Role.ANSWER
        }
        told = [_told(one, steps.get(one["participant"])) for one in reading.detail["answers"]]
        # The panel's first answer first; without a ranking as they were asked.
        return sorted(told, key=lambda one: one.place or len(told))
    return [
        _so_far(step)
        for step in reading.report.steps
        if step.role == Role.ANSWER and step.status == StepStatus.DONE and step.reply
    ]


def _told(one: dict[str, Any], step: StepRow | None) -> Given:
    return Given(
        participant=one["participant"],
        text=one["answer"],
        confidence=one["confidence"],
        took_s=None if step is None else took_s(step),
        tokens=one["tokens"],
        cost_usd=one["cost_usd"],
        place=one["place"],
    )


def _so_far(step: StepRow) -> Given:
    reply = step.reply or {}
    return Given(
        participant=step.participant,
        text=str(reply.get("answer") or ""),
        confidence=reply.get("confidence"),
        took_s=took_s(step),
        tokens=step.tokens,
        cost_usd=step.cost_usd,
    )


def _answers(reading: Reading, given: list[Given]) -> list[Block]:
    if not given:
        final = reading.report.run.status.final
        return [Remark(line(reading.say("nobody_answered")))] if final else []
    if reading.brief and len(given) == 1:
        return [Words(given[0].text)]
    return [
        block
        for one in given
        for block in (Heading(one.participant, _figures(reading, one)), Words(one.text))
    ]


def _figures(reading: Reading, one: Given) -> str:
    if reading.brief:
        return ""
    return figures(
        None if one.place is None else reading.say("place", place=one.place),
        confidence(reading, one.confidence),
        None if one.took_s is None else reading.say("seconds", s=one.took_s),
        tokens(reading, one.tokens),
        price(reading, one.cost_usd),
    )


def _ranking(reading: Reading) -> list[Block]:
    ranking = reading.detail.get("ranking")
    if not ranking or all(one["place"] is None for one in ranking["places"]):
        return []  # the warnings say why nobody ranked
    heads = ("head_place", "head_who", "head_score", "head_points", "head_rankings")
    rows = tuple(
        (
            "-" if one["place"] is None else str(one["place"]),
            one["participant"],
            "-" if one["score"] is None else f"{one['score']:.2f}",
            f"{one['points']:g}",
            str(one["rankings"]),
        )
        for one in ranking["places"]
    )
    blocks: list[Block] = [
        Heading(reading.say("ranking")),
        Grid(tuple(map(reading.say, heads)), rows),
    ]
    if reading.everything:
        blocks.append(Items(tuple(_ranks(reading, one) for one in ranking["rankings"])))
    return blocks


def _ranks(reading: Reading, one: dict[str, Any]) -> Item:
    order = " > ".join(" = ".join(group) for group in one["order"])
    return Item(order, reading.say("ranked_for", who=one["participant"]), one["reason"] or "")


def _synthesis(reading: Reading) -> list[Block]:
    by = reading.detail.get("synthesised_by")
    body = reading.detail.get("synthesis")
    if body is None or by in (None, "fallback"):
        return []
    if reading.brief:
        return [Words(str(body.get("summary") or ""))]
    return synthesis(reading, body, by)


def _below(blocks: list[Block]) -> list[Block]:
    return [Remark(line("")), *blocks]
