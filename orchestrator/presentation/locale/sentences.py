"""What a run says of itself, in the reader's language.

Workflows write their reasons and warnings in English, once: they are stored, compared and counted, and the JSON keeps
them as they are. For people they are translated here, by pattern. A sentence that no pattern knows stays as it is;
tests/orchestrator/presentation/locale/test_sentences.py runs every workflow and fails when one does.
"""

from __future__ import annotations

import re
from functools import lru_cache

# English with {names}, Korean with the same ones. A name that ends in `_` is a sentence of its own; those of
# _NUMBERS are numbers.
_KOREAN: dict[str, str] = {
    # ---- rulings after a round (core/convergence.py)
    "nobody raised anything: there was nothing to agree on": "아무도 지적하지 않아 합의할 것이 없음",
    "nobody of the quorum raised anything; missing: {who}": "참석자 중 아무도 지적하지 않음. 불참: {who}",
    "the participants agree, and their positions have not changed": "참가자들이 동의하고 입장이 바뀌지 않음",
    "the participants agree, which no further round has confirmed": "참가자들이 동의하나 다음 라운드에서 확인되지 않음",
    "the wording converged, but a contribution is missing": "표현은 수렴했으나 빠진 응답이 있음",
    "the budget is used up: {rest_}": "예산 소진: {rest_}",
    "the budget is used up": "예산이 소진됨",
    "{n} of {all} answered, {needed} are needed": "{all}명 중 {n}명 응답, {needed}명 필요",
    "{n} of {all} answered, {needed} is needed": "{all}명 중 {n}명 응답, {needed}명 필요",
    "that was the last round, and {rest_}": "마지막 라운드였고, {rest_}",
    "the budget does not cover another round, and {rest_}": "예산이 다음 라운드에 부족하고, {rest_}",
    "there and back again: {trails}": "입장이 거듭 번복됨: {trails}",
    "everybody repeats their last turn with {rest_}": "모두 직전 발언을 되풀이함, {rest_}",
    "positions have settled without agreement, with {rest_}": "합의 없이 입장이 굳어짐, {rest_}",
    "nothing open": "미해결 항목 없음",
    "{findings} open": "미해결 항목: {findings}",
    "{n} new findings have not been answered": "새 지적 {n}건에 아직 답이 없음",
    "{n} new finding has not been answered": "새 지적 {n}건에 아직 답이 없음",
    "nothing was raised, but silence is not approval: missing {who}": "지적은 없지만 침묵은 승인이 아님. 불참: {who}",
    "the participants do not agree yet, with {rest_}": "아직 합의하지 않음, {rest_}",
    "missing: {who}": "불참: {who}",
    "something does not count that may rest on a turn that is missing": (
        "빠진 발언에 근거할 수 있어 세지 않은 것이 있음"
    ),
    "nobody has reviewed the other lens yet": "아직 아무도 다른 관점을 검토하지 않음",
    # ---- the gate (core/verdict.py)
    "no severity was set to fail on": "실패 기준 심각도가 없음",
    "{findings} at {severity} or worse": "{severity} 이상: {findings}",
    "the discussion ended {how}": "토론 종료: {how}",
    "{findings} undecided": "미결: {findings}",
    "{findings} asked to be fixed and not shown": "근거는 없지만 수정 요청이 있음: {findings}",
    "{findings} disputed: called {severity} or worse": "심각도 이견: {findings} ({severity} 이상이라는 의견이 있음)",
    "converged, and nothing stands at {severity} or worse": "수렴했고 {severity} 이상 남은 지적이 없음",
    "nobody read {files}": "아무도 읽지 않음: {files}",
    "analysis is missing: {who}": "빠진 분석: {who}",
    "the debaters do not agree": "토론자들이 합의하지 않음",
    "the debaters agree on the verdict": "토론자들이 판정에 동의함",
    "the debaters agree on something else": "토론자들이 판정과 다른 것에 합의함",
    "the debaters agree, and whether on the verdict cannot be told": (
        "토론자들이 합의했으나 판정에 대한 것인지 알 수 없음"
    ),
    # ---- absences
    "{who} did not answer in {where_} ({n}/{all} did): {why}": "{who} 불참, {where_} (응답 {n}/{all}): {why}",
    "round {n}": "{n}라운드",
    "the opening vote": "첫 투표",
    "the blind opening": "첫 투표",
    "the ballot": "표결",
    "{who} did not answer ({n}/{all} did): {why}": "{who} 불참 (응답 {n}/{all}): {why}",
    "{who} could not synthesise ({why}): the rounds stand as they were": (
        "{who} 종합 실패 ({why}): 라운드 결과를 그대로 둠"
    ),
    "{who} could not synthesise ({why}): the findings are counted by code": (
        "{who} 종합 실패 ({why}): 지적을 코드로 집계함"
    ),
    "{who} could not synthesise ({why}): the answers stand one after another": (
        "{who} 종합 실패 ({why}): 답변을 차례로 둠"
    ),
    # ---- ask
    "no ranking: it takes {needed} answers, and there are {n}": "순위 없음: 답변 {needed}개가 필요하나 {n}개뿐",
    "{who} did not rank: {why}": "{who} 순위를 매기지 않음: {why}",
    "{who} ranked none of the answers that it was shown": "{who} 보여 준 답변에 순위를 하나도 매기지 않음",
    # ---- forum
    "the orchestrator ended the discussion": "진행자가 토론을 끝냄",
    "nobody had anything left to say": "더 할 말이 있는 참가자가 없음",
    "the last round was over": "마지막 라운드가 끝남",
    "the time was up": "시간이 다 됨",
    "the speeches repeated themselves": "발언이 되풀이됨",
    "the speeches repeat earlier ones": "발언이 이전 발언을 되풀이함",
    "the speeches went there and back again": "발언에서 입장이 거듭 번복됨",
    "nobody answered the floor request any more": "발언권 요청에 더 이상 아무도 답하지 않음",
    "the budget was used up": "예산이 소진됨",
    "the run's deadline had passed": "실행 기한이 지남",
    "{stop_}, and the ballots agree: {rest_}": "{stop_}, 표결이 일치함: {rest_}",
    "{stop_}, and the ballots do not agree: {rest_}": "{stop_}, 표결이 일치하지 않음: {rest_}",
    "{stop_}, and the budget did not cover the ballots: {rest_}": "{stop_}, 예산이 표결에 부족함: {rest_}",
    "{stop_}, and the budget did not cover a conclusion": "{stop_}, 예산이 결론에 부족함",
    "{stop_}, and too few voted: {rest_}": "{stop_}, 투표가 부족함: {rest_}",
    "{n} of {all} took a position, support {x} ({y} by confidence) of {z} needed": (
        "{all}명 중 {n}명이 입장을 밝힘, 지지 {x} (확신도 가중 {y}), 필요 {z}"
    ),
    "{n} of {all} took a position, support {x}": "{all}명 중 {n}명이 입장을 밝힘, 지지 {x}",
    "no ballot was held on the conclusion": "결론에 대한 표결을 하지 않음",
    "{stop_}, and no ballot was held": "{stop_}, 표결을 하지 않음",
    "{stop_}, and no speaker brought out a word": "{stop_}, 아무도 발언하지 못함",
    "{stop_}, and there is no conclusion": "{stop_}, 결론이 없음",
    "the discussion ended without a conclusion": "토론이 결론 없이 끝남",
    "the discussion ended without a conclusion: {who} could not give one ({why})": (
        "토론이 결론 없이 끝남: {who} 결론을 내지 못함 ({why})"
    ),
    "{who} did not answer the floor request in round {n} ({x}/{y} did), which counts as a pass: {why}": (
        "{who} {n}라운드 발언권 요청에 답하지 않아 패스로 셈 (응답 {x}/{y}): {why}"
    ),
    "{who} selected nobody in round {n} ({why}): the rule gives the floor from now on": (
        "{who} {n}라운드에 아무도 선택하지 않음 ({why}): 이제부터 규칙이 발언권을 줌"
    ),
    "{who} selected nobody in round {n} ({why}): the rule gives the floor": (
        "{who} {n}라운드에 아무도 선택하지 않음 ({why}): 규칙이 발언권을 줌"
    ),
    "round {n}: {who} has waited longest": "{n}라운드: {who} 가장 오래 기다려 발언권을 받음",
    "round {n}: {who} is given the floor by rule: nobody is called {wished}": (
        "{n}라운드: 규칙에 따라 {who}에게 발언권: {wished} 없음"
    ),
    "round {n}: {who} is given the floor by rule: {wished} had not asked for it": (
        "{n}라운드: 규칙에 따라 {who}에게 발언권: {wished} 요청하지 않았음"
    ),
    "round {n}: {who} is given the floor by rule: {wished} spoke last and others ask": (
        "{n}라운드: 규칙에 따라 {who}에게 발언권: {wished} 직전 발언자이고 다른 참가자가 요청함"
    ),
    "round {n}: {who} is given the floor by rule: nobody had spoken when the orchestrator wanted to end": (
        "{n}라운드: 규칙에 따라 {who}에게 발언권: 아무도 발언하기 전에 진행자가 끝내려 함"
    ),
    "{who} had the floor in round {n} and said nothing: {why}": (
        "{who} {n}라운드에 발언권을 얻고 말하지 않음: {why}"
    ),
    "{who} did not vote on the conclusion: {why}": "{who} 결론에 투표하지 않음: {why}",
    "all votes come from one family of models: they count as one vote": "모든 표가 한 모델 계열에서 나와 한 표로 셈",
    "{who} still wanted to speak when the orchestrator ended the discussion": (
        "진행자가 토론을 끝낼 때 {who} 아직 발언을 원했음"
    ),
    # ---- plan
    "the plan stays as it was": "계획을 그대로 둠",
    "version {n} of the plan was not decided on: {why_}": "계획 버전 {n}에 대한 결정이 없음: {why_}",
    "the limit of revisions ({n}) is reached": "수정 한도 {n}회에 도달함",
    "{who} follows rules and takes no part in the debate of a plan": "{who} 규칙 기반이라 계획 토론에 참여하지 않음",
    "{who} brought back the same plan: there is nothing new to debate": (
        "{who} 같은 계획을 다시 냄: 새로 토론할 것이 없음"
    ),
    "{who} wrote no plan ({why})": "{who} 계획을 쓰지 못함 ({why})",
    # ---- panel
    "the debate was broken off": "토론이 중단됨",
    "the budget did not cover the votes": "예산이 투표에 부족함",
    "the votes agree on {position}": "투표 결과가 하나로 모임: {position}",
    "the votes agree, the debate did not": "투표는 일치하나 토론은 그렇지 않았음",
    "the votes agree, but {who} may have swung in a missing turn": (
        "투표는 일치하나 {who}의 입장이 빠진 발언에서 바뀌었을 수 있음"
    ),
    "the votes contradict it": "투표가 이와 어긋남",
    "too few voted, missing: {who}": "투표가 부족함. 불참: {who}",
    "the moderator scored {x} of {y} needed, and no position is contested": (
        "사회자 점수 {x} (필요 {y}), 다투는 입장이 없음"
    ),
    "the moderator scored {x}, but {findings} contested": "사회자 점수 {x}, 그러나 다투는 입장: {findings}",
    "{who} follows rules and takes no part in a debate": "{who} 규칙 기반이라 토론에 참여하지 않음",
    "the judge {who} is of one family with {others}": "심판 {who} 다음 토론자와 같은 계열: {others}",
    "{who} gave no verdict ({why}): the votes stand": "{who} 판정을 내지 못함 ({why}): 투표 결과를 따름",
    "{who} stated no usable confidence": "{who} 쓸 수 있는 확신도를 밝히지 않음",
    "{who}'s verdict is {choice}, the votes agree on {leading}": "{who}의 판정은 {choice}, 투표 결과는 {leading}",
    "{who} voted for something that nobody proposed": "{who} 아무도 제안하지 않은 것에 투표함",
    "{who} did not moderate round {n}: {why}": "{who} {n}라운드를 평가하지 않음: {why}",
    "{who} gave no usable score for round {n}": "{who} {n}라운드에 쓸 수 있는 점수를 내지 않음",
    # ---- review
    "{who} proposed no fix: {why}": "{who} 수정안을 내지 않음: {why}",
    "the fixes could not be checked: {why}": "수정안을 확인할 수 없음: {why}",
    "the fix was not applied: {why}": "수정이 적용되지 않음: {why}",
    "the selected findings cannot be fixed apart from others: nothing was applied": (
        "선택한 지적만 따로 수정할 수 없어 아무것도 적용하지 않음"
    ),
    # ---- caveats of findings (core/evidence.py, core/findings.py)
    "its quotation does not occur in the subject": "인용한 문구가 대상에 없음",
    "its quotation does not occur in anything that was given or said by others": (
        "인용한 문구가 주어진 자료나 다른 참가자의 말에 없음"
    ),
    "its quotation does not occur in what is known, and may be from a turn that is missing": (
        "인용한 문구가 알려진 자료에 없으며, 빠진 발언에서 왔을 수 있음"
    ),
    "it quotes nothing, and its place {place} is not in the change": "인용이 없고 위치({place})도 변경 안에 없음",
    "it shows neither a quotation nor a place in the change": "인용도 변경 안의 위치도 없음",
    "a denial of a grave finding needs a quotation from the subject": "중대한 지적을 부인하려면 인용이 필요함",
    "a denial of a grave finding whose quotation does not exist": "중대한 지적을 부인하는 인용이 존재하지 않음",
    "placed where its quotation stands, not at {place}": "{place} 대신 인용이 있는 곳에 둠",
    "{severity} by {who} not counted: {why_}": "{who}의 {severity} 판단은 세지 않음: {why_}",
    "called {severity} by {who} without a reason": "{who} 이유 없이 {severity}로 판단함",
    "names a file that the change does not touch": "변경이 건드리지 않은 파일을 가리킴",
    "not on a changed line": "변경된 줄이 아님",
    # ---- replays and comparisons (orchestrator/whatif)
    "recorded with version {n} of the workflow {workflow}; this Quorate has version {x}": (
        "{workflow} 워크플로의 버전 {n}에서 기록됨, 지금 Quorate의 버전은 {x}"
    ),
    (
        "this version computes the run otherwise under its own rules, too, and not all that changes is due to others: "
        "`quorate replay {run}` shows where"
    ): "이 버전은 원래 규칙으로도 다르게 계산하므로 바꾼 규칙만의 영향이 아님: `quorate replay {run}`에서 확인",
    "the workflow asks for another turn of that name": "워크플로가 같은 이름의 다른 차례를 요청함",
    "the workflow does not ask for it": "워크플로가 요청하지 않음",
    "the workflow does not come to it": "워크플로가 여기에 이르지 않음",
    "not reached: steps are open": "이르지 못함: 진행 중인 차례가 있음",
    "not reached: {steps}": "이르지 못함: {steps}",
    "{run} is a fork of {other} from {at}": "{run} 실행은 {other}의 {at}부터 갈라짐",
    "both are forks of {run}": "둘 다 {run}에서 갈라진 실행",
    "one is a run of {workflow}, the other of {other}": "워크플로가 서로 다름: {workflow}, {other}",
    "the same subject": "같은 대상",
    "the same run": "같은 실행",
    "two subjects": "서로 다른 대상",
    # ---- questions to a person
    "Apply the fix, or skip and continue?": "수정을 적용할까요, 건너뛰고 계속할까요?",
    "Revise the plan, or accept it as it is?": "계획을 수정할까요, 그대로 받아들일까요?",
}
# Why a turn failed or waits: the words of workers and of providers, of which the most frequent are told in Korean.
_REASONS: dict[str, str] = {
    "timeout: {who} did not answer within {n} s.": "시간 초과: {who} {n}초 안에 응답하지 않음",
    "over_budget: the run's budget of {what} is used up": "예산 초과: {what} 예산 소진",
    "unparseable: {who} answered twice in an unusable form: {rest}": (
        "해석 불가: {who} 두 번 다 쓸 수 없는 형식으로 답함: {rest}"
    ),
    "{who} answered twice in an unusable form: {rest}": "{who} 두 번 다 쓸 수 없는 형식으로 답함: {rest}",
    "the run's budget of {what} is used up": "{what} 예산 소진",
    # ---- what a turn waits for (workers/limits, workers/providers)
    "{who} waits for a person's answer: {command}.": "{who} 사람의 답변을 기다림: {command}",
    "{who} waits for a usable answer, the last one was none: {command}.": (
        "{who} 쓸 수 있는 답변을 기다림(지난 답변은 쓸 수 없었음): {command}"
    ),
    "{who} waits: an operator paused '{name}' ({command}).": "{who} 대기: 운영자가 '{name}' 중지함 ({command})",
    "{who} waits: another turn tries whether its provider is back.": (
        "{who} 대기: 제공자가 돌아왔는지 다른 차례가 확인하는 중"
    ),
    "{who} waits: another turn tries whether its provider is back ({kind}).": (
        "{who} 대기: 제공자가 돌아왔는지 다른 차례가 확인하는 중({kind})"
    ),
    "{who}'s key was refused a moment ago ({kind}); it is tried again in {n} s.": (
        "{who} 키가 조금 전에 거절됨({kind}), {n}초 뒤 다시 시도"
    ),
    "{who} waits: another turn uses its browser profile.": "{who} 대기: 다른 차례가 브라우저 프로필을 쓰는 중",
    "{who} waits: calls under way have reserved the rest of the budget.": (
        "{who} 대기: 진행 중인 호출이 남은 예산을 예약함"
    ),
    "{who} waits {n} s: its provider asked for a pause.": "{who} {n}초 대기: 제공자가 잠시 멈추라고 함",
    "{who} waits {n} s: its account's limit (rpm, tpm or parallel) is used up.": (
        "{who} {n}초 대기: 계정 한도(rpm, tpm 또는 동시 호출)를 다 씀"
    ),
    "{who}'s provider failed again and again ({kind}); it is tried again in {n} s.": (
        "{who} 제공자가 거듭 실패함({kind}), {n}초 뒤 다시 시도"
    ),
    "{rest}; it is asked again in {n} s.": "{rest}; {n}초 뒤 다시 물음",
}
_NAME = re.compile(r"\\{(\w+)\\}")
_NUMBERS = frozenset({"n", "all", "needed", "x", "y", "z"})
# Lists of names end where the next sentence begins; a reason (`why`) may hold anything.
_LISTS = frozenset({"who", "others", "findings", "trails"})


