"""All that is known about a run, as every rendering wants it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter, ValidationError

from orchestrator.core.cycle_names import cycle_at
from orchestrator.core.discussion.estimate import INSTEAD, Estimate
from orchestrator.core.findings.grounds import Checks
from orchestrator.core.findings.identity import worst_first
from orchestrator.core.findings.ranking import Ranked, rank
from orchestrator.core.findings.repeats import cycle_of, raised_again
from orchestrator.core.findings.stances import RAISING
from orchestrator.core.findings.verdict import (
    GateResult,
    GateRule,
    coverage_of,
    derive,
    effective_votes,
    gate_of,
    voice_of,
)
from orchestrator.core.forges import PublishedCommit
from orchestrator.core.results import ChangeResult, FindingsResult, ShownMatter, WorkflowResult
from orchestrator.presentation import step_warnings
from orchestrator.presentation.applied_so_far import applied_so_far, mended_so_far
from orchestrator.presentation.coverage import reading_warnings, rule_readings
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from orchestrator.workflows.display import result_of
from orchestrator.workflows.registry import workflow_named
from shared.models.assessment import Assessment, RecordedAssessment
from shared.models.coverage import CoverageReport
from shared.models.decision import DecisionState
from shared.models.findings import Finding, FindingStatus, Ground, Position, Stance
from shared.models.notices import Notice, notice, read_notice
from shared.models.outcomes import Ending, RunStatus, StepStatus, Verdict
from shared.models.panel import Participant
from shared.models.review_replies import Applied, CheckedFixes, Synthesis
from shared.models.rows import PUBLISHED, DecisionRow, RecordRow, RunRow, StepRow, UsageRow
from shared.models.run import RulesVersion, RunSpec


@dataclass(frozen=True)
class ReportedChild:
    """A run that the run started, and what was spent in it and below it."""

    run: RunRow
    usage: UsageRow


@dataclass(frozen=True)
class RunReport:
    """A run's rows, and what follows from them.

    `recorded` are the findings as of the last recorded round, `records` the facts of other kinds, `ledger` has the
    positions that were taken, with their reasons. `usage` includes what `children` spent. `undone` has what was taken
    back again, by the run that did; `listed` is how many findings a reader wants of it (None: all). `sources` are the
    reviewed texts of the files in which findings stand, by path; `excused` says why a gate does not count a finding.
    """

    run: RunRow
    steps: tuple[StepRow, ...]
    assessments: tuple[RecordedAssessment, ...]
    recorded: tuple[Finding, ...]
    decisions: tuple[DecisionRow, ...]
    usage: UsageRow
    children: tuple[ReportedChild, ...] = ()
    records: tuple[RecordRow, ...] = ()
    ledger: tuple[Stance, ...] = ()
    undone: Mapping[str, Applied] = field(default_factory=dict)
    listed: int | None = None
    sources: Mapping[str, str] = field(default_factory=dict)
    excused: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def spec(self) -> RunSpec:
        """What was captured at submission."""
        return RunSpec.model_validate(self.run.spec)

    @cached_property
    def workflow(self) -> WorkflowType[Any]:
        """The workflow that the run is of."""
        return workflow_named(self.run.workflow)

    @property
    def strategy(self) -> str | None:
        """The workflow's variant; None where it has none."""
        return self.workflow.strategy_of(self.spec)

    @cached_property
    def gate_rule(self) -> GateRule:
        """What the run's gate looks at."""
        return self.workflow.gate_of(self.spec)

    @property
    def critics(self) -> tuple[Participant, ...]:
        """Who judges: of those that take part, whoever was asked."""
        asked = None if self.result is None else self.result.critics_asked
        critics = self.spec.panel.critics
        return critics if asked is None else tuple(c for c in critics if c.name in asked)

    @property
    def detail(self) -> Mapping[str, Any]:
        """The workflow's result as it is stored; empty while there is none."""
        return (self.run.outcome or {}).get("detail") or {}

    @cached_property
    def result(self) -> WorkflowResult | None:
        """The workflow's result; None while there is none, and where this version cannot read what is stored."""
        return result_of(self.workflow, self.run.outcome)

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
        """What the open decision shows, as it is stored; empty when none is open."""
        decision = self.open_decision
        return decision.question.get("shown") or {} if decision else {}

    @cached_property
    def matter(self) -> ShownMatter | None:
        """What the open decision shows; None when none is open, or this version cannot read it."""
        if self.open_decision is None:
            return None
        try:
            return ShownMatter.model_validate(self.shown)
        except ValidationError:
            return None

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        """The panel's findings, the worst first."""
        outcome = self.run.outcome or {}
        findings = (
            map(Finding.model_validate, outcome["findings"])
            if "findings" in outcome
            else self.recorded
        )
        return tuple(sorted(findings, key=worst_first))

    @cached_property
    def ranking(self) -> tuple[Ranked, ...]:
        """Every finding, likely and grave ones first (`core.ranking`); what was fixed comes after what stands."""
        standing = {finding.id for finding in self.standing}
        first = self._rank(finding for finding in self.findings if finding.id in standing)
        mended = self._rank(finding for finding in self.findings if finding.id not in standing)
        return (*first, *(replace(place, rank=place.rank + len(first)) for place in mended))

    def _rank(self, findings: Iterable[Finding]) -> Sequence[Ranked]:
        voices = {voter.name: voice_of(voter) for voter in (*self.critics, self.spec.panel.author)}
        return rank(
            tuple(findings),
            voices,
            self.checks,
            effective_votes(self.critics),
            trusted=self.spec.trusted,
        )

    @property
    def checks(self) -> Checks:
        """What code has checked of findings besides what they have themselves; before that was kept, the fixes."""
        kept = self.result if isinstance(self.result, ChangeResult) else self.matter
        fixes = self.fixes.fixes if self.fixes else ()
        tried = {finding for fix in fixes if fix.problem is None for finding in fix.findings}
        checks = {name: {Ground.PATCH} for name in tried}
        for name, kinds in (kept.evidence if kept is not None else {}).items():
            checks.setdefault(name, set()).update(kinds)
        return checks

    @property
    def ranked(self) -> tuple[Finding, ...]:
        """What a reader wants first: the ranking without the rejected ones."""
        kept = {finding.id for finding in self.kept}
        return tuple(place.finding for place in self.ranking if place.finding.id in kept)

    def place_in_ranking(self, finding: Finding) -> Ranked:
        """Its rank, and what the rank rests on."""
        return next(place for place in self.ranking if place.finding.id == finding.id)

    @property
    def is_of_change(self) -> bool:
        """Whether the run looks at a captured change and finds something in it."""
        return self.workflow.finds and self.workflow.subject is SubjectKind.CHANGE

    @property
    def published(self) -> PublishedCommit | None:
        """Where the reviewed commit can be seen; None where it cannot, or nobody knows."""
        return PublishedCommit.read(self.spec.labels.get(PUBLISHED))

    @cached_property
    def raised_again(self) -> Mapping[str, str]:
        """What a later review of the change raised although it was known and not fixed: its id, and the first one."""
        standing = {finding.id for finding in self.standing}
        return raised_again([f for f in self.kept if f.id in standing]) if self.is_of_change else {}

    @property
    def kept(self) -> tuple[Finding, ...]:
        """The findings that the panel did not reject."""
        return tuple(f for f in self.findings if f.status is not FindingStatus.REJECTED)

    @property
    def standing(self) -> tuple[Finding, ...]:
        """The findings that no applied fix has resolved, and those whose fix was taken back."""
        if self.result is None:
            mended = mended_so_far(self.steps, self.decisions)
            return tuple(f for f in self.findings if f.id not in mended or self._is_back(f))
        named = self.result.standing if isinstance(self.result, FindingsResult) else None
        if named is None:
            return self.findings
        return tuple(f for f in self.findings if f.id in named or self._is_back(f))

    def _is_back(self, finding: Finding) -> bool:
        """Whether the fix of the review that raised it was taken back; each review has one."""
        return cycle_of(finding) in self._undone_reviews

    @cached_property
    def _undone_reviews(self) -> frozenset[int]:
        applied = applied_so_far(self.steps).items()
        return frozenset(cycle_at(key).number for key, fix in applied if self.undoing_of(fix))

    def undoing_of(self, fix: Applied) -> str | None:
        """The run that took a fix back; None where it stands."""
        return next((run for run, undone in self.undone.items() if undone == fix), None)

    @property
    def assessment(self) -> Assessment | None:
        """The last round's figures."""
        return self.assessments[-1].figures if self.assessments else None

    @property
    def rounds(self) -> int:
        """How many rounds there were: assessed ones, or ones in which the floor was asked for."""
        assessed = sum(recorded.is_of_round for recorded in self.assessments)
        asked = max((step.round for step in self.steps if step.role == "bid"), default=0)
        return max(assessed, asked)

    @property
    def ending(self) -> Ending | None:
        """How the discussion ended; None while it goes on."""
        if self.run.ending is not None:
            return Ending(self.run.ending)
        return self.assessment.ending if self.assessment else None

    @property
    def verdict(self) -> Verdict | None:
        """The outcome's verdict, or what follows once a discussion of findings has ended or a fix was taken back."""
        if self.run.verdict is not None and not self._undone_reviews:
            return Verdict(self.run.verdict)
        if self.ending is None or not self.workflow.finds:
            return Verdict.INCONCLUSIVE if self.run.status.final else None
        verdict = derive(self.standing, self.ending, self.gate_rule.fail_on, self.coverage)
        alone = verdict is Verdict.APPROVED and self.coverage is None and self._rules_alone
        return Verdict.CHECKS_PASSED if alone else verdict

    @property
    def _rules_alone(self) -> bool:
        """Whether nobody but rules has answered so far, where that makes a difference."""
        answered = {step.participant for step in self.steps if step.status == StepStatus.DONE}
        others = {critic.name for critic in self.critics if not critic.rule_based}
        return self.spec.rules_version >= RulesVersion.EXAMINED and not others & answered

    @property
    def gate(self) -> GateResult:
        """What the gate says: about what still stands, or about the debaters' agreement."""
        why = self.assessment.reason if self.assessment else None
        shown = self.result or self.matter
        counted = tuple(finding for finding in self.standing if finding.id not in self.excused)
        return gate_of(self.gate_rule, counted, self.ending, shown, why)

    @property
    def coverage(self) -> CoverageReport | None:
        """Who read which file; None where that was not recorded, or is not known yet."""
        return coverage_of(self.result or self.matter)

    @property
    def instead(self) -> Estimate | None:
        """What the larger run would have taken that this one may have saved; None where there is none."""
        label = self.spec.labels.get(INSTEAD)
        return None if label is None else TypeAdapter(Estimate).validate_python(label)

    @property
    def reading_warnings(self) -> tuple[Notice, ...]:
        """What nobody but rules looked at, what nobody read, and who was missing."""
        return reading_warnings(self.coverage)

    @property
    def synthesis(self) -> Synthesis | None:
        """The panel's merged text."""
        merged = self.result.merged if self.result is not None else None
        return merged or (self.matter.synthesis if self.matter else None)

    @property
    def synthesised_by(self) -> str | None:
        """Who merged it; `fallback` where code stood in for the chair."""
        if isinstance(self.result, FindingsResult):
            return self.result.synthesised_by
        return self.matter.synthesised_by if self.matter else None

    @property
    def fixes(self) -> CheckedFixes | None:
        """The fixes that were tried, with the exact combined patch."""
        tried = self.result.fixes if isinstance(self.result, ChangeResult) else None
        return tried or (self.matter.fixes if self.matter else None)

    @cached_property
    def last_reasons(self) -> Mapping[tuple[str, str, Position], str]:
        """The last reason that each one gave for each position on a finding; that somebody raised it is none."""
        return {
            (stance.finding, stance.participant, stance.position): stance.reason
            for stance in self.ledger
            if stance.reason.strip() and stance.reason != RAISING
        }

    @property
    def applied(self) -> tuple[Applied, ...]:
        """What was applied, one entry a review; also while the run goes on."""
        if self.result is None:
            return tuple(applied_so_far(self.steps).values())
        return self.result.applied_work

    @property
    def came_from_folder(self) -> bool:
        """Whether what was applied was in the person's folder before."""
        return self.result is not None and self.result.came_from_folder

    @property
    def not_asked(self) -> Notice | None:
        """Why nobody was asked about the change; None where a panel was."""
        return self.result.not_asked if isinstance(self.result, ChangeResult) else None

    @property
    def unapplied(self) -> bool:
        """True when somebody wanted the fix and it could not be applied."""
        ended = self.run.status is RunStatus.COMPLETED
        return ended and self.result is not None and self.result.unapplied

    @cached_property
    def warnings(self) -> tuple[Notice, ...]:
        """What a reader must not overlook: scripted lines, stand-ins, absences, failures, an unapplied fix.

        What the repository's own file changed, and what it could not, comes first.
        """
        outcome = self.run.outcome
        if outcome is not None:
            warnings = tuple(map(read_notice, outcome.get("warnings") or ()))
        else:
            failed = (step for step in self.steps if step.status == StepStatus.FAILED)
            warnings = tuple(step_warnings.absence(step, self.steps) for step in failed)
        beside = (
            *self.scripted,
            *step_warnings.stood_in(self.steps),
            *step_warnings.answers_shortened(self.steps),
        )
        ignored = (notice("finding_ignored", finding=f, why=why) for f, why in self.excused.items())
        left = step_warnings.left_out(self.steps, self.spec, patched=not self._is_unpatched)
        cut = step_warnings.unlisted(self.result or self.matter)
        return (*cut, *self.spec.notices, *beside, *warnings, *ignored, *left)

    @property
    def _is_unpatched(self) -> bool:
        """True when something stands in a change at the end, and there is no patch."""
        patched = self.applied or (self.fixes and self.fixes.patch)
        stands = self.is_of_change and self.run.status is RunStatus.COMPLETED and self.standing
        return bool(stands and not patched)

    @property
    def every_warning(self) -> tuple[Notice, ...]:
        """All of that, with what is said of the cast and of who looked: for readers of the result alone."""
        looked = (*self.reading_warnings, *rule_readings(self.coverage))
        return (*self.workflow.disclaimers, *looked, *self.spec.cautions, *self.warnings)

    @property
    def cautions(self) -> tuple[Notice, ...]:
        """What was said of the cast at the submission, without who looked: that is said of the result."""
        return tuple(c for c in self.spec.cautions if not c.code.startswith("cast_rules_"))

    @property
    def scripted(self) -> tuple[Notice, ...]:
        """Who read lines from a file instead of being asked; nothing when nobody did."""
        names = dict.fromkeys(
            holder.name
            for _part, holder in self.workflow.parts_of(self.spec)
            if holder.provider == "scripted"
        )
        return (notice("scripted", names=names),) if names and self.not_asked is None else ()
