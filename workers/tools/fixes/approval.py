"""What was approved: the inputs of `apply`, and the patch that the approval is bound to."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from pydantic import JsonValue, ValidationError, field_validator

from shared.errors import ToolError
from shared.git.diff_pieces import FileText, cut_change
from shared.git.hunks import changed_ranges, count_tag
from shared.git.patch import parse_patch
from shared.models.subject import FileChange, Origin, Subject
from shared.models.wire import Wire
from workers.tools.fixes.check_fixes import read_fixes
from workers.tools.fixes.combination import Combination, combine, shown_hash
from workers.tools.registry import Documents
from workers.tools.sandbox.sandbox import Countdown
from workers.tools.snapshot import load_subject

# Ids end up in a branch's name and in a commit's trailers.
PLAIN = re.compile(r"^[A-Za-z0-9](?:[A-Za-z0-9._:/-]{0,198}[A-Za-z0-9])?$")
FINDING = re.compile(r"^[\w.-]{1,40}$")


class Order(Wire):
    """The inputs of `apply`. `approved` is the sha256 of the patch that was shown; `effect` its once-only key."""

    subject: str
    fixes: JsonValue
    only: tuple[str, ...] | None = None
    mode: Literal["branch", "in_place"] = "branch"
    run: str
    approved: str
    effect: str

    @field_validator("run", "effect")
    @classmethod
    def _is_plain(cls, value: str) -> str:
        if not PLAIN.fullmatch(value) or ".." in value or "//" in value:
            raise ValueError("only letters, digits and . _ : / - are allowed")
        return value

    @field_validator("only")
    @classmethod
    def _are_findings(cls, value: tuple[str, ...] | None) -> tuple[str, ...] | None:
        for finding in value or ():
            if not FINDING.fullmatch(finding):
                raise ValueError(f"{finding!r} is not the id of a finding")
        return value


@dataclass(frozen=True)
class Approved:
    """A subject and the combination of fixes that may be applied to it."""

    order: Order
    subject: Subject
    combination: Combination
    findings: tuple[str, ...]
    sources: tuple[str, ...]


def read_order(inputs: Mapping[str, JsonValue]) -> Order:
    """The inputs as an order; raises `ToolError` with the field that is wrong."""
    try:
        return Order.model_validate(dict(inputs))
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"])
        raise ToolError(f"The order to apply is malformed at {field!r}: {first['msg']}.") from error


def read_approved(order: Order, documents: Documents, countdown: Countdown) -> Approved:
    """Combine the fixes again and compare with what was approved; raises `ToolError` on any difference.

    With `only` the approval may be of the chosen fixes' patch or of the whole patch that was shown: each
    chosen fix is a part of that one.
    """
    subject = load_subject({"subject": order.subject}, documents)
    good = [fix for fix in read_fixes(order.fixes, documents) if fix.problem is None]
    chosen = combine(subject, good, order.only, documents=documents, countdown=countdown)
    if shown_hash(chosen.patch) != order.approved:
        whole = order.only and combine(
            subject, good, None, documents=documents, countdown=countdown
        )
        if not whole or shown_hash(whole.patch) != order.approved:
            raise ToolError("The patch is not the one that was approved: nothing was applied.")
    if not chosen.patch:
        raise ToolError("None of the chosen findings has a fix that can be applied.")
    applied = [fix for fix in chosen.fixes if fix.problem is None]
    findings = dict.fromkeys(finding for fix in applied for finding in fix.findings)
    for finding in findings:
        if not FINDING.fullmatch(finding):
            raise ToolError(f"{finding!r} is not the id of a finding: nothing was applied.")
    sources = sorted({re.sub(r"[^\w.@/-]", "-", fix.source)[:64] for fix in applied})
    return Approved(order, subject, chosen, tuple(findings), tuple(sources))


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
            (FileText(path, change.text) for path, change in changes.items()),
            documents.put,
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
