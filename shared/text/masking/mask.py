"""Find the secrets of a text by all rules, choose among those that overlap, and replace them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

from shared.models.placeholders import placeholder
from shared.patterns import regex
from shared.text.masking.assignments import KIND as ASSIGNED
from shared.text.masking.assignments import find_assigned, find_manifest_values
from shared.text.masking.forms import ENCODED, Span, find_encoded, find_forms, find_split, small
from shared.text.masking.keys import PRIVATE_KEY, find_private_keys, hide_body
from shared.text.masking.near import find_alone, find_near
from shared.text.masking.patterns import RULES
from shared.text.masking.people import CARD, EMAIL, RESIDENT, find_emails, find_numbers
from shared.text.masking.runs import Runs

OPTIONAL = frozenset({EMAIL})
"""Kinds that are masked only when they are asked for."""
KINDS = tuple(
    dict.fromkeys(
        (PRIVATE_KEY, *(rule.kind for rule in RULES), ENCODED, RESIDENT, CARD, ASSIGNED, EMAIL)
    )
)

PERSONAL = frozenset({RESIDENT, CARD, EMAIL})
"""Kinds that say who somebody is and open nothing."""

_MARK = regex(r"^[+-]", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and how many different ones of each kind it held."""

    text: str = field(repr=False)
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """How many different secrets were hidden."""
        return sum(self.counts.values())


@dataclass(frozen=True, slots=True)
class FoundSecret:
    """A secret of a text: the line where it begins, counted from 1."""

    line: int
    kind: str
    text: str = field(repr=False)


def find_secrets(text: str) -> tuple[FoundSecret, ...]:
    """What opens something, in the order of the text."""
    ends = [at for at, letter in enumerate(text) if letter == "\n"]
    return tuple(
        FoundSecret(bisect_left(ends, start) + 1, kind, text[start:end])
        for start, end, kind in sorted(_chosen(text, ()))
        if kind not in PERSONAL
    )


def mask(text: str, also: Collection[str] = ()) -> Masked:
    """The text with its secrets replaced; `also` names optional kinds (`email`) to hide as well."""
    numbers: dict[tuple[str, str], int] = {}
    counts: dict[str, int] = {}
    pieces: list[str] = []
    at = 0
    for start, end, kind in sorted(_chosen(text, also)):
        secret = text[start:end]
        if (kind, secret) not in numbers:
            numbers[kind, secret] = counts[kind] = counts.get(kind, 0) + 1
        shown = placeholder(kind, numbers[kind, secret])
        hidden = hide_body(secret, shown) if kind == PRIVATE_KEY else shown
        pieces += (text[at:start], hidden)
        at = end
    return Masked("".join((*pieces, text[at:])), counts)


def count_secrets(text: bytes) -> tuple[bytes, int]:
    """The text as it is, and how many secrets `mask` would hide in it: the `mask` seam of a capture."""
    return text, mask(text.decode("utf-8", "replace")).total


def _chosen(text: str, also: Collection[str]) -> list[Span]:
    """Spans that do not overlap; of two that do, the one whose rule stands first."""
    starts: list[int] = []
    ends: list[int] = []
    chosen: list[Span] = []
    for start, end, kind in _found(text, also):
        at = bisect_left(ends, start + 1)
        if at < len(starts) and starts[at] < end:
            continue
        starts.insert(at, start)
        ends.insert(at, end)
        chosen.append((start, end, kind))
    return chosen


def _found(text: str, also: Collection[str]) -> Iterator[Span]:
    lowered = small(text)
    runs = Runs(text, lowered)
    for start, end in find_private_keys(text):
        yield start, end, PRIVATE_KEY
    yield from find_forms(text, lowered, runs)
    yield from find_split(text)
    yield from find_encoded(text)
    yield from find_numbers(text)
    if EMAIL in also:
        yield from find_emails(text)
    for start, end in find_assigned(text, lowered):
        yield start, end, ASSIGNED
    if "@@ -" in text:
        # A value on the lines below its name is found by their indentation, which a diff's marks hide.
        unmarked = _MARK.sub(" ", text)
        for start, end in find_assigned(unmarked, small(unmarked)):
            yield start, end, ASSIGNED
    for start, end in chain(
        find_near(text, lowered), find_alone(text, runs), find_manifest_values(text, lowered)
    ):
        yield start, end, ASSIGNED
