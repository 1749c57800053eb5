"""What the tools of the workflow `agent` answer; participants' answers are at the end."""

from __future__ import annotations

import re
from typing import Annotated

from pydantic import BeforeValidator, Field

from shared.models.agent_modes import AgentMode
from shared.models.findings import Place, Severity
from shared.models.notices import Notice
from shared.models.wire import ForeignWire, Verbatim
from shared.models.workspace import Workspace


class CheckedPatch(ForeignWire):
    """A patch that was tried on a workspace: `problem` says why it cannot be applied, None when it can.

    `patch` is written again by git, against the workspace it was tried on; `whole` leads from the commit to `after`.
    """

    problem: str | None = None
    patch: Verbatim = ""
    whole: Verbatim = ""
    after: Workspace | None = None
    paths: tuple[str, ...] = ()
    added: int = 0
    removed: int = 0


class TestFailure(ForeignWire):
    """A test that failed or could not be run."""

    __test__ = False

    name: str
    message: str = ""
    place: Place | None = None


class TestResults(ForeignWire):
    """What the project's tests came to, as far as their report or their output says it."""

    __test__ = False

    passed: int = 0
    failed: int = 0
    errors: int = 0
    skipped: int = 0
    failures: tuple[TestFailure, ...] = ()

    @property
    def all_passed(self) -> bool:
        """Some passed, and nothing failed."""
        return self.passed > 0 and not self.failed and not self.errors


class LineCoverage(ForeignWire):
    """How many lines of a file can be run, and how many of them were."""

    path: str
    lines: int
    covered: int


class CoverageData(ForeignWire):
    """Line coverage of a test run."""

    lines: int
    covered: int
    files: tuple[LineCoverage, ...] = ()

    @property
    def share(self) -> float | None:
        """Of all lines that can be run, those that were; None where there are none."""
        return self.covered / self.lines if self.lines else None


class StackFrame(ForeignWire):
    """A line of a stack trace; `place` is None for one outside the repository."""

    function: str = ""
    path: str
    line: int
    place: Place | None = None


class LocatedError(ForeignWire):
    """An error with its stack, the frame in which it was raised last, and the repository's own places first."""

    kind: str = ""
    message: str = ""
    frames: tuple[StackFrame, ...] = ()

    @property
    def places(self) -> tuple[Place, ...]:
        """Where to look, the innermost frame first."""
        places = (frame.place for frame in reversed(self.frames))
        return tuple(dict.fromkeys(place for place in places if place is not None))


class CommandReport(ForeignWire):
    """A command that was run on a workspace. `code` is None where it was `stopped`: by its `time`, its `output`.

    `output` is the end of what it wrote, without secrets. `seconds` is the time by the clock of each of its runs.
    """

    command: str
    code: int | None = None
    stopped: str | None = None
    seconds: tuple[float, ...] = ()
    output: str = ""
    tests: TestResults | None = None
    coverage: CoverageData | None = None
    errors: tuple[LocatedError, ...] = ()
    walls: str = ""

    @property
    def succeeded(self) -> bool:
        """The command says so."""
        return self.code == 0


class CodeHit(ForeignWire):
    """A place that was asked for: what stands there, and the ways in which it was found, by rank."""

    place: Place
    symbol: str | None = None
    kind: str = "text"
    text: str = ""
    ways: tuple[str, ...] = ()
    score: float = 0.0


class Navigation(ForeignWire):
    """What a search in the code came to, the best first. `complete` is false where more was left out.

    `total` and `files` count all of it. `graph` is the document of the graph that answered.
    """

    hits: tuple[CodeHit, ...] = ()
    complete: bool = True
    total: int = 0
    files: int = 0
    problems: tuple[Notice, ...] = ()
    graph: str = ""


class CodeImpact(ForeignWire):
    """What a change reaches: symbols that it touches, who calls them directly or by others, tests and files.

    `graph` is the document of the graph that answered.
    """

    symbols: tuple[str, ...] = ()
    callers: tuple[CodeHit, ...] = ()
    tests: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    graph: str = ""


class CheckedItem(ForeignWire):
    """Something that was to be looked at, what was seen (`met`, `unmet`, `unknown`), and where.

    Of what is only shown the state says what it is: an `interface`, a `candidate`, a `place` of a migration.
    """

    item: str
    state: str = "unknown"
    places: tuple[Place, ...] = ()
    reason: Notice | None = None


class ReadFile(ForeignWire):
    """A file of the workspace: its text as a document, and how many lines it has."""

    path: str
    document: str
    lines: int = 0


class ReadFiles(ForeignWire):
    """Files that were asked for; `left_out` are those that are not there, no text or too large together."""

    files: tuple[ReadFile, ...] = ()
    left_out: tuple[str, ...] = ()


class ExaminedPoint(ForeignWire):
    """Something that is wrong or missing. Its words stand in the catalogues; `rule` names the check."""

    rule: str
    message: Notice
    advice: Notice | None = None
    severity: Severity = Severity.MINOR
    place: Place | None = None


class RepositoryExamination(ForeignWire):
    """What code sees of a repository from one point of view: points, checked items, and facts."""

    points: tuple[ExaminedPoint, ...] = ()
    items: tuple[CheckedItem, ...] = ()
    facts: tuple[Notice, ...] = ()


class BranchCommit(ForeignWire):
    """A commit that was made on a branch of the person's repository."""

    repository: str
    branch: str
    base: str
    commit: str
    files: tuple[str, ...] = ()


class ChangeSubject(ForeignWire):
    """The change from the commit to the workspace as the subject of a review: the hash of a `Subject`.

    `whole` is the change as one patch.
    """

    subject: str
    title: str = ""
    files: tuple[str, ...] = ()
    whole: Verbatim = ""


class CodeProposal(ForeignWire):
    """What a participant proposes: one patch against the state that it was shown, and what it needs besides."""

    patch: Verbatim = ""
    explanation: str = ""
    needs: tuple[str, ...] = ()
    complete: bool = True


class WrittenText(ForeignWire):
    """What a participant wrote: a design, an explanation, a plan, an answer."""

    text: str = Field(min_length=1)
    files: tuple[str, ...] = ()


def _as_mode(word: object) -> object:
    """`Multi-file editing` as `multi_file_editing`."""
    return re.sub(r"[\s-]+", "_", word.strip().lower()) if isinstance(word, str) else word


class RequestReading(ForeignWire):
    """How a participant reads a request: the mode that it asks for, and whether something is to be changed."""

    mode: Annotated[AgentMode, BeforeValidator(_as_mode)]
    changes: bool = False


AGENT_REPLIES: dict[str, type[ForeignWire]] = {
    "agent.files": ReadFiles,
    "agent.patch": CheckedPatch,
    "agent.command": CommandReport,
    "agent.errors": LocatedError,
    "agent.navigation": Navigation,
    "agent.impact": CodeImpact,
    "agent.examination": RepositoryExamination,
    "agent.commit": BranchCommit,
    "agent.change": ChangeSubject,
    "agent.code": CodeProposal,
    "agent.text": WrittenText,
    "agent.intent": RequestReading,
}
