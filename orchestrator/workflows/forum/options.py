"""What a forum needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.setting import Setting
from shared.models.wire import Wire


class ForumOptions(Wire):
    """What the forum workflow needs: the panel's `critics` take part, its `chair` is the orchestrator.

    `timeout_s` ends the rounds (the budget's `max_seconds` is the hard limit behind it), `bid_timeout_s` bounds the
    wait for a floor request and for an opening. With `blind_opening` everybody commits to a position that nobody else
    sees before the first round; with `anonymous` the participants know one another by letters only. Who asked
    `patience` rounds in a row in vain is chosen next. With `ballot` the participants vote on the conclusion, which
    needs a support of `consensus`. See docs/design/forum.md.
    """

    max_rounds: Annotated[int, Setting(rules=("rounds",))] = Field(default=10, ge=1, le=50)
    timeout_s: float | None = Field(default=300.0, gt=0)
    bid_timeout_s: float | None = Field(default=60.0, gt=0)
    patience: int = Field(default=2, ge=1, le=20)
    blind_opening: bool = True
    anonymous: bool = False
    ballot: bool = True
    consensus: Annotated[float, Setting(rules=("consensus",))] = Field(default=0.7, gt=0.5, le=1)
    quorum: Annotated[int | None, Setting(rules=("quorum",))] = Field(default=None, ge=1)
