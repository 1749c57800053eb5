"""The verdict and the gate: derived by code from findings and ending, never taken from a model's words."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from orchestrator.core.results import ChangeResult, ShownMatter, TestsOutcome, WorkflowResult
from shared.models.coverage import CoverageReport
from shared.models.findings import Finding, FindingStatus, Severity
from shared.models.notices import Notice, notice, verbatim
from shared.models.outcomes import Ending, Verdict
from shared.models.panel import Participant

STANDING = frozenset({FindingStatus.ACCEPTED, FindingStatus.CONTESTED})
DEMANDS_FIX = Severity.MINOR


class GateOutcome(StrEnum):
    """What a gate says. `not_set` is what a run without one says."""

    PASSED = "passed"
    TRIPPED = "tripped"
    INCONCLUSIVE = "inconclusive"
    NOT_SET = "not_set"


@dataclass(frozen=True)
class GateResult:
    """A gate's outcome, and why."""

    outcome: GateOutcome
    reason: Notice


def standing(findings: Iterable[Finding], at_least: Severity) -> tuple[Finding, ...]:
    """Accepted and contested findings at least that bad: what the panel did not get rid of."""
    return tuple(
        finding
        for finding in findings
        if finding.status in STANDING and finding.severity.rank <= at_least.rank
    )


def undecided(findings: Iterable[Finding], at_least: Severity) -> tuple[Finding, ...]:
    """Findings at least that bad on which too few took a position."""
    return tuple(
        finding
        for finding in findings
        if finding.status is FindingStatus.UNDECIDED and finding.severity.rank <= at_least.rank
    )


def disputed(findings: Iterable[Finding], at_least: Severity) -> tuple[Finding, ...]:
    """Findings that a raiser calls at least that bad and the panel does not: their weight is not settled."""
    return tuple(
        finding
        for finding in findings
        if finding.status is not FindingStatus.REJECTED
        and finding.stated_severity is not None
        and finding.stated_severity.rank <= at_least.rank < finding.severity.rank
    )


def derive(
    findings: Sequence[Finding],
    ending: Ending | None,
    fail_on: Severity | None = None,
    coverage: CoverageReport | None = None,
    objections: Collection[str] = (),
) -> Verdict:
    """NEEDS_FIX when a finding stands that demands one, APPROVED only after convergence, else INCONCLUSIVE.

    MINOR and worse demand a fix; a gate at INFO makes INFO demand one too. An undecided finding of that weight
    keeps approval away, and so do what nobody read (`coverage`, None where that is not known) and `objections`:
    findings for which at least half of the critics ask for a fix, although nothing was shown for them. What only rules
    looked at is not approved either: then the checks have passed.
    """
    weight = max(DEMANDS_FIX, fail_on or DEMANDS_FIX, key=lambda severity: severity.rank)
    if standing(findings, weight):
        return Verdict.NEEDS_FIX
    open_weight = undecided(findings, weight) or disputed(findings, weight)
    if ending is not Ending.CONVERGED or open_weight or objections or not is_complete(coverage):
        return Verdict.INCONCLUSIVE
    return Verdict.CHECKS_PASSED if is_left_to_rules(coverage) else Verdict.APPROVED


def derive_unasked(coverage: CoverageReport, rule: GateRule) -> Verdict:
    """Of a change about which nobody had to be asked, or nobody could be: INCONCLUSIVE where a file should be read."""
    passes = coverage.complete and not _lacks_reviewer(coverage, rule)
    return Verdict.NOTHING_TO_REVIEW if passes else Verdict.INCONCLUSIVE


def is_complete(coverage: CoverageReport | None) -> bool:
    """Whether nothing that is known of who read what keeps an approval away."""
    return coverage is None or coverage.complete


def is_left_to_rules(coverage: CoverageReport | None) -> bool:
    """Whether it is known that only rules looked at a part of the change, or at all of it."""
    return coverage is not None and coverage.by_rules_alone


