"""Korean turns by cues chosen by hand: no Korean deliberation was there to learn from.

Courtesy is not assent ("네, 감사합니다"), nor is assent before a "but" ("동의는 하지만 시기가
문제입니다"): what comes after the turn of the sentence counts. A condition agrees to nothing yet ("비용이 줄어야
동의할 수 있습니다").
"""

from __future__ import annotations

from orchestrator.core.findings.cues import count_cues
from shared.patterns import regex

_OPENS_WITH_YES = regex(
    r"^\W*(?:네|예|넵|넹|응|그래요?|그럽시다|그러죠|그렇죠|그렇네요|맞아요?|맞습니다|맞네요|좋아요?|좋습니다"
    r"|좋네요|좋죠"
    r"|동의|찬성|저도|나도|오케이|ㅇㅋ|ㅇㅇ|인정|물론|당연|콜)(?![가-힣]*(?:않|못|없))"
)
_YES = regex(
    r"(?:의견|생각|제안|안|말씀|쪽)[에과와이도은]{0,2} ?(?:같|따르|따를|좋)"
    r"|(?:같은|좋은) (?:생각|의견)|이[견의](?:가|는|도)? ?없|그렇게 (?:하시?죠|합시다|하자|해요|하겠)"
    r"|(?:제가|내가|제 생각이|저의 생각이) ?(?:틀렸|잘못)|반대(?:하지(?:는|도)? ?않|할 이유[가는]? ?없|는 아니)"
    r"|틀린 말[은이] ?아[니닙]|틀리지 않"
)
_NO = regex(
    r"^\W*(?:아니|아뇨|글쎄|반대|안 ?돼|안 ?됩|싫)|그렇지 않|그건 아니|아닌 것 같|아니라고|틀렸|틀린|잘못"
    r"|다르게 (?:생각|봅|보)|(?:의견|생각)이? ?다[르릅른]|여전히|그래도 저는|곤란|회의적"
    r"|동의하기 ?어렵|어렵(?:겠|습니다|다고)|필요(?:는|가)? ?없|무리(?:입니다|라고|예요)"
    r"|의문|걱정(?:입|됩|이에)|문제(?:가 있|입니다|예요|라고 봅)"
)
_OPENS_WITH_NO = regex(r"^\W*(?:아니요?|아뇨|아니에요|아닙니다)[,.!\s]+")
_PROPOSES = regex(
    r"(?:하자|합시다|하죠|하지요|갑시다|가죠|가자)[.!~]*$|제안|추천|고르|고릅|골랐|선택|뽑|투표"
    r"|답은|정답|결론은|(?:이|가) (?:낫|좋겠|적절)|해야 (?:합|해|한)"
    r"|[A-Za-z0-9](?:번|안)?(?:으로|로) (?:하|가|바꾸|바꿀|정하|정합)"
    r"|[A-Za-z0-9](?:번|안)?(?:입니다|이에요|예요|요)[.!~]*$"
)
_COURTESY = regex(r"감사|고맙|수고|반갑|안녕|많이 배웠|좋은 시간|실례|죄송|별말씀|천만에")
_BUT = regex(
    r"(?<![가-힣])(?:그런데|근데|하지만|그러나|그렇지만|다만|단지)(?![가-힣])|[가-힣](?:지만|니다만)(?![가-힣])"
    r"|(?:말씀인|맞는|좋은|이해하는|알겠는|동의하는|맞긴 한|좋긴 한)데(?![가-힣])"
)
_CONCEDES = regex(r"그렇[긴기]|그건 그렇|이해(?:는|가|합|됩)|일리|알겠|그럴 수도")
# "If", "only when", "as soon as", "not before"; not what takes up something said (그렇다면), nor "A안이면".
_CONDITION = regex(
    r"(?:(?:[으하되나지들줄늘오시다려]|(?<![A-Za-z0-9번안])[라이])면|(?:[어아여해돼]|나)야만?)(?=[\s,])"
    r"|때[만에]|경우|한해|한하여|한정|조건(?:으로|하에| 하에|부)|전제|[는ㄴ한된난] ?(?:대로|즉시|이상)(?![가-힣])"
    r"|(?:후|뒤|다음)에(?:야|만)|전[에까]지?는|야만"
)
_TAKES_UP = regex(
    r"(?<![가-힣])(?:그러면|그렇다면|그렇게 하면|그(?:런)? ?(?:조건|정도|방법|방향|내용|경우)(?:이?라?면|에는?)?"
    r"|예를 들면|다시 말하면|요약하면|정리하면|생각해 ?보면|말하자면)(?![가-힣])"
)
# What follows a reason stands by itself: "그렇게 하면 비용이 줄어드니 동의합니다".
_REASON = regex(r"[가-힣](?:니까?|므로|기에|[어아해여]서|길래)(?=[\s,])|때문")
_DEFERS = regex(
    r"(?:검토|생각|고민|확인|살펴|알아|논의|상의|의논|고려|참고|지켜|두고|조사|토론|얘기|이야기|분석|테스트|실험"
    r"|판단|결정|답|말씀|알려)"
    r"[가-힣]{0,2} ?[가-힣]{0,2} ?(?:보겠|볼게|봐야|봅시다|보시죠|보죠|보고|해야|하겠|할게|할 예정|하시죠|하죠"
    r"|합시다|하고|드리|드릴|주시)"
    r"|아직|여부|이릅니|이르다|나중에|추후|보류|유보|시간[이을] (?:더 )?(?:필요|주)|글쎄|모르겠"
    r"|[을ㄹ할일될맞낫] 수도"
)
_COMMITS = regex(
    r"(?:동의|찬성|지지|수용|승인)(?:에 )?(?:합니다|하겠|해요|할게|하죠|합시다|한다|드립|입니다|했습)|받아들이겠"
    r"|받아들입|따르겠|같은 (?:생각|의견)입니다"
)
_ORIGINAL_CONDITION = regex(
    r"(?:[다라]면|려면|[어아여해]야만?|경우에만|조건으로)[^.!?\n]{0,30}(?:동의|찬성|수용|받아들|좋|괜찮|가능)"
)
_PLAN_ALONE = regex(r"(?<=[A-Za-z0-9])(번?안) +(?=[가-힣])")  # "F안 반대" denies nothing
_SENTENCE = regex(r"[^.!?\n]+[.!?\n]*")
_LETTERS = regex(r"[가-힣A-Za-z0-9]")
# How likely a turn agrees, disagrees and proposes: one without a proposal, and one with it.
_NEITHER = ((0.0, 0.0, 0.1), (0.0, 0.0, 0.8))
_OBJECTS = ((0.1, 0.8, 0.1), (0.0, 0.2, 0.8))
_AGREES = ((0.85, 0.0, 0.05), (0.6, 0.0, 0.4))


