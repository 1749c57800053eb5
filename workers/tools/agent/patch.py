"""The tool `agent.patch`: a participant's patch tried on a workspace, and written again by git.

It may add, remove, rename and change text files, as far as no rule guards their names. What it cannot do is its
`problem`, in words that its author can act on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePosixPath

from shared.git.hunks import count_tag
from shared.git.patch import parse_patch
from shared.models.agent import CheckedPatch
from shared.models.placeholders import MASKED
from shared.models.workspace import Workspace, WorkspaceFile
from shared.tools.agent_inputs import PatchInput
from workers.tools.agent.placing import UnusablePatch, with_hunks
from workers.tools.agent.proposal import ProposedChange, read_proposal
from workers.tools.agent.workspace import FileContent, WorkspaceTree, open_workspace, stage
from workers.tools.fixes.bench import DIFF, FORWARD, SAFE, is_text
from workers.tools.fixes.combination import unparsable
from workers.tools.registry import ToolContext

MOST_WHOLE = 1024 * 1024


@dataclass
class _State:
    """The files as the patch leaves them so far; None: removed. `seen` are those that it was tried on."""

    tree: WorkspaceTree
    after: dict[str, FileContent | None] = field(default_factory=dict)
    seen: dict[str, bytes] = field(default_factory=dict)

    def take(self, change: ProposedChange) -> None:
        """Do what the patch says about a file; raises `UnusablePatch`."""
        before = FileContent(b"", change.executable)
        if change.old is not None:
            before = self._content(change.old)
        if change.new is not None and change.new != change.old:
            self._require_free(change)
        data = self._with_hunks(before.data, change)
        if change.old is not None and change.old != change.new:
            self.after[change.old] = None
        if change.new is not None:
            self.after[change.new] = FileContent(data, before.executable)
        elif data and change.file.hunks:
            raise UnusablePatch(
                "{old}: it removes the file, and not all of its lines", old=change.old
            )

    def require_places(self) -> None:
        """A file stands in folders only, and no folder stands in its place; raises `UnusablePatch`."""
        fresh = {path for path, content in self.after.items() if content is not None}
        taken = fresh | (self.tree.entries.keys() - self.after.keys())
        folders = {str(parent) for path in taken for parent in PurePosixPath(path).parents}
        misplaced = fresh & folders
        misplaced |= {path for path in fresh if taken & set(map(str, PurePosixPath(path).parents))}
        if misplaced:
            raise UnusablePatch(
                "{path}: a file would stand where there is a folder, or below a file or a link",
                path=min(misplaced),
            )

    def _content(self, path: str) -> FileContent:
        known = self.after.get(path)
        if known is not None:
            return known
        if path in self.after or path not in self.tree.paths():
            raise UnusablePatch("{path}: there is no such file", path=path)
        if not self.tree.is_text(path):
            raise UnusablePatch("{path}: it is no text file, or too large", path=path)
        self.seen[path] = self.tree.read(path)
        return FileContent(self.seen[path], self.tree.is_executable(path))

    def _require_free(self, change: ProposedChange) -> None:
        path = change.new or ""
        is_there = self.after[path] is not None if path in self.after else path in self.tree.entries
        if is_there:
            raise UnusablePatch(
                "{path}: there is a file of that name: change it, or remove it first", path=path
            )

    def _with_hunks(self, before: bytes, change: ProposedChange) -> bytes:
        try:
            after = with_hunks(before, change.file) if change.file.hunks else before
        except UnusablePatch as reason:
            raise UnusablePatch(
                "{path}: {reason}", path=change.old or change.new, reason=reason
            ) from None
        if not is_text(after):
            raise UnusablePatch("{new}: it would be no text file", new=change.new)
        known = set(MASKED.findall(before.decode()))
        written = next((mark for mark in MASKED.findall(after.decode()) if mark not in known), None)
        if written is not None:
            raise UnusablePatch(
                "{new}: it would write {written} into the file, which stands for a secret that its "
                "author was not shown: a person has to change these lines",
                new=change.new,
                written=written,
            )
        return after


def run(inputs: PatchInput, context: ToolContext) -> CheckedPatch:
    """Raises `ToolError` when the workspace is gone; a patch that cannot be applied is no error."""
    changes = read_proposal(inputs.patch)
    if isinstance(changes, str):
        return CheckedPatch(problem=changes)
    with open_workspace(inputs.workspace, context) as tree:
        try:
            return _tried(changes, tree, context)
        except UnusablePatch as refusal:
            return CheckedPatch(problem=str(refusal))


def difference(tree: WorkspaceTree, base: str) -> str:
    """The patch from a commit or a tree to what the workspace's index holds, as git writes it."""
    return tree.git.run(*DIFF, *SAFE, *FORWARD, base).decode("utf-8")


def _tried(
    changes: Iterable[ProposedChange], tree: WorkspaceTree, context: ToolContext
) -> CheckedPatch:
    state = _State(tree)
    for change in changes:
        state.take(change)
    state.require_places()
    _require_python(state)
    base = tree.git.line("write-tree")
    stage(tree.git, state.after)
    patch, whole = difference(tree, base), difference(tree, tree.commit)
    if not patch:
        raise UnusablePatch("it changes nothing")
    if len(whole) > MOST_WHOLE:
        raise UnusablePatch("all changes together would be too large for anyone to read")
    files = parse_patch(patch.encode())
    return CheckedPatch(
        patch=patch,
        whole=whole,
        after=_after(tree.workspace, state.after, whole, context),
        paths=tuple(file.path.decode() for file in files),
        added=count_tag(files, b"+"),
        removed=count_tag(files, b"-"),
    )


def _after(
    workspace: Workspace,
    after: Mapping[str, FileContent | None],
    whole: str,
    context: ToolContext,
) -> Workspace:
    """The workspace with the patch; what is as in the commit again is left out."""
    changed = {file.path.decode() for file in parse_patch(whole.encode())} if whole else set()
    files = [
        WorkspaceFile(
            path=path,
            document=None if content is None else context.documents.put(content.data),
            executable=content is not None and content.executable,
        )
        for path, content in after.items()
        if path in changed
    ]
    state = workspace.changed(*files)
    kept = tuple(file for file in state.files if file.path in changed)
    return state.model_copy(update={"files": kept})


def _require_python(state: _State) -> None:
    """What was valid Python still is, and what is new is; raises `UnusablePatch`."""
    texts = {path: content.data for path, content in state.after.items() if content is not None}
    countdown = state.tree.countdown
    broken = unparsable(texts, countdown)
    broken -= unparsable({path: state.seen[path] for path in broken & state.seen.keys()}, countdown)
    if broken:
        raise UnusablePatch("{path}: it would not be valid Python", path=min(broken))