def gate(
    findings: Sequence[Finding],
    ending: Ending | None,
    fail_on: Severity | None,
    coverage: CoverageReport | None = None,
    objections: Collection[str] = (),
    *,
    requires_reviewer: bool = False,
) -> GateResult:
    """Trips on what stands at or above `fail_on`; passes only after convergence and when all that has to be read was;
    anything else is inconclusive. With `requires_reviewer` so is a change of which rules alone looked at a part."""
    result = _gate_on_findings(findings, ending, fail_on, coverage, objections)
    lacking = requires_reviewer and is_left_to_rules(coverage)
    if lacking and result.outcome in (GateOutcome.PASSED, GateOutcome.NOT_SET):
        return GateResult(GateOutcome.INCONCLUSIVE, notice("gate_reviewer_missing"))
    return result


def _gate_on_findings(
    findings: Sequence[Finding],
    ending: Ending | None,
    fail_on: Severity | None,
    coverage: CoverageReport | None,
    objections: Collection[str],
) -> GateResult:
    if fail_on is None:
        return GateResult(GateOutcome.NOT_SET, notice("gate_not_set"))
    if stands := standing(findings, fail_on):
        return GateResult(
            GateOutcome.TRIPPED, notice("gate_standing", findings=_ids(stands), severity=fail_on)
        )
    if ending is not Ending.CONVERGED:
        return GateResult(GateOutcome.INCONCLUSIVE, _unconverged(ending))
    if doubtful := undecided(findings, fail_on):
        return GateResult(
            GateOutcome.INCONCLUSIVE, notice("gate_undecided", findings=_ids(doubtful))
        )
    if open_weight := disputed(findings, fail_on):
        return GateResult(
            GateOutcome.INCONCLUSIVE,
            notice("gate_disputed", findings=_ids(open_weight), severity=fail_on),
        )
    if objections:
        return GateResult(
            GateOutcome.INCONCLUSIVE, notice("gate_unshown", findings=tuple(objections))
        )
    if coverage is not None and not coverage.complete:
        return GateResult(GateOutcome.INCONCLUSIVE, gap(coverage))
    reason = "gate_checks_passed" if is_left_to_rules(coverage) else "gate_converged"
    return GateResult(GateOutcome.PASSED, notice(reason, severity=fail_on))


def consensus_gate(ending: Ending | None, agreed: bool | None) -> GateResult:
    """Of a debate that is judged: passes when the debaters agree on the verdict, trips when they do not.

    `agreed` is whether the votes agree on what the verdict amounts to, None when that is not known. A debate that too
    few took part in, or that was broken off, says nothing.
    """
    if ending in (None, Ending.DEGRADED, Ending.OVER_BUDGET):
        return GateResult(GateOutcome.INCONCLUSIVE, _unconverged(ending))
    if ending is not Ending.CONVERGED:
        return GateResult(GateOutcome.TRIPPED, notice("debaters_disagree"))
    match agreed:
        case True:
            return GateResult(GateOutcome.PASSED, notice("debaters_agree"))
        case False:
            return GateResult(GateOutcome.TRIPPED, notice("debaters_agree_otherwise"))
    return GateResult(GateOutcome.INCONCLUSIVE, notice("debaters_agree_on_what"))


@dataclass(frozen=True)
class GateRule:
    """What a run's gate looks at: findings that are at least so bad, whether the debaters agree.

    `requires_reviewer`: it does not pass where only rules have looked.
    """

    fail_on: Severity | None = None
    requires_consensus: bool = False
    requires_reviewer: bool = False


def gate_of(
    rule: GateRule,
    findings: Sequence[Finding],
    ending: Ending | None,
    result: WorkflowResult | ShownMatter | None,
    why: Notice | None = None,
) -> GateResult:
    """The gate that a run has, on what stands and on its result (before the end: on what is shown, or nothing).

    `why` is the cause of the ending.
    """
    stated = _gate_of(rule, findings, ending, result)
    if why is None or stated.reason.code != _ENDED:
        return stated
    return GateResult(stated.outcome, notice("discussion_ended_because", ending=ending, why=why))


