"""The tool `agent.change`: what an agent has changed so far, as the subject of a review."""

from __future__ import annotations

from shared.git.diff_pieces import FileText, cut_change
from shared.git.hunks import changed_ranges, count_tag
from shared.git.patch import FilePatch, parse_patch
from shared.models.agent import ChangeSubject
from shared.models.subject import FileChange, Origin, Subject
from shared.models.workspace import WorkspaceFile
from shared.tools.agent_inputs import WorkspaceInput
from workers.tools.agent.patch import difference
from workers.tools.agent.workspace import WorkspaceTree, open_workspace
from workers.tools.registry import ToolContext


def run(inputs: WorkspaceInput, context: ToolContext) -> ChangeSubject:
    """The change from the commit to the workspace; nothing of the person's folder is in it.

    Its origin names no reviewed state: fixes of it are the agent's own to make.
    """
    with open_workspace(inputs.workspace, context) as tree:
        whole = difference(tree, tree.commit).encode("utf-8")
        patches = {patch.path.decode(): patch for patch in (parse_patch(whole) if whole else ())}
        files = tuple(
            _file(file, patches[file.path], tree, context)
            for file in inputs.workspace.files
            if file.path in patches
        )
    put = context.documents.put
    names = ", ".join(patches)
    subject = Subject(
        title=f"Work of an agent: {names}"[:200],
        diff=put(whole),
        pieces=cut_change((FileText(path, patch.text) for path, patch in patches.items()), put),
        files=files,
        origin=Origin(base=inputs.workspace.commit),
        added_lines=count_tag(patches.values(), b"+"),
        removed_lines=count_tag(patches.values(), b"-"),
        counts_unread=True,
    )
    return ChangeSubject(
        subject=put(subject.model_dump_json().encode("utf-8")),
        title=subject.title,
        files=tuple(patches),
        whole=whole.decode("utf-8"),
    )


def _file(
    file: WorkspaceFile, patch: FilePatch, tree: WorkspaceTree, context: ToolContext
) -> FileChange:
    """One file with both of its states."""
    before = tree.git.attempt("cat-file", "blob", f"{tree.commit}:{file.path}")
    is_new = before.code != 0
    return FileChange(
        path=file.path,
        status="deleted" if file.document is None else "added" if is_new else "modified",
        changed=changed_ranges(patch.hunks),
        before=None if is_new else context.documents.put(before.stdout),
        after=file.document,
        language="python" if file.path.endswith(".py") else None,
    )
