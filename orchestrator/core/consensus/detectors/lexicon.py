"""Words that mean the same or the contrary, and words that say nothing: what comparing two answers rests on.

A line of `_CONTRARIES` holds two sides; a word of the second side is the first side denied. A word that stands
nowhere here means only itself.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from shared.patterns import regex

_CONTRARIES = """
accept approve adopt endorse choose chose chosen pick select prefer favor favour support back recommend
/ reject refuse decline veto oppose disapprove dismiss against
keep kept retain preserve maintain / remove removal delete deletion drop discard eliminate scrap abolish ditch
necessary need needed require required requirement essential indispensable useful worthwhile vital
/ superfluous unnecessary needless redundant pointless useless unneeded dispensable
safe secure harmless / dangerous unsafe risky insecure hazardous harmful danger
good fine right correct better best sound suitable appropriate / bad wrong incorrect worse worst flawed mistaken
fast quick faster / slow slower
cheap cheaper inexpensive affordable / expensive costly pricey dearer
enable activate / disable deactivate
allow permit / forbid prohibit ban disallow block
include / exclude omit leave_out
increase raise grow expand enlarge lengthen extend more higher larger bigger longer
/ decrease lower reduce shrink shorten lessen less fewer smaller cut shorter
start begin began initiate resume / stop halt cease terminate suspend
open reopen / close closed shut
early earlier sooner / late later
true valid / false invalid
pass succeed success successful / fail failure unsuccessful
public / private
synchronous sync / asynchronous async
internal / external
lock / unlock
encrypt / decrypt
mandatory obligatory compulsory / optional voluntary
visible show display / invisible hide hidden
possible feasible / impossible infeasible
agree / disagree
in_front / behind
before / after
first / last
left / right_hand
major / minor
manual manually / automatic automatically
strict / lenient lax
win won / lose lost
buy purchase / sell sold
hire recruit / fire dismissed
"""
_SYNONYMS = """
postpone delay defer
deploy ship release publish deployment
fix repair mend
move relocate transfer
use employ utilize utilise
verify validate check
store save persist
build create make
split divide separate
combine join unite
notify inform tell alert
review inspect
add introduce insert
revert undo rollback
cancel abort
wait pause
log record
refund reimburse
user member
bug defect fault
doctor physician
replace substitute swap
explain clarify
every all each entire whole
some several part partial partly partially certain
nobody none nothing
only solely exclusively merely
test exam
rewrite redesign
twice double
"""
_PHRASES = (
    (
        r"(?:from|on) (?:my|our) (?:side|end|part)|for (?:my|our) part|as far as i(?: am|'m) concerned",
        "i",
    ),
    (r"get(?:ting)? rid of", "remove"),
    (r"put(?:ting)? off", "postpone"),
    (r"push(?:ing)? back", "postpone"),
    (r"roll(?:ing|ed)? back", "revert"),
    (r"roll(?:ing|ed)? out", "deploy"),
    (r"(?:turn|switch)(?:ing|ed)? on", "enable"),
    (r"(?:turn|switch)(?:ing|ed)? off", "disable"),
    (r"turn(?:ing|ed)? down", "reject"),
    (r"call(?:ing|ed)? off", "cancel"),
    (r"leav(?:e|ing) out", "exclude"),
    (r"in favou?r of", "accept"),
    (r"speed(?:ing)? up", "accelerate"),
    (r"at least|no (?:less|fewer) than|a minimum of", "ATLEAST"),
    (r"at most|no more than|up to|a maximum of", "ATMOST"),
    (r"more than|over(?= \d)", "MORETHAN"),
    (r"(?:less|fewer) than|under(?= \d)", "LESSTHAN"),
    (r"no longer|not any ?more", "not"),
    (r"only (?:if|when|once|after)|as long as|provided(?: that)?|on condition that|in case", "if"),
    (r"prior to|ahead of|in advance of", "before"),
    (r"followed by|and then|then(?= \w)", "THEN"),
    (r"instead of|rather than|in place of|on behalf of", "INSTEAD"),
    (r"out of", "from"),
    (r"-+>|→|=>", " to "),
    (r"have to|has to|ought to|going to|want to|need to be|needs to be|is to be", "should"),
    (
        r"(?:do(?:es)?|did|is|are|was|were|should|would|could|must|ca|wo|has|have|need)n't|cannot",
        "not",
    ),
)
_DIRECTIONS = {
    **dict.fromkeys(("to", "into", "onto", "toward", "towards"), "to"),
    **dict.fromkeys(("from", "by", "for", "over", "under", "than", "until", "via"), ""),
    **dict.fromkeys(("against", "through", "above", "below", "between"), ""),
}
SAYS_NOTHING = frozenset(
    "a an the this that these those it its is are be been being am was were i we you they he she us our my me your let"
    " let's lets should would could will shall can might do does did doing of and so then also please maybe perhaps"
    " think believe suggest propose say vote votes answer final option options plan choice proposal ok okay yes yeah"
    " well i'd i'll we'd we'll it's that's as at in on go going gone with have has had having must may get got just too"
    " very really quite completely definitely clearly strongly totally absolutely indeed again now still already"
    " anyway there here which who whom what where how both position verdict decision opinion mine too exactly simply"
    " therefore thus hence hereby but or which own right_now i'm we're they're you're i've we've while want like"
    " suggestion idea agreed agreement settled conclude conclusion it'll that'll itself them him her his their"
    " myself ourselves sure great thanks thank actually simply rather".split()
)
_SOFT_KO = regex(
    r"^(?:저는|저도|저희|우리|우린|그럼|그러면|그렇게|따라서|최종|결론|의견|생각|제안|네|예|제|그|이|저|것|수|꼭|정말|매우|아주|이제|역시|다시|그대로"
    r"|있|하|합|해|한|할|했|되|됩|돼|된|될|같|봅|보|봐|좋겠|둡|두|둔|있어야|입니다|이다|답|안|번|쪽|님|뜻|거|게|건|반드시|또|및|그리고"
    r"|투표|확정|정합|정하|가|갑|갈|나|의해|위해|대해|관해|통해|들|드립|드려|주|줍|줘)$"
)

_KO_CONTRARIES = """
채택 수용 승인 찬성 동의 선택 고르 고릅 고른 골라 골랐 택하 택합 지지 추천 뽑 받아들 허가
/ 반려 거부 거절 기각 반대 부결 배척 퇴짜 물리치 각하
유지 보존 남기 남깁 남겨 존치 두자 / 제거 삭제 폐기 없애 없앱 없앤 없앨 지우 지웁 지워 폐지 버리 버립 버려 철거
필요 필수 유용 있어야 요긴 / 불필요 쓸모없 쓸데없 무용 무의미
안전 / 위험 불안전
좋 훌륭 옳 맞 낫 나은 적절 올바르 올바른 타당 적합 / 나쁘 나쁜 나쁩 틀리 틀린 틀렸 틀립 잘못 부적절 부당 부적합
빠르 빠른 빠릅 빨리 / 느리 느린 느립 늦게
저렴 / 비싸 비싼 비쌉
켜 켭 켠 활성 / 끄 끕 꺼 끈 비활성
허용 허락 / 금지 차단 불허
포함 넣어 / 제외 빼 뺍
늘리 늘립 늘려 늘린 증가 증액 확대 인상 올리 올립 올려 높이 높입 높여 연장 증설 더 많이
/ 줄이 줄입 줄여 줄인 감소 감액 축소 인하 내리 내립 내려 낮추 낮춥 낮춰 단축 감축 덜 적게
시작 개시 착수 실행 가동 / 중단 중지 종료 끝내 끝냅 멈추 멈춥 멈춰 정지
공개 / 비공개
동기 / 비동기
내부 / 외부
유료 / 무료
성공 통과 / 실패
암호화 / 복호화
잠그 잠급 잠근 잠가 / 풀 푼 풉
의무 필수적 / 선택적 자율
가능 / 불가 불가능
먼저 우선 / 나중
전 이전에 / 후 뒤 이후
합격 / 불합격
자동 / 수동
입원 / 퇴원
오전 / 오후
사 삽 구매 구입 / 팔 팝 판매 매각
"""
_KO_SYNONYMS = """
연기 미루 미룹 미룬 미뤄 늦추 늦춥 늦춰
배포 출시 릴리스
수정 고치 고칩 고쳐 고친
변경 바꾸 바꿉 바꿔 바꾼
옮기 옮깁 옮겨 옮긴
저장 보관
검사 검증 확인 점검
사용 쓰 씁 써 쓴 이용 활용
알리 알립 알려 통지 통보 공지
기다리 기다립 기다려 대기
나누 나눕 나눠 분리 분할
합치 합칩 합쳐 통합
취소 철회
되돌리 되돌립 되돌려 복원 롤백
추가 도입
막 막습 막아
모든 모두 전체 전부 전원
일부 부분 몇몇
오직 만 뿐 한정
고객 손님
사용자 이용자 유저
사용량
검토 리뷰
두 둘
"""


@dataclass(frozen=True)
class Sense:
    """What a word stands for, and whether it denies it."""

    concept: str
    denied: bool = False


# "deletion", "deployments", "enforceable": what the verb says.
_NOMINAL = regex(r"(?<=\w{4}[ts])ions?$|(?<=\w{5})ments?$|(?<=\w{5})[ai]ble$")
_DENIED_PREFIX = regex(r"^un(?=\w{5,}(?:able|ible|ed)$)")
_DOUBLED = regex(r"([bdgklmnprt])\1$")
SHORTEST_ROOT = 3


@lru_cache(maxsize=4096)
def root_of(word: str) -> str:
    """An English word without the ending of its form."""
    if len(word) > SHORTEST_ROOT + 1 and word.endswith(("ies", "ied")):
        return word[:-3] + "y"
    if (stem := _NOMINAL.sub("", word)) != word:
        return stem.removesuffix("e")
    for ending in ("ing", "ed", "es", "s", "ly"):
        if word.endswith(ending) and len(word) - len(ending) >= SHORTEST_ROOT - (ending == "s"):
            if word.endswith("ss"):
                break
            return _DOUBLED.sub(r"\1", word.removesuffix(ending)).removesuffix("e")
    return word.removesuffix("e") if len(word) > SHORTEST_ROOT else word


def _senses(contraries: str, synonyms: str) -> dict[str, Sense]:
    """Every word of the tables; a line that begins with a stroke goes on with the one before."""
    senses: dict[str, Sense] = {}
    for line in contraries.replace("\n/", " /").strip().splitlines():
        sides = [side.split() for side in line.split("/")]
        for denied, side in enumerate(sides):
            senses.update({word: Sense(sides[0][0], bool(denied)) for word in side})
    for line in synonyms.strip().splitlines():
        first, *others = line.split()
        for word in (first, *others):
            senses.setdefault(word, Sense(first))
    return senses


_ENGLISH = {root_of(word): sense for word, sense in _senses(_CONTRARIES, _SYNONYMS).items()}
_KOREAN = _senses(_KO_CONTRARIES, _KO_SYNONYMS)
_LONGEST_KOREAN = max(map(len, _KOREAN))
_COMPILED_PHRASES = tuple(
    (
        regex(
            rf"(?<![\w']){pattern}(?![\w'])"
            if pattern[0].isalpha() or pattern[0] == "("
            else pattern
        ),
        word,
    )
    for pattern, word in _PHRASES
)


def english_sense(word: str) -> Sense:
    """What an English word stands for; a word that the tables do not have stands for its root."""
    root = root_of(word)
    if root not in _ENGLISH and (plain := _DENIED_PREFIX.sub("", word)) != word:
        sense = english_sense(plain)
        return Sense(sense.concept, not sense.denied)
    return _ENGLISH.get(root) or Sense(root)


def korean_sense(stem: str) -> Sense | None:
    """What a Korean stem stands for, by its longest known beginning; None when the tables have none."""
    for length in range(min(len(stem), _LONGEST_KOREAN), 0, -1):
        sense = _KOREAN.get(stem[:length])
        # A single syllable is a word of its own: "더" is not "더미".
        if sense is not None and (length > 1 or len(stem) == 1):
            return sense
    return None


def says_nothing_in_korean(stem: str) -> bool:
    """Words that only carry a sentence."""
    return _SOFT_KO.match(stem) is not None


def with_phrases(text: str) -> str:
    """Set phrases of several words as the one that they stand for."""
    for pattern, word in _COMPILED_PHRASES:
        text = pattern.sub(f" {word} ", text)
    return text


def direction_of(word: str) -> str:
    """Which way an English preposition points, empty for any other word."""
    return _DIRECTIONS[word] or word if word in _DIRECTIONS else ""
