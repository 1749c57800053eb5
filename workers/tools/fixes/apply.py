"""The tool `apply`: an approved patch onto a branch or into the working tree, once."""

from __future__ import annotations

import hashlib

from shared.errors import ToolError
from shared.models.review_replies import Applied
from shared.models.subject import Origin
from shared.tools.inputs import ApplyInput
from workers.tools.fixes.approval import Approved, fixed_subject, read_approved
from workers.tools.fixes.branch import apply_to_branch
from workers.tools.fixes.in_place import apply_in_place
from workers.tools.fixes.repository import FixTarget, open_target
from workers.tools.registry import ToolContext
from workers.tools.sandbox.sandbox import Countdown, scratch


def run(inputs: ApplyInput, context: ToolContext) -> Applied:
    """Apply the fixes that were approved.

    The same order again, after a crash or in a second delivery, changes nothing more and answers the same.
    Raises `ToolError`, having changed nothing, when the reviewed state is not there any more or when the
    patch is not the approved one.
    """
    countdown = context.countdown()
    approved = read_approved(inputs, context.documents, countdown)
    with scratch() as home:
        repository = open_target(approved.subject.origin, home, countdown)
        if inputs.mode == "branch":
            return _branch(approved, repository, context, countdown)
        return _in_place(approved, repository, context)


def _branch(
    approved: Approved, repository: FixTarget, context: ToolContext, countdown: Countdown
) -> Applied:
    documents = context.documents
    state = apply_to_branch(approved, repository, documents, countdown, context.confirm)
    origin = Origin(repository=repository.name, base=state.base, reviewed=state.commit)
    return Applied(
        repository=repository.name,
        branch=state.branch,
        base=state.base,
        commit=state.commit,
        files=tuple(approved.combination.after),
        subject=fixed_subject(approved, origin, documents),
    )


def _in_place(approved: Approved, repository: FixTarget, context: ToolContext) -> Applied:
    documents = context.documents
    if repository.root is None:
        raise ToolError("A bare repository has no working tree: apply on a branch.")
    reviewed = approved.subject.origin
    combination = approved.combination
    # The reverse patch is stored first: what can be applied can be taken back.
    reverse = documents.put(combination.reverse.encode("utf-8"))
    token = hashlib.sha256(approved.order.effect.encode()).hexdigest()
    apply_in_place(
        repository.root,
        combination.before,
        combination.after,
        token=token,
        what="nothing was applied",
        confirm=context.confirm,
    )
    head = reviewed.head or reviewed.reviewed
    origin = Origin(repository=repository.name, base=head, reviewed="worktree", head=head)
    return Applied(
        repository=repository.name,
        base=head,
        files=tuple(combination.after),
        subject=fixed_subject(approved, origin, documents),
        undo=reverse,
    )
