"""In which language a run speaks: as somebody chose, else as its subject is written."""

from __future__ import annotations

import re
from collections.abc import Mapping

LANGUAGES = ("en", "ko")
DEFAULT = LANGUAGES[0]

_ENOUGH = 20_000  # letters: a long text is of one language
# Texts, which `re` compiles when they are asked for: every command loads them.
_NOT_PROSE = r"(?s:```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)|`[^`\n]{0,400}`|https?://\S++)"
_QUOTED = (
    r"\"[^\"\n]{0,400}\"|“[^”\n]{0,400}”|「[^」\n]{0,400}」|『[^』\n]{0,400}』|‘[^’\n]{0,400}’"
    r"|(?<!\w)'[^'\n]{0,400}'(?!\w)"
)
_SENTENCE = r"\n|(?<=[.?!。？！])\s"
_HANGUL = r"[가-힣]"
_WORD = r"[A-Za-z]+(?:['’][A-Za-z]+)?"
# A term with a Korean particle or ending at it (Redis를, deploy해야) is a word of a Korean sentence.
_TERM_IN_KOREAN = r"(?a:(?<![\w.+#/-])[A-Za-z][\w.+#/-]*+(?=[가-힣]))"
# What no English sentence does without, and no Korean one borrows.
_ENGLISH = frozenset(
    "a an and are as be been but by can could did do does for from had has have how i if in into is it its me my not of"
    " on or our should so than that the their them there these they this to us was we were what when where which who"
    " whose why will with would you your please".split()
)


def help_language(environ: Mapping[str, str]) -> str:
    """`$QUORATE_LANG`, else that of the terminal: `LC_ALL`, `LC_MESSAGES`, `LANG`. No file is read for it."""
    names = ("QUORATE_LANG", "LC_ALL", "LC_MESSAGES", "LANG")
    chosen = next((environ[name] for name in names if environ.get(name)), "")
    return chosen.replace("-", "_").partition("_")[0].partition(".")[0].lower()


def language_of(chosen: str | None, text: str = "") -> str:
    """`chosen` when somebody did, else the language of `text`: `ko` or `en`.

    What counts is the share of Hangul among the letters of the prose, a syllable for two letters: code, addresses
    and quotations are left out, and so are terms that carry a Korean particle. Below a half it is still Korean when
    no English sentence stands around it ("Redis vs Kafka 비교"). A first sentence in Korean decides: what follows it
    may be a log.
    """
    if chosen:
        return chosen
    prose = re.sub(_NOT_PROSE, " ", text[:_ENOUGH])
    without_quotations = re.sub(_QUOTED, " ", prose)
    if _has_letters(without_quotations):
        prose = without_quotations
    opening = next(filter(_has_letters, re.split(_SENTENCE, prose)), "")
    return "ko" if _is_korean(opening) or _is_korean(prose) else DEFAULT


def _is_korean(prose: str) -> bool:
    syllables = len(re.findall(_HANGUL, prose))
    if not syllables:
        return False
    words = [word.lower() for word in re.findall(_WORD, re.sub(_TERM_IN_KOREAN, " ", prose))]
    letters = sum(map(len, words))
    if 2 * syllables >= letters:
        return True
    return not any(word in _ENGLISH for word in words) and 10 * syllables >= letters


def _has_letters(text: str) -> bool:
    return re.search(_HANGUL, text) is not None or re.search(_WORD, text) is not None
