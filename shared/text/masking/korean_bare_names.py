"""Korean names of people with nothing beside them: a surname, two syllables of given names, and a particle.

What names are made of is narrow: the first and the last syllable of given names have sets of their own. Ordinary words
of that form are few; those below were met in 7,320 general sentences (KLUE-NLI, XNLI) and among clinical words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.patterns import regex

Bounds = tuple[int, int]

_SURNAMES = (
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민나진지엄채원천방공현함변염추도소석선"
    "설마길연위표명기반왕금옥육인맹제모탁국어은편용봉복승음예"
)
_FIRST = (
    "가건경광교국규근기나다단대덕도동두라려로루리린마만명무문미민범병보봉빈상새서석선성세소솔수숙순슬승시신아애양연영예옥"
    "완용우욱원유윤율은을의이익인일자장재정제종주준중지진찬창채천철청초춘충치태평필하학한해행향헌혁현형혜호홍화환회효후훈"
    "휘희"
)
_LAST = (
    "강건경곤관광구국권균근기길나남녀늘단담대덕도동두라란람랑련령로록루름리린림만면명목무문미민범별병복봉빈빛산상샘서석"
    "선설섭성솔수숙순슬승식신실아안애양억연열엽영옥완용우욱운웅원월유윤율은을익인일임자재전정제조종주준중지진찬창채천철춘"
    "충태택표하학한해향헌혁현형혜호홍화환훈휘희"
)
_PARTICLE = (
    r"(?:이?라고|(?:으)?로부터|에게서?|께서?|과|와|의|이|가|은|는|을|를|도|으?로|"
    r"(?=[ ]?(?:보호자|씨|님)))"
)
_NAME = rf"[{_SURNAMES}][{_FIRST}][{_LAST}]"
_BEFORE_PARTICLE = regex(rf"(?<![가-힣A-Za-z0-9])({_NAME}){_PARTICLE}(?![가-힣])")
_LEADING = regex(
    rf"(?:^|[.:][ ])[ \t]*({_NAME})(?=[ \t]?[:：/]|,[ ]?{_NAME}(?![가-힣])|[ ][가-힣]{{2,3}}[ ](?:훈련|중|시행))"
    rf"|(?<![가-힣])(?:PT|OT|Pt|pt|ST)[ ]({_NAME})(?![가-힣])"
    rf"|[:：][ ]?({_NAME})(?=[ ]?/)",
)
_LISTED = regex(rf",[ ]?({_NAME})(?=[ ](?:두|세|네|\d)[ ]?(?:명|분|인)|[ ]등(?![가-힣]))")
_SPACED = regex(
    rf"(?<![가-힣])([{_SURNAMES}] [{_FIRST}] [{_LAST}])(?=[ ]?(?:님|씨|환자)(?![가-힣]))"
)
_HIDDEN = regex(
    rf"(?<![가-힣])([{_SURNAMES}])(?=(?:OO|○○|ㅇㅇ|\*\*|XX)(?:[ ]|님|씨|환자)|[ ]씨(?![가-힣]))"
)
_FOREIGN = regex(
    r"(?<![가-힣])([가-힣]{2,6} [가-힣]{2,6})[ ](?=님[ ,.은이께의])|환자[ ]([가-힣]{2,6} [가-힣]{2,6})(?=,)"
)
_ADDRESSED = frozenset(
    """
    환자 보호자 어머니 아버지 아드님 따님 선생 교수 간호사 주치의
    담당 수간호사 원장 과장 할머니 할아버지 남편 아내
    """.split()
)
_NO_NAMES = frozenset(
    """
    강제하 강화하 고용주 고유성 고의성 고정성 고치기 고형식 공무원 공유하 구성원 구성하 구연산 구현하
    국가라 국정원 권장하 기기명 기다리 기도하 기병대 나로서 나을수 나이별 남해안 노동자 노숙자 노인성
    도덕성 모세관 모호성 문자지 박동수 반대하 반성문 방광경 방문하 방영하 방화복 배신자 배우자 백병전
    변호하 변화하 서양인 선수단 선정하 선진국 선천성 선호도 선호하 설명하 설치하 성인기 소아기 소유권
    소유라 소유주 소지하 소화기 승무원 신경성 신대학 신의주 신청서 신청자 심도자 심인성 심장병 심장성
    안정성 안정제 어리석 연애인 연예인 연하곤 연화제 예정대 예진실 왕세자 용서하 우려하 우승자 우연성
    우주선 원인균 원자로 원주민 위장관 위치한 위하수 위해서 유나신 유대인 유동성 유동식 유아기 유연성
    유용성 유일한 유지하 유치원 유효성 육아종 이동성 이미지 이민자 이소성 이수해 이완제 이용하 이유만
    이유식 이자율 이해하 이형성 이환기 인대성 인상하 인수인 인용문 인정하 인지도 인하하 임신기 장려하
    장애인 전도성 전라남 전문성 전성기 전신성 전이성 전자기 전화기 전화상 전화선 정도로 정리하 정보원
    정신성 정제수 제대로 제자리 제정신 제정하 제주도 제한하 조나라 조선인 조성하 조영제 조제실 조현병
    조현성 주기성 주도권 주무관 주소만 주장하 주재자 지도자 지시서 지시자 지시하 지양하 지연성 지원국
    지원자 지원하 지정하 지지율 지지자 지하철 지휘하 진나라 진단서 진정제 진주종 진해제 진화하 차지하
    천장관 천재만 최소한 최소화 최신식 최초라 추경안 추정하 추천하 표시하 표현하 하나로 하나만 하지만
    하지정 한가지 한의원 현대성 현지인
    """.split()
)
_VERB = "하"
"""The last syllable of verbs: before 는 and 도 it ends no name (`지원하는`)."""


def find_bare_korean_names(text: str) -> Iterator[Bounds]:
    """Names before a particle, at the head of a line, in a list, with blanks between, half hidden, or foreign."""
    for pattern in (_BEFORE_PARTICLE, _LEADING, _LISTED):
        yield from (_bounds(match) for match in pattern.finditer(text) if _is_name(match))
    for pattern in (_SPACED, _HIDDEN):
        yield from (_bounds(match) for match in pattern.finditer(text))
    for match in _FOREIGN.finditer(text):
        if not _ADDRESSED & {*match[match.lastindex or 1].split()}:
            yield _bounds(match)


def _bounds(match: re.Match[str]) -> Bounds:
    return match.span(match.lastindex or 1)


def _is_name(match: re.Match[str]) -> bool:
    name = match[match.lastindex or 1]
    return name not in _NO_NAMES and not (name.endswith(_VERB) and match[0][-1] in "는도")
