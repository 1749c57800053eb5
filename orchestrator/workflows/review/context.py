"""What one review knows: its run and subject, what has been said, and what it ended with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from orchestrator.core.consensus.convergence import ConvergenceRule
from orchestrator.core.discussion.cycles import finding_prefix, step_key
from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.loop import History, RoundRead, TakenStep
from orchestrator.core.discussion.portions import files_in, holds_whole
from orchestrator.core.discussion.strategies import Strategies, Strategy
from orchestrator.core.findings.coverage import FilesRead, cover, shown_files
from orchestrator.core.replay.commands import ToolRun
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.prompts import ReviewPrompts
from shared.models.coverage import Coverage, CoverageReport
from shared.models.decision import DecisionAnswer
from shared.models.notices import Notice
from shared.models.replies import Applied, CheckedFixes, Synthesis
from shared.models.run import RunSpec
from shared.models.subject import DiffPiece, Subject


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
    cycle: int = 1

    def text(self, name: str) -> str:
        """A stored text by its hash."""
        return self.document(name).decode("utf-8", "replace")

    @property
    def rule(self) -> ConvergenceRule:
        """How rounds are judged."""
        return ConvergenceRule.of(self.options)

    @property
    def version(self) -> int:
        """The workflow's version that the run was begun with."""
        return self.spec.workflow_version

    def key(self, *parts: object) -> str:
        """A step's name, unique in the run."""
        return step_key("review", self.cycle, *parts)

    @property
    def prefix(self) -> str:
        """What makes this review's findings unique in the run."""
        return finding_prefix(self.cycle)

    @property
    def letters(self) -> dict[str, str]:
        """Letters to critics for the chair, which must not know whose a text is; the author is the author."""
        names = dict.fromkeys(one.name for one in self.spec.panel.critics)
        shuffled = shuffled_labels(self.spec.seed, self.key("chair"), list(names))
        author = self.spec.panel.author.name
        return shuffled if author in names else {**shuffled, "author": author}

    def label(self, finding: str) -> str:
        """A finding's name in the whole run."""
        return self.prefix + finding


@dataclass(frozen=True)
class Result:
    """What one cycle ended with; `labels` are the letters under which the chair saw the critics."""

    history: History
    synthesis: Synthesis
    synthesised_by: str
    labels: Mapping[str, str]
    fixes: CheckedFixes
    answer: DecisionAnswer | None = None
    applied: Applied | None = None
    warnings: tuple[Notice, ...] = field(default=())


def analysed(history: History) -> frozenset[str]:
    """The analysers whose tool has run to its end."""
    return frozenset(
        taken.speaker.participant.name
        for read in history.read
        for taken in read.steps
        if isinstance(taken.step, ToolRun) and _is_whole(taken)
    )


def _is_whole(taken: TakenStep) -> bool:
    return taken.result.failure is None and not taken.speaker.role.answers


def coverage(context: ReviewContext, history: History) -> CoverageReport | None:
    """Who read which file in one review; a quorum that was set by hand allows analysers to be missing."""
    allowed = context.options.quorum is not None
    files_read = [row for read in history.read for row in readings(context, read)]
    return cover(context.subject, files_read, absence_allowed=allowed, review=context.cycle)


def readings(context: ReviewContext, read: RoundRead) -> tuple[FilesRead, ...]:
    """What each critic took in with its turns; nothing of those that compute from what was raised."""
    rows: list[FilesRead] = []
    shown: dict[str, list[DiffPiece]] = {}
    subject = context.subject
    for taken in read.steps:
        reader, failure = taken.speaker.participant, taken.result.failure
        if taken.speaker.role.answers:
            continue
        if isinstance(taken.step, ToolRun):
            counted = (taken.result.reply or {}).get("coverage")
            coverage = None if counted is None else Coverage.model_validate(counted)
            rows.append(FilesRead(reader.name, computes=True, coverage=coverage, failure=failure))
        elif reader.rule_based:
            continue
        elif taken.shown is None or failure is not None:
            # Where not even one piece fits, all of it was sent, and nobody knows what was taken in.
            files = None if holds_whole(subject, reader) else ()
            rows.append(
                FilesRead(reader.name, coverage=shown_files(subject, files), failure=failure)
            )
        else:
            shown.setdefault(reader.name, []).extend(taken.shown)
    rows += (
        FilesRead(name, coverage=shown_files(subject, files_in(subject, pieces)))
        for name, pieces in shown.items()
    )
    return tuple(rows)
