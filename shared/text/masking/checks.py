"""What the form of a text alone cannot say: check digits, and whether a value looks drawn at random."""

from __future__ import annotations

import base64
import math
import re
from collections import Counter
from itertools import pairwise

from shared.patterns import regex

SHORTEST_RANDOM = 14
SHORTEST_SHUFFLED = 24
SHORTEST_MIXED = 6
SHORTEST_PASSWORD = 4
_WEB_SAFE = str.maketrans("-_", "+/")
_BITS_A_CHARACTER = 3.2
_BITS_A_DIGIT = 2.6
_RESIDENT_WEIGHTS = (2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5)
_STANDS_FOR = regex(
    r"<[\w .:-]*>|\{|(?:\u00ab|\\u00ab)masked:|\*{3,}|^\$\w+$|\$\(|(?-i:\$[A-Z_]{3,})|^%\w+%$|%[(]|%s(?:\b|$)"
    r"|\.\.\.|x{4,}|#{4,}|_here$|^(?:your|my|some|insert|enter|replace)[-_ ]|^(?:dummy|fake|sample|example)[-_]",
    re.IGNORECASE,
)
_DUMMY = regex(r"[xX]{5,}|0{12,}|\*{4,}|#{4,}|\.{4,}|<[\w -]+>|(?i:your[-_])|EXAMPLE(?:KEY)?$")
# A set of characters that code names, or a sample that runs through it.
_ALPHABET = "abcdefghijklmnopqrstuvwxyz"
_OF_TOKENS = regex(r"[\w.+/=~:@!$%^&*#|-]+")
# A UUID and its like: groups of one length each, letters or digits throughout.
_IN_GROUPS = regex(
    r"(?:[0-9a-fA-F]{4,12}-){2,6}[0-9a-fA-F]{4,12}|(?:[A-Z0-9]{4,8}-){2,7}[A-Z0-9]{4,8}"
)
_SEPARATORS = regex(r"[-_./+=~%]")
_WORD = regex(r"[a-z]{6,}|[A-Z]{6,}")
_WORD_OF_CASES = regex(r"[A-Z][a-z]{2,}|[a-z]{3,}|[A-Z]{5,}")
_CONSONANTS = regex(r"[bcdfghjklmnpqrstvwxz]{5}")
_SHORTEST_LETTERS = 20
_FEWEST_CHANGES = 3
_PACKAGE = regex(r"[a-z][a-z0-9-]*[-:]v?\d+(?:\.\d+){1,3}[\w.-]*$")
_CALL = regex(r"[\w.:>$-]*\(|=")
_SIGNS = frozenset("!@#^&*?+~%$")
_WORDS_OF_NOBODY = frozenset(
    "changeme change-me change_me example none null nil true false string str text password passwd pwd pass secret "
    "token undefined unset empty required optional hidden default env redacted placeholder".split()
)


def entropy(text: str) -> float:
    """Shannon's entropy of the text's characters, in bits a character."""
    counts = Counter(text)
    return -sum(n / len(text) * math.log2(n / len(text)) for n in counts.values()) if text else 0.0


def stands_for_another(value: str) -> bool:
    """True for what only marks where a secret would stand: `${DB_PASSWORD}`, `<token>`, `changeme`."""
    return value.strip(" []").lower() in _WORDS_OF_NOBODY or _STANDS_FOR.search(value) is not None


def is_dummy(value: str) -> bool:
    """True for a form that was filled in to be shown: `ghp_xxxxxxxx`, `AKIA0000000000`."""
    return _DUMMY.search(value) is not None


def _is_sample(value: str) -> bool:
    return stands_for_another(value) or is_dummy(value) or _ALPHABET in value.lower()


