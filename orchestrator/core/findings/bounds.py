"""How many findings of analysers a discussion takes in: the gravest, and what is left out is counted.

A panel of rules alone counts and debates nothing, so it takes in what one analyser lists. Models and people read each
finding and take a position on it: beside them an analyser has as many as they have themselves (`MAX_CLAIMS`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from orchestrator.core.findings.merging import Raised
from shared.models.coverage import ListedShare
from shared.models.findings import Severity
from shared.models.panel import Participant
from shared.models.reply_bounds import MAX_CLAIMS, MAX_LISTED


def taken_in(raised: Sequence[Raised], critics: Sequence[Participant]) -> list[Raised]:
    """What was raised in one round, in its order, without what is too much of the analysers'."""
    listed = [(claim.participant, claim.finding.severity) for claim in raised]
    beyond = _beyond(listed, critics)
    return [claim for at, claim in enumerate(raised) if at not in beyond]


def unlisted_of(
    replies: Mapping[str, Mapping[str, Any]], critics: Sequence[Participant]
) -> dict[str, ListedShare]:
    """By analyser, what it found and how much of it was taken in; without those of which that is all.

    `replies` are those of the tool runs, in the order in which they were taken.
    """
    listed = [
        (name, Severity(finding.get("severity", Severity.MINOR)))
        for name, reply in replies.items()
        for finding in reply.get("findings") or ()
    ]
    every = Counter(name for name, _severity in listed)
    left_out = Counter(listed[at][0] for at in _beyond(listed, critics))
    shares = {}
    for name, reply in replies.items():
        found = every[name] + (reply.get("coverage") or {}).get("unlisted", 0)
        if found > (kept := every[name] - left_out[name]):
            shares[name] = ListedShare(found=found, listed=kept)
    return shares


def _beyond(listed: Sequence[tuple[str, Severity]], critics: Sequence[Participant]) -> set[int]:
    """The places of what is too much: the least grave, of those the last."""
    ruled = {critic.name for critic in critics if critic.rule_based}
    alone = len(ruled) == len(critics)
    groups: dict[str, list[int]] = {}
    for at, (name, _severity) in enumerate(listed):
        if name in ruled:
            groups.setdefault("" if alone else name, []).append(at)
    most = MAX_LISTED if alone else MAX_CLAIMS
    return {
        at
        for places in groups.values()
        for at in sorted(places, key=lambda at: listed[at][1].rank)[most:]
    }
