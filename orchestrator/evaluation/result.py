"""An evaluation as data: what is stored of it, and what it came to (its schema: `quorate eval --schema`)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import Field

from orchestrator.evaluation.calibration import Reliability
from orchestrator.evaluation.cases import ExpectedFinding
from orchestrator.evaluation.figures import (
    FigureDifference,
    ScoreSheet,
    by_confidence,
    by_likelihood,
    differences,
    sheet,
)
from orchestrator.evaluation.scoring import (
    CaseOutcome,
    CaseState,
    ReadingRules,
    ScoredCase,
    score,
)
from shared.models.wire import Wire

SEED = 20_260


class DefinedCase(Wire):
    """A case as its evaluation remembers it: what it is called, and what is to be found."""

    custom_id: str
    expected: tuple[ExpectedFinding, ...] = ()


class DefinedPanel(Wire):
    """A panel, and under which keys its runs are found: one for each case, in their order."""

    name: str
    participants: tuple[str, ...]
    keys: tuple[str, ...]


class EvalDefinition(Wire):
    """Cases before panels. `retried` counts how often a key's run failed and was asked for again."""

    workflow: str
    cases: tuple[DefinedCase, ...]
    panels: tuple[DefinedPanel, ...]
    retried: dict[str, int] = Field(default_factory=dict)

    def key(self, key: str) -> str:
        """Under which key the newest run for it is."""
        again = self.retried.get(key, 0)
        return f"{key}:{again}" if again else key

    @property
    def keys(self) -> tuple[str, ...]:
        """Of all runs; identical cases before one panel share theirs."""
        return tuple(dict.fromkeys(self.key(key) for panel in self.panels for key in panel.keys))

    def same_question(self, other: EvalDefinition) -> bool:
        """Whether both ask the same of the same panels."""
        return (self.workflow, self.cases, self.panels) == (
            other.workflow,
            other.cases,
            other.panels,
        )


class CountedClaim(Wire):
    """A finding of a case. `label` is the index of the label that it names, `repeats`: another one named it before."""

    id: str
    title: str
    severity: str
    place: str | None
    raised_by: tuple[str, ...]
    likelihood: float
    label: int | None
    true: bool
    repeats: bool


class EvalCaseResult(Wire):
    """What a panel came to with one case; `missed` are the indices of labels that nobody named."""

    case: str
    panel: str
    run: str | None
    state: CaseState
    verdict: str | None = None
    expected: tuple[ExpectedFinding, ...]
    findings: tuple[CountedClaim, ...] = ()
    missed: tuple[int, ...] = ()
    seconds: float | None = None


class EvaluatedPanel(Wire):
    """A panel's figures over its measured cases; `states` counts all of them."""

    name: str
    states: dict[CaseState, int]
    sheet: ScoreSheet
    participants: tuple[ScoreSheet, ...]
    likelihood: Reliability
    confidence: Reliability
    confidence_by: dict[str, Reliability]


class EvalComparison(Wire):
    """The first panel beside another one, over the `cases` that both measured with the same labels."""

    first: str
    second: str
    cases: int
    differences: tuple[FigureDifference, ...]


class EvalResult(Wire):
    """What an evaluation came to. `first` and `least` say which findings were counted, `seed` draws the intervals."""

    names: tuple[str, ...]
    workflow: str
    first: int | None
    least: str
    seed: int
    panels: tuple[EvaluatedPanel, ...]
    comparisons: tuple[EvalComparison, ...]
    cases: tuple[EvalCaseResult, ...]

    def count(self, state: CaseState) -> int:
        """How many cases of all panels stand so."""
        return sum(panel.states.get(state, 0) for panel in self.panels)


@dataclass(frozen=True)
class PanelOutcomes:
    """A panel's cases with what came of each, in the order of the cases."""

    name: str
    participants: tuple[str, ...]
    cases: tuple[tuple[DefinedCase, CaseOutcome], ...]


def evaluated(
    names: Sequence[str],
    workflow: str,
    panels: Sequence[PanelOutcomes],
    rules: ReadingRules,
    seed: int = SEED,
) -> EvalResult:
    """Everything that is reported; pure, so another rule or seed costs nothing."""
    scored = [_scored(panel, rules) for panel in panels]
    both = [(panels[0], scored[0], *pair) for pair in zip(panels[1:], scored[1:], strict=True)]
    return EvalResult(
        names=tuple(names),
        workflow=workflow,
        first=rules.first,
        least=rules.least.value,
        seed=seed,
        panels=tuple(_panel(*pair, seed) for pair in zip(panels, scored, strict=True)),
        comparisons=tuple(_comparison(*sides, seed) for sides in both),
        cases=tuple(
            _case(panel.name, case, outcome, measured.get(case.custom_id))
            for panel, measured in zip(panels, scored, strict=True)
            for case, outcome in panel.cases
        ),
    )


def _scored(panel: PanelOutcomes, rules: ReadingRules) -> dict[str, ScoredCase]:
    return {
        case.custom_id: score(case.expected, outcome, rules)
        for case, outcome in panel.cases
        if outcome.state is CaseState.MEASURED
    }


def _panel(panel: PanelOutcomes, scored: Mapping[str, ScoredCase], seed: int) -> EvaluatedPanel:
    cases = [*scored.values()]
    lost = [
        len(case.expected) for case, outcome in panel.cases if outcome.state is CaseState.FAILED
    ]
    stated = {name: by_confidence(cases, name) for name in panel.participants}
    return EvaluatedPanel(
        name=panel.name,
        states=dict(Counter(outcome.state for _, outcome in panel.cases)),
        sheet=sheet(panel.name, cases, lost, seed),
        participants=tuple(sheet(name, cases, lost, seed, name) for name in panel.participants),
        likelihood=by_likelihood(cases),
        confidence=by_confidence(cases),
        confidence_by={name: table for name, table in stated.items() if table.count},
    )


def _comparison(
    first: PanelOutcomes,
    first_scored: Mapping[str, ScoredCase],
    second: PanelOutcomes,
    second_scored: Mapping[str, ScoredCase],
    seed: int,
) -> EvalComparison:
    common = [
        name
        for name, case in first_scored.items()
        if name in second_scored and second_scored[name].expected == case.expected
    ]
    return EvalComparison(
        first=first.name,
        second=second.name,
        cases=len(common),
        differences=differences(
            {name: first_scored[name] for name in common},
            {name: second_scored[name] for name in common},
            seed,
        ),
    )


def _case(
    panel: str, case: DefinedCase, outcome: CaseOutcome, scored: ScoredCase | None
) -> EvalCaseResult:
    return EvalCaseResult(
        case=case.custom_id,
        panel=panel,
        run=outcome.run,
        state=outcome.state,
        verdict=outcome.verdict,
        expected=case.expected,
        findings=() if scored is None else _claims(scored),
        missed=() if scored is None else scored.missed,
        seconds=outcome.seconds,
    )


def _claims(scored: ScoredCase) -> tuple[CountedClaim, ...]:
    claims = []
    for counted in scored.findings:
        finding = counted.judged.finding
        place = finding.place
        claims.append(
            CountedClaim(
                id=finding.id,
                title=finding.title,
                severity=finding.severity.value,
                place=None if place is None else place.shown,
                raised_by=finding.raised_by,
                likelihood=round(counted.judged.likelihood, 3),
                label=counted.label,
                true=counted.true,
                repeats=counted.repeats,
            )
        )
    return tuple(claims)
