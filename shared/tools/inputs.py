"""What tools are given: small values and the hashes of documents, as a step's request stores them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints, field_validator

from shared.models.findings import ProposedTest
from shared.models.review_replies import Applied, CheckedFix
from shared.models.wire import Wire
from shared.patterns import regex
from shared.tools.commands import AnalyserCommand, ReportFormat
from shared.tools.rules import AnalyserRules

FINDING = regex(r"^[\w.-]{1,40}$")
# Ids end up in a branch's name and in a commit's trailers.
_PLAIN = regex(r"^[A-Za-z0-9](?:[A-Za-z0-9._:/-]{0,198}[A-Za-z0-9])?$")


def _plain(value: str) -> str:
    if not _PLAIN.fullmatch(value) or ".." in value or "//" in value:
        raise ValueError("only letters, digits and . _ : / - are allowed")
    return value


PlainId = Annotated[str, AfterValidator(_plain)]
"""An id that may stand in a branch's name and in a commit's trailers."""

Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]


class AnalyserInput(Wire):
    """The subject that is looked at, the critique that is asked for, and which rules count."""

    subject: Hash
    reply_model: Literal["critique.review", "critique.red-team"] = "critique.review"
    rules: AnalyserRules = Field(default_factory=AnalyserRules)


class CommandInput(AnalyserInput):
    """The same, with the command that looks; `name` stands before the codes of its rules."""

    name: Annotated[str, StringConstraints(pattern=r"^[\w.-]{1,48}$")]
    program: AnalyserCommand


class ReportInput(AnalyserInput):
    """The same, with a report that somebody handed in; `root` is where the project lay when it was handed in.

    `below` is the folder of the project in which paths of the report begin, with a slash at its end, or nothing.
    """

    name: Annotated[str, StringConstraints(pattern=r"^[\w.-]{1,48}$")]
    report: Hash
    format: ReportFormat
    root: str | None = None
    below: str = ""


class FixCheckInput(Wire):
    """Fixes that were proposed for a subject; what they say about an earlier check is forgotten."""

    subject: Hash
    fixes: tuple[CheckedFix, ...]


class Reproduction(Wire):
    """The test that was supplied for a finding."""

    finding: str
    test: ProposedTest


class SuiteInput(Wire):
    """The command that runs the project's tests, and the patches and supplied tests that each are tried with it."""

    subject: Hash
    command: Annotated[str, StringConstraints(min_length=1, max_length=2000)]
    fixes: tuple[CheckedFix, ...] = ()
    tests: tuple[Reproduction, ...] = ()


class ApplyInput(Wire):
    """Fixes that were approved. `approved` is the sha256 of the patch that was shown; `effect` the once-only key.

    With `only`, a fix is taken when every finding that it mends is named there.
    """

    subject: Hash
    fixes: tuple[CheckedFix, ...]
    only: tuple[str, ...] | None = None
    mode: Literal["branch", "in_place"] = "branch"
    run: PlainId
    approved: str
    effect: PlainId

    @field_validator("only")
    @classmethod
    def _are_findings(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for finding in value or ():
            if not FINDING.fullmatch(finding):
                raise ValueError(f"{finding!r} is not the id of a finding")
        return value


class UndoInput(Wire):
    """What `apply` replied."""

    applied: Applied
