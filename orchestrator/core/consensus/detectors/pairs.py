"""How one sentence relates to another: does the second follow from the first, contradict it, or neither?

For Korean, where a word list sees nothing: endings carry the negation and antonyms the contradiction. The features
are chosen by hand (shared words, negation, antonyms, numbers, order); a linear model weighs them (`pairs.weights`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from orchestrator.core.consensus.detectors.linear import LinearModel, load_model
from shared.patterns import regex

FOLLOWS, NEUTRAL, CONTRADICTS = "entailment", "neutral", "contradiction"
RELATIONS = (FOLLOWS, NEUTRAL, CONTRADICTS)


@dataclass(frozen=True)
class Relation:
    """How likely the second sentence follows from the first, and how likely it contradicts it."""

    follows: float
    contradicts: float


_NEGATION = regex(
    r"않|(?<!잘)못(?=\s|[하합해한할했함됩되돼])|(?<![가-힣])안\s?(?=[가-힣])|없|아니|아닙|아닌|불가"
)
_WORD = regex(r"[가-힣]+|[A-Za-z]+|\d+(?:[.,]\d+)*")
_NUMBER = regex(r"\d+(?:[.,]\d+)*")
_COUNTED = regex(
    r"(?<![가-힣])(한|하나|두|둘|세|셋|네|넷|다섯|여섯|일곱|여덟|아홉|열)"
    r"(?=\s?(?:개|명|번|차례|가지|사람|시간|달|곳|권|대|마리|군데|분|살|편|층|주|배|장|쌍|팀|건)|\s)"
)
_COUNTS = {
    word: str(number)
    for number, words in enumerate(
        ("한 하나", "두 둘", "세 셋", "네 넷", "다섯", "여섯", "일곱", "여덟", "아홉", "열"), 1
    )
    for word in words.split()
}
_PARTICLE = regex(
    r"(?:입니다|습니다|합니다|됩니다|이었다|였다|했다|한다|된다|하다|에서는|으로는|에게는|까지|부터|에서|에게|으로|이나|라고|처럼|보다|에는"
    r"|과의|와의|들은|들이|들을|의|은|는|이|가|을|를|에|로|와|과|도|만|요|다)$"
)
_SHORT_PARTICLES = "은는이가을를에의도만로와과"
_ENDINGS = ("습니다", "다", "요", "니까", "임", "음", "까")

# Opposites, stems of one side before the stroke and of the other after it.
_OPPOSITES = tuple(
    tuple(tuple(side.split(",")) for side in pair.split("/"))
    for pair in (
        "많,다양,풍부,충분/적,부족,모자,드물 좋,훌륭,최고,완벽,뛰어/나쁘,나쁜,별로,최악,형편 있/없 높/낮 크,큰,넓/작,좁"
        " 빠르,빨리,빠른/느리,느린,늦 증가,늘,상승,오르,올라,인상,확대/감소,줄,하락,내리,떨어,인하,축소"
        " 쉽,쉬운,간단,편하,편리/어렵,어려,복잡,힘들,불편 가깝,가까/멀,먼 조용/시끄,시끌,소음"
        " 깨끗,청결/더럽,더러,지저분"
        " 찬성,동의,지지/반대 허용,가능,허가/금지,불가,제한 성공/실패 이기,이겼,승리,우승/지다,졌,패배,탈락"
        " 시작,개막/끝,종료,마치,마감,폐막 처음,최초,첫/마지막,최후 비싸,비싼/싸,싼,저렴 밝/어둡,어두 새로,최신/낡,오래"
        " 친절/불친절 만족/불만,실망,아쉬 모두,모든,전부/아무도,일부 남자,남성,남편,아들,형/여자,여성,아내,딸"
        " 아버지,아빠/어머니,엄마 위/아래 오전/오후 강하,강한/약하,약한 길,긴/짧 무겁/가볍 따뜻,덥,더운/춥,추운,차갑"
        " 얻/잃 살아,생존/죽,사망 기억/잊 유료/무료 국내/해외,외국 남쪽,남부/북쪽,북부 동쪽,동부/서쪽,서부"
        " 재밌,재미있,흥미/지루,재미없 감동/실망 추천/비추 사랑/싫,미워 열/닫 켜/끄 도착/출발 입장/퇴장 앞/뒤"
        " 먼저,이전,전에/나중,이후,후에 최대/최소 많이/조금 항상,언제나,늘/가끔 공개/비공개 인정,수용/부인,거부,부정"
        " 긍정/부정 유지/폐지,중단 찾/잃 낙관/비관 참여,참석/불참 합법/불법 안전/위험 젊/늙 웃/울 부자/가난 과거/미래"
        " 작년,지난해/올해,내년 어제/오늘,내일 유일/여러 혼자/함께,같이 직접/대신 공짜,무료/유료 급증/급감"
        " 동기/비동기 포함/제외 추가/삭제,제거 켜,활성/끄,비활성"
    ).split()
)
# Words whose coming says something about the pair: of quantity, time, cause, degree, plan.
_TELLING = tuple(
    word.replace("_", " ")
    for word in (
        "모든 모두 전부 항상 언제나 전혀 아무 절대 뿐 유일 가장 최고 최초 처음 매우 너무 더_ 보다 덕분 때문 수_있 수_없"
        " 것이다 예정 계획 할_것 중이 이상 이하 반드시 만_ 밖에 대부분 일부 여러 다른 같은 이미 아직 계속 다시 또 원래"
        " 사실 거의 약_ 정도 싶 생각 좋 싫 많 적"
    ).split()
)


def relation_of(premise: str, claim: str, model: LinearModel | None = None) -> Relation:
    """How `claim` relates to `premise`."""
    likely = (model or shipped_model()).probabilities(pair_features(premise, claim))
    return Relation(likely[FOLLOWS], likely[CONTRADICTS])


@lru_cache(maxsize=1)
def shipped_model() -> LinearModel:
    """The model that ships with the product."""
    return load_model("pairs.weights")


@lru_cache(maxsize=1)
def original_model() -> LinearModel:
    """The model of the first rules (`RulesVersion.ORIGINAL`), which knew KLUE-NLI only."""
    return load_model("original_pairs.weights")


def pair_features(premise: str, claim: str) -> list[str]:
    """What the linear model sees of a pair."""
    covered = _coverage(premise, claim)
    mean = sum(covered) / len(covered)
    new = sum(share < 0.5 for share in covered)
    ratio = len(claim) / max(1, len(premise))
    last = covered[-1]
    present = {
        f"cover{_step(mean, 0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 0.99)}",
        f"pairs{_step(_pair_coverage(premise, claim), 0.3, 0.45, 0.6, 0.7, 0.8, 0.9, 0.99)}",
        f"new{min(new, 5)}",
        f"last{_step(last, 0.3, 0.7, 1)}",
        f"first{_step(covered[0], 0.3, 0.7, 1)}",
        f"last{_step(last, 0.5)},new{min(new, 3)}",
        f"words{_step(len(covered), 3, 5, 7, 9, 12)}",
        f"ratio{_step(ratio, 0.3, 0.5, 0.7, 0.9, 1.1)}",
    }
    present.update(_negation(premise, claim, mean, new))
    present.update(_numbers(premise, claim, new))
    present.update(_turned_round(premise, claim, mean))
    present.update(_shared_runs(premise, claim))
    present.update(_denied_here(premise, claim))
    present.update(f"n={run}" for run in _new_letters(premise, claim))
    present.update(f"has={word}{word in premise:d}" for word in _TELLING if word in claim)
    ended = claim.rstrip(" .!?\n")
    present.update([f"end={ending}" for ending in _ENDINGS if ended.endswith(ending)][:1])
    present.update((f"e={ended[-2:]}", f"asks{'?' in premise:d}{'?' in claim:d}"))
    return sorted(name.replace(" ", "_") for name in present)


def _step(value: float, *edges: float) -> int:
    return sum(value >= edge for edge in edges)


def _passed(name: str, value: float, *edges: float) -> Iterator[str]:
    """One feature for every edge that is reached: their weights add up."""
    return (f"{name}>{at}" for at, edge in enumerate(edges) if value >= edge)


def _stem(word: str) -> str:
    if len(word) > 2:
        return _PARTICLE.sub("", word) or word
    return word[:-1] if len(word) == 2 and word[-1] in _SHORT_PARTICLES else word


def _stems(text: str) -> list[str]:
    return [_stem(word) for word in _WORD.findall(text)]


def _pairs(word: str) -> set[str]:
    return {word[at : at + 2] for at in range(len(word) - 1)} or {word}


def _coverage(premise: str, claim: str) -> list[float]:
    """How much of every word of the claim the premise has, 0 to 1; one 0 for a claim without words."""
    known = set().union(*(_pairs(word) for word in _WORD.findall(premise)))
    shares = []
    for word in _stems(claim):
        own = _pairs(word)
        share = 1.0 if word in premise else len(own & known) / len(own)
        near = len(word) >= 2 and word[:2] in premise
        shares.append(max(share, 0.7) if near else share)
    return shares or [0.0]


def _pair_coverage(premise: str, claim: str) -> float:
    solid = premise.replace(" ", "")
    known = {solid[at : at + 2] for at in range(len(solid) - 1)}
    own = set().union(*(_pairs(word) for word in _stems(claim)))
    return len(own & known) / max(1, len(own))


def _negation(premise: str, claim: str, mean: float, new: int) -> Iterator[str]:
    own, theirs = len(_NEGATION.findall(claim)), len(_NEGATION.findall(premise))
    odd = (own - theirs) % 2
    opposites = _opposites(premise, claim)
    half = _step(mean, 0.5, 0.75)
    yield f"neg{min(own, 2)}{min(theirs, 2)}"
    yield f"odd{odd},cover{half}"
    yield f"neg{min(own, 1)},cover{half}"
    yield f"neg{min(own, 1)}{min(theirs, 1)},new{min(new, 2)}"
    yield f"opposite{min(opposites, 2)}"
    yield f"opposite{min(opposites, 1)},odd{odd}"
    yield f"opposite{min(opposites, 1)},new{min(new, 2)}"


def _opposites(premise: str, claim: str) -> int:
    """How many pairs of opposites have one side in the premise and only the other in the claim."""
    return sum(
        (_only(word, other, claim) and _any(other, premise))
        or (_only(other, word, claim) and _any(word, premise))
        for word, other in _OPPOSITES
        if not (_any(word, premise) and _any(other, premise))
    )


def _any(stems: tuple[str, ...], text: str) -> bool:
    return any(stem in text for stem in stems)


def _only(stems: tuple[str, ...], others: tuple[str, ...], text: str) -> bool:
    return _any(stems, text) and not _any(others, text)


def _numbers(premise: str, claim: str, new: int) -> Iterator[str]:
    own, theirs = _numbers_in(claim), _numbers_in(premise)
    if not own:
        kind = "none"
    elif own <= theirs:
        kind = "all"
    elif own & theirs:
        kind = "some"
    else:
        kind = "other" if theirs else "added"
    yield f"number={kind}"
    yield f"number{bool(own - theirs) and bool(theirs):d},new{min(new, 2)}"


def _numbers_in(text: str) -> set[str]:
    digits = {number.replace(",", "") for number in _NUMBER.findall(text)}
    return digits | {_COUNTS[number] for number in _COUNTED.findall(text)}


def _turned_round(premise: str, claim: str, mean: float) -> Iterator[str]:
    """Shared words in another order: who did it to whom."""
    places = [premise.find(word) for word in _stems(claim) if word in premise]
    turned = sum(before > after for before, after in pairwise(places))
    yield f"turned{min(turned, 3)}"
    yield f"turned{min(turned, 2)},all{mean > 0.9:d}"


# ---- runs of letters ----------------------------------------------------------------------------

# How much of the claim's runs of one, two and three letters the premise has, and of both texts' together.
_CONTAINED = (
    (0.55, 0.7, 0.75, 0.85, 0.9),
    (0.3, 0.45, 0.55, 0.65, 0.75),
    (0.15, 0.3, 0.4, 0.55, 0.65),
)
_COMMON = ((0.25, 0.3, 0.4, 0.45, 0.6), (0.1, 0.15, 0.25, 0.3, 0.45), (0.05, 0.1, 0.15, 0.25, 0.35))
_LATER_NEGATION = regex(
    r"지[는도가를]? ?(?:않|못|아니)|않|못 ?[하할한했함됩되됐]|없|아니|아닌|아닙|불가"
)
_EARLIER_NEGATION = regex(r"(?<![가-힣])(?:안|못) ?$")
NEGATION_WITHIN = 9  # letters after the beginning of a word's stem


def _shared_runs(premise: str, claim: str) -> Iterator[str]:
    theirs, own = premise.replace(" ", ""), claim.replace(" ", "").rstrip(".!?")
    for at, (contained, common) in enumerate(zip(_CONTAINED, _COMMON, strict=True)):
        there, here = _runs(theirs, at + 1), _runs(own, at + 1)
        both = len(there & here)
        yield from _passed(f"runs{at + 1}", both / max(1, len(here)), *contained)
        yield from _passed(f"common{at + 1}", both / max(1, len(there | here)), *common)
    yield from _passed("claim", len(own), 13, 16, 18, 21, 26)
    yield from _passed("premise", len(theirs), 19, 22, 32, 43, 54)
    yield from _passed("part", len(own) / max(1, len(theirs)), 0.35, 0.45, 0.6, 0.7, 0.9)


def _runs(text: str, length: int) -> set[str]:
    return {text[at : at + length] for at in range(len(text) - length + 1)}


def _denied_here(premise: str, claim: str) -> Iterator[str]:
    """Words that one text negates and the other does not: negation that stands with what it denies."""
    shared = differing = 0
    for match in _WORD.finditer(claim):
        stem = _stem(match[0])[:2]
        place = premise.find(stem) if len(stem) == 2 else -1
        if place >= 0:
            shared += 1
            differing += _negated(premise, place) != _negated(claim, match.start())
    yield from _passed("denied", differing, 1, 2, 3)
    yield from _passed("met", shared, 2, 3, 4, 5)


def _negated(text: str, place: int) -> bool:
    after = text[place + 2 : place + 2 + NEGATION_WITHIN]
    before = text[max(0, place - 3) : place]
    return bool(_LATER_NEGATION.search(after) or _EARLIER_NEGATION.search(before))


def _new_letters(premise: str, claim: str) -> set[str]:
    """Letters, and pairs of them, of the claim's words that the premise has not."""
    words = [word for word in _stems(claim) if word not in premise]
    return set().union(*(_runs(word, length) for word in words for length in (1, 2)))
