"""What a batch came to, counted: verdicts, endings, findings, agreement, time and money; pure, from a row a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median

from pydantic import Field

from orchestrator.evaluation.result import EvalResult
from shared.models.batches import ItemState
from shared.models.outcomes import Verdict
from shared.models.wire import Wire

TENTHS = 10


class CohortRow(Wire):
    """One item of a batch: how it stands, what came of it, what it took. None: there is nothing to say.

    `agreement` is the last round's, from 0 to 1; `said` what each participant's last word on the verdict was.
    `expected` are the verdicts of which any would be right.
    """

    custom_id: str
    run: str
    workflow: str
    state: ItemState
    verdict: str | None = None
    ending: str | None = None
    reason: str | None = None
    rounds: int = 0
    agreement: float | None = None
    severities: dict[str, int] = Field(default_factory=dict)
    statuses: dict[str, int] = Field(default_factory=dict)
    raised_by: dict[str, int] = Field(default_factory=dict)
    accepted_of: dict[str, int] = Field(default_factory=dict)
    said: dict[str, str] = Field(default_factory=dict)
    calls: int = 0
    cost_usd: float | None = None
    unknown_costs: int = 0
    seconds: float | None = None
    expected: tuple[Verdict, ...] = ()

    @property
    def is_right(self) -> bool | None:
        """Whether its verdict is one of the expected; None where nothing is expected, or nothing came of it."""
        if not self.expected or self.state is not ItemState.SUCCEEDED:
            return None
        return self.verdict in self.expected


class ParticipantShare(Wire):
    """What a participant brought and cost. `right` of `judged` verdicts were as expected."""

    name: str
    raised: int
    accepted: int
    calls: int
    cost_usd: float | None
    unknown_costs: int
    right: int
    judged: int


class Spread(Wire):
    """A figure over many runs."""

    count: int
    least: float
    median: float
    ninth: float
    most: float


class CohortMoney(Wire):
    """What all runs cost together; `per_item_usd` counts those that succeeded."""

    calls: int
    cost_usd: float | None
    unknown_costs: int
    per_item_usd: float | None


class CohortFindings(Wire):
    """The findings of all runs that succeeded."""

    number: int
    severities: dict[str, int]
    statuses: dict[str, int]


class CohortJudgement(Wire):
    """Verdicts beside those that were expected; `wrong` are the items whose verdict is another one."""

    right: int
    judged: int
    wrong: tuple[str, ...]


class CohortReport(Wire):
    """Everything that is reported of a batch. `agreement` counts runs by tenths, the last with 1.0."""

    name: str
    total: int
    states: dict[str, int]
    workflows: dict[str, int]
    verdicts: dict[str, int]
    endings: dict[str, int]
    failures: dict[str, int]
    findings: CohortFindings
    agreement: tuple[int, ...]
    agreement_spread: Spread | None
    rounds: Spread | None
    seconds: Spread | None
    money: CohortMoney
    expected: CohortJudgement
    participants: tuple[ParticipantShare, ...]
    labels: EvalResult | None = None


@dataclass(frozen=True)
class ParticipantCost:
    """What a participant's calls cost over all runs."""

    calls: int
    cost_usd: float | None
    unknown: int


def cohort(
    name: str,
    total: int,
    rows: Sequence[CohortRow],
    costs: Mapping[str, ParticipantCost],
    labels: EvalResult | None = None,
) -> CohortReport:
    """Count them; an item that shares its run with another one counts as itself, but costs nothing more."""
    ended = [row for row in rows if row.state is ItemState.SUCCEEDED]
    failed = [row for row in rows if row.state is ItemState.FAILED]
    return CohortReport(
        name=name,
        total=total,
        states=_counted("state", rows),
        workflows=_counted("workflow", rows),
        verdicts=_counted("verdict", ended),
        endings=_counted("ending", ended),
        failures=_counted("reason", failed),
        findings=_findings(ended),
        agreement=_tenths(ended),
        agreement_spread=_spread("agreement", ended),
        rounds=_spread("rounds", ended),
        seconds=_spread("seconds", ended),
        money=_money(rows, len(ended)),
        expected=_judged(ended),
        participants=tuple(_shares(ended, costs)),
        labels=labels,
    )


def _findings(ended: Sequence[CohortRow]) -> CohortFindings:
    severities = _summed(row.severities for row in ended)
    return CohortFindings(
        number=sum(severities.values()),
        severities=severities,
        statuses=_summed(row.statuses for row in ended),
    )


def _money(rows: Sequence[CohortRow], ended: int) -> CohortMoney:
    paid = [*{row.run: row for row in rows}.values()]
    known = [row.cost_usd for row in paid if row.cost_usd is not None]
    cost = sum(known) if known else None
    return CohortMoney(
        calls=sum(row.calls for row in paid),
        cost_usd=cost,
        unknown_costs=sum(row.unknown_costs for row in paid),
        per_item_usd=None if cost is None or not ended else cost / ended,
    )


def _judged(ended: Sequence[CohortRow]) -> CohortJudgement:
    judged = [row for row in ended if row.is_right is not None]
    wrong = tuple(row.custom_id for row in judged if not row.is_right)
    return CohortJudgement(right=len(judged) - len(wrong), judged=len(judged), wrong=wrong)


def _shares(
    ended: Sequence[CohortRow], costs: Mapping[str, ParticipantCost]
) -> Iterable[ParticipantShare]:
    raised = _summed(row.raised_by for row in ended)
    accepted = _summed(row.accepted_of for row in ended)
    expecting = [row for row in ended if row.expected]
    for name in sorted({*raised, *costs, *(name for row in expecting for name in row.said)}):
        cost = costs.get(name, ParticipantCost(0, None, 0))
        verdicts = _verdicts_of(name, expecting)
        yield ParticipantShare(
            name=name,
            raised=raised.get(name, 0),
            accepted=accepted.get(name, 0),
            calls=cost.calls,
            cost_usd=cost.cost_usd,
            unknown_costs=cost.unknown,
            right=sum(verdicts),
            judged=len(verdicts),
        )


def _verdicts_of(name: str, rows: Sequence[CohortRow]) -> list[bool]:
    """Of each verdict that a participant gave, whether it was expected."""
    return [row.said[name] in row.expected for row in rows if name in row.said]


def _counted(field: str, rows: Sequence[CohortRow]) -> dict[str, int]:
    return dict(Counter(str(getattr(row, field) or "-") for row in rows).most_common())


def _summed(parts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for part in parts:
        total.update(part)
    return dict(total.most_common())


def _tenths(rows: Sequence[CohortRow]) -> tuple[int, ...]:
    values = [row.agreement for row in rows if row.agreement is not None]
    counts = Counter(min(int(value * TENTHS), TENTHS - 1) for value in values)
    return tuple(counts[tenth] for tenth in range(TENTHS))


def _spread(field: str, rows: Sequence[CohortRow]) -> Spread | None:
    values = (getattr(row, field) for row in rows)
    known: list[float] = sorted(float(value) for value in values if value is not None)
    if not known:
        return None
    return Spread(
        count=len(known),
        least=known[0],
        median=median(known),
        ninth=known[min(len(known) - 1, (9 * len(known)) // 10)],
        most=known[-1],
    )
