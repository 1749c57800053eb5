"""The tool `fixes.check`: which proposed fixes apply to the reviewed state, and all good ones as one patch."""

from __future__ import annotations

from shared.errors import ToolError
from shared.models.reply_bounds import MAX_LISTED
from shared.models.review_replies import CheckedFixes
from shared.tools.inputs import FixCheckInput
from workers.tools.fixes.combination import combine
from workers.tools.registry import ToolContext
from workers.tools.snapshot import load_subject

MAX_FIXES = 2 * MAX_LISTED  # those of rules, and those of models


def run(inputs: FixCheckInput, context: ToolContext) -> CheckedFixes:
    """Raises `ToolError` for what is no subject; a fix that cannot be applied is no error, it gets its `problem`."""
    if len(inputs.fixes) > MAX_FIXES:
        raise ToolError("More than {most} fixes at once are not checked.", most=MAX_FIXES)
    subject = load_subject(inputs.subject, context.documents)
    fresh = [fix.model_copy(update={"problem": None}) for fix in inputs.fixes]
    result = combine(
        subject, fresh, None, documents=context.documents, countdown=context.countdown()
    )
    return CheckedFixes(fixes=result.fixes, patch=result.patch)
