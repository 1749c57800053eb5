"""What a plan needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.consensus.convergence import Detector
from orchestrator.core.setting import THRESHOLDS, Setting
from orchestrator.workflows.plan.strategies import STRATEGIES
from shared.models.findings import Severity
from shared.models.run import Thresholds
from shared.models.wire import Wire


class PlanOptions(Wire):
    """What the plan workflow needs: the panel's `author` plans and defends, `critics` challenge, the `chair` merges.

    With `given` the subject's text is the plan itself, else it is the task that the author plans. `max_revisions`
    bounds how often `revise` leads back to planning; with `fail_on` there is a gate, as in a review. See
    docs/design/plan.md.
    """

    strategy: Annotated[str, Setting(words=tuple(STRATEGIES))] = "debate"
    given: bool = False
    rounds: Annotated[int, Setting(rules=("rounds",))] = Field(default=3, ge=1, le=20)
    detector: Annotated[str, Setting(words=tuple(Detector), rules=("detector",))] = "stance"
    thresholds: Annotated[Thresholds, Setting(rules=THRESHOLDS)] = Thresholds()
    quorum: Annotated[int | None, Setting(rules=("quorum",))] = Field(default=None, ge=1)
    max_revisions: int = Field(default=2, ge=0, le=5)
    fail_on: Annotated[Severity | None, Setting(rules=("fail-on",))] = None
