"""What the results of workflows have in common. A workflow's own result is in its folder, built from these.

A result is stored as JSON with its outcome (`detail` in docs/json.md). What earlier versions stored is read into the
same models: a field that came later has a default.
"""

from __future__ import annotations

from enum import StrEnum

from pydantic import ConfigDict, Field, JsonValue

from shared.models.coverage import CoverageReport, ListedShare
from shared.models.decision import DecisionAnswer
from shared.models.deliberation import Question
from shared.models.findings import FindingStatus, Ground, Severity
from shared.models.notices import Notice
from shared.models.review_replies import Applied, CheckedFixes, Synthesis
from shared.models.wire import ForeignWire, Verbatim, Wire


class TurnSpending(Wire):
    """What turns consumed; None where a part of it is not known."""

    turns: int
    failed: int
    tokens: int | None
    cost_usd: float | None


class RunSpending(TurnSpending):
    """The same of a whole run or of a part of it, and `by` participant."""

    by: dict[str, TurnSpending] = Field(default_factory=dict)


class AskedQuestion(Wire):
    """The question as it was put; `contexts` are the files that came with it."""

    title: str
    text: str
    contexts: tuple[str, ...] = ()

    @classmethod
    def of(cls, question: Question) -> AskedQuestion:
        """The question with the names of its files."""
        contexts = tuple(context.path for context in question.contexts)
        return cls(title=question.title, text=question.text, contexts=contexts)


_NEARLY = 1e-9
_FEWEST_VOTES = 2


class VoteSupport(Wire):
    """What the votes for one thing add up to (docs/design/convergence.md).

    `support` is the mean position over independent voices (agree 1, partial 0.5, else 0), `weighted` the same with
    everybody's rescaled confidence; `if_all_spoke` is the support among those who took a position. `independent` counts
    the effective votes among the `stated` ones.
    """

    support: float
    weighted: float
    if_all_spoke: float
    threshold: float
    stated: int
    expected: int
    quorum: int
    independent: int
    missing: tuple[str, ...] = ()
    dissenting: tuple[str, ...] = ()

    @property
    def agrees(self) -> bool:
        """Enough took a position, and their support reaches the threshold with and without confidence."""
        needed = self.threshold - _NEARLY
        return self.quorate and self.support >= needed and self.weighted >= needed

    @property
    def quorate(self) -> bool:
        """Enough took a position for anything to be said about agreement."""
        return self.stated >= max(_FEWEST_VOTES, self.quorum)

    @property
    def left_open_by_absence(self) -> bool:
        """Those who voted agree enough, and it is the silent ones that keep this from counting."""
        return bool(self.missing) and self.if_all_spoke >= self.threshold - _NEARLY


class VoteChange(Wire):
    """Somebody ended elsewhere than it began: with a vote or, where `finding` is named, on a finding.

    `evidence` says what the change rests on (docs/design/convergence.md), `round` when it came.
    """

    model_config = ConfigDict(
        serialize_by_alias=True, validate_by_name=True, validate_by_alias=True
    )

    participant: str
    before: str | None = Field(alias="from")
    after: str | None = Field(alias="to")
    round: int | None
    evidence: str
    reason: str = ""
    quote: str | None = None


class StanceChange(VoteChange):
    """A participant's stated position on a finding became another one."""

    finding: str


class DebateImpact(Wire):
    """Did the debate help: the first, blind votes against the result, who changed on what evidence, and the price."""

    first_votes_blind: bool
    helped: str
    changed_votes: tuple[VoteChange, ...] = ()
    first_round: RunSpending
    debate: RunSpending
    cost_per_changed_vote: float | None = None


class FindingPositions(Wire):
    """A finding with everybody's first and last stated position on it."""

    finding: str
    title: str
    severity: Severity
    status: FindingStatus
    raised_in_round: int
    first: dict[str, str] = Field(default_factory=dict)
    last: dict[str, str] = Field(default_factory=dict)


class FindingsImpact(DebateImpact):
    """The impact of a debate about findings; `review` or `version` counts what was debated."""

    review: int | None = None
    version: int | None = None
    first_votes: dict[str, str] = Field(default_factory=dict)
    last_votes: dict[str, str] = Field(default_factory=dict)
    first_leading: str | None = None
    verdict: str | None = None
    findings: tuple[FindingPositions, ...] = ()
    changes: tuple[StanceChange, ...] = ()
    changed_findings: int = 0
    cost_per_changed_finding: float | None = None


class RankedText(Wire):
    """Somebody's answer, and its place in the peers' ranking."""

    text: str
    place: int | None


NO_VOTE = "did not vote"


