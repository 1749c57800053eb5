"""What a review needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.consensus.convergence import Detector
from orchestrator.core.setting import THRESHOLDS, Setting
from orchestrator.workflows.review.strategies import STRATEGIES
from shared.models.findings import Severity
from shared.models.run import Thresholds
from shared.models.wire import Wire


class ReviewOptions(Wire):
    """What the review workflow needs beyond the common part."""

    strategy: Annotated[str, Setting(words=tuple(STRATEGIES))] = "review"
    rounds: Annotated[int, Setting(rules=("rounds",))] = Field(default=3, ge=1, le=20)
    detector: Annotated[str, Setting(words=tuple(Detector), rules=("detector",))] = "stance"
    thresholds: Annotated[Thresholds, Setting(rules=THRESHOLDS)] = Thresholds()
    quorum: Annotated[int | None, Setting(rules=("quorum",))] = Field(default=None, ge=1)
    max_reviews: int = Field(default=2, ge=1, le=5)
    apply: Annotated[str, Setting(words=("branch", "in-place"))] = "branch"
    fail_on: Annotated[Severity | None, Setting(rules=("fail-on",))] = None
