"""What participants and tools answer in a review, with the sections the designs name; `replies.py` has all by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from pydantic import Field

from shared.models.coverage import Coverage
from shared.models.findings import RaisedFinding, Severity, StatedStance
from shared.models.notices import Notice
from shared.models.sections import (
    OBJECTIONS,
    DefendedPoint,
    Disagreement,
    Entry,
    Risk,
    entries_of,
    objection,
    says_nothing,
)
from shared.models.wire import ForeignWire, Verbatim


class Critique(ForeignWire):
    """What every critique has: a verdict, findings, and positions on the findings known so far."""

    verdict: Literal["APPROVED", "NEEDS_FIX"]
    summary: str = ""
    findings: tuple[RaisedFinding, ...] = ()
    stances: tuple[StatedStance, ...] = ()

    def raised(self) -> tuple[RaisedFinding, ...]:
        """The findings, or without any what else the critique objects, so that no objection is lost for its form.

        NEEDS_FIX objects with the entries of its sections, else with its summary; APPROVED with the risks that it calls
        CRITICAL or MAJOR. Such an objection points at nothing in the change, and weighs MINOR whatever it says.
        """
        if self.findings:
            return self.findings
        entries = entries_of(self, OBJECTIONS) or entries_of(self, ("issue_summary",))
        if self.verdict == "APPROVED":
            entries = _grave(self, "security_risks") or _grave(self, "issue_summary")
        elif not entries:
            summary = "" if says_nothing(self.summary) else self.summary
            entries = [("summary", summary or "It says NEEDS_FIX, and not why")]
        return tuple(_minor(objection(*entry)) for entry in entries)


def _grave(reply: Critique, section: str) -> list[tuple[str, Entry]]:
    entries = entries_of(reply, (section,))
    return [
        (name, entry)
        for name, entry in entries
        if isinstance(entry, Risk) and entry.severity.rank <= Severity.MAJOR.rank
    ]


def _minor(finding: RaisedFinding) -> RaisedFinding:
    if finding.severity.rank >= Severity.MINOR.rank:
        return finding
    remark = f"called {finding.severity} without a place or a quotation"
    detail = f"{finding.detail} ({remark})" if finding.detail else remark
    return finding.model_copy(update={"severity": Severity.MINOR, "detail": detail})


class ReviewCritique(Critique):
    """Strategy `review`, odd rounds."""

    points_of_agreement: tuple[str, ...] = ()
    points_of_disagreement: tuple[Disagreement, ...] = ()
    unexamined_assumptions: tuple[str, ...] = ()
    missing_considerations: tuple[str, ...] = ()


class RedTeamCritique(Critique):
    """Strategy `red-team`, odd rounds."""

    security_risks: tuple[Risk, ...] = ()
    edge_cases: tuple[str, ...] = ()
    scalability_concerns: tuple[str, ...] = ()
    maintenance_burden: tuple[str, ...] = ()
    missing_requirements: tuple[str, ...] = ()
    issue_summary: tuple[Risk, ...] = ()


class ReviewAnalysis(ReviewCritique):
    """An analyser's critique, with what it read. Of a model this is never asked: code knows what it was shown."""

    coverage: Coverage | None = None


class RedTeamAnalysis(RedTeamCritique):
    """The same in the strategy `red-team`."""

    coverage: Coverage | None = None


class ReviewRebuttal(ForeignWire):
    """Strategy `review`, even rounds: the author's side answers."""

    conceded_points: tuple[str, ...] = ()
    defended_points: tuple[DefendedPoint, ...] = ()
    refined_recommendation: str = ""
    stances: tuple[StatedStance, ...] = ()


class RedTeamRebuttal(ForeignWire):
    """Strategy `red-team`, even rounds."""

    accepted_challenges: tuple[str, ...] = ()
    rejected_challenges: tuple[DefendedPoint, ...] = ()
    revised_solution: str = ""
    stances: tuple[StatedStance, ...] = ()


