"""The table of patterns applied to a text, and to what a text says in pieces or in base64."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from shared.patterns import regex
from shared.text.masking.checks import decoded, is_dummy
from shared.text.masking.patterns import RULES, MaskingRule
from shared.text.masking.runs import Runs

Span = tuple[int, int, str]
"""Where a secret begins and ends, and of which kind it is."""

ENCODED = "encoded-secret"
_NEAR = 300  # characters on both sides of a joint in which a piece of a secret stands

# Where one literal ends and the next goes on: "..." "...", '...' + '...', over the end of a line, in a diff or not; a
# line that is continued; a character that nobody sees, plain or as a prompt spells it.
_JOINT = regex(
    r"""["'`](?!["'`])[ \t]{0,8}+[+.&\\]?[ \t]{0,8}+(?:\r?\n[ \t+-]{0,60}+(?:[+.&][ \t]{0,8}+)?)?["'`]"""
    r"""|\\\r?\n[ \t+-]{0,60}+|<U\+[0-9A-F]{4,6}>|[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"""
)
_BASE64 = regex(r"(?<![\w+/=-])[A-Za-z0-9+/_-]{24,20000}+={0,2}")
_KEY_IN = ("PRIVATE KEY", "PuTTY-User-Key")


def small(text: str) -> str:
    """The text in small letters, every letter at its place."""
    lowered = text.lower()
    if len(lowered) == len(text):
        return lowered
    return "".join(letter.lower() if letter.isascii() else letter for letter in text)


def find_forms(text: str, lowered: str, runs: Runs) -> Iterator[Span]:
    """Secrets that the table knows by their form."""
    for rule in RULES:
        yield from _by_rule(rule, text, runs if rule.in_run else lowered)


def _forms(text: str) -> Iterator[Span]:
    lowered = small(text)
    return find_forms(text, lowered, Runs(text, lowered))


def _by_rule(rule: MaskingRule, text: str, searched: Runs | str) -> Iterator[Span]:
    for word in rule.words:
        at = searched.find(word, 0)
        while at >= 0:
            match = rule.pattern.match(text, at)
            if match is not None:
                # The group is looked up here: most rules meet none of their words, and their patterns stay uncompiled.
                group = 1 if match.re.groups else 0
                if _is_meant(rule, match[group]):
                    yield (*match.span(group), rule.kind)
            at = searched.find(word, at + 1 if match is None else match.end())


def _is_meant(rule: MaskingRule, secret: str) -> bool:
    return not is_dummy(secret) and (rule.accepts is None or rule.accepts(secret))


def find_split(text: str) -> Iterator[Span]:
    """Pieces of secrets that are spread over several literals or lines, one span a piece."""
    joined = _Joined()
    at = 0
    for joint in _JOINT.finditer(text):
        joined.add(text, at, joint.start())
        at = joint.end()
    if at == 0:
        return
    joined.add(text, at, len(text))
    whole = "".join(joined.pieces)
    for start, end, kind in _forms(whole):
        yield from joined.spread(start, end, kind)


@dataclass
class _Joined:
    """A text without its joints: its pieces, where each begins in the whole and where it began in the text."""

    pieces: list[str] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    origins: list[int] = field(default_factory=list)
    length: int = 0

    def add(self, text: str, start: int, end: int) -> None:
        """What stands between two joints; of a long stretch only what is near them."""
        if end - start <= 2 * _NEAR:
            self._put(text[start:end], start)
        else:
            self._put(f"{text[start : start + _NEAR]}\n", start)
            self._put(text[end - _NEAR : end], end - _NEAR)

    def _put(self, piece: str, origin: int) -> None:
        self.pieces.append(piece)
        self.starts.append(self.length)
        self.origins.append(origin)
        self.length += len(piece)

    def spread(self, start: int, end: int, kind: str) -> Iterator[Span]:
        """The pieces of that stretch of the whole, when they are several."""
        first, last = bisect_right(self.starts, start) - 1, bisect_right(self.starts, end - 1) - 1
        for number in range(first, last + 1) if last > first else ():
            begin = max(start, self.starts[number])
            stop = min(end, self.starts[number] + len(self.pieces[number]))
            shift = self.origins[number] - self.starts[number]
            if begin < stop:
                yield begin + shift, stop + shift, kind


def find_encoded(text: str) -> Iterator[Span]:
    """Base64 of a readable text that holds a secret of a known form."""
    for match in _BASE64.finditer(text):
        if decoded(match[0][:24]) is None:
            continue
        plain = decoded(match[0])
        if plain is None:
            continue
        if any(word in plain for word in _KEY_IN) or any(_forms(plain)):
            yield *match.span(), ENCODED
