"""Findings as participants raise them, stances on them, and what the panel made of them."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

from pydantic import BeforeValidator, Field, ValidationError, field_validator

from shared.models.notices import Caveat, Notice
from shared.models.proportions import Proportion
from shared.models.wire import ForeignWire, Verbatim, Wire


class Severity(StrEnum):
    """How bad a finding is, worst first (the names of the review design)."""

    CRITICAL = "CRITICAL"
    MAJOR = "MAJOR"
    MINOR = "MINOR"
    INFO = "INFO"

    @property
    def rank(self) -> int:
        """0 for the worst; compare with `<=` to ask "at least as bad"."""
        return SEVERITY_ORDER.index(self)


SEVERITY_ORDER = (Severity.CRITICAL, Severity.MAJOR, Severity.MINOR, Severity.INFO)


class Position(StrEnum):
    """Where a participant stands on one finding. `withdraw` comes from those who raised it."""

    AGREE = "agree"
    PARTIAL = "partial"
    DISAGREE = "disagree"
    WITHDRAW = "withdraw"
    ABSTAIN = "abstain"


def _is_none(value: object) -> bool:
    return value is None


def _is_empty(value: object) -> bool:
    return value == ()


class Place(ForeignWire):
    """Where in the reviewed state: path from the repository's root, lines counted from 1.

    `cell` is the same place in a notebook, as its reader counts: "cell 3, line 2".
    """

    path: str
    line: int = Field(ge=1)
    end_line: int | None = None
    cell: str | None = Field(default=None, max_length=40, exclude_if=_is_none)

    @classmethod
    def over(cls, path: str, first: int, last: int) -> Place:
        """The lines from the first to the last."""
        return cls(path=path, line=first, end_line=last if last > first else None)

    @property
    def shown(self) -> str:
        """As editors and compilers write it: `path:line`; of a notebook with its cell."""
        where = f"{self.path}:{self.line}"
        return f"{where} ({self.cell})" if self.cell else where

    @property
    def last_line(self) -> int:
        """The last of its lines, the only one where it has no other."""
        return max(self.line, self.end_line or self.line)


class ProposedTest(ForeignWire):
    """A new file with a test that fails because of one finding: its path from the repository's root, and its text."""

    path: str = Field(min_length=1, max_length=400)
    text: Verbatim = Field(min_length=1, max_length=20_000)


def _as_test(value: object) -> object:
    """A test as it is meant, else none: what is malformed does not cost the finding."""
    if isinstance(value, ProposedTest):
        return value
    try:
        return ProposedTest.model_validate(value)
    except ValidationError:
        return None


class RaisedFinding(ForeignWire):
    """One claim as a participant states it in a reply.

    `quote` is text that must occur in the subject; `patch` is a unified diff against the reviewed state that
    fixes this finding alone; `test` reproduces it; `rule` is an analyser's rule id.
    """

    title: str = Field(min_length=1, max_length=400)
    detail: str = ""
    severity: Severity = Severity.MINOR
    category: str = "general"
    rule: str | None = None
    place: Place | None = None
    quote: str | None = None
    suggestion: str | None = None
    patch: Verbatim | None = None
    test: Annotated[ProposedTest | None, BeforeValidator(_as_test)] = Field(
        default=None, exclude_if=_is_none
    )
    confidence: Proportion = None

    @field_validator("severity", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.strip().upper() if isinstance(value, str) else value


class StatedStance(ForeignWire):
    """A participant's position on one finding of the panel, as its reply states it."""

    finding: str
    position: Position
    reason: str = ""
    quote: str | None = None

    @field_validator("position", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.strip().lower() if isinstance(value, str) else value


class FindingStatus(StrEnum):
    """What became of a finding: who carries it decides, code counts."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    CONTESTED = "contested"
    UNDECIDED = "undecided"


class Ground(StrEnum):
    """What code has checked of a finding: words that stand there, callers that call it, a patch that applies, ...

    `tests`: its patch, or a test that a reviewer supplied, changes what the project's own tests come to. `reproduced`:
    such a test fails on the reviewed state.
    """

    QUOTATION = "quotation"
    RULE = "rule"
    CALLERS = "callers"
    PATCH = "patch"
    REPRODUCED = "reproduced"
    TESTS = "tests"


class Finding(Wire):
    """One claim of the panel: the raised findings that say the same, merged.

    `id` is F1, F2, ... in the order of appearance, unique in its run. `raised_by` and `stances` name
    participants; `caveat` says why a severity was lowered or a quotation was not believed. `stated_severity` is a
    worse severity that a raiser states and the panel does not carry. `patch_by` wrote the patch, `test_by` the test.
    `titles` has what each raiser called it, where they do not all call it the same. `message` and `advice` say it, and
    what to do, in the reader's language where our own code raised it. `rules` are all rules that say it, `rule` first,
    where they are several.
    """

    id: str
    title: str
    detail: str
    severity: Severity
    stated_severity: Severity | None = None
    category: str
    rule: str | None = None
    rules: tuple[str, ...] = Field(default=(), exclude_if=_is_empty)
    place: Place | None = None
    quote: str | None = None
    suggestion: str | None = None
    patch: str | None = None
    patch_by: str | None = None
    test: ProposedTest | None = Field(default=None, exclude_if=_is_none)
    test_by: str | None = Field(default=None, exclude_if=_is_none)
    titles: dict[str, str] = Field(default_factory=dict)
    raised_by: tuple[str, ...]
    raised_in_round: int
    status: FindingStatus = FindingStatus.UNDECIDED
    stances: dict[str, Position] = Field(default_factory=dict)
    caveat: Caveat = None
    message: Notice | None = Field(default=None, exclude_if=_is_none)
    advice: Notice | None = Field(default=None, exclude_if=_is_none)

    @property
    def every_rule(self) -> tuple[str, ...]:
        """The rules that say it; none where no rule does."""
        return self.rules or ((self.rule,) if self.rule else ())


class Stance(Wire):
    """A line of the stance ledger: who stood where on which finding in which round, and why."""

    round: int
    participant: str
    role: str
    finding: str
    position: Position
    reason: str = ""
    quote: str | None = None
