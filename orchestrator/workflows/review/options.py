"""What a review needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, field_validator

from orchestrator.core.discussion.depth import Depth
from orchestrator.core.discussion.options import (
    QUORUM,
    DetectorOption,
    FailOnOption,
    ThresholdsOption,
    rounds_setting,
)
from orchestrator.core.setting import Flag, Setting, Trust
from orchestrator.workflows.review.strategies import STRATEGIES
from shared.models.run import Thresholds
from shared.models.wire import Wire
from shared.tools.rules import AnalyserRules


class ReviewOptions(Wire):
    """What the review workflow needs beyond the common part; `exclude` counts when the change is captured."""

    strategy: Annotated[
        str,
        Setting(
            "{words}",
            words=tuple(STRATEGIES),
            variable="QUORATE_STRATEGY",
            trust=Trust.TIGHTENS,
            tightens="red-team",
            flag=Flag("--strategy", "One of {choices}.", "NAME"),
        ),
    ] = "review"
    rounds: Annotated[
        int,
        rounds_setting(
            Flag("--rounds", "Maximum number of rounds (default {default}).", "N"), "QUORATE_ROUNDS"
        ),
    ] = Field(default=3, ge=1, le=20)
    depth: Annotated[
        str,
        Setting(
            "{words}: all critics read the change, or one does and the others where that is not enough",
            words=tuple(Depth),
            trust=Trust.TIGHTENS,
            tightens=Depth.FULL,
            flag=Flag("--depth", "Who reads the change, one of {choices}.", "NAME"),
        ),
    ] = "full"
    first_reviewer: Annotated[str | None, Setting(key=None)] = None
    risky: Annotated[
        tuple[str, ...],
        Setting("globs of files whose changes are for all critics, besides those that are known"),
    ] = ()
    max_reviews: Annotated[int, Setting("how often, at most, an applied fix is reviewed again")] = (
        Field(default=2, ge=1, le=5)
    )
    apply: Annotated[
        str,
        Setting(
            "where a fix goes: {words}",
            words=("branch", "in-place"),
            flag=Flag("--apply", "Where an approved fix goes."),
        ),
    ] = "branch"
    tests: Annotated[
        str | None,
        Setting(
            "a command that runs the project's own tests in the sandbox, as it was reviewed and with each patch; "
            "without it nothing of the project is run",
            flag=Flag("--tests", "Run the project's tests with each patch.", "COMMAND"),
        ),
    ] = Field(default=None, min_length=1, max_length=2000)
    callers: Annotated[
        bool,
        Setting(
            "whether models that review are shown who calls what changed and which tests reach it",
            flag=Flag("--callers/--no-callers", "Show models who calls what changed."),
        ),
    ] = True
    exclude: Annotated[
        tuple[str, ...],
        Setting("globs of files that are not reviewed; each is listed with its reason"),
    ] = Field(default=(), exclude=True)
    rules: Annotated[AnalyserRules, Setting(key="rules.captured")] = Field(
        default_factory=AnalyserRules
    )
    detector: DetectorOption = "stance"
    thresholds: ThresholdsOption = Thresholds()
    quorum: Annotated[int | None, Setting(key="gate.quorum", rules=(QUORUM,))] = Field(
        default=None, ge=1
    )
    fail_on: FailOnOption = None
    require_reviewer: Annotated[bool, Setting(key="gate.require_reviewer")] = False

    @property
    def reads_alone(self) -> bool:
        """Whether one reviewer is asked before the others."""
        return self.depth == Depth.ADAPTIVE and self.first_reviewer is not None

    @field_validator("depth")
    @classmethod
    def _is_a_depth(cls, depth: str) -> str:
        return Depth(depth)
