"""Korean words without their particles and endings."""

from __future__ import annotations

from shared.patterns import regex

_PARTICLES = {
    "S": ("이", "가", "께서", "에서는"),
    "O": ("을", "를"),
    "to": ("으로", "로", "에게", "한테", "까지", "에"),
    "from": ("에서", "부터", "로부터", "에게서"),
    "OF": ("의",),
    "than": ("보다",),
    "only": ("만", "뿐", "밖에"),
    "": ("은", "는", "도", "와", "과", "랑", "이나", "나", "이라", "라"),
}
_ROLE_OF = {particle: role for role, particles in _PARTICLES.items() for particle in particles}
_LONGEST_PARTICLE = max(map(len, _ROLE_OF))
_ENDING = regex(
    r"(?:(?:하|되)?(?:지|기|고|며|면서|는데|도록|려면|여야|자고|다고|자는|다는|면)"
    r"|(?:합|됩|입)(?:시다|니다|니까|시죠)|하죠|하자|하여야?|해야|해서|해도|해요|해|한다면?|한"
    r"|할|하는|하기|함|했[가-힣]*|하겠[가-힣]*|하고자?"
    r"|되[가-힣]*|된[가-힣]?|돼[가-힣]*|될|이에요|예요|이다|다|자|죠|지요|요|읍시다|읍니다"
    r"|으면|으려면|는다|은|ㅂ시다|시다|습니다|니다|어야|아야|어요|아요|기로|겠습니다|었습니다"
    r"|았습니다|음|이면|면)$"
)
_FINALS = 28  # forms of a Hangul syllable that differ in the final consonant only
_VOWELS = 21
# The final consonant that an ending brings: ㅂ, ㄴ or ㄹ, and ㅆ of the past.
_PAST = frozenset({20})
_FUSED = {
    **dict.fromkeys(("시다", "니다", "니까"), _PAST | {17}),
    **dict.fromkeys(("다", "다면", "다는", "다고"), _PAST | {4}),
}
_CONTRACTED = {14: 13, 9: 8, 6: 20}  # ㅝ ㅜ, ㅘ ㅗ, ㅕ ㅣ


def particle_role(ending: str) -> str:
    for length in range(min(len(ending), _LONGEST_PARTICLE), 0, -1):
        if ending[-length:] in _ROLE_OF:
            return _ROLE_OF[ending[-length:]]
    return ""


def without_particle(word: str) -> tuple[str, str]:
    """A word without its particle, and the particle's role."""
    for length in range(min(len(word) - 1, _LONGEST_PARTICLE), 0, -1):
        if word[-length:] in _ROLE_OF:
            return word[:-length], _ROLE_OF[word[-length:]]
    return word, ""


def verb_root(word: str) -> str:
    """A verb without its ending: 미룹시다, 미룬다, 미뤄야 are one."""
    ending = _ENDING.search(word)
    root = word[: ending.start()] if ending else word
    if not root:
        return word[:1]
    last = root[-1]
    if not "가" <= last <= "힣":
        return root
    code = ord(last) - ord("가")
    final = code % _FINALS
    vowel = code // _FINALS % _VOWELS
    if final in _FUSED.get(ending[0] if ending else "", _PAST):
        code -= final
    code += (_CONTRACTED.get(vowel, vowel) - vowel) * _FINALS if ending or final in _PAST else 0
    return root[:-1] + chr(ord("가") + code)
