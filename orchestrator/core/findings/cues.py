"""Words of agreement and disagreement in prose, English and Korean, with their negation.

The published rule counts substrings; this is its honest form. Titles, quotations and code are not the
speaker's own statements and are taken out first (`prose`). A negated cue counts for the other side.
Questions and conditions state nothing. See docs/design/convergence.md.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass

from pydantic import JsonValue

from shared.patterns import regex
from shared.text.bounded_cache import kept_by_texts


@dataclass(frozen=True)
class Cues:
    """How many times a text agrees and disagrees."""

    agree: int = 0
    disagree: int = 0

    @property
    def ratio(self) -> float | None:
        """agree / (agree + disagree), None when the text shows neither."""
        total = self.agree + self.disagree
        return self.agree / total if total else None


# ---- what is the speaker's own prose ------------------------------------------------------------

# Fields of structured replies that are ids, code or other people's words.
_NOT_PROSE = frozenset(
    {"quote", "patch", "finding", "position", "verdict", "severity", "category", "rule", "place"}
)
_FENCED = regex(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1[^\n]*$|\Z)")
_INLINE_CODE = regex(r"`[^`\n]*`")
_SETEXT = regex(r"(?m)^[^\n]+\n[ \t]*(?:={3,}|-{3,})[ \t]*$")
# Quoted lines, headings, lines all in bold, and labels (`Conceded:`) unless somebody speaks in them.
_LINE_OUT = regex(
    r"(?im)^[ \t]*(?:>.*|#{1,6}[ \t].*|(?:\*\*|__)[^*_\n]+(?:\*\*|__):?[ \t]*"
    r"|(?!(?:i|we|you)\b)(?:[^\s:]+[ \t]+){0,6}[^\s:]+:[ \t]*)$"
)
_SECTION_TITLE = regex(
    r"(?i)\b(?:points? of (?:dis)?agreement|(?:conceded|defended) points?|(?:accepted|rejected) challenges?"
    r"|(?:dis)?agreements?)[*_]*[ \t]*(?=:|[-–—]|\n|$)"
    r"|(?:동의|합의|반대|인정|수용)[가-힣]{0,3} ?(?:사항|지점|점|항목)[*_]*[ \t]*(?=:|\n|$)"
)
_QUOTED = regex(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|«[^»\n]{1,400}»|「[^」\n]{1,400}」|『[^』\n]{1,400}』"
)


def prose(text: str) -> str:
    """What the speaker itself states: without code, headings, section titles and quotations.

    A JSON object or list is read as its prose fields, one a line.
    """
    text = _out_of_json(text).replace("’", "'").replace("‘", "'")
    text = _INLINE_CODE.sub(" ", _FENCED.sub("\n", text))
    text = _LINE_OUT.sub("", _SETEXT.sub("", text))
    return _QUOTED.sub(" ", _SECTION_TITLE.sub(" ", text))


def _out_of_json(text: str) -> str:
    stripped = text.strip()
    if not stripped.startswith(("{", "[")):
        return text
    try:
        return "\n".join(_strings(json.loads(stripped)))
    except (ValueError, RecursionError):
        return text


def _strings(value: JsonValue) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _strings(item)
        case dict():
            for key, item in value.items():
                if key not in _NOT_PROSE:
                    yield from _strings(item)
        case _:
            pass


# ---- English ------------------------------------------------------------------------------------

NEGATION_REACH = 5  # words after a negator, within its clause

NEGATORS = frozenset(
    "not no never cannot nor neither without hardly barely rarely nobody none nothing".split()
)
_HYPOTHETICAL = frozenset("if whether unless until".split())
# Where a negation ends without a comma.
_TURNS = frozenset("but however although though because since while whereas yet so".split())
_JOINTS = frozenset({"and", "or"})
_SUBJECTS = frozenset("i we you he she it this that these those they the there".split())
_DIRECTIVES = frozenset("to must should please will can could would might let".split())

# Idioms whose words mislead, replaced before counting.
_IDIOMS = (
    (regex(r"\b(?:could|can)(?:not|n't| not) agree more\b"), "agree"),
    (regex(r"\b(?:no|without(?: a)?) (?:doubt|question)\b"), " "),
    (regex(r"\bnot only\b"), " "),
    (regex(r"\bbut also\b"), "also"),
    (regex(r"\b(?:anything but|far from)\b"), "not"),
    (
        regex(
            r"\b(?:fail(?:s|ed)?|refus(?:e|es|ed)|declin(?:e|es|ed)|unable|reluctant|impossible|hard|difficult) to\b"
        ),
        "not",
    ),
    (regex(r"\bvalid points?\b"), "validpoint"),
    (regex(r"\binvalid points?\b"), "invalidpoint"),
    (regex(r"\bin (?:full |complete )?agreement\b"), "agree"),
    (regex(r"n't\b"), " not"),
)
_AGREE = regex(
    r"agree(?:s|d|ing)?|conced(?:e|es|ed|ing)|validpoint|correct|accept(?:s|ed|ing|able)?|fair|acknowledg(?:e|es|ed|ing)"
)
_DISAGREE = regex(
    r"disagree(?:s|d|ing|ment|ments)?|incorrect(?:ly)?|challeng(?:e|es|ed|ing)|oppos(?:e|es|ed|ing)|flaw(?:s|ed)?"
    r"|unacceptable|unfair|invalidpoint"
)
_CONTRAST = frozenset({"but", "however"})
_SENTENCE = regex(r"[^.!?;\n]+[.!?;\n]?")
_CLAUSE = regex(r"[,:()—–]|\s-\s")
_WORD = regex(r"[a-z]+")


def clauses(text: str) -> Iterator[list[str]]:
    """The English words of every clause that states something (questions do not), lower case."""
    lowered = text.lower()
    for idiom, plain in _IDIOMS:
        lowered = idiom.sub(plain, lowered)
    for sentence in _SENTENCE.findall(lowered):
        if not sentence.endswith("?"):
            for clause in _CLAUSE.split(sentence):
                yield _WORD.findall(clause)


def negated_at(words: list[str], index: int) -> bool:
    """True when the word at `index` is in the reach of an odd number of negators of its clause."""
    negators = 0
    for back in range(index - 1, max(-1, index - 1 - NEGATION_REACH), -1):
        word = words[back]
        if word in _TURNS or (word == "and" and words[back + 1] in _SUBJECTS):
            break
        # "not fair and not correct": each has its own; "not fair and correct": they share one.
        if negators and word in _JOINTS:
            break
        negators += word in NEGATORS
        if word == "nor":
            break
    return negators % 2 == 1


def _english(text: str) -> Cues:
    agree = disagree = 0
    for words in clauses(text):
        hypothetical = False
        for index, word in enumerate(words):
            hypothetical = hypothetical or word in _HYPOTHETICAL
            if word in _CONTRAST:
                disagree += 1
            elif hypothetical or (word == "correct" and index and words[index - 1] in _DIRECTIVES):
                continue
            elif (sides := _sides(word)) is not None:
                agrees = sides != negated_at(words, index)
                agree, disagree = agree + agrees, disagree + (not agrees)
    return Cues(agree, disagree)


def _sides(word: str) -> bool | None:
    if _AGREE.fullmatch(word):
        return True
    return False if _DISAGREE.fullmatch(word) else None


# ---- Korean -------------------------------------------------------------------------------------
# Particles and endings follow the stem, and so does the negation; a stem begins a word.

_KO_AGREE = regex(
    r"(?<![가-힣])(?:동의(?!어)|찬성|수긍|공감|납득|옳|타당|합당|일리(?=[가는도]|\s)|받아들[이여일인임입]"
    r"|맞(?=[습다아는지네군음고])|(?:인정|수용)(?=[하할합해했되됩함은을]|\s*$|[.,!]|\s+[못안]))"
)
_KO_DISAGREE = regex(
    r"(?<![가-힣])(?:반대(?!로|편|쪽)|반박|이의(?=[가를는도]|\s|$)|틀[렸린립리려]|잘못|부정확|부당|결함"
    r"|[미불부비](?:동의|찬성|인정|수용|타당|합당))"
)
_KO_CONTRAST = regex(r"(?<![가-힣])(?:그러나|다만)(?![가-힣])|[가-힣]지만(?![가-힣])")
_KO_NEGATED = regex(
    r"[가-힣]{0,3}?[지질진](?:는|도|를|가)?\s*(?:않|못|아니)"
    r"|[가-힣]{0,3}\s+수(?:는|가|도)?\s*없"
    r"|[가-힣]{0,3}?기(?:는|가|도|엔|에는?)?\s*(?:어렵|어려|힘들|곤란)"
    r"|[가-힣]{0,2}\s*(?:못|안)\s*[하합해한할했함됩되돼]"
    r"|[가-힣]{0,3}(?<!다)(?:\s*(?:것|건|게|의견|근거|여지)[이은도]?)?\s*(?:없|아니|아닙|아닌)"
)
_KO_NEGATED_AGAIN = regex(r"[을는]\s*(?:수|이유|것|건)(?:[가는은이도])?\s*(?:없|아니|아닙)")
_KO_NEGATED_BEFORE = regex(r"(?<![가-힣])(?:안|못)\s*$")
KO_NEGATION = regex(
    r"않|(?<!잘)못(?=\s|[하합해한할했함됩되])|(?<![가-힣])안\s|없|아니|아닙|아닌|어렵|어려|불가"
)


def _korean(text: str) -> Cues:
    agree = disagree = 0
    for sentence in _SENTENCE.findall(text):
        if sentence.endswith("?"):
            continue
        for match in _KO_AGREE.finditer(sentence):
            agrees = not _negated_korean(sentence, match)
            agree, disagree = agree + agrees, disagree + (not agrees)
        for match in _KO_DISAGREE.finditer(sentence):
            agrees = _negated_korean(sentence, match)
            agree, disagree = agree + agrees, disagree + (not agrees)
        disagree += len(_KO_CONTRAST.findall(sentence))
    return Cues(agree, disagree)


def _negated_korean(sentence: str, cue: re.Match[str]) -> bool:
    if _KO_NEGATED_BEFORE.search(sentence, max(0, cue.start() - 4), cue.start()):
        return True
    negation = _KO_NEGATED.match(sentence, cue.end())
    if negation is None:
        return False
    return _KO_NEGATED_AGAIN.match(sentence, negation.end()) is None


@kept_by_texts(8_000_000)  # the same turns are judged again after every round
def count_cues(text: str) -> Cues:
    """Count a text's statements of agreement and disagreement, both languages together."""
    own = prose(text)
    english, korean = _english(own), _korean(own)
    return Cues(english.agree + korean.agree, english.disagree + korean.disagree)