class WorkflowResult(Wire):
    """What a workflow adds to its outcome; a report reads no more of it than this and the classes below."""

    @property
    def agrees_on_verdict(self) -> bool | None:
        """Whether the votes agree on the verdict; None where that is not known."""
        return None

    @property
    def refused(self) -> bool:
        """True when there is a result that a person was asked about and did not accept."""
        return False

    @property
    def critics_asked(self) -> frozenset[str] | None:
        """The critics that were asked, where that need not be all."""
        return None

    @property
    def deepening(self) -> tuple[Notice, ...] | None:
        """Why more than the first reviewer was asked; None where nobody was to read first."""
        return None

    @property
    def unapplied(self) -> bool:
        """True when somebody wanted a fix and it could not be applied."""
        return False

    @property
    def merged(self) -> Synthesis | None:
        """The text that a chair, or code in its place, made of the discussion."""
        return None

    @property
    def applied_work(self) -> tuple[Applied, ...]:
        """What went into a person's repository, in its order, so that it can be taken back."""
        return ()

    @property
    def came_from_folder(self) -> bool:
        """True when what was applied is what the person's folder had before."""
        return False

    @property
    def whole_patch(self) -> str:
        """The change that the run made, where it is one patch; empty elsewhere."""
        return ""

    @property
    def bill(self) -> RunSpending | None:
        """What everybody consumed, where a result has its `usage`."""
        usage: RunSpending | None = getattr(self, "usage", None)
        return usage

    @property
    def votes_cast(self) -> dict[str, str]:
        """Who voted for what, in words: a position's number is the run's own."""
        return {}

    @property
    def vote_figures(self) -> dict[str, JsonValue]:
        """What the votes, or the answers that came, add up to."""
        return {}

    @property
    def chosen(self) -> str | None:
        """The words of the position that was chosen."""
        return None

    @property
    def answers_given(self) -> dict[str, RankedText]:
        """The answers of those who were asked at once; empty where nobody was."""
        return {}

    @property
    def decided_version(self) -> int | None:
        """What the last answer was about, where something later was not decided on."""
        return None


class FindingsResult(WorkflowResult):
    """The result of a discussion of findings.

    `standing` are the ids of those that no applied fix has resolved (None: all); of `feedback` the lists are the
    sections' entries and the texts the last word.
    """

    synthesised_by: str | None = None
    feedback: dict[str, JsonValue] = Field(default_factory=dict)
    decision: DecisionAnswer | None = None
    standing: tuple[str, ...] | None = None
    effective_votes: int | None = None
    receipt: FindingsImpact | None = None
    earlier_receipts: tuple[FindingsImpact, ...] = ()


class TestsOutcome(StrEnum):
    """What came of the project's own tests on the reviewed state, where a person had them run."""

    __test__ = False  # no tests of pytest's

    NOT_ASKED = "not_asked"
    PASSED = "passed"
    FAILED = "failed"
    UNKNOWN = "unknown"


class ChangeResult(FindingsResult):
    """The result of a workflow about a change: what fixes were tried and applied, and who read which file.

    `unshown_objections` are findings that nobody could show, for which half of the critics ask for a fix; `evidence` is
    what code has checked of a finding besides what it has itself. `not_asked` says why no turn was needed. `unlisted`
    says by analyser how many of its findings are among those of the run, where it found too many.
    """

    synthesis: Synthesis | None = None
    fixes: CheckedFixes | None = None
    applied: tuple[Applied, ...] = ()
    coverage: CoverageReport | None = None
    unshown_objections: tuple[str, ...] = ()
    evidence: dict[str, tuple[Ground, ...]] = Field(default_factory=dict)
    not_asked: Notice | None = Field(default=None, exclude_if=lambda why: why is None)
    unlisted: dict[str, ListedShare] = Field(
        default_factory=dict, exclude_if=lambda counts: not counts
    )
    tests: TestsOutcome = Field(
        default=TestsOutcome.NOT_ASKED, exclude_if=lambda outcome: outcome is TestsOutcome.NOT_ASKED
    )

    @property
    def merged(self) -> Synthesis | None:
        """The chair's text."""
        return self.synthesis

    @property
    def applied_work(self) -> tuple[Applied, ...]:
        """The fixes."""
        return self.applied


class ShownMatter(ForeignWire):
    """What a report reads of the matter that an open decision shows."""

    plan: str | None = None
    version: int | None = None
    patch: Verbatim = ""
    explanation: str = ""
    synthesis: Synthesis | None = None
    synthesised_by: str | None = None
    fixes: CheckedFixes | None = None
    coverage: CoverageReport | None = None
    evidence: dict[str, tuple[Ground, ...]] = Field(default_factory=dict)
    unlisted: dict[str, ListedShare] = Field(default_factory=dict)
