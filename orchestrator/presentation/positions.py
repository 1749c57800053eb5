"""Where everybody stands on a finding at the end, and why: the last position that each one stated.

Everything that says how well a finding is supported (JSON, text, Markdown) counts by `supporters` and `Voices` here.
The author's side is shown beside the critics and is none of them: what it concedes is no vote.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

from orchestrator.core.findings.ranking import supporters as carried_by
from orchestrator.core.findings.verdict import voice_of
from orchestrator.presentation.report import RunReport
from shared.models.findings import Finding, Position
from shared.models.panel import Participant

AGAINST = frozenset({Position.DISAGREE, Position.WITHDRAW})


@dataclass(frozen=True)
class FinalPosition:
    """A participant's last position on a finding; `reason` is empty where none is stored."""

    participant: str
    is_critic: bool
    position: Position
    reason: str = ""


@dataclass(frozen=True)
class Voices:
    """The independent voices for a finding, of `asked` that could carry it, which are so many `critics`.

    Copies of one family are one voice, and one whose members end on different sides is for nobody: `divided` has their
    names.
    An analyser judges only what it raised, so it is asked about nothing else.
    """

    carrying: int
    asked: int
    critics: int
    divided: tuple[tuple[str, ...], ...] = ()

    @classmethod
    def on(cls, report: RunReport, finding: Finding) -> Voices:
        """By the last position that each critic stated."""
        asked = [c for c in report.critics if c.name in finding.raised_by or not c.rule_based]
        positive = {critic.name for critic in supporters(report, finding)}
        negative = {final.participant for final in opponents(final_positions(report, finding))}
        sides = _sides(asked, positive | negative)
        divided = tuple(tuple(side) for side in sides.values() if not _together(side, positive))
        carrying = sum(positive.issuperset(side) for side in sides.values() if side)
        return cls(carrying, len(sides), len(asked), divided)


def _sides(asked: Iterable[Participant], decided: Container[str]) -> Mapping[str, list[str]]:
    """Of each voice those who have said whether they share the finding."""
    sides: dict[str, list[str]] = {}
    for critic in asked:
        side = sides.setdefault(voice_of(critic), [])
        side += [critic.name] if critic.name in decided else []
    return sides


def _together(side: list[str], supporting: set[str]) -> bool:
    return supporting.issuperset(side) or supporting.isdisjoint(side)


def supporters(report: RunReport, finding: Finding) -> tuple[Participant, ...]:
    """The critics that carry a finding: who raised it and did not take it back, and who agreed, even in part."""
    names = carried_by(finding)
    return tuple(critic for critic in report.critics if critic.name in names)


def final_positions(report: RunReport, finding: Finding) -> tuple[FinalPosition, ...]:
    """Everybody who stated a position, the critics first; raising a finding and saying no more of it is to agree."""
    critics = [critic.name for critic in report.critics]
    stated = {**dict.fromkeys(finding.raised_by, Position.AGREE), **finding.stances}
    names = dict.fromkeys((*(name for name in critics if name in stated), *stated))
    reasons = report.last_reasons
    return tuple(
        FinalPosition(
            name,
            name in critics,
            stated[name],
            reasons.get((finding.id, name, stated[name]), ""),
        )
        for name in names
    )


def opponents(positions: Iterable[FinalPosition]) -> tuple[FinalPosition, ...]:
    """Those of them who do not share the finding, or no longer do."""
    return tuple(final for final in positions if final.position in AGAINST)
