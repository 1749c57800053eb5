"""The words of whoever reads what a command prints."""

from __future__ import annotations

import os

from orchestrator.presentation.locale.translator import Translator
from orchestrator.settings.languages import help_language


def words_in(language: str | None = None) -> Translator:
    """The words of that language; without one of the terminal's (`$QUORATE_LANG`, `$LANG`)."""
    return Translator(language or help_language(os.environ))
