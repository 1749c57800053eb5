"""Notices on stderr, and what a person need not be told with every run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.core.parts import CastReport
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal
from shared.instance import Instance
from shared.models.notices import Notice, notice

FILE = "told"


class NoticePrinter:
    """Tells a use case's notices on stderr, in the reader's language."""

    def __init__(self, terminal: Terminal, words: Translator) -> None:
        """Writes nothing yet."""
        self._terminal = terminal
        self._words = words

    def inform(self, notice: Notice) -> None:
        """Something on the way; nothing when quiet."""
        self._terminal.talk([line(Span(self._words.translate(notice), Style.DIM))])

    def remark(self, notice: Notice) -> None:
        """A warning that quiet silences."""
        self._terminal.talk([warning(self._words.translate(notice))])

    def warn(self, notice: Notice) -> None:
        """Something that must not be overlooked."""
        self._terminal.warn([warning(self._words.translate(notice))])


def warning(text: str) -> Line:
    """A sentence with the sign of warnings."""
    return line(Span(f"⚠ {text}", Style.WARNING))


def cast_lines(
    report: CastReport, words: Translator, *, advises: bool = True, refers: bool = True
) -> list[str]:
    """Who takes part, and what is to be said of it.

    Unless it `refers`, without the remarks that send their reader to `quorate participants list`.
    """
    warnings = (notice("cast_warning", warning=_seen(each, refers)) for each in report.warnings)
    notices = (
        notice("cast_participants", names=report.participants),
        *warnings,
        *report.hints,
        *(_seen(each, refers) for each in report.advice if advises),
    )
    return [text for each in notices for text in words.translate(each).splitlines()]


def _seen(each: Notice, refers: bool) -> Notice:
    if refers or "see" not in each.params:
        return each
    return each.model_copy(update={"params": {**each.params, "see": ""}})


def first_time(instance: Instance, advice: Sequence[str]) -> bool:
    """True where this very advice was not given before; it counts as given from now on.

    Where nothing can be remembered (no folder, a read-only one) everything is news.
    """
    if not advice:
        return False
    mark = hashlib.sha256("\n".join(advice).encode()).hexdigest()[:16]
    file = instance.state_dir / FILE
    try:
        marks = file.read_text(encoding="ascii", errors="replace").split()
    except OSError:
        marks = []
    if mark in marks:
        return False
    try:
        with file.open("a", encoding="ascii") as stream:
            stream.write(f"{mark}\n")
    except OSError:
        pass  # said again next time
    return True
