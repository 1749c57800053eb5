"""What ask needs beyond what every run captures."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.core.discussion.options import quorum_setting
from orchestrator.core.setting import Flag, Setting, Trust
from shared.models.wire import Wire


class AskOptions(Wire):
    """What the ask workflow needs: everybody in the panel's `critics` answers, its `chair` synthesises.

    `quorum` is how many must answer (None: more than half). See docs/design/ask.md.
    """

    ranking: Annotated[
        bool,
        Setting(
            "everybody orders the others' answers, unsigned",
            trust=Trust.TIGHTENS,
            tightens=True,
            flag=Flag("--ranking/--no-ranking", "Let them rank one another's answers, unnamed."),
        ),
    ] = False
    synthesis: Annotated[
        bool,
        Setting(
            "the chair makes one answer of all",
            trust=Trust.TIGHTENS,
            tightens=True,
            flag=Flag("--synthesis/--no-synthesis", "Let the chair merge all answers into one."),
        ),
    ] = False
    quorum: Annotated[int | None, quorum_setting("how many must answer")] = Field(
        default=None, ge=1
    )
