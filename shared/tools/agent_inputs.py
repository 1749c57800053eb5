"""What the tools of the workflow `agent` are given."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from shared.models.embeddings import SearchVector
from shared.models.wire import Verbatim, Wire
from shared.models.workspace import Workspace
from shared.tools.inputs import Hash, PlainId

ShellCommand = Annotated[str, StringConstraints(min_length=1, max_length=2000)]


class WorkspaceInput(Wire):
    """A state of a repository."""

    workspace: Workspace


class ReadInput(WorkspaceInput):
    """The files to read, the first ones first, up to `most_bytes` together."""

    paths: tuple[str, ...]
    most_bytes: int = 400_000


class PatchInput(WorkspaceInput):
    """A unified diff against the workspace. It may add and remove files; what only people change it never touches."""

    patch: Verbatim


class CommandRunInput(WorkspaceInput):
    """A command that a person entered on the worker's machine, run on a copy of the workspace, `times` times."""

    command: ShellCommand
    times: int = Field(default=1, ge=1, le=50)


class ErrorInput(WorkspaceInput):
    """Text that may hold errors and stack traces."""

    text: str


class NavigationInput(WorkspaceInput):
    """What is looked for. `intent` is `symbol_search`, `call_chain`, `dependency` or `code_search`.

    Besides these of the design, `occurrences` are all lines that have the name, and `largest` the longest functions.
    """

    intent: str
    query: str
    target: str = ""
    limit: int = 20
    meaning: SearchVector | None = None
    """The query as a vector, where somebody makes some."""


class ImpactInput(WorkspaceInput):
    """What the workspace's own changes reach, or the given symbols (qualified names)."""

    symbols: tuple[str, ...] = ()
    depth: int = 5


class ExaminationInput(WorkspaceInput):
    """What is looked at, in the words of the task."""

    task: str = ""
    documents: tuple[Hash, ...] = ()


class CommitInput(WorkspaceInput):
    """The approved state as a commit on the run's branch. `approved` is the sha256 of the patch that was shown."""

    run: PlainId
    effect: PlainId
    approved: Hash
    title: str = Field(min_length=1, max_length=500)
    message: str = ""
