"""What a poll needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.setting import Flag, ReplayRule, Setting
from shared.models.wire import Wire


class PollOptions(Wire):
    """`least` is how many must answer for the poll to count."""

    least: Annotated[
        int,
        Setting(
            "how many must answer",
            rules=(ReplayRule("least", "How many must answer.", "N"),),
            flag=Flag("--least", "How many must answer (default 1).", "N"),
        ),
    ] = Field(default=1, ge=1, le=99)
