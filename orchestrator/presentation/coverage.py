"""What nobody read, as sentences for the first lines of a result."""

from __future__ import annotations

from orchestrator.presentation.locale.words import say
from shared.models.coverage import CoverageReport, UnreadReason

MOST = 5


def unread(report: CoverageReport | None, language: str) -> list[str]:
    """A sentence for each file that nobody read and each analyser that was missing, as far as it matters."""
    if report is None:
        return []
    told = dict.fromkeys(
        [
            *(
                say("nobody_read", language, path=one.path, why=_why(one.reason, language))
                for one in report.unread
            ),
            *(
                say(
                    "absent" if one.path is None else "absent_for",
                    language,
                    who=one.participant,
                    path=one.path,
                    why=_why(one.reason, language),
                )
                for one in report.missing
            ),
        ]
    )
    texts = list(told)
    more = len(texts) - MOST
    return texts if more <= 0 else [*texts[:MOST], say("more_unread", language, n=more)]


def _why(reason: UnreadReason | None, language: str) -> str:
    return say(f"unread_{reason or UnreadReason.NOT_SHOWN}", language)
