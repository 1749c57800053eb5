"""What one review knows: its run and subject, what has been said, and what it ended with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from orchestrator.core.discussion.cycles import finding_prefix, step_key
from orchestrator.core.discussion.labels import shuffled_labels
from orchestrator.core.discussion.rounds import RoundTaken
from orchestrator.core.discussion.said import Said
from orchestrator.core.discussion.spending import TurnResult
from orchestrator.core.findings.coverage import FilesRead, cover
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.review.prompts import ReviewPrompts
from shared.models.assessment import Assessment
from shared.models.coverage import CoverageReport
from shared.models.decision import Answer
from shared.models.findings import Finding, Stance
from shared.models.replies import Applied, CheckedFixes, Synthesis
from shared.models.run import RunSpec
from shared.models.subject import Subject


@dataclass(frozen=True)
class ReviewContext:
    """One review of one subject: the run's, or (from the second cycle on) that of an applied fix.

    `document` gives a stored document by its hash, as `Materials.document` does.
    """

    spec: RunSpec
    options: ReviewOptions
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
class History:
    """What has been said so far, what the panel made of it, and the bills of the blind round and of those after it.

    `readings` are the critics' turns: who took in which files.
    """

    rounds: tuple[RoundTaken, ...] = ()
    said: tuple[Said, ...] = ()
    blind: tuple[TurnResult, ...] = ()
    after: tuple[TurnResult, ...] = ()
    findings: tuple[Finding, ...] = ()
    ledger: tuple[Stance, ...] = ()
    assessment: Assessment | None = None
    warnings: tuple[str, ...] = ()
    over_budget: bool = False
    readings: tuple[FilesRead, ...] = ()

    @property
    def analysed(self) -> frozenset[str]:
        """The analysers whose tool has run to its end."""
        return frozenset(
            one.participant for one in self.readings if one.computes and one.failure is None
        )

    def texts(self, labels: Mapping[str, str] | None = None) -> tuple[str, ...]:
        """Every contribution under its heading; with `labels` (letters to names) critics are letters."""
        letters = {name: letter for letter, name in (labels or {}).items()}
        return tuple(one.headed(letters.get(one.participant, one.participant)) for one in self.said)


@dataclass(frozen=True)
class Result:
    """What one cycle ended with; `labels` are the letters under which the chair saw the critics."""

    history: History
    synthesis: Synthesis
    synthesised_by: str
    labels: Mapping[str, str]
    fixes: CheckedFixes
    answer: Answer | None = None
    applied: Applied | None = None
    warnings: tuple[str, ...] = field(default=())


def coverage(context: ReviewContext, history: History) -> CoverageReport | None:
    """Who read which file in one review; a quorum that was set by hand allows analysers to be missing."""
    allowed = context.options.quorum is not None
    return cover(context.subject, history.readings, absence_allowed=allowed, review=context.cycle)
