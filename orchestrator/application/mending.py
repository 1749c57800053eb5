"""A change that mends the repository's own file where that names somebody who is not known here.

Whether a name is known shows only when participants are chosen. The file as it was before the change would end every
review, that of the mending change, too; so it is left out of that one, and a notice says why.
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
    """The configuration by which participants can be chosen, and what was chosen.

    Raises what `choose` raises, unless the change edits the file and it would be right both as the change leaves it and
    without it.
    """
    try:
        return configuration, choose(configuration)
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