class Clarification(ForeignWire):
    """Positions stated again, because they contradicted their reasons."""

    note: str = ""
    stances: tuple[StatedStance, ...] = ()


class Synthesis(ForeignWire):
    """The panel's merged text after the discussion."""

    summary: str
    consensus: tuple[str, ...] = ()
    resolved_issues: tuple[str, ...] = ()
    remaining_concerns: tuple[str, ...] = ()


class ProposedFix(ForeignWire):
    """A unified diff against the reviewed state that fixes the named findings."""

    findings: tuple[str, ...] = Field(min_length=1)
    patch: Verbatim
    explanation: str = ""


class FixProposal(ForeignWire):
    """Fixes for accepted findings, each applicable by itself."""

    fixes: tuple[ProposedFix, ...] = ()


class CheckedFix(ForeignWire):
    """A fix that was tried on the captured state: `problem` says why it cannot be applied, None when it can."""

    findings: tuple[str, ...]
    patch: Verbatim
    source: str
    explanation: str = ""
    problem: str | None = None


class CheckedFixes(ForeignWire):
    """All proposed fixes after `git apply --recount --check`, and all good ones as one patch."""

    fixes: tuple[CheckedFix, ...] = ()
    patch: Verbatim = ""


class SuiteRun(ForeignWire):
    """What the project's tests came to, with the patch of `findings` (none: as it was reviewed).

    `code` is the command's exit code, None where it took too long or wrote too much; `told` the end of what it wrote.
    """

    findings: tuple[str, ...] = ()
    code: int | None = None
    told: str = ""


class ReproductionRun(ForeignWire):
    """What the project's tests come to with the test that was supplied for `finding`.

    Exit codes on the reviewed state, on the state before the change and with the finding's own patch; None where it
    was not run, took too long or wrote too much. `problem` says why the test was not tried.
    """

    finding: str
    problem: str | None = None
    reviewed: int | None = None
    before: int | None = None
    patched: int | None = None
    told: str = ""

    @property
    def fails(self) -> bool:
        """On the reviewed state."""
        return self.reviewed not in (None, 0)


class SuiteReport(ForeignWire):
    """The project's tests as it was reviewed, with each patch by itself, and with each supplied test by itself."""

    before: SuiteRun
    runs: tuple[SuiteRun, ...] = ()
    reproductions: tuple[ReproductionRun, ...] = ()

    @property
    def mended(self) -> frozenset[str]:
        """The findings whose patch makes failing tests pass."""
        return self._changed(lambda before, after: before not in (None, 0) and after == 0)

    @property
    def broken(self) -> frozenset[str]:
        """The findings whose patch makes passing tests fail."""
        return self._changed(lambda before, after: before == 0 and after not in (None, 0))

    @property
    def reproduced(self) -> frozenset[str]:
        """The findings whose supplied test fails where all other tests pass."""
        return frozenset(run.finding for run in self._failing)

    @property
    def confirmed(self) -> frozenset[str]:
        """Those of them whose test passes without the change, or with the finding's patch: it fails for that reason."""
        return frozenset(run.finding for run in self._failing if 0 in (run.before, run.patched))

    @property
    def _failing(self) -> list[ReproductionRun]:
        return [run for run in self.reproductions if self.before.code == 0 and run.fails]

    def _changed(self, how: Callable[[int | None, int | None], bool]) -> frozenset[str]:
        runs = (run for run in self.runs if how(self.before.code, run.code))
        return frozenset(name for run in runs for name in run.findings)


class Applied(ForeignWire):
    """What applying did: where (`branch` or the working tree), from which `base` to which `commit`."""

    repository: str
    branch: str | None = None
    base: str | None = None
    commit: str | None = None
    files: tuple[str, ...] = ()
    subject: str | None = None
    undo: str = ""


class Undone(ForeignWire):
    """What was taken back; earlier versions said it as one English sentence, `message`."""

    message: str = ""
    notice: Notice | None = None
