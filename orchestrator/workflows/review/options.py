"""What a review needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

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
    exclude: Annotated[
        tuple[str, ...],
        Setting("globs of files that are not reviewed; each is listed with its reason"),
    ] = Field(default=(), exclude=True)
    detector: DetectorOption = "stance"
    thresholds: ThresholdsOption = Thresholds()
    quorum: Annotated[int | None, Setting(key="gate.quorum", rules=(QUORUM,))] = Field(
        default=None, ge=1
    )
    fail_on: FailOnOption = None
