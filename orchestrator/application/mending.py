"""A change of the repository's own file, where the file names somebody who is not known here.

Whether a name is known shows only when participants are chosen. A file that counts (as it was before the change) would
end every review, that of the change which mends it, too; so it is left out of that one, and a notice says why. A change
that brings such a name passes its own review, which goes by the file as it was; a notice says what it would end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from orchestrator.settings.loading import Configuration, ProjectState
from orchestrator.settings.projects import Reviewed, changed_file
from shared.errors import ConfigurationError
from shared.models.notices import notice

T = TypeVar("T")


def with_usable_file(
    configuration: Configuration,
    load: Callable[[ProjectState], Configuration],
    choose: Callable[[Configuration], T],
    directory: Path,
    reviewed: Reviewed | None,
) -> tuple[Configuration, T]:
    """The configuration by which participants can be chosen, and what was chosen; what the change breaks is told.

    Raises what `choose` raises, unless the change edits the file and it would be right both as the change leaves it and
    without it.
    """
    try:
        chosen = choose(configuration)
        return _with_what_breaks(configuration, load, choose, directory, reviewed), chosen
    except ConfigurationError as error:
        if reviewed is None or changed_file(directory, reviewed) is None:
            raise
        try:
            choose(load(ProjectState.AFTER))
            without = load(ProjectState.LEFT_OUT)
            chosen = choose(without)
        except ConfigurationError:
            raise error from None
        mended = notice("project_mended", problem=str(error))
        return replace(without, notices=(*without.notices, mended)), chosen


def _with_what_breaks(
    configuration: Configuration,
    load: Callable[[ProjectState], Configuration],
    choose: Callable[[Configuration], T],
    directory: Path,
    reviewed: Reviewed | None,
) -> Configuration:
    """The configuration; with a notice where the file as the change leaves it would end later reviews.

    What the change wrote is only tried: nothing of it holds for this review.
    """
    if reviewed is None:
        return configuration
    try:
        changed = changed_file(directory, reviewed)
        if changed is not None and changed.document is not None:
            choose(load(ProjectState.AFTER))
    except ConfigurationError as error:
        broken = notice("project_breaks", problem=str(error))
        return replace(configuration, notices=(*configuration.notices, broken))
    return configuration
