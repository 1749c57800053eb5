"""What nobody read, as sentences for the first lines of a result."""

from __future__ import annotations

from orchestrator.presentation.locale.translator import Translator
from shared.models.coverage import CoverageReport, UnreadReason

MOST = 5


def unread(report: CoverageReport | None, words: Translator) -> list[str]:
    """A sentence for each file that nobody read and each analyser that was missing, as far as it matters."""
    if report is None:
        return []
    told = dict.fromkeys(
        [
            *(
                words.message("nobody_read", path=file.path, why=_why(file.reason, words))
                for file in report.unread
            ),
            *(
                words.message(
                    "absent" if absence.path is None else "absent_for",
                    who=absence.participant,
                    path=absence.path,
                    why=_why(absence.reason, words),
                )
                for absence in report.missing
            ),
        ]
    )
    texts = list(told)
    more = len(texts) - MOST
    return texts if more <= 0 else [*texts[:MOST], words.message("more_unread", n=more)]


def _why(reason: UnreadReason | None, words: Translator) -> str:
    return words.message(f"unread_{reason or UnreadReason.NOT_SHOWN}")