def read_korean(text: str) -> tuple[float, float, float]:
    """How likely a Korean turn agrees, disagrees and proposes an answer.

    A sentence with a condition, or one that puts the answer off, says yes to nothing; then a polite beginning ("네",
    "좋은 의견입니다") does not either, only assent in so many words.
    """
    head, tail = _turned(_PLAN_ALONE.sub(r"\1은 ", text))
    firm = "".join(filter(_is_firm, _SENTENCE.findall(tail)))
    proposes = _PROPOSES.search(firm.strip()) is not None
    if text.rstrip().endswith("?"):
        return _NEITHER[proposes]
    yes, no = _sides(tail)
    if firm != tail:
        yes = yes and _COMMITS.search(firm) is not None
    elif not yes and (_CONCEDES.search(head) or _sides(head)[0]):
        return _OBJECTS[proposes]
    if no:
        return (0.1 if yes else 0.0), 0.8, 0.1
    return _AGREES[proposes] if yes else _NEITHER[proposes]


def _is_firm(sentence: str) -> bool:
    """Whether it makes no condition and puts nothing off."""
    if _DEFERS.search(sentence):
        return False
    sentence = _TAKES_UP.sub(" ", sentence)
    conditions = [condition.end() for condition in _CONDITION.finditer(sentence)]
    return not conditions or _REASON.search(sentence, conditions[-1]) is not None


def read_korean_originally(text: str) -> tuple[float, float, float]:
    """The same by the first rules, which knew fewer conditions and took every courtesy by its cue."""
    proposes = _PROPOSES.search(text) is not None
    if text.rstrip().endswith("?"):
        return _NEITHER[proposes]
    head, tail = _turned(text)
    yes, no = _sides(tail)
    if not yes and (_CONCEDES.search(head) or _sides(head)[0]):
        return _OBJECTS[proposes]
    if no:
        return (0.1 if yes else 0.0), 0.8, 0.1
    return _AGREES[proposes] if yes and not _ORIGINAL_CONDITION.search(tail) else _NEITHER[proposes]


def _turned(text: str) -> tuple[str, str]:
    """What comes before and after the last "but"; nothing before without one, or with nothing after it."""
    ends = [turn.end() for turn in _BUT.finditer(text)]
    if not ends or len(_LETTERS.findall(text, ends[-1])) < 2:
        return "", text
    return text[: ends[-1]], text[ends[-1] :].lstrip(" ,")


def _sides(text: str) -> tuple[bool, bool]:
    """Whether it says yes and whether it says no; "아니요, 저도 같은 생각입니다" says yes."""
    rest = _OPENS_WITH_NO.sub("", text)
    if rest != text and _agrees(rest):
        return True, False
    without = _YES.sub(" ", text)  # "반대하지 않습니다", "제가 틀렸습니다"
    cues = count_cues(text)
    return _agrees(text), bool(
        _NO.search(without) or (without == text and cues.disagree > cues.agree)
    )


def _agrees(text: str) -> bool:
    cues = count_cues(text)
    if _YES.search(text) or cues.agree > cues.disagree:
        return True
    return bool(_OPENS_WITH_YES.search(text)) and not _COURTESY.search(text)


_HOLDS_OUT = regex("여전히|그래도 저는|동의하지 않|동의할 수 없|반대합|제 (?:원래|처음) ")
_ESSAY_AGREES = 0.25  # never enough to take an answer over


def read_korean_essay(text: str) -> tuple[float, float, float]:
    """How likely a long turn agrees, disagrees and proposes: only by what it says of itself."""
    cues = count_cues(text)
    if _HOLDS_OUT.search(text):
        return 0.0, 0.8, 0.0
    if cues.agree > cues.disagree:
        return _ESSAY_AGREES, 0.0, 0.0
    return (0.0, 0.5, 0.0) if cues.disagree > cues.agree else (0.0, 0.0, 0.0)


_ORIGINAL_HOLDS_OUT = regex(
    r"(?i)\bstill (?:believe|think|maintain|stand|hold|prefer|feel|disagree|consider|argue|see)"
    r"|\bmaintain (?:my|that)\b|\bstand by\b|\bdisagree"
    r"|\b(?:do not|don't|cannot|can't) (?:fully |entirely |completely )?agree"
    r"|\bmy (?:original|initial|own) (?:\w+ )?(?:position|proposal|answer|view|version|choice)"
)


def read_essay_originally(text: str) -> tuple[float, float, float]:
    """The first rules read long turns of both languages in this way."""
    return (0.0, 0.8, 0.0) if _ORIGINAL_HOLDS_OUT.search(text) else read_korean_essay(text)
