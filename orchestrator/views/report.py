"""All that is known about a run, as every rendering wants it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from orchestrator.core.verdict import GateResult, derive, gate
from orchestrator.views.words import say
from shared.models.assessment import Assessment
from shared.models.decision import DecisionState
from shared.models.findings import Finding, FindingStatus, Position
from shared.models.outcomes import Ending, RunStatus, StepStatus, Verdict
from shared.models.panel import Participant, Role
from shared.models.replies import Applied, CheckedFixes, Synthesis
from shared.models.run import ReviewOptions, RunSpec
from shared.store.decisions import DecisionRow
from shared.store.views import RunRow, StepRow, UsageRow

SUPPORTING = frozenset({Position.AGREE, Position.PARTIAL})
ROUND_ROLES = frozenset({Role.CRITIQUE.value, Role.REBUTTAL.value})


@dataclass(frozen=True)
class RecordedAssessment:
    """A round's figures under the key of its record."""

    key: str
    figures: Assessment


@dataclass(frozen=True)
class RunReport:
    """A run's rows, and what follows from them. `recorded` are the findings as of the last recorded round."""

    run: RunRow
    steps: tuple[StepRow, ...]
    assessments: tuple[RecordedAssessment, ...]
    recorded: tuple[Finding, ...]
    decisions: tuple[DecisionRow, ...]
    usage: UsageRow

    @cached_property
    def spec(self) -> RunSpec:
        """What was captured at submission."""
        return RunSpec.model_validate(self.run.spec)

    @property
    def options(self) -> ReviewOptions:
        """The review's options."""
        return self.spec.review or ReviewOptions()

    @property
    def critics(self) -> tuple[Participant, ...]:
        """Who judges."""
        return self.spec.panel.critics

    @property
    def detail(self) -> Mapping[str, Any]:
        """The outcome's details; empty while there is no outcome."""
        return (self.run.outcome or {}).get("detail") or {}

    @property
    def decision(self) -> DecisionRow | None:
        """The decision that is open, else the last one."""
        return self.open_decision or (self.decisions[-1] if self.decisions else None)

    @property
    def open_decision(self) -> DecisionRow | None:
        """The decision that a person is asked for now."""
        return next((d for d in self.decisions if d.state is DecisionState.OPEN), None)

    @property
    def shown(self) -> Mapping[str, Any]:
        """What the open decision shows; empty when none is open."""
        decision = self.open_decision
        return decision.question.get("shown") or {} if decision else {}

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The panel's findings, the worst first."""
        outcome = self.run.outcome or {}
        found = (
            tuple(Finding.model_validate(one) for one in outcome["findings"])
            if "findings" in outcome
            else self.recorded
        )
        return tuple(sorted(found, key=_worst_first))

    @property
    def ranked(self) -> tuple[Finding, ...]:
        """What a reader wants first: what still stands, the worst first; then what was mended. No rejected ones."""
        standing = {finding.id for finding in self.standing}
        return tuple(sorted(self.kept, key=lambda finding: finding.id not in standing))

    @property
    def kept(self) -> tuple[Finding, ...]:
        """The findings that the panel did not reject."""
        return tuple(f for f in self.findings if f.status is not FindingStatus.REJECTED)

    @property
    def standing(self) -> tuple[Finding, ...]:
        """The findings that no applied fix has mended."""
        named = self.detail.get("standing")
        return self.findings if named is None else tuple(f for f in self.findings if f.id in named)

    @property
    def assessment(self) -> Assessment | None:
        """The last round's figures."""
        return self.assessments[-1].figures if self.assessments else None

    @property
    def ending(self) -> Ending | None:
        """How the discussion ended; None while it goes on."""
        if self.run.ending is not None:
            return Ending(self.run.ending)
        return self.assessment.ending if self.assessment else None

    @property
    def verdict(self) -> Verdict | None:
        """The outcome's verdict, or what follows so far once the discussion has ended."""
        if self.run.verdict is not None:
            return Verdict(self.run.verdict)
        if self.ending is None:
            return Verdict.INCONCLUSIVE if self.run.status.final else None
        return derive(self.standing, self.ending, self.options.fail_on)

    @property
    def gate(self) -> GateResult:
        """What the gate says about what still stands."""
        return gate(self.standing, self.ending, self.options.fail_on)

    @property
    def synthesis(self) -> Synthesis | None:
        """The panel's merged text."""
        text = self.detail.get("synthesis") or self.shown.get("synthesis")
        return None if text is None else Synthesis.model_validate(text)

    @property
    def fixes(self) -> CheckedFixes | None:
        """The fixes that were tried, with the exact combined patch."""
        fixes = self.detail.get("fixes") or self.shown.get("fixes")
        return None if fixes is None else CheckedFixes.model_validate(fixes)

    @property
    def applied(self) -> tuple[Applied, ...]:
        """What was applied, one entry a review."""
        return tuple(Applied.model_validate(one) for one in self.detail.get("applied") or ())

    @property
    def unapplied(self) -> bool:
        """True when somebody wanted the fix and it could not be applied."""
        answer = self.detail.get("decision") or {}
        ended = self.run.status is RunStatus.COMPLETED
        return ended and answer.get("choice") == "apply_fix" and not self.applied

    def supporters(self, finding: Finding) -> int:
        """How many critics carry a finding: who raised it and who agreed, even in part."""
        critics = {critic.name for critic in self.critics}
        agreeing = {name for name, position in finding.stances.items() if position in SUPPORTING}
        return len(critics & (agreeing | set(finding.raised_by)))

    def warnings(self, language: str) -> tuple[str, ...]:
        """What a reader must not overlook: absences, failures, a fix that was not applied."""
        outcome = self.run.outcome
        if outcome is not None:
            return tuple(str(text) for text in outcome.get("warnings") or ())
        return tuple(
            self._absence(step, language) for step in self.steps if step.status == StepStatus.FAILED
        )

    def _absence(self, step: StepRow, language: str) -> str:
        why = f"{step.failure_kind}: {step.failure_message}"
        if step.role not in ROUND_ROLES:
            return say("step_failed", language, key=step.key, why=why)
        prefix = step.key.removesuffix(step.participant)
        asked = [one for one in self.steps if one.key.startswith(prefix)]
        answered = sum(one.status == StepStatus.DONE for one in asked)
        return say(
            "abstained",
            language,
            who=step.participant,
            round=step.round,
            answered=answered,
            asked=len(asked),
            why=why,
        )


def _worst_first(finding: Finding) -> tuple[int, str, int, int, str]:
    place = finding.place
    return (
        finding.severity.rank,
        place.path if place else "",
        place.line if place else 0,
        len(finding.id),
        finding.id,
    )
