"""Letters instead of names: whoever judges a text must not know whose it is (arXiv 2510.07517)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


def letter(number: int) -> str:
    """A, B, ..., Z, AA, AB, ... for 0, 1, ..., 25, 26, 27, ..."""
    high, low = divmod(number, len(_LETTERS))
    return (letter(high - 1) if high else "") + _LETTERS[low]


def shuffled_labels(seed: str, reader: str, names: Sequence[str]) -> dict[str, str]:
    """Labels to names, in an order that depends on the run's seed and on who reads: the map to be kept."""
    order = sorted(names, key=lambda name: hashlib.sha256(_key(seed, reader, name)).digest())
    return {letter(number): name for number, name in enumerate(order)}


def label_of(labels: Mapping[str, str], name: str, otherwise: str = "") -> str:
    """The letter of a name."""
    return next((letter for letter, known in labels.items() if known == name), otherwise)


def _key(seed: str, reader: str, name: str) -> bytes:
    return "\x1f".join((seed, reader, name)).encode()
