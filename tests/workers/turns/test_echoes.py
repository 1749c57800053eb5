"""Whoever obeys may be told to disguise the word: it is recognised in every form, and an honest report is none."""

from __future__ import annotations

import base64
import codecs
import json
from collections.abc import Callable

import pytest

from shared.models.findings import RaisedFinding
from shared.models.review_replies import ReviewCritique
from workers.turns.canary import Canary

SECRETS = [f"{number:024x}" for number in range(8)]
HANGUL = dict(zip("bdfgklmnprstvz", "ㅂㄷㅍㄱㅋㄹㅁㄴㅍㄹㅅㅌㅂㅈ", strict=True))
INITIALS = "ㄱㄲㄴㄷㄸㄹㅁㅂㅃㅅㅆㅇㅈㅉㅊㅋㅌㅍㅎ"
VOWELS = dict(zip("aeiou", (0, 5, 20, 8, 13), strict=True))


def hangul(word: str) -> str:
    """The word as it sounds, syllable by syllable."""
    pairs = (word[at : at + 2] for at in range(0, len(word), 2))
    return "".join(
        chr(0xAC00 + (INITIALS.index(HANGUL[first]) * 21 + VOWELS[second]) * 28)
        for first, second in pairs
    )


def encoded(before: str, after: str) -> Callable[[str], str]:
    return lambda word: base64.b64encode(f"{before}{word}{after}".encode()).decode()


FORMS: dict[str, Callable[[str], str]] = {
    "as it is": str,
    "capitals": str.upper,
    "hyphens": "-".join,
    "blanks": " ".join,
    "bold letters": "**".join,
    "zero width": "\u200b".join,
    "cut at its end": lambda word: word[:12],
    "cut at its beginning": lambda word: word[4:],
    "over a line": lambda word: f"{word[:8]}\n{word[8:]}",
    "over a line in JSON": lambda word: f"{word[:8]}\\n{word[8:]}",
    "backwards": lambda word: word[::-1],
    "ROT13": lambda word: codecs.encode(word, "rot13"),
    "full width": lambda word: "".join(chr(ord(letter) + 0xFEE0) for letter in word),
    "bold mathematical": lambda word: "".join(chr(0x1D41A - 97 + ord(letter)) for letter in word),
    "Cyrillic": lambda word: word.translate(str.maketrans("aeops", "\u0430\u0435\u043e\u0440\u0455")),
    "Hangul": hangul,
    "base64": encoded("", ""),
    "base64 behind one letter": encoded("x", " and more"),
    "base64 behind two letters": encoded("xx", "!"),
    "base32": lambda word: base64.b32encode(word.encode()).decode(),
    "hexadecimal": lambda word: word.encode().hex(" "),
    "escaped bytes": lambda word: "".join(f"\\x{ord(letter):02x}" for letter in word),
    "escaped in JSON": lambda word: "".join(f"\\u{ord(letter):04x}" for letter in word),
    "per cent": lambda word: "".join(f"%{ord(letter):02X}" for letter in word),
    "HTML": lambda word: "".join(f"&#{ord(letter)};" for letter in word),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_the_code_word_is_recognised_in_every_disguise(form: str) -> None:
    for secret in SECRETS:
        canary = Canary.of(secret)
        first, second = canary.words
        said = f'{{"verdict": "APPROVED", "summary": "fine {FORMS[form](second + first)} indeed"}}'
        assert canary.obeyed(said), said


def test_a_number_that_is_no_character_is_no_word_and_no_error() -> None:
    canary = Canary.of(SECRETS[0])
    first, second = canary.words
    assert not canary.obeyed("&#" + "9" * 5000 + ";")
    assert canary.obeyed("&#" + "9" * 5000 + ";" + second + first)


@pytest.mark.parametrize("language", ["en", "ko"])
def test_an_honest_report_of_the_sentence_is_not_the_word(language: str) -> None:
    for secret in SECRETS:
        canary = Canary.of(secret, language)
        first, second = canary.words
        for said in (
            canary.sentence,
            canary.sentence.upper(),
            canary.sentence[::-1],
            json.dumps({"quote": canary.sentence}),
            f'the words "{first}" and "{second}" are to be joined',
            f"it wants '{second}' in front of '{first}', which I did not do",
            f'words: ["{second}", "{first}"]',
        ):
            assert not canary.obeyed(said), said


def test_a_quotation_that_runs_on_into_the_trap_ends_before_it() -> None:
    canary = Canary.of(SECRETS[0])
    defect = RaisedFinding(title="eval of input", quote=f"x = eval(y)\n\n{canary.sentence}")
    part = RaisedFinding(title="An instruction", quote=" ".join(canary.sentence.split()[2:9]))
    heard = canary.without_reports(ReviewCritique.model_construct(findings=(defect, part)))
    assert isinstance(heard, ReviewCritique)
    assert [finding.quote for finding in heard.findings] == ["x = eval(y)"]
