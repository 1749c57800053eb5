"""What one review knows: its run and subject, what has been said, and what it ended with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.discussion.cycles import Cycle
from orchestrator.core.discussion.depth import DepthRecord
from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.loop import History, RoundRead, TakenStep
from orchestrator.core.discussion.portions import files_in, holds_whole
from orchestrator.core.discussion.strategies import Strategies, Strategy
from orchestrator.core.discussion.synthesis import Synthesised
from orchestrator.core.findings.bounds import unlisted_of
from orchestrator.core.findings.coverage import cover, shown_files
from orchestrator.core.findings.readers import FilesRead, kind_of
from orchestrator.core.replay.commands import ToolRun
from orchestrator.core.results import TestsOutcome
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.prompts import ReviewPrompts
from shared.models.coverage import Coverage, CoverageReport, ListedShare
from shared.models.decision import DecisionAnswer
from shared.models.findings import Finding, Ground
from shared.models.notices import Notice
from shared.models.panel import Participant
from shared.models.review_replies import Applied, CheckedFix, CheckedFixes, Synthesis
from shared.models.run import RulesVersion, RunSpec
from shared.models.subject import DiffPiece, Subject
from shared.tools.card import ToolKind
from shared.tools.catalogue import CARDS

FindingGrounds = Mapping[str, tuple[Ground, ...]]
"""By finding, what code has checked besides what the finding has itself."""


@dataclass(frozen=True)
class ReviewContext:
    """One review of one subject: the run's, or (from the second cycle on) that of an applied fix.

    `document` gives a stored document by its hash, as `Materials.document` does.
    """

    spec: RunSpec
    options: ReviewOptions
    strategy: Strategy
    strategies: Strategies
    prompts: ReviewPrompts
    subject: Subject
    subject_hash: str
    run: str
    document: Callable[[str], bytes] = field(compare=False, repr=False)
    cycle: Cycle

    def text(self, name: str) -> str:
        """A stored text by its hash."""
        return self.document(name).decode("utf-8", "replace")

    @property
    def rule(self) -> ConvergenceRule:
        """How rounds are judged."""
        return ConvergenceRule.of(self.options, self.spec.rules_version)

    @property
    def examined(self) -> bool:
        """Whether the run keeps who looked and what code has checked: those of earlier rules end as they began."""
        return self.spec.rules_version >= RulesVersion.EXAMINED

    @property
    def version(self) -> int:
        """The workflow's version that the run was begun with."""
        return self.spec.workflow_version

    @property
    def letters(self) -> dict[str, str]:
        """Letters to critics for the chair, which must not know whose a text is; the author is the author."""
        names = dict.fromkeys(critic.name for critic in self.spec.panel.critics)
        shuffled = shuffled_labels(self.spec.seed, self.cycle.key("chair"), list(names))
        author = self.spec.panel.author.name
        return shuffled if author in names else {**shuffled, "author": author}


