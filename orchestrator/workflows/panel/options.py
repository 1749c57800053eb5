"""What a panel needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.setting import THRESHOLDS, Setting
from orchestrator.workflows.panel.strategies import STRATEGIES
from shared.models.panel import Participant
from shared.models.run import Thresholds
from shared.models.wire import Wire


class PanelOptions(Wire):
    """What the panel workflow needs: the panel's `critics` debate, its `chair` is the judge.

    Without a `moderator` code alone sees consensus. `opening_vote` asks everybody for a blind position before a
    first round in which they hear one another; `ballot` holds a secret vote before the judge. `consensus_threshold`
    is for the moderator's score and for the ballots alike. With `require_consensus` there is a gate, which passes when
    the debaters agree on the verdict. See docs/design/panel.md.
    """

    strategy: Annotated[str, Setting(words=tuple(STRATEGIES))] = "sequential"
    max_rounds: Annotated[int, Setting(rules=("rounds",))] = Field(default=3, ge=1, le=10)
    consensus_threshold: Annotated[float, Setting(rules=("consensus",))] = Field(
        default=0.8, gt=0.5, le=1
    )
    moderator: Participant | None = None
    opening_vote: bool = True
    ballot: bool = True
    thresholds: Annotated[Thresholds, Setting(rules=THRESHOLDS)] = Thresholds()
    quorum: Annotated[int | None, Setting(rules=("quorum",))] = Field(default=None, ge=1)
    require_consensus: bool = False
