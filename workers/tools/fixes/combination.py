"""Putting fixes together: each is tried on the reviewed state by itself, then their edits are merged."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, TypeAdapter, ValidationError

from shared.errors import ToolError
from shared.models.review_replies import CheckedFix, CheckedFixes
from shared.models.subject import PYTHON_SUFFIXES, Subject
from shared.text.bounded_json import loads
from workers.tools.analysers.ruff import command
from workers.tools.analysers.ruffrules import UNPARSED
from workers.tools.fixes.bench import FixTrial, bench
from workers.tools.fixes.merging import LineEdit, conflicting, render
from workers.tools.registry import Documents
from workers.tools.sandbox.sandbox import Countdown, execute, output_of, scratch
from workers.tools.snapshot import materialised, post_images

CONFLICT = "it conflicts with an earlier fix"
BREAKS = "{path} would not be valid Python any more"


@dataclass(frozen=True)
class Combination:
    """Fixes put together: each with its problem, the patch of all good ones, its reverse, and the result.

    `before` and `after` hold the contents of the files that the patch changes, by path.
    """

    fixes: tuple[CheckedFix, ...]
    patch: str
    reverse: str
    before: Mapping[str, bytes]
    after: Mapping[str, bytes]


class Assembly:
    """Trials taken in one after the other, as long as they do not conflict."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = files
        self._edits: dict[str, list[LineEdit]] = {}

    def take(self, trial: FixTrial) -> str | None:
        """Add what the trial does; the problem, or None. With a problem nothing is added."""
        if trial.problem is not None:
            return trial.problem
        if any(conflicting(new, self._edits.get(path, ())) for path, new in trial.edits.items()):
            return CONFLICT
        for path, new in trial.edits.items():
            self._edits.setdefault(path, []).extend(new)
        return None

    def with_trial(self, trial: FixTrial) -> dict[str, bytes]:
        """The files of the trial as they would be with it."""
        return {
            path: render(self._files[path], [*self._edits.get(path, ()), *new])
            for path, new in trial.edits.items()
        }

    def results(self) -> dict[str, bytes]:
        """Every changed file with all that was taken."""
        return {path: render(self._files[path], new) for path, new in sorted(self._edits.items())}


def combine(
    subject: Subject,
    fixes: Sequence[CheckedFix],
    only: Collection[str] | None,
    *,
    documents: Documents,
    countdown: Countdown,
) -> Combination:
    """Put the fixes together in their order; the same values always give the same patch.

    With `only` a fix is taken when every finding that it resolves was chosen. A fix that cannot be applied gets
    a `problem` and is left out.
    """
    chosen = [fix for fix in fixes if only is None or set(fix.findings) <= set(only)]
    files = post_images(subject, documents)
    with bench(files, countdown) as place:
        tried = iter(place.try_all([fix.patch for fix in chosen if fix.problem is None]))
        trials = [FixTrial(fix.problem, {}) if fix.problem else next(tried) for fix in chosen]
        problems, after = assemble(files, trials, countdown)
        patch, reverse = place.diff(after)
    return Combination(
        fixes=tuple(
            fix.model_copy(update={"problem": problem})
            for fix, problem in zip(chosen, problems, strict=True)
        ),
        patch=patch,
        reverse=reverse,
        before={path: files[path] for path in after},
        after=after,
    )


def assemble(
    files: Mapping[str, bytes], trials: Sequence[FixTrial], countdown: Countdown
) -> tuple[list[str | None], dict[str, bytes]]:
    """The problem of each trial and the contents that all others give together.

    Two fixes that are sound by themselves may together empty a block: what parsed must parse afterwards.
    """
    whole = Assembly(files)
    problems = [whole.take(trial) for trial in trials]
    after = whole.results()
    broken = unparsable(after, countdown)
    broken -= unparsable({path: files[path] for path in broken}, countdown)
    if not broken:
        return problems, after
    careful = Assembly(files)
    problems = [_take_sound(careful, trial, broken, countdown) for trial in trials]
    return problems, careful.results()


def _take_sound(
    assembly: Assembly, trial: FixTrial, suspects: Collection[str], countdown: Countdown
) -> str | None:
    touched = trial.edits.keys() & suspects
    if touched and trial.problem is None:
        wrong = unparsable(assembly.with_trial(trial), countdown) & touched
        if wrong:
            return BREAKS.format(path=min(wrong))
    return assembly.take(trial)


def shown_hash(patch: str) -> str:
    """The sha256 that an approval of `patch` carries: of the text exactly as `CheckedFixes` shows it."""
    return hashlib.sha256(CheckedFixes(patch=patch).patch.encode("utf-8")).hexdigest()


# ---- does Python still parse? Asked of ruff in the sandbox: its parser is not ours to crash --------


class _SyntaxError(BaseModel):
    code: str | None
    filename: Path


_ERRORS = TypeAdapter(tuple[_SyntaxError, ...])


def unparsable(files: Mapping[str, bytes], countdown: Countdown) -> set[str]:
    """The Python files among `files` (path -> content) that have a syntax error; raises `ToolError`."""
    python = {path: data for path, data in files.items() if path.endswith(PYTHON_SUFFIXES)}
    if not python:
        return set()
    with materialised(python) as root, scratch() as home:
        finished = execute(
            command(list(python), select=("E902",)),
            cwd=root,
            home=home,
            timeout_s=countdown.remaining_s(),
            confinement=countdown.confinement(),
        )
        try:
            errors = _ERRORS.validate_python(loads(output_of(finished, "ruff")))
        except (ValueError, ValidationError) as error:
            raise ToolError("ruff answered in a form that is not understood.") from error
        return {
            error.filename.resolve().relative_to(root).as_posix()
            for error in errors
            if error.code in (None, UNPARSED)
        }
