"""Korean names of people in clinical text: a surname with one or two syllables, by what stands beside it.

A surname's syllable begins many other words (`고혈압`, `심부전`), so a label (`성명:`), a way of address (`님`) or an
age has to stand beside a name once; it is then found everywhere in the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.patterns import regex
from shared.text.masking.korean_bare_names import find_bare_korean_names
from shared.text.masking.person_names import NAME, Place

_SURNAMES = (
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민나진지엄채원천방공현함변염여추"
    "도소석선설마길연위표명기반왕금옥육인맹제모탁국어은편용봉복승음빈피좌예범태"
)
_K = rf"(?:(?:남궁|황보|제갈|사공|선우|서문|독고|동방)[가-힣]{{1,2}}|[{_SURNAMES}][가-힣]{{1,2}})"
_LABELLED = regex(
    r"(?:성[ \t]{0,4}명|이[ \t]{0,4}름|환자명|수진자명?|보호자명?|주치의|담당(?:의사?|교수)|집도의|수술(?:의|자)|"
    r"시술(?:의|자)|마취의|지도교수|의[ \t]?사|간호사|작성(?:자|의)|검사자|판독의|기록자|서명자?|의뢰의|처방의|환자)"
    rf"[ \t]{{0,3}}[:：][ \t]{{0,3}}({_K})(?![가-힣])"
)
_BARE = regex(
    r"(?<![가-힣])(?:성명|이름|환자명|담당의|담당교수|집도의|수술자|시술자|마취의|작성자|판독의)[ \t]{1,3}"
    rf"({_K})(?![가-힣])"
)
_GIVEN = (
    "가강건경관광교구국군권규균근기길나남노다단담대덕도동두라란래려련령로록루륜률리린림만명무문미민범별병보복본봄봉빈빛산삼상"
    "새서석선설섭성세소솔송수숙순술숭슬승시식신아안애양억언여연열엽영예오옥온완용우욱운웅원월위유윤율은을의이익인일임자장재전정"
    "제조종주준중지진찬창채천철청초춘충치태택평표필하학한항해향헌혁현형혜호홍화환회효후훈휘흔희흠금람말결누늘랑마샘엘잎참타"
)
_G = rf"(?:(?:남궁|황보|제갈|사공|선우|서문|독고|동방)[{_GIVEN}]{{1,2}}|[{_SURNAMES}][{_GIVEN}]{{2}})"
"""A name of three syllables of which the last two are usual in given names (registry of the Supreme Court of Korea)."""
_END = r"(?![가-힣])|(?=님|씨|[은는이가을를의와과도](?![가-힣])|에게|께|으?로(?![가-힣])|선생|교수|환자)"
_AT_ROLE = regex(
    r"(?:환자|보호자|주치의|담당[ ]?(?:의사|의|교수|간호사)?|집도의|보조의|마취의|(?:제?[ ]?\d[ ]?)?조수|"
    r"간호사|의사|교수|전공의|전문의|수신자?|"
    r"발신자?|판독의?|기록자?|서명|작성자?|의뢰(?:의사|의|인)?|처방의?|통역사?|사회복지사|약사|"
    r"상담(?:사|원)|치료사|임상심리사|영양사|성함|이름|성명|(?:응급|비상)[ ]?연락(?:망|처)|RN|"
    r"\bDr\.?|\bPt\.?|\b[Nn]ame|\bMD)(?:[ ]?(?:이름|성함|성명|연락처))?"
    rf"(?:[ \t]{{0,3}}[:：/(\[][ \t]{{0,3}}|[ \t]{{1,3}})({_G})(?:{_END})"
)
_LISTED = regex(
    rf"(?:^|[\[(|/,]|[ \t])({_G})[ \t]*[/|,(\[][ \t]*(?:\d{{1,3}}[ ]?세|[MF남여](?![가-힣A-Za-z])|"
    rf"(?:남|여)[자성](?![가-힣]))"
    rf"|(?<![가-힣])({_G})[ \t]+(?:[MF남여]|남자|여자|남성|여성)[ \t]*[/,|][ \t]*\d{{1,3}}",
    re.MULTILINE,
)
_BESIDE_NUMBER = regex(
    rf"(?<!\d)\d{{6,10}}\.?[ \t]{{1,4}}({_G})(?![가-힣])"
    rf"|(?<![가-힣])({_G})(?:,[ \t]?\d{{2,4}}(?:\.|년)|[ \t](?:RN|MD|NP)\b)"
)
_RELATED = regex(
    rf"(?<![가-힣])({_G})[ \t]?[,(/][ \t]?(?:딸|아들|남편|아내|부인|처|어머니|아버지|모친?|부친?|"
    rf"언니|누나|오빠|형|동생|며느리|사위|"
    r"배우자|손자|손녀|보호자|본인)(?![가-힣])"
)
_CALLED = regex(
    rf"(?<![가-힣])({_K})[ \t]?"
    r"(?=님(?![가-힣])|님[은는이가의을께]|씨(?![가-힣])|씨[는가의를]|교수|선생|원장|과장|전문의|전공의|수?간호사)"
)
_AGED = regex(
    rf"(?<![가-힣])({_K})(?:[은는이가]|님[은이]?|,)?[ \t]{{0,2}}(?:[(/|][ \t]{{0,2}})?(?:만[ \t]?)?"
    r"(?:\d{1,3}[ \t]?세(?![기대])|[MF남여]자?[ \t]?[/,|][ \t]?\d{1,3}|\d{1,3}[ \t]?[/,|][ \t]?[MF남여])"
)
_PATIENT = regex(rf"(?<![가-힣])({_K})(?= ?환자)|환자[ \t]({_K})(?=[은는이가의님(,]|[ \t]?\()")
_HANGUL = regex("[가-힣]+")
_RELATIVE = regex(
    r"(?<![가-힣])(?:딸|아들|남편|아내|부인|어머니|아버지|모친|부친|언니|누나|오빠|형|동생|며느리|사위|배우자|"
    r"보호자)[ \t(]"
    rf"({_K})(?=[와과이가는은을를의]|님|[ \t(),.])"
)
_NO_NAMES = frozenset(
    """
    국내 국립 환자 남자 여자 남성 여성 성인 소아 노인 고령 임신 정상 대조 이번 이전 현재 당시 진단 진단시
    내원 내원시 발병
    발병시 입원 입원시 수술 배우자 어머니 아버지 아들 남편 아내 부인 본인 형제 없음 미상 동일 상동 확인 고혈압
    심부전 신부전 조현병 유방암 위암 전립선 천식 장염 주치의 담당의 전문의 전공의 간호사 선생님 교수님 의료진 보호자
    심혈관 신장암 고지혈 정신과 안과 신경과 성형 외과 내과 이비인후 소화기 심한 지속 임상 기존 기저 상기 안정 경증
    중증 전체 모든 일반 위험 고위험 저위험 중환자 응급 외래 신규 초진 재진 이후 주요 주된 최근 최초 한국 서울 전신
    전이 전이암 폐암 간암 대장암 방광암 이식 투석 심장 신장 위장 고도 정도 기타 이상 오전 오후 우측 좌측 양측 하지
    상지 주소 주치 나이 연령 성별 남아 여아 원인 성명 이름 한명 여러 조기 우울증 공황 지체 하루 이틀 사흘 이미 아직
    여전 도중 추정 소견
    """.split()
)
_NO_ENDINGS = tuple(
    """
    선생 암 염 병 증 압 부전 질환 장애 중독 골절 출혈 경색 과 형 통 열 종 환자 당시 이후 의사 간호 수술 검사 치료 진료
    병원 센터 때 군
    """.split()
)


_OF_USUAL_SYLLABLES = (_AT_ROLE, _LISTED, _BESIDE_NUMBER, _RELATED)


def find_korean_names(text: str) -> Iterator[Place]:
    """Names beside a label, a way of address or an age, and whole ones with a particle alone."""
    for pattern in (_LABELLED, _BARE, _CALLED, _AGED, _PATIENT, _RELATIVE, *_OF_USUAL_SYLLABLES):
        for match in pattern.finditer(text):
            group = match.lastindex or 1
            start, end = match.span(group)
            if pattern is _AGED:
                end = _without_particle(text, start, end, match.end())
            needs_three = pattern in (_AGED, _BARE, _PATIENT, _RELATIVE)
            name = text[start:end]
            if _is_korean_name(name) and not (needs_three and len(name) < 3):
                yield start, end, NAME
    for start, end in find_bare_korean_names(text):
        if _is_korean_name(text[start:end]):
            yield start, end, NAME


def _without_particle(text: str, start: int, end: int, limit: int) -> int:
    """`김철수는 54세`: a name of three syllables whose last one is taken for a part of it ends before the particle."""
    if end - start > 3 and text[end - 1] in "은는이가" and limit > end:
        return end - 1
    return end


def _is_korean_name(name: str) -> bool:
    return name not in _NO_NAMES and not name.endswith(_NO_ENDINGS)


def repeated_korean_names(text: str, names: set[str]) -> Iterator[Place]:
    """Where else whole names of three syllables or more stand, also before a particle."""
    known = {name for name in names if len(name) > 2 and _HANGUL.fullmatch(name)}
    for match in _HANGUL.finditer(text) if known else ():
        for length in (5, 4, 3):
            if match[0][:length] in known:
                yield match.start(), match.start() + length, NAME
                break
