"""Processes that end as often as they are started: waiting for them is in vain."""

from __future__ import annotations

import os
from collections.abc import Collection
from pathlib import Path

from orchestrator.embedded.supervisor import supervisor_status
from shared.instance import Instance
from shared.sentences import Sentence

CRASHES = 5
"""So many starts in a row that end at once are no accident. With their pauses they take some ten seconds."""
_TAIL_BYTES = 4096
_LONGEST = 300


def why_nothing_starts(instance: Instance, kinds: Collection[str] | None = None) -> str | None:
    """One sentence when a process of these kinds (None: of any) ends whenever it is started; None otherwise."""
    for child in supervisor_status(instance).children:
        if child.crashes >= CRASHES and (kinds is None or child.name in kinds):
            cause = _last_line(instance.log_dir / f"{child.name}.log")
            return Sentence(
                "The process {name} was started {times} times and ended with an error each time: {cause} (`quorate "
                "logs {name}` shows more).",
                name=child.name,
                times=child.crashes,
                cause=cause,
            )
    return None


def _last_line(log: Path) -> str:
    """What a log ends with: of a traceback that is the error."""
    try:
        with log.open("rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - _TAIL_BYTES))
            lines = file.read().decode("utf-8", "replace").split("\n")
    except OSError:
        return "it wrote no log"
    last = next((each.strip() for each in reversed(lines) if each.strip()), "it wrote nothing")
    return "".join(filter(str.isprintable, last))[:_LONGEST]
