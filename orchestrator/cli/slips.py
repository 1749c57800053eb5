"""Signs that what was typed as a question is a slip: another tool's command, a pasted dash, the wrong keyboard.

Pure functions on words; `default_command.py` decides with them what is asked.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from orchestrator.workflows import ROWS

_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d"
# Texts, which `re` compiles when they are asked for: every command loads them.
_LONG_DASH = rf"-?[{_DASHES}]+-?(?P<name>[A-Za-z][\w-]*)(?:=.*)?"
_FULL_WIDTH = {0xFF01 + at: 0x21 + at for at in range(94)} | {0x3000: 0x20}
_ARITHMETIC = r"[\d.,()+*/^%=<>-]+"
_OPERATOR = r"[+*/^%=<>]"
_WITHOUT_BLANKS = r"[\u3040-\u30ff\u3400-\u9fff]"
_FEWEST_HAN = 4
FUNCTION_WORDS = frozenset(
    "a about after am an and are as at be because been before between but by each either for from had has have he her "
    "his i in into is it its me more most my not of on our she should some than that the their them these they this "
    "those to us was we were which while who why with without would you your".split()
)
"""What sentences have, and commands do not."""
INTERROGATIVES = frozenset(
    "am are can could did do does had has have how if is may might must shall should was were what when where which "
    "who whom whose why will would 왜 뭐 뭘 무엇 무엇이 무엇을 어떤 어떻게 언제 어디 어디서 어디에 누가 누구 "
    "얼마 얼마나 몇 어느".split()
)
_ASKS_IN_KOREAN = r"(까|까요|나요|가요|는가|은가|인가|느냐|으냐|냐|니|죠|지요|할래|을래|볼래)"
TOOLS = frozenset(
    "apt brew bundle cargo cat cd cmake composer cp curl docker dotnet echo find gcloud gem gh git go gradle grep helm "
    "java jest kubectl less lint lint ll make mkdir mv mvn mypy node npm npx pip pip3 pnpm podman poetry pwd pytest "
    "python python3 quorate ruff rustc scp sed ssh sudo systemctl tar terraform tox uv vi vim wget yarn".split()
)
"""Other programs: what begins with one was meant for it."""
KOREAN = {
    "결과": "show",
    "결정": "decide",
    "기록": "list",
    "도움": "help",
    "도움말": "help",
    "로그": "logs",
    "멈춰": "cancel",
    "목록": "list",
    "버전": "version",
    "보기": "show",
    "비용": "cost",
    "상태": "status",
    "설정": "config",
    "승인": "decide",
    "시작": "up",
    "정지": "down",
    "종료": "down",
    "중단": "cancel",
    "중지": "cancel",
    "참가자": "participants",
    "취소": "cancel",
    **{word: row.name for row in ROWS for word in row.korean},
}
"""Korean words for what our commands do."""

_LEAD = "r R s e E f a q Q t T d w W c z x v g".split()
_VOWEL = "k o i O j p u P h hk ho hl y n nj np nl b m ml l".split()
_TAIL = " r R rt s sw sg e f fr fa fq ft fx fv fg a q qt t T d w c z x v g".split(" ")
_JAMO = dict(
    zip(
        "ㄱㄲㄳㄴㄵㄶㄷㄸㄹㄺㄻㄼㄽㄾㄿㅀㅁㅂㅃㅄㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎㅏㅐㅑㅒㅓㅔㅕㅖㅗㅘㅙㅚㅛㅜㅝㅞㅟㅠㅡㅢㅣ",
        "r R rt s sw sg e E f fr fa fq ft fx fv fg a q Q qt t T d w W c z x v g k o i O j p u P h hk ho hl y n nj np "
        "nl b m ml l".split(),
        strict=True,
    )
)
_FIRST_SYLLABLE, _LAST_SYLLABLE, _TAILS = 0xAC00, 0xD7A3, 28


def plain(word: str) -> str:
    """The word as it looks: full-width letters as ordinary ones, without what nobody sees."""
    folded = unicodedata.normalize("NFC", word).translate(_FULL_WIDTH)
    return "".join(letter for letter in folded if unicodedata.category(letter) != "Cf")


def long_dash(words: Sequence[str]) -> str | None:
    """The option that somebody meant whose dash became a long one (by pasting it); None without such a word."""
    for word in words:
        if (found := re.fullmatch(_LONG_DASH, plain(word))) is not None:
            return f"--{found['name']}" if len(found["name"]) > 1 else f"-{found['name']}"
    return None


def on_latin_keys(word: str) -> str:
    """What the same keys type when the Korean keyboard is off."""
    return "".join(_keys(letter) for letter in unicodedata.normalize("NFC", word))


def _keys(letter: str) -> str:
    code = ord(letter)
    if not _FIRST_SYLLABLE <= code <= _LAST_SYLLABLE:
        return _JAMO.get(letter, letter)
    rest, tail = divmod(code - _FIRST_SYLLABLE, _TAILS)
    lead, vowel = divmod(rest, len(_VOWEL))
    return _LEAD[lead] + _VOWEL[vowel] + _TAIL[tail]


def is_arithmetic(words: Sequence[str]) -> bool:
    """`2+2`, `2 + 2`: figures and an operator, no range and no id."""
    text = "".join(words)
    return bool(
        ".." not in text
        and re.fullmatch(_ARITHMETIC, text)
        and re.search(_OPERATOR, text)
        and re.search(r"\d", text)
    )


def asks(words: Sequence[str]) -> bool:
    """The words begin or end as questions do; a language without blanks has its words in one."""
    if any(map(_is_question_by_itself, (words[0].lower(), *words))):
        return True
    return len(words) > 1 and (words[0].lower() in INTERROGATIVES or _ends_in_korean(words[-1]))


def _is_question_by_itself(word: str) -> bool:
    """A sentence of a language without blanks, or an interrogative that is not English."""
    han = re.search(_WITHOUT_BLANKS, word) is not None and len(word) >= _FEWEST_HAN
    return han or (word in INTERROGATIVES and not word.isascii())


def _ends_in_korean(word: str) -> bool:
    return re.search(_ASKS_IN_KOREAN, word[-2:]) is not None and not word.isascii()


def has_function_word(words: Sequence[str]) -> bool:
    """True for what occurs in sentences."""
    return any(word.lower().strip(".,;:!'\"`") in FUNCTION_WORDS for word in words)
