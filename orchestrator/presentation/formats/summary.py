"""The summary of a job: the comment's Markdown, with the room that GitHub gives a step (1 MiB)."""

from __future__ import annotations

from orchestrator.presentation.formats.markdown import as_comment
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.report import RunReport

MOST_BYTES = 1_000_000


def render(report: RunReport, words: Translator) -> str:
    """The result under its title; what does not fit is left out, and that is said."""
    return as_comment(
        report,
        words,
        MOST_BYTES,
        lambda text: len(text.encode("utf-8", "replace")),
        for_others=True,
    )
