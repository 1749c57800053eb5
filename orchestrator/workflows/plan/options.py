"""What a plan needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.consensus.convergence import Detector
from orchestrator.core.setting import THRESHOLDS, Flag, Setting, Trust
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

    given: Annotated[
        bool, Setting(flag=Flag("--given", "The text is the plan itself, not the task."))
    ] = False
    strategy: Annotated[
        str,
        Setting(
            key="strategy",
            help="`debate` or `perspectives`",
            words=tuple(STRATEGIES),
            trust=Trust.SAME,
            flag=Flag(
                "--strategy",
                "Challenge and defence by turns (default), or the lenses of risk and of innovation.",
            ),
        ),
    ] = "debate"
    rounds: Annotated[
        int,
        Setting(
            key="max_rounds",
            help="1 to 20; counts before `settings.max_rounds`",
            falls_back="settings.max_rounds",
            trust=Trust.UNHURRIED,
            rules=("rounds",),
            flag=Flag("--rounds", "Rounds about a version (3).", "N"),
        ),
    ] = Field(default=3, ge=1, le=20)
    max_revisions: Annotated[
        int,
        Setting(
            key="max_revisions",
            help="how often `revise` leads back to planning, 0 to 5",
            trust=Trust.UNHURRIED,
            flag=Flag("--max-revisions", "How often `revise` leads back to planning (2).", "N"),
        ),
    ] = Field(default=2, ge=0, le=5)
    quorum: Annotated[
        int | None,
        Setting(
            key="quorum",
            help="how many must take a position",
            shown="more than half",
            trust=Trust.QUORUM,
            rules=("quorum",),
        ),
    ] = Field(default=None, ge=1)
    detector: Annotated[
        str, Setting(key="convergence.detector", words=tuple(Detector), rules=("detector",))
    ] = "stance"
    thresholds: Annotated[Thresholds, Setting(key="convergence.thresholds", rules=THRESHOLDS)] = (
        Thresholds()
    )
    fail_on: Annotated[
        Severity | None, Setting(key="gate.fail_on", nothing="NONE", rules=("fail-on",))
    ] = None
