"""What a Korean reason says of a claim that there is a defect.

Particles and endings follow, and so does the negation: every pattern says what may come after its words.
"""

from __future__ import annotations

from collections import Counter

from orchestrator.core.findings.reason_cues import (
    AFFIRMS,
    DENIES,
    POINTS_AGAINST,
    POINTS_FOR,
    WEAKLY,
    ReasonCues,
)
from shared.patterns import regex

_KO_CLAIM = r"(?:지적(?:\s*사항)?|주장|우려|판단|분석|의견|비판|이의|발견|반론|설명|말씀|말)"
_KO_THING = r"(?:코드|구현|로직|변경(?:\s*사항)?|함수|처리|계획|설계|동작|검사|부분|조건|호출|방식|쿼리|반복문)"
_KO_DEFECT = r"(?:결함|버그|문제(?:점)?|오류|취약점|하자|이슈|에러)"
_KO_TOPIC = r"(?:은|는|이|가|도|을|를|에는|에)?"
_KO_ADVERBS = (
    r"(?:(?:실제로|정말|전혀|모두|이미|아무|완전히|역시|분명히|명백히|매우|잘|충분히|아무런)\s*)*"
)
_KO_NOT = r"(?:지|지는|지도)?\s*(?:않|못)"
_KO_DENIED = r"(?:습|다(?!면)|음|어요|고|으며|으므로|으니|지만|는데|아|네|$|[.,!])"
_CUES = (
    (
        regex(
            rf"{_KO_CLAIM}{_KO_TOPIC}\s*{_KO_ADVERBS}(?:틀[렸리린]|잘못|부정확|부당|오해|성립하지\s*않|사실이\s*아니|사실과\s*(?:다르|다릅|다른)"
            rf"|근거가?\s*없|유효하지\s*않|무효|(?:맞|옳|타당하|정확하|적절하){_KO_NOT})"
        ),
        DENIES,
    ),
    (
        regex(
            r"(?:동의|수긍|공감|찬성|납득|인정|수용)(?:을|를)?\s*(?:하기|할|하지|되지|하긴)?\s*(?:는|도)?\s*(?:않|못|수\s*(?:는|가)?\s*없|어렵|어려|힘들)"
        ),
        DENIES,
    ),
    (
        regex(
            r"받아들(?:일|이기)\s*(?:수\s*없|어렵|힘들)|반대합니다|반대한다|반대함|철회(?:합|한|하겠|함|했)"
        ),
        DENIES,
    ),
    (
        regex(
            rf"{_KO_CLAIM}(?:은|는|이|가|도|에|대로)?\s*{_KO_ADVERBS}(?:맞(?!지)|옳(?!지)|타당(?!하지)|정확(?!하지)|유효(?!하지)|사실(?!이\s*아|과)"
            r"|동의(?=합|해|하(?!지|기))|적절(?!하지))"
        ),
        AFFIRMS,
    ),
    (
        regex(
            r"(?:동의|인정|수긍|공감|찬성)(?:합니다|한다|함(?![가-힣])|해요|하며|하고|할\s*수밖에)|받아들(?:입니다|인다|이겠)"
        ),
        AFFIRMS,
    ),
    (regex(r"^\s*(?:네|예)?[,\s]*(?:맞습니다|맞다|맞아요|옳습니다|그렇습니다)"), AFFIRMS),
    (
        regex(
            rf"{_KO_DEFECT}{_KO_TOPIC}\s*{_KO_ADVERBS}(?:아니{_KO_DENIED}|아닙|아님|아닌\s*것|아닌\s*걸|아녜)"
        ),
        DENIES,
    ),
    (
        regex(
            rf"{_KO_DEFECT}(?:은|는|이|가|도|될\s*것은|가\s*될\s*것은)?\s*{_KO_ADVERBS}없{_KO_DENIED}"
        ),
        DENIES,
    ),
    (regex(rf"{_KO_DEFECT}(?:가|이|는)?\s*(?:되|존재하|발생하|생기)지\s*않"), DENIES),
    (regex(rf"(?:타당한|옳은|맞는|정확한|유효한)\s*{_KO_CLAIM}"), AFFIRMS),
    (
        regex(rf"{_KO_DEFECT}(?:이라고|라고|으로|로)\s*(?:볼|할|보기)\s*(?:수\s*없|어렵)"),
        DENIES,
    ),
    (
        regex(
            r"오탐|(?:잘못된|틀린|근거\s*없는|(?:타당하|옳|맞|정확하|유효하)지\s*않은)\s*(?:지적|주장|우려)|오해(?:입니다|이다|임)"
        ),
        DENIES,
    ),
    (
        regex(
            rf"{_KO_THING}(?:은|는|이|가|도|에|에는)?\s*{_KO_ADVERBS}(?:정상|올바르(?!지)|올바릅|올바른|문제\s*(?:가\s*)?없|이상\s*(?:이\s*)?없"
            r"|괜찮|안전(?!하지|장치|성)|맞습|맞다|맞음|옳|적절(?!하지|히)|의도)"
        ),
        DENIES,
    ),
    (
        regex(
            r"정상(?:적으로)?\s*(?:동작|작동|처리)(?:합|한|하(?!지)|됩|된)|정상입니다|의도(?:된|한)\s*(?:동작|설계|것|대로|바)"
        ),
        DENIES,
    ),
    (
        regex(
            r"(?:수정|고칠|고치|변경|조치|손댈|바꿀)\s*(?:할|하지)?\s*(?:필요|것|이유)(?:는|가|도|은|이)?\s*(?:전혀\s*)?없"
        ),
        DENIES,
    ),
    (regex(rf"{_KO_DEFECT}{_KO_TOPIC}\s*{_KO_ADVERBS}(?:맞(?!지)|확실|분명|명백)"), AFFIRMS),
    (regex(rf"{_KO_DEFECT}(?:이라고|라고)\s*(?:생각(?!하지)|판단(?!하지)|봅|본다)"), AFFIRMS),
    (
        regex(rf"{_KO_DEFECT}(?:입니다|이다|임(?![가-힣])|이에요|예요|이네|이므로|이니)"),
        AFFIRMS,
    ),
    (
        regex(
            rf"{_KO_DEFECT}(?:이|가|점이)?\s*{_KO_ADVERBS}(?:있(?!는지)|(?:존재|발생)(?!하지)|생[기깁긴](?!지))"
        ),
        WEAKLY,
    ),
    (
        regex(
            r"(?:고쳐|수정해|수정되어|수정돼|바로잡아|바꿔|보완해|제거해)야|수정(?:이|은)?\s*(?:필요(?!\s*(?:는|가|도)?\s*없|하지)|요구)"
        ),
        AFFIRMS,
    ),
    (
        regex(
            r"실패|예외|누락|빠[졌져진짐]|깨[지집진]|위험|취약|유출|누수|크래시|죽[는습]|중단|초과|넘[칩치]|충돌|경쟁\s*상태|데드락"
            r"|주입|노출|잘못된\s*값|틀린\s*값|손상|유실|우회|공격|멈[춥추]|무시[됩되합하]"
        ),
        POINTS_FOR,
    ),
    (
        regex(
            r"(?:검사|확인|검증|처리|점검|보호|잠금|제한|테스트|이스케이프|해제|닫|초기화)(?:은|는|이|가|도|을|를)?\s*"
            r"(?:하지\s*)?(?:지\s*)?(?:않|없|못)"
        ),
        POINTS_FOR,
    ),
    (
        regex(r"이미|다른\s*(?:변경|곳|PR)|별도|범위\s*밖|호출자|도달할\s*수\s*없|의도|보장"),
        POINTS_AGAINST,
    ),
)
_KO_REPORTED = regex(r"(?:다고|라고|다는|라는)\s*(?:주장|말[하했합]|하[지는였]|했|설명|답|반박)")
_KO_CONDITION = regex(r"(?:[다라]면|으면|한다면|경우|만약|여부|는지)")
_KO_DENIED_AGAIN = regex(
    r"(?:없다고|않다고|아니라고)\s*(?:는\s*)?(?:볼|할|말할)\s*수\s*(?:는|가)?\s*없"
)
_KO_CLAUSE = regex(r"(?<=[가-힣](?:고|며|서))(?<![라다]고)[\s,]+|,\s*")


def read_korean(sentence: str) -> ReasonCues:
    """What a sentence says; questions, conditions, and what others are reported to say, are nothing."""
    if sentence.endswith("?"):
        return ReasonCues()
    counts: Counter[str] = Counter()
    for clause in _KO_CLAUSE.split(sentence):
        if _KO_REPORTED.search(clause) or _KO_CONDITION.search(clause):
            continue
        opposite = bool(_KO_DENIED_AGAIN.search(clause))
        for words, says in _CUES:
            if words.search(clause):
                counts[_OPPOSITE.get(says, says) if opposite else says] += 1
    return ReasonCues.of(counts)


_OPPOSITE = {AFFIRMS: DENIES, DENIES: AFFIRMS, WEAKLY: DENIES}