def told(sentence: str, language: str) -> str:
    """A sentence of a workflow for a reader of `language`; what nobody can translate is told as it is."""
    return sentence if language != "ko" else _korean(sentence)


MOST_SENTENCES = 50
LONGEST_SENTENCE = 4_000


@lru_cache(maxsize=1024)
def _korean(sentence: str, depth: int = 0) -> str:
    """Sentences within sentences and beside them; a stranger's words may hold thousands, which stay as they are."""
    if depth > MOST_SENTENCES or len(sentence) > LONGEST_SENTENCE:
        return sentence
    for pattern, korean in _patterns():
        found = pattern.fullmatch(sentence)
        if found is not None:
            words = found.groupdict()
            return korean.format(
                **{
                    name: _korean(word, depth + 1) if name.endswith("_") else _plain(name, word)
                    for name, word in words.items()
                }
            )
    if (reason := _reason(sentence)) != sentence:
        return reason
    first, semicolon, rest = sentence.partition("; ")
    return f"{_korean(first, depth + 1)}; {_korean(rest, depth + 1)}" if semicolon else sentence


def _plain(name: str, word: str) -> str:
    """`ada on F1` is `ada: F1`, and reasons that are known are told; everything else stays as it is."""
    if name == "why":
        return _reason(word)
    return word.replace(" on ", ": ") if name == "trails" else word


def _reason(word: str) -> str:
    for pattern, korean in _reasons():
        if (found := pattern.fullmatch(word)) is not None:
            return korean.format(**found.groupdict())
    return word


@lru_cache(maxsize=1)
def _reasons() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((_pattern(english), korean) for english, korean in _REASONS.items())


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The table as patterns, the most particular ones first: those with the most fixed letters."""
    ordered = sorted(_KOREAN.items(), key=lambda pair: -len(re.sub(r"\{\w+\}", "", pair[0])))
    return tuple((_pattern(english), korean) for english, korean in ordered)


def _pattern(english: str) -> re.Pattern[str]:
    return re.compile(_NAME.sub(_group, re.escape(english)), re.DOTALL)


def _group(found: re.Match[str]) -> str:
    shape = "[0-9.]+" if found[1] in _NUMBERS else "[^;]+?" if found[1] in _LISTS else ".+?"
    return f"(?P<{found[1]}>{shape})"
