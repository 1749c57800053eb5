"""What a run has to tell people besides its result: a code with its parameters, told by a catalogue at the end."""

from __future__ import annotations

from pydantic import Field

from shared.models.wire import Wire


class Notice(Wire):
    """Something that nobody may overlook. `orchestrator/presentation/locale/notices.py` has the words for each code."""

    code: str
    values: dict[str, str] = Field(default_factory=dict)
