"""What the form of a text alone cannot say: check digits, and whether a value looks drawn at random."""

from __future__ import annotations

import math
import re
from collections import Counter

SHORTEST_RANDOM = 16
_BITS_A_CHARACTER = 3.2
_RESIDENT_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_STANDS_FOR = re.compile(r"[<{*$%\u00ab]|\.\.\.|x{4,}|^(?:your|my|some)[-_ ]", re.IGNORECASE)
_WORDS_OF_NOBODY = frozenset(
    "changeme change-me change_me example none null nil true false string str text password passwd pwd secret "
    "token undefined unset empty required optional hidden default env redacted placeholder".split()
)


def entropy(text: str) -> float:
    """Shannon's entropy of the text's characters, in bits a character."""
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) if text else 0.0


def stands_for_another(value: str) -> bool:
    """True for what only marks where a secret would stand: `${DB_PASSWORD}`, `<token>`, `changeme`."""
    return value.strip().lower() in _WORDS_OF_NOBODY or _STANDS_FOR.search(value) is not None


def looks_random(value: str) -> bool:
    """True for a long value of letters and digits without blanks whose characters hardly repeat."""
    return (
        len(value) >= SHORTEST_RANDOM
        and not any(letter.isspace() for letter in value)
        and any(letter.isdigit() for letter in value)
        and any(letter.isalpha() for letter in value)
        and not stands_for_another(value)
        and entropy(value) >= _BITS_A_CHARACTER
    )


def is_connection_password(value: str) -> bool:
    """True unless the password of an address is a variable or an obvious stand-in."""
    return not stands_for_another(value)


def is_resident_number(value: str) -> bool:
    """The check digit of a Korean resident registration number (of a foreigner's too, 5 to 8)."""
    digits = [int(letter) for letter in value if letter.isdigit()]
    total = sum(w * d for w, d in zip(_RESIDENT_WEIGHTS, digits[:12], strict=True))
    foreign = digits[6] >= 5
    return digits[12] == ((13 if foreign else 11) - total % 11) % 10


def is_card(value: str) -> bool:
    """Luhn's check digit (ISO/IEC 7812-1), and not all digits the same."""
    digits = [int(letter) for letter in value if letter.isdigit()]
    doubled = [d if at % 2 == 0 else 2 * d - 9 * (d > 4) for at, d in enumerate(reversed(digits))]
    return len(set(digits)) > 1 and sum(doubled) % 10 == 0
