"""What a plan needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.discussion.options import (
    DetectorOption,
    FailOnOption,
    ThresholdsOption,
    quorum_setting,
    rounds_setting,
)
from orchestrator.core.setting import Flag, Setting, Trust
from orchestrator.workflows.plan.strategies import STRATEGIES
from shared.models.run import Thresholds
from shared.models.wire import Wire


class PlanOptions(Wire):
    """What the plan workflow needs: the panel's `author` plans and defends, `critics` challenge, the `chair` merges.

    With `given` the subject's text is the plan itself, else it is the task that the author plans. `max_revisions`
    bounds how often `revise` leads back to planning; with `fail_on` there is a gate, as in a review. See
    docs/design/plan.md.
    """

    given: Annotated[
        bool, Setting(key=None, flag=Flag("--given", "The text is the plan itself, not the task."))
    ] = False
    strategy: Annotated[
        str,
        Setting(
            "{words}",
            words=tuple(STRATEGIES),
            trust=Trust.SAME,
            flag=Flag(
                "--strategy",
                "Challenge and defence in turn (default), or the lenses of risk and innovation.",
            ),
        ),
    ] = "debate"
    rounds: Annotated[
        int, rounds_setting(Flag("--rounds", "Rounds per version ({default}).", "N"))
    ] = Field(default=3, ge=1, le=20)
    max_revisions: Annotated[
        int,
        Setting(
            "how often `revise` leads back to planning, {least} to {most}",
            trust=Trust.UNHURRIED,
            flag=Flag(
                "--max-revisions", "How often `revise` leads back to planning ({default}).", "N"
            ),
        ),
    ] = Field(default=2, ge=0, le=5)
    quorum: Annotated[int | None, quorum_setting("how many must take a position")] = Field(
        default=None, ge=1
    )
    detector: DetectorOption = "stance"
    thresholds: ThresholdsOption = Thresholds()
    fail_on: FailOnOption = None
