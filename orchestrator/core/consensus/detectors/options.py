"""Which letters and numbers are options of a discussion, and where a text names them.

A capital letter is one, and what is listed with it. A number with its noun is none ("line 88", "12번 시험", "5
minutes"): it has to stand by itself somewhere in the discussion.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from orchestrator.core.consensus.detectors.lexicon import SAYS_NOTHING, english_sense
from orchestrator.core.consensus.detectors.quantities import measures
from shared.patterns import regex

MOST_OPTIONS = 6
NEAR = 40  # characters: as much as the words around a number need
OPTION = regex(
    r"(?<![A-Za-z0-9_'`‹.:/-])(\d{1,3}|[A-Za-z])(?![A-Za-z0-9_'’`›%]|[.:/]\d|,\d{3}|-[A-Za-z0-9])"
)
_LISTED = regex(
    r"(?<![a-z0-9_'])([a-z]|\d{1,3})(?:\s*[,&+/]\s*|\s+(?:and|or)\s+|\s*(?:와|과|랑|하고)\s*)([a-z]"
    r"|\d{1,3})(?![a-z0-9_'])",
    re.I,
)
_OPTION_NOUNS = frozenset(
    "option options plan choice answer alternative variant proposal candidate card cards number vote not".split()
)
_AFTER = frozenset(
    "first last only alone instead then rather is are was if unless when once because since but not too both over"
    " before after than as to for by with or and without from into has have can could would will does do needs means"
    " makes tells looks seems wins stays works it now please right correct wrong".split()
)
_KO_AFTER = regex(
    r"(?:번(?:안)?|안)?(?:으로|로|을|를|은|는|이|가|와|과|랑|하고|도|만|보다|입니다|이에요"
    r"|예요|이요|요|이다|이죠|죠|의|에|이나|이든)?"
    r"(?=$|[\s.,!?~)\]])"
)
_KO_CHOOSES = regex(
    r"\s+(?:고르|고릅|고를|골라|골랐|선택|택|뽑|투표|추천|지지|채택|찬성|동의|하|합|해|했|가"
    r"|갑|바꾸|바꿀|확정|정하|좋|낫|더|나|저|네|또|"
    r"말고|대신|빼고|그리고|먼저)|\s*[A-Z0-9]|\s*$"
)
_QUOTED_OPTION = regex(r"[\"“'‘`]([A-Za-z]|\d{1,3})[\"”'’`]")
_WORD_AFTER = regex(r"\s+([A-Za-z]+)")
_WORD_BEFORE = regex(r"([A-Za-z]+)\s+$")
_ARTICLE = regex(
    r"\s+(?!(?:and|or|is|as|to|for|with|only|too|first|last|then|before|after|over|alone"
    r"|not)\b)[a-z]{2,}"
)
_I_LISTED = regex(r"\s*[,&+]|\s+and\s+(?:\d|[A-Z]\b)")


def known_options(texts: Iterable[str]) -> frozenset[str]:
    """Letters and numbers that a discussion uses as options: capitals, bare numbers, and what is listed with them."""
    options: set[str] = set()
    for text in texts:
        options |= {match[1].upper() for match in OPTION.finditer(text) if _is_option(match, text)}
        for match in _LISTED.finditer(text):
            if not match[2].isdigit() or _bare_after(text, match.end()):
                options |= {option.upper() for option in match.groups()}
    return frozenset(options)


def options_named(text: str, known: frozenset[str]) -> list[re.Match[str]]:
    """Where a text names one of the known options."""
    return [
        match
        for match in OPTION.finditer(text)
        if match[1].upper() in known
        and not _is_a_word(match, text)
        and not (match[1].isdigit() and _counts(text, match.end()))
    ]


def with_marks(text: str, known: frozenset[str]) -> str:
    """The text with its options as names in quotes, so that none is read as an article or an amount."""
    text = _QUOTED_OPTION.sub(
        lambda match: f" {match[1]} " if match[1].upper() in known else match[0], text
    )
    pieces, end = [], 0
    for match in options_named(text, known):
        pieces += [text[end : match.start()], f"`{match[1].upper()}`"]
        end = match.end()
    return "".join([*pieces, text[end:]])


def _is_option(match: re.Match[str], text: str) -> bool:
    if match[1].isdigit():
        return _bare_before(text, match.start()) and _bare_after(text, match.end())
    return (
        match[1].isupper()
        and match[1] != "I"
        and not (match[1] == "A" and _is_article(match, text))
    )


def _bare_after(text: str, end: int) -> bool:
    """Whether no noun follows a number: it counts nothing."""
    following = _WORD_AFTER.match(text, end)
    if following is not None:
        word = following[1].lower()
        return word in SAYS_NOTHING or word in _AFTER or len(word) == 1
    korean = _KO_AFTER.match(text, end)
    if korean is None:
        return not "가" <= text[end : end + 1] <= "힣"
    rest = text[korean.end() : korean.end() + NEAR]
    if korean[0] in ("", "번", "안") and re.match(r"\s+[가-힣]", rest):
        return _KO_CHOOSES.match(rest) is not None
    return True


def _counts(text: str, end: int) -> bool:
    """Whether a number that is an option elsewhere counts something here: "3 cards", "5분"."""
    following = _WORD_AFTER.match(text, end)
    if following is None:
        return not _bare_after(text, end)
    word = following[1].lower()
    return measures(word) or (word.endswith("s") and not (word in SAYS_NOTHING or word in _AFTER))


def _bare_before(text: str, start: int) -> bool:
    """Whether no noun stands right before a number that gives it a name: "line 88"."""
    leading = text[max(0, start - NEAR) : start]
    before = _WORD_BEFORE.search(leading)
    if before is None:
        return not re.search(r"[A-Za-z가-힣]\s*[#:=-]?\s*$", leading) or _after_korean(leading)
    word = before[1].lower()
    chosen = english_sense(word).concept == "accept"
    return (
        word in SAYS_NOTHING or word in _OPTION_NOUNS or word in _AFTER or chosen or len(word) == 1
    )


def _after_korean(leading: str) -> bool:
    """A Korean word before a number is its name only without a particle of its own, and never after a colon."""
    return (
        re.search(r"(?:[은는이가을를도와과랑고럼면죠요다]|[,:]|답|결론|안|나|또는)\s*$", leading)
        is not None
    )


def _is_a_word(match: re.Match[str], text: str) -> bool:
    """The article `a`, and the speaker's `I`."""
    if match[1] == "a":
        return _is_article(match, text)
    return match[1] in "Ii" and not _I_LISTED.match(text, match.end())


def _is_article(match: re.Match[str], text: str) -> bool:
    return _ARTICLE.match(text, match.end()) is not None