def looks_random(value: str) -> bool:
    """True for a long value of letters and digits without blanks whose characters hardly repeat."""
    return (
        len(value) >= SHORTEST_RANDOM
        and (_is_number(value) or _has_both(value) or _is_shuffled(value))
        and _OF_TOKENS.fullmatch(value) is not None
        and "://" not in value
        and not _is_sample(value)
        and _PACKAGE.match(value) is None
        and entropy(value) >= (_BITS_A_DIGIT if value.isdigit() else _BITS_A_CHARACTER)
    )


def _has_both(value: str) -> bool:
    return any(letter.isalpha() for letter in value) and any(letter.isdigit() for letter in value)


def _is_number(value: str) -> bool:
    return value.isdigit() and "12345678" not in value


def _is_shuffled(value: str) -> bool:
    """True for letters whose case changes more often than in joined words."""
    if not value.isalpha() or len(value) < SHORTEST_SHUFFLED:
        return False
    pairs = pairwise(value)
    return sum(a.isupper() != b.isupper() for a, b in pairs) > 0.38 * len(value)


def is_mixed(value: str) -> bool:
    """True for a value that is no name and no number: a letter, and a digit or a sign that passwords have."""
    plain = value.replace(".", "").replace("-", "").replace("_", "")
    return (
        len(value) >= SHORTEST_MIXED
        and any(letter.isalpha() for letter in value)
        and any(letter.isdigit() or letter in _SIGNS for letter in plain)
        and not value.startswith(("/", "./", "~/", "@", "*", "&", "!"))
        and _OF_TOKENS.fullmatch(value) is not None
        and "://" not in value
    )


def is_connection_password(value: str) -> bool:
    """True unless the password of an address is a variable, a call or an obvious stand-in (`user:pass@host`)."""
    return not stands_for_another(value) and _CALL.match(value) is None


def is_typed_password(value: str) -> bool:
    """True for what follows `--password` and is neither a variable nor a word of a manual."""
    return is_mixed(value) and not value.startswith("-") and not stands_for_another(value)


def is_basic(value: str) -> bool:
    """True for the base64 form of `user:password`."""
    text = decoded(value)
    name, colon, password = (text or "").partition(":")
    return bool(colon and name and len(password) >= SHORTEST_PASSWORD and name.isprintable())


def decoded(value: str) -> str | None:
    """What a base64 text says; None when that is no readable text."""
    plain = value.translate(_WEB_SAFE).rstrip("=")
    plain = plain[: len(plain) - (len(plain) % 4 == 1)]
    try:
        text = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode("ascii")
    except ValueError:
        return None
    return text if all(letter.isprintable() or letter in "\r\n\t" for letter in text) else None


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


def is_token(value: str) -> bool:
    """True for a value whose letters and digits change more often than in a name, a path or a version."""
    value = value.rstrip(".=")
    parts = [part for part in _SEPARATORS.split(value) if part]
    longest = max(parts, key=len, default="")
    if len(longest) < SHORTEST_RANDOM:
        return _IN_GROUPS.fullmatch(value) is not None and looks_random(value)
    changes = sum(a.isdigit() != b.isdigit() for a, b in pairwise(longest))
    if changes >= _FEWEST_CHANGES:
        has_both_cases = longest.upper() != longest != longest.lower()
        words = (_WORD_OF_CASES if has_both_cases else _WORD).findall(longest)
        return sum(map(len, words)) <= 0.6 * len(longest) and looks_random(value)
    return _is_unspeakable(longest) and not _is_sample(value)


def _is_unspeakable(value: str) -> bool:
    """True for letters that no word has, so close together or of such a mixed case."""
    if len(value) < _SHORTEST_LETTERS or entropy(value) < _BITS_A_CHARACTER:
        return False
    words = sum(len(word) for word in _WORD_OF_CASES.findall(value))
    if value.islower():
        return _CONSONANTS.search(value) is not None
    changes = sum(a.isupper() != b.isupper() for a, b in pairwise(value))
    return not value.isupper() and words <= 0.4 * len(value) and changes > 0.38 * len(value)
