"""What a panel came to: the verdict with its reasons and its dissent, the votes, and whether the debate helped."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.core.document import Span, Style, line
from orchestrator.presentation.locale.words import say
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
    opening,
    sentence,
    shortened,
    voices,
)
from orchestrator.presentation.results.receipt import receipt
from shared.models.outcomes import StepStatus
from shared.models.panel import Role

SHORT = 60


def document(reading: Reading) -> list[Block]:
    """The verdict first, then why, then who does not share it."""
    blocks = [
        *opening(reading),
        *_verdict(reading),
        *_consensus_points(reading),
        *_dissent(reading),
    ]
    if reading.brief:
        return [*blocks, *closing(reading)]
    return [
        *blocks,
        *_votes(reading),
        *_so_far(reading),
        *_rounds(reading),
        *receipt(reading),
        Remark(line("")),
        *closing(reading),
    ]


def _verdict(reading: Reading) -> list[Block]:
    detail = reading.detail
    if not detail:
        return []
    if not detail.get("verdict"):
        said = Span(reading.say("no_verdict"), Style.WARNING)
        return [Remark(line(said, f": {reading.told(detail.get('reason'))}"))]
    blocks = sentence(reading.say("verdict"), detail["verdict"])
    by = detail.get("decided_by")
    told = figures(
        confidence(reading, detail.get("confidence")),
        reading.say("verdict_by_votes") if by == "votes" else None,
        reading.say("judged_by", who=by) if by not in (None, "votes") else None,
        reading.told(detail.get("reason")),
    )
    if not reading.brief:
        blocks.append(Remark(line(Span(told, Style.DIM))))
    if detail.get("reasoning"):
        blocks += [Heading(reading.say("reasoning")), Words(detail["reasoning"])]
    return blocks


def _consensus_points(reading: Reading) -> list[Block]:
    points = reading.detail.get("consensus_points") or ()
    if not points:
        return []
    judge = reading.say("according_to_judge")
    entries = tuple(
        Item(one["text"], note=one["id"] or "" if one["by"] == "ledger" else judge)
        for one in points
    )
    return [Heading(reading.say("consensus_points")), Items(entries)]


def _dissent(reading: Reading) -> list[Block]:
    opinions = reading.detail.get("dissenting_opinions") or ()
    if not opinions:
        return []
    entries = tuple(_opinion(reading, one) for one in opinions)
    return [Heading(reading.say("dissent")), Items(entries)]


def _opinion(reading: Reading, one: Mapping[str, Any]) -> Item:
    reason = f" — {one['reason']}" if one.get("reason") else ""
    # The outcome says it in English, where a voter wants none of the positions.
    nothing = one["by"] == "vote" and one["text"] == say("none_of_them", "en")
    text = reading.say("none_of_them") if nothing else one["text"]
    note = (
        confidence(reading, one.get("confidence"))
        if one["by"] == "vote"
        else reading.say("according_to_judge")
    )
    return Item(f"{text}{reason}", one["participant"] or "", note or "")


def _votes(reading: Reading) -> list[Block]:
    votes = reading.detail.get("votes") or ()
    if not any(one["voted"] for one in votes):
        return []
    how = "votes_secret" if reading.detail.get("votes_secret") else "votes_last"
    entries = tuple(_vote(reading, one) for one in votes)
    counts = (reading.detail.get("agreement") or {}).get("positions") or {}
    supports = tuple(
        Item(_title(reading, one), one, reading.say("position_support", support=count["support"]))
        for one, count in counts.items()
    )
    note = figures(reading.say(how), voices(reading, len(votes)))
    blocks: list[Block] = [Heading(reading.say("votes"), note), Items(entries)]
    return [*blocks, Heading(reading.say("positions")), Items(supports)] if supports else blocks


def _vote(reading: Reading, one: Mapping[str, Any]) -> Item:
    if not one["voted"]:
        return Item(reading.say("no_vote"), one["participant"], style=Style.WARNING)
    position = one["position"]
    title = f"{position} {_title(reading, position)}" if position else reading.say("none_of_them")
    reason = f" — {one['reason']}" if one["reason"] else ""
    return Item(
        f"{title}{reason}", one["participant"], confidence(reading, one["confidence"]) or ""
    )


def _title(reading: Reading, identity: str) -> str:
    points = reading.detail.get("points") or ()
    found = next((one["title"] for one in points if one["id"] == identity), "")
    return shortened(found, SHORT)


def _so_far(reading: Reading) -> list[Block]:
    """Everybody's last position while there is no outcome."""
    if reading.detail:
        return []
    latest = {
        step.participant: step.reply or {}
        for step in reading.report.steps
        if step.role == Role.ARGUMENT and step.status == StepStatus.DONE
    }
    entries = tuple(
        Item(
            str(reply.get("position") or ""),
            name,
            confidence(reading, reply.get("confidence")) or "",
        )
        for name, reply in latest.items()
    )
    return [Heading(reading.say("positions")), Items(entries)] if entries else []


def _rounds(reading: Reading) -> list[Block]:
    rounds = reading.detail.get("rounds") or ()
    if not rounds:
        return []
    heads = tuple(map(reading.say, ("head_round", "head_score", "head_moderator", "head_said")))
    rows = tuple(_round(one) for one in rounds)
    blocks: list[Block] = [Heading(reading.say("timeline")), Grid(heads, rows)]
    if not reading.everything:
        return blocks
    return [*blocks, *(block for one in rounds for block in _statements(reading, one))]


def _round(one: Mapping[str, Any]) -> tuple[str, ...]:
    moderation = one["moderation"] or {}
    score = moderation.get("consensus_score")
    return (
        str(one["number"]),
        f"{one['assessment']['metrics']['overall_score']:.2f}",
        "-" if score is None else f"{score:.2f}",
        ", ".join(said["participant"] for said in one["statements"]) or "-",
    )


def _statements(reading: Reading, one: Mapping[str, Any]) -> list[Block]:
    return [
        block
        for said in one["statements"]
        for block in (
            Heading(
                reading.say("speech_of", who=said["participant"], n=one["number"]),
                shortened(said["position"], SHORT),
            ),
            Words(said["argument"]),
        )
    ]
