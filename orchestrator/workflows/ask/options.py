"""What ask needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.setting import Setting
from shared.models.wire import Wire


class AskOptions(Wire):
    """What the ask workflow needs: everybody in the panel's `critics` answers, its `chair` synthesises.

    `quorum` is how many must answer (None: more than half). See docs/design/ask.md.
    """

    ranking: bool = False
    synthesis: bool = False
    quorum: Annotated[int | None, Setting(rules=("quorum",))] = Field(default=None, ge=1)
