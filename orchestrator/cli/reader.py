"""The words of whoever reads what a command prints."""

from __future__ import annotations

import os
from collections.abc import Mapping

from orchestrator.core.lines import Line, line
from orchestrator.presentation.locale.translator import Translator
from orchestrator.settings.languages import DEFAULT, LANGUAGES, help_language


def words_in(language: str | None = None, environ: Mapping[str, str] = os.environ) -> Translator:
    """The words of that language; without one of the terminal's (`$QUORATE_LANG`, `$LANG`)."""
    return Translator(language or help_language(environ))


def words_for(
    language: str | None, spoken: str, environ: Mapping[str, str] = os.environ
) -> Translator:
    """The words for a run that speaks `spoken`: as somebody chose, else Korean at a Korean terminal, else the run's.

    An English terminal is everybody's: it is no wish to read what was asked in Korean in English.
    """
    at_terminal = help_language(environ)
    wished = at_terminal if at_terminal in LANGUAGES and at_terminal != DEFAULT else None
    return Translator(language or wished or spoken)


def sentence_line(sentence: str, environ: Mapping[str, str] = os.environ) -> Line:
    """A sentence of ours as a line in the words of the terminal."""
    return line(words_in(environ=environ).sentence(sentence))
