"""What a panel needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.discussion.options import (
    CONSENSUS,
    ThresholdsOption,
    quorum_setting,
    rounds_setting,
)
from orchestrator.core.setting import Flag, Setting, Trust
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

    strategy: Annotated[
        str,
        Setting(
            "of a panel: {words}",
            words=tuple(STRATEGIES),
            trust=Trust.SAME,
            weakens="quick",
            flag=Flag("--strategy", "How they hear one another ({default})."),
        ),
    ] = "sequential"
    max_rounds: Annotated[
        int, rounds_setting(Flag("--rounds", "Maximum number of rounds (default {default}).", "N"))
    ] = Field(default=3, ge=1, le=10)
    consensus_threshold: Annotated[
        float,
        Setting(
            "for the moderator's score and the votes, above {least}",
            trust=Trust.NO_LOWER,
            rules=(CONSENSUS,),
            flag=Flag("--threshold", "The support that counts as consensus ({default}).", "X"),
        ),
    ] = Field(default=0.8, gt=0.5, le=1)
    moderator: Participant | None = None
    opening_vote: Annotated[
        bool, Setting("a blind vote before a sequential debate", trust=Trust.KEPT_ON)
    ] = True
    ballot: Annotated[bool, Setting("a secret vote before the judge", trust=Trust.KEPT_ON)] = True
    quorum: Annotated[int | None, quorum_setting("how many must take a position")] = Field(
        default=None, ge=1
    )
    require_consensus: Annotated[
        bool,
        Setting(
            "a panel whose debaters do not agree on the verdict ends with exit code 1",
            trust=Trust.KEPT_ON,
            flag=Flag(
                "--require-consensus/--no-require-consensus",
                "Exit 1 when the debaters do not agree on the verdict.",
            ),
        ),
    ] = False
    thresholds: ThresholdsOption = Thresholds()
