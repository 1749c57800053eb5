"""What was approved: the inputs of `apply`, and the patch that the approval is bound to."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from shared.errors import ToolError
from shared.git.diff_pieces import FileText, cut_change
from shared.git.hunks import changed_ranges, count_tag
from shared.git.patch import parse_patch
from shared.models.review_replies import CheckedFix
from shared.models.subject import FileChange, Origin, Subject
from shared.tools.inputs import FINDING, ApplyInput
from workers.tools.fixes.combination import Combination, combine, shown_hash
from workers.tools.registry import Documents
from workers.tools.sandbox.sandbox import Countdown
from workers.tools.snapshot import load_subject


@dataclass(frozen=True)
class Approved:
    """A subject and the combination of fixes that may be applied to it."""

    order: ApplyInput
    subject: Subject
    combination: Combination
    findings: tuple[str, ...]
    sources: tuple[str, ...]


def read_approved(order: ApplyInput, documents: Documents, countdown: Countdown) -> Approved:
    """Combine the fixes again and compare with what was approved; raises `ToolError` on any difference.

    With `only` the approval may be of the chosen fixes' patch or of the whole patch that was shown: each
    chosen fix is a part of that one.
    """
    subject = load_subject(order.subject, documents)
    good = [fix for fix in order.fixes if fix.problem is None]
    chosen = combine(subject, good, order.only, documents=documents, countdown=countdown)
    shown = shown_hash(chosen.patch)
    if shown != order.approved and order.only:
        whole = combine(subject, good, None, documents=documents, countdown=countdown)
        shown = shown_hash(whole.patch)
    if shown != order.approved:
        raise ToolError("The patch is not the one that was approved: nothing was applied.")
    if not chosen.patch:
        raise ToolError("None of the chosen findings has a fix that can be applied.")
    applied = [fix for fix in chosen.fixes if fix.problem is None]
    sources = sorted({re.sub(r"[^\w.@/-]", "-", fix.source)[:64] for fix in applied})
    return Approved(order, subject, chosen, _findings_of(applied), tuple(sources))


def _findings_of(fixes: Sequence[CheckedFix]) -> tuple[str, ...]:
    """The findings that the fixes resolve. Their ids end up in a commit's message."""
    findings = dict.fromkeys(finding for fix in fixes for finding in fix.findings)
    for finding in findings:
        if not FINDING.fullmatch(finding):
            raise ToolError(
                "{finding!r} is not the id of a finding: nothing was applied.", finding=finding
            )
    return tuple(findings)


def fixed_subject(approved: Approved, origin: Origin, documents: Documents) -> str:
    """Store the fix as a subject of its own, so that it can be reviewed; returns its document hash."""
    combination = approved.combination
    patches = parse_patch(combination.patch.encode("utf-8"))
    changes = {patch.path.decode(): patch for patch in patches}
    languages = {file.path: file.language for file in approved.subject.files}
    subject = Subject(
        title=f"Fix of {', '.join(approved.findings)}: {approved.subject.title}"[:200],
        diff=documents.put(combination.patch.encode("utf-8")),
        pieces=cut_change(
            (FileText(path, change.text) for path, change in changes.items()), documents.put
        ),
        files=tuple(
            FileChange(
                path=path,
                status="modified",
                changed=changed_ranges(change.hunks),
                before=documents.put(combination.before[path]),
                after=documents.put(combination.after[path]),
                language=languages.get(path),
            )
            for path, change in changes.items()
        ),
        origin=origin,
        added_lines=count_tag(patches, b"+"),
        removed_lines=count_tag(patches, b"-"),
        counts_unread=approved.subject.counts_unread,
    )
    return documents.put(subject.model_dump_json().encode("utf-8"))
