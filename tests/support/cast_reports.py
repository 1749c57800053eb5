"""What people are told of a cast, in words."""

from __future__ import annotations

from dataclasses import dataclass

from orchestrator.cli.notices import cast_lines
from orchestrator.participants.casting import Cast
from orchestrator.presentation.locale.translator import Translator
from shared.models.notices import Notice


@dataclass(frozen=True)
class ToldReport:
    found: tuple[str, ...]
    hints: tuple[str, ...]
    warnings: tuple[str, ...]
    lines: tuple[str, ...]


def in_words(cast: Cast, language: str = "en") -> ToldReport:
    report, translator = cast.report, Translator(language)

    def words(notices: tuple[Notice, ...]) -> tuple[str, ...]:
        return tuple(map(translator.translate, notices))

    lines = tuple(cast_lines(report, translator))
    return ToldReport(
        words(report.participants), words(report.hints), words(report.warnings), lines
    )
