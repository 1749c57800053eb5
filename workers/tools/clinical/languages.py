"""The language of a chart: Korean notes are full of English terms, so that a share of Hangul is enough.

Languages of the Latin script are told apart by their function words, others by their script. What has neither (a list
of values, an empty text) counts as English, whose abbreviations such lists use everywhere.
"""

from __future__ import annotations

from collections import Counter

from shared.patterns import regex

LANGUAGES = frozenset({"en", "ko"})
"""Those that charts are read in."""
_SAMPLE = 100_000
_PARTS = 5
_SCRIPTS = {
    "ko": regex(r"[\uac00-\ud7a3\u1100-\u11ff\u3130-\u318f]"),
    "ja": regex(r"[\u3040-\u30ff]"),
    "zh": regex(r"[\u4e00-\u9fff]"),
    "ru": regex(r"[\u0400-\u04ff]"),
    "ar": regex(r"[\u0600-\u06ff]"),
    "he": regex(r"[\u0590-\u05ff]"),
    "el": regex(r"[\u0370-\u0383\u0386-\u03bb\u03bd-\u03ff]"),
    "th": regex(r"[\u0e00-\u0e7f]"),
    "hi": regex(r"[\u0900-\u097f]"),
}
_LATIN = regex(r"[A-Za-z\u00c0-\u024f]")
_WORD = regex(r"[A-Za-z\u00c0-\u024f]{1,15}")
_KOREAN_SHARE = 0.05
_OTHER_SHARE = 0.3
_FUNCTION_WORDS = {
    "en": "the of and to in is with was for on no she he has not are had at by be or from this that",
    "de": "der die das und mit ist von nicht eine ein bei im den zu wurde auf keine seit dem sich",
    "fr": "le la les des et est une un dans avec pour pas du au par sur il elle depuis sans",
    "es": "el la los las de y con que en una un por se del al sin desde presenta refiere paciente",
    "pt": "o a os as de e com que em uma um por do da no na sem desde ao paciente",
    "it": "il lo la gli di e con che in una un per del della non da al nel senza paziente",
    "nl": "de het een en van met is niet op voor bij geen naar sinds heeft zijn werd",
}
_LANGUAGES_OF: dict[str, tuple[str, ...]] = {}
for _language, _words in _FUNCTION_WORDS.items():
    for _word in _words.split():
        _LANGUAGES_OF[_word] = (*_LANGUAGES_OF.get(_word, ()), _language)
_LEAST_WORDS = 5


def find_language(text: str) -> str:
    """The ISO code of the language; only a sample from all over a long text is looked at."""
    sample = _sample(text)
    latin = len(_LATIN.findall(sample))
    scripts = {code: len(pattern.findall(sample)) for code, pattern in _SCRIPTS.items()}
    letters = latin + sum(scripts.values())
    if not letters:
        return "en"
    if scripts["ko"] >= _KOREAN_SHARE * letters and scripts["ko"] >= scripts["ja"]:
        return "ko"
    if scripts["ja"] and scripts["ja"] + scripts["zh"] >= _OTHER_SHARE * letters:
        return "ja"
    code = max(scripts, key=lambda name: scripts[name])
    return code if scripts[code] >= _OTHER_SHARE * letters else _latin_language(sample)


def _sample(text: str) -> str:
    if len(text) <= _SAMPLE:
        return text
    step, size = len(text) // _PARTS, _SAMPLE // _PARTS
    return " ".join(text[start : start + size] for start in range(0, step * _PARTS, step))


def _latin_language(sample: str) -> str:
    counts: Counter[str] = Counter()
    for match in _WORD.finditer(sample.lower()):
        counts.update(_LANGUAGES_OF.get(match[0], ()))
    if not counts:
        return "en"
    language, number = max(counts.items(), key=lambda item: item[1])
    # A few foreign words (names, Latin terms) do not make another language.
    return language if number >= _LEAST_WORDS and number > 1.5 * counts["en"] else "en"
