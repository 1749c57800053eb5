"""The tool `fixes.check`: which proposed fixes apply to the reviewed state, and all good ones as one patch."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue, TypeAdapter, ValidationError

from shared.errors import ToolError
from shared.models.replies import CheckedFix, CheckedFixes
from workers.tools.fixes.combination import combine
from workers.tools.registry import Documents, ToolContext
from workers.tools.sandbox.sandbox import Countdown
from workers.tools.snapshot import load_subject

name = "fixes.check"
summary = "Tries proposed fixes on the captured state and puts those that apply together."

MAX_FIXES = 200
_LIST = TypeAdapter(tuple[CheckedFix, ...])


def run(inputs: Mapping[str, JsonValue], context: ToolContext) -> CheckedFixes:
    """`fixes.checked` for `inputs["subject"]` and `inputs["fixes"]`: a list, or the document hash of one.

    A fix is `findings`, `patch`, `source` and `explanation`. Raises `ToolError` for anything else; a fix that
    cannot be applied is no error, it gets its `problem`.
    """
    subject = load_subject(inputs, context.documents)
    fixes = read_fixes(inputs.get("fixes"), context.documents)
    fresh = [fix.model_copy(update={"problem": None}) for fix in fixes]
    countdown = Countdown(context.deadline_s)
    result = combine(subject, fresh, None, documents=context.documents, countdown=countdown)
    return CheckedFixes(fixes=result.fixes, patch=result.patch)


def read_fixes(value: JsonValue, documents: Documents) -> tuple[CheckedFix, ...]:
    """Fixes given as a list, as a `CheckedFixes`, or as the document hash of either; raises `ToolError`."""
    try:
        if isinstance(value, str):
            data = documents.get(value)
            if data.lstrip().startswith(b"{"):
                fixes = CheckedFixes.model_validate_json(data).fixes
            else:
                fixes = _LIST.validate_json(data)
        elif isinstance(value, dict):
            fixes = CheckedFixes.model_validate(value).fixes
        else:
            fixes = _LIST.validate_python(value)
    except ValidationError as error:
        raise ToolError('"fixes" is not a list of findings, patch and source.') from error
    if len(fixes) > MAX_FIXES:
        raise ToolError(f"More than {MAX_FIXES} fixes at once are not checked.")
    return fixes
