"""What people made of each participant's findings on this installation, and what its vote is worth in the ranking.

A finding was put to a person when a decision offered to fix it; it was accepted when the answer applied that fix. What
was never offered was neither accepted nor declined. A share of few findings says little: it is drawn to everybody's.

    weight = (accepted + PRIOR * everybody's share) / (offered + PRIOR) / everybody's share, within LEAST to MOST

and there is one only from `FEWEST_FINDINGS` offered in `FEWEST_DECISIONS` decisions on. A run keeps the weights of its
submission. No status, severity, verdict or gate knows them: they move the order in which findings are read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.evaluation.intervals import wilson
from shared.models.findings import SEVERITY_ORDER
from shared.models.panel import Participant
from shared.models.wire import Wire

PRIOR = 20
FEWEST_FINDINGS = 20
FEWEST_DECISIONS = 10
LEAST, MOST = 0.5, 1.5


@dataclass(frozen=True)
class Raiser:
    """Who raised something: the same name with another model is somebody else."""

    name: str
    provider: str
    model: str | None

    @classmethod
    def of(cls, participant: Participant) -> Raiser:
        """The participant's."""
        return cls(participant.name, participant.provider, participant.model)


@dataclass(frozen=True)
class OfferedFindings:
    """So many findings of one kind that a participant raised and a person decided on."""

    by: Raiser
    severity: str
    category: str
    accepted: bool
    count: int


class AcceptedShare(Wire):
    """How many of those that were offered were accepted, with Wilson's 95 % interval."""

    accepted: int
    offered: int
    share: float
    low: float
    high: float


class ParticipantHistory(Wire):
    """A participant's record. `weight` None: there is not enough of it, and its vote counts 1."""

    name: str
    provider: str
    model: str | None
    decisions: int
    total: AcceptedShare
    by_severity: dict[str, AcceptedShare]
    by_category: dict[str, AcceptedShare]
    weight: float | None


class AcceptanceHistory(Wire):
    """Everybody's record, whoever was judged most often first. `total` None: nothing was decided yet.

    `total` counts a finding once for each participant that raised it.
    """

    total: AcceptedShare | None
    participants: tuple[ParticipantHistory, ...]

    def trusted(self, participants: Iterable[Participant]) -> dict[str, float]:
        """What each one's vote counts, by name; those without enough of a record are left out."""
        known = {Raiser(row.name, row.provider, row.model): row.weight for row in self.participants}
        weights = {each.name: known.get(Raiser.of(each)) for each in participants}
        return {name: weight for name, weight in weights.items() if weight is not None}


def acceptance(
    offered: Sequence[OfferedFindings], decisions: Mapping[Raiser, int]
) -> AcceptanceHistory:
    """The record of everybody who raised something that was decided on."""
    total = _share(offered)
    everybody = 0.0 if total is None else total.share
    raisers = dict.fromkeys(row.by for row in offered)
    records = [
        _record(
            raiser,
            [row for row in offered if row.by == raiser],
            decisions.get(raiser, 0),
            everybody,
        )
        for raiser in raisers
    ]
    ordered = sorted(records, key=lambda row: (-row.total.offered, row.name, row.model or ""))
    return AcceptanceHistory(total=total, participants=tuple(ordered))


def _record(
    raiser: Raiser, offered: Sequence[OfferedFindings], decisions: int, everybody: float
) -> ParticipantHistory:
    total = _share(offered)
    assert total is not None
    by_severity = _shares(offered, lambda row: row.severity)
    known = [severity.value for severity in SEVERITY_ORDER if severity.value in by_severity]
    return ParticipantHistory(
        name=raiser.name,
        provider=raiser.provider,
        model=raiser.model,
        decisions=decisions,
        total=total,
        by_severity={name: by_severity[name] for name in known},
        by_category=_shares(offered, lambda row: row.category),
        weight=vote_weight(total.accepted, total.offered, decisions, everybody),
    )


def vote_weight(accepted: int, offered: int, decisions: int, everybody: float) -> float | None:
    """What a vote counts; None where there is too little to say so."""
    if offered < FEWEST_FINDINGS or decisions < FEWEST_DECISIONS or everybody <= 0:
        return None
    shrunk = (accepted + PRIOR * everybody) / (offered + PRIOR)
    return round(min(MOST, max(LEAST, shrunk / everybody)), 3)


def _shares(
    offered: Sequence[OfferedFindings], kind: Callable[[OfferedFindings], str]
) -> dict[str, AcceptedShare]:
    """By kind, the most frequent first."""
    counts: Counter[str] = Counter()
    for row in offered:
        counts[kind(row)] += row.count
    ordered = sorted(counts, key=lambda name: (-counts[name], name))
    shares = {name: _share([row for row in offered if kind(row) == name]) for name in ordered}
    return {name: share for name, share in shares.items() if share is not None}


def _share(offered: Sequence[OfferedFindings]) -> AcceptedShare | None:
    count = sum(row.count for row in offered)
    accepted = sum(row.count for row in offered if row.accepted)
    bounds = wilson(accepted, count)
    if bounds is None:
        return None
    return AcceptedShare(
        accepted=accepted, offered=count, share=accepted / count, low=bounds.low, high=bounds.high
    )
