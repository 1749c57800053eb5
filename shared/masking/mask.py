"""Find the secrets of a text by all rules, choose among those that overlap, and replace them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from shared.masking.assignments import KIND as ASSIGNED
from shared.masking.assignments import find_assigned
from shared.masking.patterns import RULES, Rule
from shared.masking.people import CARD, EMAIL, RESIDENT, find_emails, find_numbers
from shared.models.placeholders import placeholder

PRIVATE_KEY = "private-key"
OPTIONAL = frozenset({EMAIL})
"""Kinds that are masked only when they are asked for."""
KINDS = tuple(
    dict.fromkeys((PRIVATE_KEY, *(rule.kind for rule in RULES), RESIDENT, CARD, ASSIGNED, EMAIL))
)

_KEY_BEGINS = re.compile(r"-----BEGIN (?:[A-Z0-9]{2,12} ){0,2}PRIVATE KEY(?: BLOCK)?-----")
_KEY_ENDS = "-----END "
_LONGEST_KEY = 20_000
_KEY_LINE = re.compile(r"[^\n]{0,10}?[A-Za-z0-9+/=]{16,100}\\?[\"']?[,+\\]?[ \t\r]*(?:\n|$)")
_BODY = re.compile(r"(?m)^([ \t]*[+-]?[ \t]*)([^\n]*?\S)[ \t\r]*$")


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and how many different ones of each kind it held."""

    text: str = field(repr=False)
    counts: Mapping[str, int]

    @property
    def total(self) -> int:
        """How many different secrets were hidden."""
        return sum(self.counts.values())


_Span = tuple[int, int, str]


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
        hidden = _each_line(secret, shown) if kind == PRIVATE_KEY else shown
        pieces += (text[at:start], hidden)
        at = end
    return Masked("".join((*pieces, text[at:])), counts)


def count_secrets(text: bytes) -> tuple[bytes, int]:
    """The text as it is, and how many secrets `mask` would hide in it: the `mask` seam of a capture."""
    return text, mask(text.decode("utf-8", "replace")).total


def _chosen(text: str, also: Collection[str]) -> list[_Span]:
    """Spans that do not overlap; of two that do, the one whose rule stands first."""
    starts: list[int] = []
    ends: list[int] = []
    chosen: list[_Span] = []
    for start, end, kind in _found(text, also):
        at = bisect_left(ends, start + 1)
        if at < len(starts) and starts[at] < end:
            continue
        starts.insert(at, start)
        ends.insert(at, end)
        chosen.append((start, end, kind))
    return chosen


def _found(text: str, also: Collection[str]) -> Iterator[_Span]:
    lowered = _small(text)
    yield from _private_keys(text)
    for rule in RULES:
        yield from _by_rule(rule, text, lowered)
    yield from find_numbers(text)
    if EMAIL in also:
        yield from find_emails(text)
    for start, end in find_assigned(text, lowered):
        yield start, end, ASSIGNED


def _by_rule(rule: Rule, text: str, lowered: str) -> Iterator[_Span]:
    group = 1 if rule.pattern.groups else 0
    for word in rule.words:
        at = lowered.find(word)
        while at >= 0:
            found = rule.pattern.match(text, at)
            if found is not None and (rule.accepts is None or rule.accepts(found[group])):
                yield (*found.span(group), rule.kind)
            at = lowered.find(word, at + 1 if found is None else found.end())


def _small(text: str) -> str:
    """The text in small letters, every letter at its place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def _private_keys(text: str) -> Iterator[_Span]:
    """The bodies of private keys; of one without an end, the lines that look like a body."""
    found = _KEY_BEGINS.search(text)
    while found is not None:
        start = found.end()
        end = text.find(_KEY_ENDS, start, start + _LONGEST_KEY)
        if end < 0:
            end = start
            line = _KEY_LINE.match(text, start + (text[start : start + 1] == "\n"))
            while line is not None and line.end() > end:
                end = line.end()
                line = _KEY_LINE.match(text, end)
        while end > start and text[end - 1] in "\n+- \t":
            end -= 1
        if text[start:end].strip():
            yield start, end, PRIVATE_KEY
        found = _KEY_BEGINS.search(text, max(end, start))


def _each_line(secret: str, shown: str) -> str:
    return _BODY.sub(lambda line: line[1] + shown, secret)
