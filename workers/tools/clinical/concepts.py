"""Where a text names problems, symptoms, tests and procedures, synonyms made one: `shared.clinical` has the names.

An abbreviation in capitals is one only in capitals (`PE`, not "pe"); all other English names in any case, in the
plural, and with hyphens or spaces. Korean names stand in longer words, too ("급성심근경색"), except short ones, which
begin a word or follow a word of time, side or degree. The longest name at a place counts. One pass over the text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise

from shared.clinical.concept_names import Concept, concepts
from shared.patterns import regex

_WORD = regex(r"[A-Za-z0-9]+(?:['’][a-z]{1,2})?|[가-힣]+")
_LONGEST_GAP = 2
_SHORT_KOREAN = 2
_LONGEST_LEAD = 6
_PREFIXES = regex(
    r"(?:급성|만성|좌측|우측|양측|양쪽|왼쪽|오른쪽|심한|경미한|지속적인|간헐적|반복적|전신|하지|상지|안면|복부|흉부"
    r"|하복부|상복부|두경부|운동시|및|과|와|좌|우|무|유)\Z"
)
_HANGUL = regex(r"[가-힣]")
_NO_KOREAN_AFTER = regex(r"치료제|약|과 외래|센터|병원| ?(?:진료|회의|통화|상담)")


@dataclass(frozen=True)
class ConceptName:
    """A range of the text and what it names."""

    start: int
    end: int
    concept: Concept


@dataclass(frozen=True)
class _Entry:
    """`words` as they are compared; `exact` is an abbreviation as it must be written."""

    words: tuple[str, ...]
    exact: str
    concept: Concept


@dataclass(frozen=True)
class _Token:
    start: int
    end: int
    text: str
    key: str


def find_concepts(text: str) -> Iterator[ConceptName]:
    """Every concept that is named, in the order of the text, without overlaps."""
    tokens = [_token(match.start(), match.end(), match[0]) for match in _WORD.finditer(text)]
    number = 0
    while number < len(tokens):
        token = tokens[number]
        if _HANGUL.match(token.text):
            yield from _korean(text, token)
            number += 1
            continue
        entry = _entry_at(text, tokens, number)
        if entry:
            last = tokens[number + len(entry.words) - 1]
            yield ConceptName(token.start, last.end, entry.concept)
            number += len(entry.words)
        else:
            number += 1


def _token(start: int, end: int, text: str) -> _Token:
    return _Token(start, end, text, _key(text))


def _key(word: str) -> str:
    """In lower case without the ending of the plural or the genitive."""
    word = word.lower().replace("’", "'").removesuffix("'s")
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _entry_at(text: str, tokens: list[_Token], number: int) -> _Entry | None:
    for entry in _english().get(tokens[number].key, ()):
        part = tokens[number : number + len(entry.words)]
        if tuple(token.key for token in part) == entry.words and _fits(text, part, entry):
            return entry
    return None


def _fits(text: str, part: list[_Token], entry: _Entry) -> bool:
    if entry.exact and text[part[0].start : part[-1].end].removesuffix("s") != entry.exact:
        return False
    gaps = (text[left.end : right.start] for left, right in pairwise(part))
    return all(len(gap) <= _LONGEST_GAP and not set(gap) - set(" -/\n\r&'’") for gap in gaps)


def _korean(text: str, token: _Token) -> Iterator[ConceptName]:
    position = token.start
    while position < token.end - 1:
        entry = _korean_at(text, token, position)
        if entry:
            end = position + len(entry.exact)
            yield ConceptName(position, end, entry.concept)
            position = end
        else:
            position += 1


def _korean_at(text: str, token: _Token, position: int) -> _Entry | None:
    for entry in _hangul().get(text[position : position + 2], ()):
        if not text.startswith(entry.exact, position):
            continue
        long = len(entry.exact) > _SHORT_KOREAN
        lead = text[max(token.start, position - _LONGEST_LEAD) : position]
        if (long or not lead or _PREFIXES.search(lead)) and not _NO_KOREAN_AFTER.match(
            text, position + len(entry.exact)
        ):
            return entry
    return None


@cache
def _english() -> Mapping[str, tuple[_Entry, ...]]:
    entries: dict[str, list[_Entry]] = {}
    for concept in concepts().values():
        for name in (concept.name, *concept.english):
            words = tuple(_key(word[0]) for word in _WORD.finditer(name))
            exact = name if " " not in name and name != name.lower() else ""
            entries.setdefault(words[0], []).append(_Entry(words, exact, concept))
    return {
        word: tuple(sorted(rows, key=lambda entry: -len(entry.words)))
        for word, rows in entries.items()
    }


@cache
def _hangul() -> Mapping[str, tuple[_Entry, ...]]:
    entries: dict[str, dict[str, _Entry]] = {}
    for concept in concepts().values():
        for name in concept.korean:
            for form in {name, name.replace(" ", "")}:
                if _HANGUL.match(form):
                    entries.setdefault(form[:2], {}).setdefault(form, _Entry((), form, concept))
    return {
        start: tuple(sorted(rows.values(), key=lambda entry: -len(entry.exact)))
        for start, rows in entries.items()
    }
