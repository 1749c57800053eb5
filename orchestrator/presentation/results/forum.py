"""What a forum came to: the conclusion, who agrees and who does not, what stayed open, and how the floor went round."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.core.document import Span, Style, line
from orchestrator.presentation.live.floor import RoundSeen, rounds_of_detail, rounds_of_steps
from orchestrator.presentation.results.document import Block, Heading, Item, Items, Remark, Words
from orchestrator.presentation.results.reading import (
    Reading,
    closing,
    confidence,
    names,
    opening,
    sentence,
    shortened,
    titled,
    voices,
)
from orchestrator.presentation.results.receipt import receipt
from shared.models.outcomes import Ending

SHORT = 100


def document(reading: Reading) -> list[Block]:
    """The conclusion first; without one, the speeches are the result. The warnings name who was not heard."""
    rounds = _rounds(reading)
    blocks = [
        *opening(reading),
        *_conclusion(reading),
        *_dissent(reading),
        *titled(reading.say("open_points"), reading.detail.get("open_points") or ()),
        *_unheard(reading),
    ]
    if not reading.detail.get("conclusion"):
        blocks += _speeches(reading, rounds)
    if reading.brief:
        return [*blocks, *closing(reading)]
    return [
        *blocks,
        *_ballots(reading),
        *_timeline(reading, rounds),
        *receipt(reading),
        Remark(line("")),
        *closing(reading),
    ]


def _rounds(reading: Reading) -> tuple[RoundSeen, ...]:
    if "rounds" in reading.detail:
        return rounds_of_detail(reading.detail["rounds"])
    return rounds_of_steps(reading.report.steps)


def _conclusion(reading: Reading) -> list[Block]:
    detail = reading.detail
    if not detail:
        return []
    conclusion = detail.get("conclusion")
    agreed = reading.report.ending is Ending.CONVERGED
    stopped = detail.get("stopped_by")
    blocks: list[Block] = []
    if not conclusion:
        why = f": {reading.told(detail.get('reason'))}" if reading.brief else ""
        nothing = Span(f"📋 {reading.say('no_consensus')}", Style.WARNING)
        blocks.append(Remark(line(nothing, why)))
    else:
        word = "conclusion" if agreed or reading.report.ending is None else "stated_conclusion"
        blocks += sentence(f"📋 {reading.say(word)}", conclusion)
    if reading.brief:
        return blocks
    by = detail.get("concluded_by")
    told = [
        reading.say("concluded_by", who=by) if by else "",
        reading.told(detail.get("reason")),
    ]
    if stopped and not detail.get("reason"):
        told.insert(1, reading.say("stopped_by", why=reading.say(f"stopped_{stopped}")))
    blocks.append(Remark(line(Span(" · ".join(one for one in told if one), Style.DIM))))
    return blocks


def _dissent(reading: Reading) -> list[Block]:
    """Who agrees by name; everybody else with their reason: a minority is never left out."""
    ballots = reading.detail.get("ballots") or ()
    if not ballots:
        return []
    agreeing = [one["participant"] for one in ballots if one["position"] == "agree"]
    nobody = reading.say("nobody")
    blocks: list[Block] = [
        Remark(line(reading.say("agreed_by", who=names(agreeing, nobody)))),
    ]
    others = [_ballot(reading, one) for one in ballots if one["position"] != "agree"]
    if others:
        blocks += [Heading(reading.say("dissent")), Items(tuple(others))]
    return blocks


def _ballot(reading: Reading, one: Mapping[str, Any]) -> Item:
    position = one["position"]
    word = "no_ballot" if position is None else f"position_{position}"
    said = reading.say(word)
    text = f"{said} — {one['reason']}" if one["reason"] else said
    style = Style.WARNING if position in (None, "disagree") else Style.PLAIN
    return Item(text, one["participant"], confidence(reading, one["confidence"]) or "", style)


def _unheard(reading: Reading) -> list[Block]:
    unheard = reading.detail.get("unheard") or ()
    if not unheard or not (reading.brief or reading.everything):
        return []
    entries = tuple(Item(one["reason"] or "…", one["participant"]) for one in unheard)
    return [Heading(reading.say("unheard")), Items(entries)]


def _ballots(reading: Reading) -> list[Block]:
    """The count; every ballot with its reason where all is to be shown."""
    agreement = reading.detail.get("agreement")
    if not agreement:
        return []
    figures = {name: agreement[name] for name in ("support", "weighted", "threshold")}
    counted = [
        reading.say("support", **figures),
        voices(reading, len(reading.detail["ballots"])),
    ]
    note = "; ".join(one for one in counted if one)
    blocks: list[Block] = [Heading(reading.say("ballots"), note)]
    shown = [
        _ballot(reading, one)
        for one in reading.detail["ballots"]
        if reading.everything and one["position"] == "agree"
    ]
    return [*blocks, Items(tuple(shown))] if shown else blocks


def _timeline(reading: Reading, rounds: tuple[RoundSeen, ...]) -> list[Block]:
    """A line a round; all that was said where all is to be shown."""
    if not rounds:
        return []
    spoken = reading.everything and bool(reading.detail.get("conclusion"))
    entries = tuple(_round(reading, one, short=not spoken) for one in rounds)
    blocks: list[Block] = [Heading(reading.say("timeline")), Items(entries)]
    return [*blocks, *_speeches(reading, rounds)] if spoken else blocks


def _round(reading: Reading, one: RoundSeen, *, short: bool) -> Item:
    asked = reading.say("asked_by", who=names(one.asking, reading.say("nobody")))
    parts = [asked]
    if one.selected is not None:
        how = f" ({reading.say('by_rule')})" if one.by_rule else ""
        parts.append(f"{reading.say('selects', who=one.selected)}{how}")
    if one.said and not short:
        parts.append(shortened(one.said, SHORT))
    if one.speech and short:
        parts.append(shortened(one.speech, SHORT))
    if one.selected is not None and one.speech is None and one.silent:
        parts.append(f"⚠ {one.silent}")
    return Item(" · ".join(parts), reading.say("round_n", n=one.number))


def _speeches(reading: Reading, rounds: tuple[RoundSeen, ...]) -> list[Block]:
    return [
        block
        for one in rounds
        if one.speech
        for block in (
            Heading(reading.say("speech_of", who=one.selected, n=one.number)),
            Words(one.speech),
        )
    ]
