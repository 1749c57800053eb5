"""The tool `agent.commit`: an approved state as one commit on the run's own branch, made from objects, never pushed.

The person's files and index are not touched. The same effect twice gives the same commit, and a later effect of the
same run goes on top of the earlier one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from shared.errors import ToolError
from shared.git.process import Git
from shared.models.agent import BranchCommit
from shared.patterns import regex
from shared.tools.agent_inputs import CommitInput
from workers.tools.agent.patch import difference
from workers.tools.agent.workspace import (
    FileContent,
    WorkspaceTree,
    contents_of,
    index_entries,
    open_workspace,
)
from workers.tools.fixes.branch import (
    EFFECT,
    OURS,
    RUN,
    BranchState,
    branch_name,
    commit_index,
    find_effect,
    move_branch,
    read_branch,
    refuse_checked_out,
    trailers,
)
from workers.tools.fixes.patches import guarded
from workers.tools.registry import ToolContext
from workers.tools.sandbox.git import own_repository

MOST_COMMITS = 200
_CONTROL = regex(r"[\x00-\x08\x0b-\x1f\x7f]")


def run(inputs: CommitInput, context: ToolContext) -> BranchCommit:
    """Raises `ToolError`, having moved nothing, when the state is not the approved one or the branch is somebody's."""
    with open_workspace(inputs.workspace, context) as tree:
        files = contents_of(inputs.workspace.files, context)
        _require_approved(inputs, tree)
        target = tree.target
        with own_repository(
            tree.countdown,
            objects=target.objects,
            object_format=target.object_format,
            isolate=False,
        ) as (own, _):
            state = _committed(inputs, context, tree, own, files)
    return BranchCommit(
        repository=target.name,
        branch=state.branch,
        base=state.base,
        commit=state.commit,
        files=tuple(files),
    )


def _require_approved(inputs: CommitInput, tree: WorkspaceTree) -> None:
    for file in inputs.workspace.files:
        if problem := guarded(file.path):
            raise ToolError(
                "{path}: {problem}. Nothing was committed.", path=file.path, problem=problem
            )
    shown = difference(tree, tree.commit)
    if hashlib.sha256(shown.encode("utf-8")).hexdigest() != inputs.approved:
        raise ToolError("The patch is not the one that was approved: nothing was committed.")


def _committed(
    inputs: CommitInput,
    context: ToolContext,
    tree: WorkspaceTree,
    own: Git,
    files: Mapping[str, FileContent | None],
) -> BranchState:
    target = tree.target
    branch = branch_name(inputs.run, OURS[1])
    done = find_effect(target, own, branch, inputs.effect)
    if done is not None:
        return done
    tip = read_branch(target, branch)
    parent = tree.commit if tip is None else _own_tip(inputs, tree, own, branch, tip)
    own.run("read-tree", tree.commit)
    for content in files.values():
        if content is not None:
            own.write_blob(content.data)
    own.stage(index_entries(files, own.object_format))
    if own.line("write-tree") == own.line("rev-parse", f"{parent}^{{tree}}"):
        raise ToolError("There is nothing that is not committed yet.")
    commit = commit_index(own, target, parent, _message(inputs))
    context.confirm()
    if not move_branch(target, branch, commit, tip):
        # Another delivery of the same order was faster, or somebody else was.
        done = find_effect(target, own, branch, inputs.effect)
        if done is None:
            raise ToolError(
                "The branch {branch} moved meanwhile: nothing was committed.", branch=branch
            )
        return done
    return BranchState(branch, parent, commit)


def _own_tip(inputs: CommitInput, tree: WorkspaceTree, own: Git, branch: str, tip: str) -> str:
    """The tip, if only this run's commits stand on it above the workspace's; raises `ToolError`."""
    refuse_checked_out(tree.target, branch)
    search = ("rev-list", "--first-parent", f"--max-count={MOST_COMMITS}", tip)
    for commit in tree.target.references.run(*search).decode().split():
        if commit == tree.commit:
            return tip
        if trailers(own, commit).get(RUN) != inputs.run:
            break
    raise ToolError("The branch {branch} holds other work: nothing was committed.", branch=branch)


def _message(inputs: CommitInput) -> str:
    title = " ".join(_CONTROL.sub(" ", inputs.title).split()) or "Change"
    body = _CONTROL.sub(" ", inputs.message).strip()
    trailer = f"Generated-by: Quorate\n{RUN}: {inputs.run}\n{EFFECT}: {inputs.effect}"
    return "\n\n".join(part for part in (title, body, trailer) if part) + "\n"
