"""What a forum needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.discussion.options import CONSENSUS, quorum_setting, rounds_setting
from orchestrator.core.setting import TIMEOUT, Flag, Setting, Trust
from shared.models.wire import Wire


class ForumOptions(Wire):
    """What the forum workflow needs: the panel's `critics` take part, its `chair` is the orchestrator.

    `timeout_s` ends the rounds (the budget's `max_seconds` is the hard limit beyond it), `bid_timeout_s` bounds the
    wait for a floor request and for an opening. With `blind_opening` everybody commits to a position that nobody else
    sees before the first round; with `anonymous` the participants know one another only by letter. Who asked
    `patience` rounds in a row in vain is chosen next. With `ballot` the participants vote on the conclusion, which
    needs a support of `consensus`. See docs/design/forum.md.
    """

    max_rounds: Annotated[
        int,
        rounds_setting(
            Flag("--rounds", "Maximum number of rounds ({default}).", "N", open_ended=True)
        ),
    ] = Field(default=10, ge=1, le=50)
    anonymous: Annotated[
        bool,
        Setting(
            "the participants know one another only by letter",
            trust=Trust.KEPT_ON,
            flag=Flag("--anonymous/--named", "Whether speakers know one another only by letter."),
        ),
    ] = False
    timeout_s: Annotated[
        float | None,
        Setting(
            "for the whole discussion; takes precedence over {falls_back}",
            key="timeout",
            falls_back="settings.timeout",
            seconds=True,
            trust=Trust.UNHURRIED,
            flag=Flag(
                "--discussion-timeout",
                "Seconds for the whole discussion of a forum.",
                "S",
                formerly=TIMEOUT,
            ),
        ),
    ] = Field(default=300.0, gt=0)
    bid_timeout_s: Annotated[
        float | None,
        Setting(
            "the longest wait for a floor request; `null`: a turn's",
            key="bid_timeout",
            seconds=True,
            trust=Trust.UNHURRIED,
        ),
    ] = Field(default=60.0, gt=0)
    patience: Annotated[
        int,
        Setting(
            "anyone who has asked in vain for this many rounds is chosen next",
            trust=Trust.UNHURRIED,
            less_is_more=True,
        ),
    ] = Field(default=2, ge=1, le=20)
    blind_opening: Annotated[
        bool,
        Setting(
            "before the first round everybody takes a position that nobody else sees",
            trust=Trust.KEPT_ON,
        ),
    ] = True
    ballot: Annotated[
        bool, Setting("the participants vote on the conclusion", trust=Trust.KEPT_ON)
    ] = True
    consensus: Annotated[
        float,
        Setting(
            "the support that it needs, above {least}", trust=Trust.NO_LOWER, rules=(CONSENSUS,)
        ),
    ] = Field(default=0.7, gt=0.5, le=1)
    quorum: Annotated[int | None, quorum_setting("how many must take a position")] = Field(
        default=None, ge=1
    )
