"""Where the fixes of a run went, how to take them over or back, and which were taken back."""

from __future__ import annotations

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport
from shared.models.review_replies import Applied

TAKE = (
    ("take_with", "git cherry-pick {commit}"),
    # Plumbing: what a person's configuration does to diffs (colours, prefixes) is not in it.
    ("take_uncommitted_with", "git diff-tree -p {commit} | git apply"),
)
"""A branch also holds the uncommitted work that was reviewed, as a commit of its own: merging it would bring that."""
MOVE = (
    # Only HEAD and the index move, and only if nobody committed since.
    ("move_to", "git update-ref HEAD {commit} {base} && git reset -q"),
)
"""For a change that came out of the folder: a patch of it would not fit there."""


def applied_lines(report: RunReport, words: Translator) -> list[Line]:
    """What was applied, one entry a fix; of a patch that was not, how to get it."""
    if not report.applied:
        return _offered(report, words)
    return [part for fix in report.applied for part in _applied(fix, report, words)]


def _offered(report: RunReport, words: Translator) -> list[Line]:
    """The patch of a run that is over; while a decision is open, that is the way to it."""
    if report.fixes is None or not report.fixes.patch or not report.run.status.final:
        return []
    command = f"quorate show {report.run.id} --patch | git apply"
    return [line(f"{words.message('patch_is_kept')}: ", Span(command, Style.COMMAND))]


def _applied(fix: Applied, report: RunReport, words: Translator) -> list[Line]:
    files = ", ".join(fix.files)
    commit = (fix.commit or "")[:12]
    where = (
        words.message("applied_branch", branch=fix.branch, commit=commit, files=files)
        if fix.branch
        else words.message("applied_files", files=files)
    )
    names = {"commit": commit, "base": (fix.base or "")[:12]}
    undoing = report.undoing_of(fix)
    if undoing is not None:
        return [line(where, " — ", Span(words.message("undone_by", run=undoing), Style.WARNING))]
    undo = Span(f"quorate undo {report.run.id}", Style.COMMAND)
    taking = (MOVE if report.came_from_folder else TAKE) if fix.branch and commit else ()
    return [
        line(Span(where, Style.GOOD), f" — {words.message('undo_with')}: ", undo),
        *(
            line(f"  {words.message(code)}: ", Span(command.format(**names), Style.COMMAND))
            for code, command in taking
        ),
    ]