def _gate_of(
    rule: GateRule,
    findings: Sequence[Finding],
    ending: Ending | None,
    result: WorkflowResult | ShownMatter | None,
) -> GateResult:
    if rule.requires_consensus:
        agreed = result.agrees_on_verdict if isinstance(result, WorkflowResult) else None
        return consensus_gate(ending, agreed)
    if isinstance(result, ChangeResult) and result.not_asked is not None:
        return _unasked_gate(rule, result.coverage or CoverageReport())
    objections = result.unshown_objections if isinstance(result, ChangeResult) else ()
    of_findings = gate(
        findings,
        ending,
        rule.fail_on,
        coverage_of(result),
        objections,
        requires_reviewer=rule.requires_reviewer,
    )
    return (
        _with_tests(of_findings, result.tests) if isinstance(result, ChangeResult) else of_findings
    )


def _with_tests(before: GateResult, tests: TestsOutcome) -> GateResult:
    """A gate that stands open holds where the project's own tests fail, or tell nothing."""
    if before.outcome is GateOutcome.NOT_SET or before.outcome is GateOutcome.TRIPPED:
        return before
    if tests is TestsOutcome.FAILED:
        return GateResult(GateOutcome.TRIPPED, notice("gate_tests_failed"))
    if tests is TestsOutcome.UNKNOWN and before.outcome is GateOutcome.PASSED:
        return GateResult(GateOutcome.INCONCLUSIVE, notice("gate_tests_unknown"))
    return before


def _unasked_gate(rule: GateRule, coverage: CoverageReport) -> GateResult:
    """Of a change about which nobody was asked."""
    if _lacks_reviewer(coverage, rule):
        return GateResult(GateOutcome.INCONCLUSIVE, notice("gate_reviewer_missing"))
    if rule.fail_on is None:
        return GateResult(GateOutcome.NOT_SET, notice("gate_not_set"))
    if not coverage.complete:
        return GateResult(GateOutcome.INCONCLUSIVE, gap(coverage))
    return GateResult(GateOutcome.PASSED, notice("gate_nothing"))


def _lacks_reviewer(coverage: CoverageReport, rule: GateRule) -> bool:
    return rule.requires_reviewer and is_left_to_rules(coverage)


def coverage_of(result: WorkflowResult | ShownMatter | None) -> CoverageReport | None:
    """Who read what; None where that is not known."""
    return result.coverage if isinstance(result, ChangeResult | ShownMatter) else None


_NAMED = 5
_ENDED = "discussion_ended_as"


def gap(coverage: CoverageReport) -> Notice:
    """Why the coverage keeps an approval away."""
    if unread := list(dict.fromkeys(file.path for file in coverage.unread)):
        return notice("gate_unread", files=_listed(unread))
    missing = [
        verbatim(absence.participant)
        if absence.path is None
        else notice("someone_on", who=absence.participant, what=absence.path)
        for absence in coverage.missing
    ]
    distinct = [name for at, name in enumerate(missing) if name not in missing[:at]]
    return notice("gate_unanalysed", who=_listed(distinct))


def _listed(names: Sequence[str] | Sequence[Notice]) -> Notice:
    more = len(names) - _NAMED
    if more > 0:
        return notice("names_and_more", names=names[:_NAMED], n=more)
    return notice("names", names=names)


def _ids(findings: Sequence[Finding]) -> tuple[str, ...]:
    return tuple(finding.id for finding in findings)


def _unconverged(ending: Ending | None) -> Notice:
    if ending is None:
        return notice("discussion_without_ending")
    return notice(_ENDED, ending=ending)


def effective_votes(voters: Iterable[Participant]) -> int:
    """How many independent votes the voters are: one a family; without a family, one a model or tool.

    Judges of one family err alike: nine of them are about two votes (arXiv 2605.29800).
    """
    return len({voice_of(voter) for voter in voters})


def voice_of(voter: Participant) -> str:
    """The voice that a voter is, or is one of several copies of."""
    if voter.family != "unknown":
        return voter.family
    return f"{voter.provider}:{voter.model or voter.tool or voter.name}"
