"""Secrets without a name or a form of their own: a value of a token's shape a few words after one that says secret.

`acme SECRET 3f2a...`, `Unseal Key 2: ...`, `login_with_api_key", "params": ["8-..."]`, and values too long to type.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from shared.patterns import regex
from shared.text.masking.checks import decoded, is_token
from shared.text.masking.runs import Runs

# What stands between is blanks and signs, and a few short words or numbers.
_GAP = r"[\s\"'`=:,;(){}\[\]<>|>?&@*#!\\]"
_NEAR = regex(
    rf"""s?(?P<between>(?:[_.-]?{_GAP}{{0,24}}+)
        (?:[A-Za-z_]{{1,20}}+{_GAP}{{1,24}}+|\d{{1,4}}(?:-|{_GAP}{{1,8}}+)){{0,6}}+)
        (?P<value>[A-Za-z0-9][\w+/=.~%-]{{13,400}}+)(?![\w+/])""",
    re.VERBOSE | re.ASCII,
)
_TELLING = (
    "key", "secret", "token", "private", "access", "password", "passwd", "pwd", "credential", "creds", "crumb",
    "bearer", "auth", "api", "license",
)  # fmt: skip
# A long value that only a generator writes, after something else in its line; a block of base64 has lines of its own.
_ALONE = regex(r"(?<![\w+/.~%:-])[A-Za-z0-9][\w+/-]{23,119}+={0,2}(?![\w+/=-])", re.ASCII)
_FEWEST_CHANGES_ALONE = 5
_HEX = regex(r"[0-9a-fA-F-]+")
_BEFORE_ALONE = 40
_SHORTEST_ALONE = 24
_SHORTEST_PART_ALONE = 18
_PARTS = regex(r"[-_/+=]")
_FOR_EVERYBODY = regex(
    r"public|csrf|xsrf|authenticity|cache|page|continuation|cursor|next|nonce|challenge|primary|foreign|partition|idempotency|dedup|cert|ssh-|keyid|recv",
    re.IGNORECASE,
)
# Words that are often the end of another one.
_SHORT = ("key", "auth", "api")
# What is no secret although a word of the kind is near it: keys for everybody, sums, versions.
_HARMLESS_BEFORE = regex(
    r"(?:public|pub|primary|foreign|cache|sort|partition|row|hash|index|csrf|xsrf|page|next|host|gpg|pgp|ssh|fingerprint"
    r"|item|object|map|dict|state"
    r"|idempotency|dedup\w*|translation|message|recv)[ _.-]?\Z",
    re.IGNORECASE,
)
_HARMLESS_BETWEEN = regex(
    r"sha-?\d|md5|hash|digest|checksum|commit|fingerprint|integrity|public|version|revision|etag|uuid|crc|blob|tree|import|id\b|url|path|file|name",
    re.IGNORECASE,
)
_BEHIND = 24
_FILE = regex(r"\.[a-z][a-z0-9]{1,4}\Z")


def find_near(text: str, lowered: str) -> Iterator[tuple[int, int]]:
    """Spans of values that have a token's shape and stand near a word that says secret."""
    for word in _TELLING:
        start = lowered.find(word)
        while start >= 0:
            end = start + len(word)
            if _is_word(text, lowered, start, end) and not _HARMLESS_BEFORE.search(
                lowered, max(0, start - _BEHIND), start
            ):
                yield from _value(text, end)
            start = lowered.find(word, end)


def _value(text: str, end: int) -> Iterator[tuple[int, int]]:
    match = _NEAR.match(text, end)
    if (
        match is not None
        and is_token(match["value"])
        and _HARMLESS_BETWEEN.search(match["between"] + match["value"][:8]) is None
        and _FILE.search(match["value"]) is None
    ):
        yield match.span("value")


def _is_word(text: str, lowered: str, start: int, end: int) -> bool:
    """False in `monkey` and `keyboard`: a word ends where its letters do, and a short one begins so."""
    after = text[end : end + 2]
    if after[:1].isalpha() and not (after[0] == "s" and not after[1:].isalpha()):
        return False
    before = text[start - 1 : start] if start else ""
    return (
        not (before.isalpha() or before == "/")
        or before.isupper() != text[start].isupper()
        or lowered[start:end] not in _SHORT
        or lowered.endswith(_TELLING, 0, start)
    )


def find_alone(text: str, runs: Runs) -> Iterator[tuple[int, int]]:
    """Spans of long values of letters and digits (no sums: these are hexadecimal, or named) that nobody types."""
    for start, end in runs.spans:
        for match in _ALONE.finditer(text, start, end) if end - start >= _SHORTEST_ALONE else ():
            if _is_alone(match[0]) and _is_named(text, match):
                yield match.span()


def _is_alone(value: str) -> bool:
    """True for letters and digits that only a generator writes; text in base64 is none."""
    return (
        sum(a.isdigit() != b.isdigit() for a, b in pairwise(value)) >= _FEWEST_CHANGES_ALONE
        and _HEX.fullmatch(value) is None
        and len(max(_PARTS.split(value), key=len)) >= _SHORTEST_PART_ALONE
        and is_token(value)
        and decoded(value) is None
    )


def _is_named(text: str, match: re.Match[str]) -> bool:
    """True after words in the same line that speak of no checksum; a block of base64 has lines of its own."""
    start = match.start()
    line = text[max(text.rfind("\n", 0, start) + 1, start - _BEFORE_ALONE) : start]
    return (
        any(letter.isalpha() for letter in line)
        and _HARMLESS_BETWEEN.search(line + match[0][:8]) is None
        and _FOR_EVERYBODY.search(line) is None
    )
