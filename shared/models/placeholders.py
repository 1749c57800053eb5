"""What a text holds where a secret was masked: written by the masking, read by the check of quotations."""

from __future__ import annotations

from shared.patterns import regex

MASKED = regex(r"\u00abmasked:[a-z0-9-]{1,40}:\d{1,9}\u00bb")
"""A placeholder, as it appears in a masked text and in what is quoted from it."""


def placeholder(kind: str, number: int) -> str:
    """What stands for the `number`th secret of that kind."""
    return f"\u00abmasked:{kind}:{number}\u00bb"