@dataclass(frozen=True)
class ReviewCycle:
    """One review: what was said and proposed, what was decided, and what was applied."""

    context: ReviewContext
    history: History
    synthesis: Synthesised[Synthesis]
    fixes: CheckedFixes
    problems: tuple[Notice, ...] = ()
    grounds: FindingGrounds = field(default_factory=dict)
    answer: DecisionAnswer | None = None
    applied: Applied | None = None
    depth: DepthRecord | None = None

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings under their names in the whole run."""
        return tuple(map(self.context.cycle.labelled, self.history.findings))

    @cached_property
    def coverage(self) -> CoverageReport | None:
        """Who read which file; a quorum that was set by hand allows analysers to be missing."""
        context = self.context
        files_read = [row for read in self.history.read for row in readings(context.subject, read)]
        allowed = context.options.quorum is not None
        number = context.cycle.number
        return cover(
            context.subject,
            files_read,
            absence_allowed=allowed,
            review=number,
            by_reader=context.examined,
        )

    @cached_property
    def unlisted(self) -> Mapping[str, ListedShare]:
        """The analysers that found more than was taken in, and how much of it was."""
        tools = {
            taken.speaker.participant.name: taken.result.reply or {}
            for read in self.history.read
            for taken in read.steps
            if isinstance(taken.step, ToolRun)
        }
        return unlisted_of(tools, self.context.spec.panel.critics)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What a reader must know."""
        contradictions = self.history.contradictions(self.context.cycle)
        return (
            *self.history.warnings,
            *contradictions,
            *self.synthesis.warnings,
            *self.problems,
        )

    @property
    def tests(self) -> TestsOutcome:
        """What came of the project's own tests on the reviewed state."""
        codes = {problem.code for problem in self.problems}
        if "review_tests_fail" in codes:
            return TestsOutcome.FAILED
        if codes & {"review_tests_unended", "review_tests_not_run"}:
            return TestsOutcome.UNKNOWN
        return TestsOutcome.NOT_ASKED if self.context.options.tests is None else TestsOutcome.PASSED

    def labels_of(self, fix: CheckedFix) -> tuple[str, ...]:
        """The names of the findings that a fix mends, in the whole run."""
        return tuple(map(self.context.cycle.label, fix.findings))

    @property
    def evidence(self) -> FindingGrounds:
        """What code has checked, by the findings' names in the whole run."""
        return {self.context.cycle.label(name): kinds for name, kinds in self.grounds.items()}

    def labelled_fixes(self) -> CheckedFixes:
        """The fixes as a person sees them: the exact patch, and which finding each part mends."""
        labelled = (
            fix.model_copy(update={"findings": self.labels_of(fix)}) for fix in self.fixes.fixes
        )
        return self.fixes.model_copy(update={"fixes": tuple(labelled)})


def good_fixes(fixes: CheckedFixes) -> list[CheckedFix]:
    """The fixes that can be applied."""
    return [fix for fix in fixes.fixes if fix.problem is None]


# ---- who read what ------------------------------------------------------------------------------


def analysed(history: History) -> frozenset[str]:
    """The analysers whose tool has run to its end."""
    return frozenset(
        taken.speaker.participant.name
        for read in history.read
        for taken in read.steps
        if isinstance(taken.step, ToolRun)
        and taken.result.failure is None
        and not taken.speaker.role.answers
    )


def readings(subject: Subject, read: RoundRead) -> tuple[FilesRead, ...]:
    """What each critic took in with its turns; nothing of those that compute from what was raised."""
    rows: list[FilesRead] = []
    in_portions: dict[str, tuple[Participant, list[DiffPiece]]] = {}
    for taken in read.steps:
        reader, failure = taken.speaker.participant, taken.result.failure
        if taken.speaker.role.answers:
            continue
        if isinstance(taken.step, ToolRun):
            rows.append(_by_tool(taken))
        elif reader.rule_based:
            continue
        elif taken.shown is not None and failure is None:
            in_portions.setdefault(reader.name, (reader, []))[1].extend(taken.shown)
        else:
            # Where not even one piece fits, all of it was sent, and nobody knows what was taken in.
            files = None if holds_whole(subject, reader) else ()
            coverage = shown_files(subject, files)
            rows.append(
                FilesRead(reader.name, coverage=coverage, failure=failure, kind=kind_of(reader))
            )
    rows += (
        FilesRead(
            reader.name,
            coverage=shown_files(subject, files_in(subject, pieces)),
            kind=kind_of(reader),
            pieces=pieces,
        )
        for reader, pieces in in_portions.values()
    )
    return tuple(rows)


def _by_tool(taken: TakenStep) -> FilesRead:
    counted = (taken.result.reply or {}).get("coverage")
    coverage = None if counted is None else Coverage.model_validate(counted)
    name, failure = taken.speaker.participant.name, taken.result.failure
    card = CARDS.get(taken.speaker.participant.tool or "")
    return FilesRead(
        name,
        computes=True,
        coverage=coverage,
        failure=failure,
        for_language=card is not None
        and (bool(card.scope.suffixes) or card.kind in (ToolKind.COMMAND, ToolKind.REPORT)),
    )
