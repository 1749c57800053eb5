"""What a poll needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.setting import Flag, Setting
from shared.models.wire import Wire


class PollOptions(Wire):
    """`least` is how many must answer for the poll to count."""

    least: Annotated[
        int,
        Setting(
            key="least",
            help="how many must answer",
            rules=("least",),
            flag=Flag("--least", "How many must answer (default 1).", "N"),
        ),
    ] = Field(default=1, ge=1, le=99)
