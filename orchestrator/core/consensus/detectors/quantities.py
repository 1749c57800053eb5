"""Numbers with their nouns: minutes and hours, megabytes, times, lines."""

from __future__ import annotations

from shared.patterns import regex

_TO_ONE: dict[str, tuple[str, float]] = {
    unit: (base, factor)
    for base, rows in (
        (
            "second",
            (
                (0.001, "ms millisecond milliseconds msec 밀리초"),
                (1, "s sec secs second seconds 초"),
                (60, "min mins minute minutes 분"),
                (3600, "h hr hrs hour hours 시간"),
                (86_400, "day days 일 날"),
                (604_800, "week weeks 주 주일 주간"),
            ),
        ),
        ("month", ((1, "month months 달 개월"), (12, "year years 년 해"))),
        (
            "byte",
            (
                (1, "byte bytes 바이트"),
                (1e3, "kb kilobyte kilobytes 킬로바이트"),
                (1e6, "mb megabyte megabytes 메가바이트 메가"),
                (1e9, "gb gigabyte gigabytes 기가바이트 기가"),
                (1e12, "tb terabyte terabytes 테라바이트 테라"),
            ),
        ),
        ("%", ((1, "% percent 퍼센트 프로"),)),
    )
    for factor, units in rows
    for unit in units.split()
}
_NUMBER_WORDS = {
    word: float(number)
    for number, words in enumerate(
        (
            "a an one 한 하나 첫",
            "two 두 둘",
            "three 세 셋",
            "four 네 넷",
            "five 다섯",
            "six 여섯",
            "seven 일곱",
            "eight 여덟",
            "nine 아홉",
            "ten 열",
            "eleven",
            "twelve",
        ),
        1,
    )
    for word in words.split()
}
_KO_PARTICLE = regex(
    r"(?:으로|로|을|를|은|는|이|가|에서|에|까지|부터|씩|만|도|의|와|과|간|동안|정도|쯤|이면|입니다|이요|요|하고|이나|보다|하자|합시다)*$"
)


def number_word(word: str) -> float | None:
    """The number that a word stands for: "five", "다섯"."""
    return _NUMBER_WORDS.get(word)


def measures(word: str) -> bool:
    """Whether a word is a unit of time, data or share."""
    return word in _TO_ONE


_SPELLS = {
    "일주일": (1.0, "주"),
    "이주일": (2.0, "주"),
    "하루": (1.0, "일"),
    "이틀": (2.0, "일"),
    "사흘": (3.0, "일"),
    "나흘": (4.0, "일"),
    "열흘": (10.0, "일"),
    "보름": (15.0, "일"),
}


def spell_of(word: str) -> tuple[float, str] | None:
    """The number and unit of a Korean word for a length of time."""
    return next((spell for name, spell in _SPELLS.items() if word.startswith(name)), None)


def unit_of(written: str) -> str:
    """The noun of a number without its particle; empty for a particle alone."""
    if written in _TO_ONE or written.isascii():
        return written
    for length in range(len(written), 0, -1):
        if written[:length] in _TO_ONE and _KO_PARTICLE.fullmatch(written[length:]):
            return written[:length]
    return _KO_PARTICLE.sub("", written)


def amount_in(number: float, unit: str) -> tuple[float, str]:
    """An amount in the smallest unit of its kind: an hour is sixty minutes."""
    base, factor = _TO_ONE.get(unit.lower(), (unit, 1.0))
    return round(number * factor, 6), base
