"""Capture a change as a subject that needs its repository no longer."""

from __future__ import annotations

from orchestrator.subjects.bare_diff import read_bare_diff
from orchestrator.subjects.change import Mask, Put, mask_nothing, store
from orchestrator.subjects.repository_change import Located, read_repository
from orchestrator.subjects.request import ChangeRequest
from shared.models.subject import Subject


def capture(
    request: ChangeRequest, put: Put, mask: Mask = mask_nothing, located: Located | None = None
) -> Subject:
    """The change that `request` names, as a subject whose title says in words what was picked.

    `located` is where it was found before, so that nothing is looked for twice.
    Raises SubjectError for what cannot be reviewed, with what to do instead, and EnvironmentFault for git
    itself and for permissions; nothing is stored then.
    """
    if request.diff is not None:
        return store(read_bare_diff(request, request.diff), put, mask)
    return store(read_repository(request, located), put, mask)
