"""What a review needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.consensus.convergence import Detector
from orchestrator.core.setting import THRESHOLDS, Flag, Setting, Trust
from orchestrator.workflows.review.strategies import STRATEGIES
from shared.models.findings import Severity
from shared.models.run import Thresholds
from shared.models.wire import Wire


class ReviewOptions(Wire):
    """What the review workflow needs beyond the common part; `exclude` counts when the change is captured."""

    strategy: Annotated[
        str,
        Setting(
            key="strategy",
            help="`review` or `red-team`",
            words=tuple(STRATEGIES),
            trust=Trust.TIGHTENS,
            tightens="red-team",
            flag=Flag("--strategy", "review or red-team.", "NAME"),
        ),
    ] = "review"
    rounds: Annotated[
        int,
        Setting(
            key="max_rounds",
            help="1 to 20; counts before `settings.max_rounds`",
            falls_back="settings.max_rounds",
            trust=Trust.UNHURRIED,
            rules=("rounds",),
            flag=Flag("--rounds", "Rounds at most (default 3).", "N"),
        ),
    ] = Field(default=3, ge=1, le=20)
    max_reviews: Annotated[
        int,
        Setting(key="max_reviews", help="how often an applied fix is reviewed again at most"),
    ] = Field(default=2, ge=1, le=5)
    apply: Annotated[
        str,
        Setting(
            key="apply",
            help="where a fix goes: `branch` or `in-place`",
            words=("branch", "in-place"),
            flag=Flag("--apply", "Where an approved fix goes."),
        ),
    ] = "branch"
    exclude: Annotated[
        tuple[str, ...],
        Setting(
            key="exclude",
            help="globs of files that are not reviewed; each is listed with its reason",
        ),
    ] = Field(default=(), exclude=True)
    detector: Annotated[
        str, Setting(key="convergence.detector", words=tuple(Detector), rules=("detector",))
    ] = "stance"
    thresholds: Annotated[Thresholds, Setting(key="convergence.thresholds", rules=THRESHOLDS)] = (
        Thresholds()
    )
    quorum: Annotated[int | None, Setting(key="gate.quorum", rules=("quorum",))] = Field(
        default=None, ge=1
    )
    fail_on: Annotated[
        Severity | None, Setting(key="gate.fail_on", nothing="NONE", rules=("fail-on",))
    ] = None
