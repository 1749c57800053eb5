"""Numbers and addresses that belong to people: no fixed beginning, so they are found by their shape."""

from __future__ import annotations

from collections.abc import Iterator

from shared.patterns import regex
from shared.text.masking.checks import is_card, is_resident_number

RESIDENT, CARD, EMAIL = "resident-number", "card-number", "email"

_DIGITS = regex(r"[0-9](?:[ -]?[0-9]){12,15}+")
_RESIDENT = regex(r"\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[- ]?[1-8]\d{6}")
_CARD = regex(
    r"(?:4\d{3}|5[1-5]\d\d|2[2-7]\d\d|6(?:011|5\d\d))(?:[ -]?\d{4}){3}|3[47]\d\d[ -]?\d{6}[ -]?\d{5}"
)
_NAME = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._+-")
_LONGEST_NAME = 64
_DOMAIN = regex(r"@(?:[A-Za-z0-9-]{1,63}+\.){1,4}[A-Za-z]{2,24}")


def find_numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """Korean resident registration numbers and payment cards whose check digits are right."""
    for match in _DIGITS.finditer(text):
        start, end = match.span()
        if _joined(text[start - 1 : start]) or _joined(text[end : end + 1]):
            continue
        if _RESIDENT.fullmatch(match[0]) and is_resident_number(match[0]):
            yield start, end, RESIDENT
        elif _CARD.fullmatch(match[0]) and is_card(match[0]):
            yield start, end, CARD


def find_emails(text: str) -> Iterator[tuple[int, int, str]]:
    """Addresses like name@example.org."""
    for match in _DOMAIN.finditer(text):
        start = match.start()
        while start > 0 and text[start - 1] in _NAME and match.start() - start < _LONGEST_NAME:
            start -= 1
        if start < match.start():
            yield start, match.end(), EMAIL


def _joined(neighbour: str) -> bool:
    # A Korean particle may follow a number directly.
    return bool(neighbour) and ((neighbour.isascii() and neighbour.isalnum()) or neighbour in "_.-")
