"""An open decision's question, in the reader's language."""

from __future__ import annotations

from orchestrator.presentation.locale.translator import Translator
from shared.models.rows import DecisionRow


def asked(decision: DecisionRow, words: Translator) -> str:
    """The question in the reader's language, where there are words for its kind."""
    return words.word(f"ask_{decision.kind}", str(decision.question.get("prompt", "")))
