"""Korean discussions of the project's own: agreement that is one, and courtesy that only looks like it."""

from __future__ import annotations

import pytest

from orchestrator.core.consensus.detectors.acts import (
    AGREE,
    DISAGREE,
    OTHER,
    Act,
    act_of,
    original_act_of,
)
from orchestrator.core.consensus.detectors.text import assess_text
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.assessment import Recommendation

CONVERGED = Recommendation.CONVERGED

AGREED = {
    "the same option, said and confirmed": """
민수: 저는 B안이 좋다고 생각합니다
지영: 이유가 뭔가요?
민수: 되돌리기 쉬우니까요
지영: 그렇네요. 저도 B안으로 하겠습니다
민수: 그럼 B안으로 합시다
지영: 네, B안으로 확정하죠
""",
    "a change of mind that stays": """
민수: 저는 A안을 고르겠습니다
지영: 저는 B안을 고르겠습니다
민수: 듣고 보니 지영 님 말씀이 맞네요. 저도 B안으로 바꾸겠습니다
지영: 좋습니다. B안으로 합시다
민수: 네, B안으로 하죠
지영: 네, 좋아요
""",
    "three answers in lines of their own": """
민수: 비용과 위험을 함께 보았습니다.\\n결론: B안
지영: 되돌리기 쉽다는 점이 큽니다.\\n결론: B안
현우: 일정에도 맞습니다.\\n결론: B안
민수: 더 볼 것이 없습니다.\\n결론: B안
지영: 같은 생각입니다.\\n결론: B안
현우: 저도 같습니다.\\n결론: B안
""",
    "the same in other words": """
민수: 배포를 일주일 미루는 것이 좋겠습니다.\\n결론: 배포를 일주일 미룹시다
지영: 시험이 끝나지 않았으니까요.\\n결론: 일주일 배포를 미루는 것이 좋겠습니다
민수: 네, 동의합니다.\\n결론: 배포를 일주일 미룹시다
지영: 저도 동의합니다.\\n결론: 배포를 일주일 미룹시다
""",
}
NOT_AGREED = {
    "opposite options repeated": """
민수: 저는 A안을 고르겠습니다
지영: 저는 B안을 고르겠습니다
민수: 저는 A안입니다
지영: 저는 B안입니다
""",
    "polite disagreement": """
민수: A안으로 합시다
지영: 좋은 의견 감사합니다. 그렇긴 하지만 저는 B안이 낫다고 봅니다
민수: 말씀은 이해합니다만 A안으로 합시다
지영: 네, 일리는 있지만 저는 여전히 B안입니다
""",
    "mere politeness": """
민수: 좋은 말씀 감사합니다
지영: 저야말로 감사합니다. 많이 배웠습니다
민수: 네, 수고하셨습니다
지영: 네, 좋은 시간이었습니다
""",
    "yes to nothing": """
민수: 네, 맞습니다
지영: 네, 동의합니다
민수: 네, 그렇죠
지영: 네, 저도요
""",
    "a change of mind at the last word": """
민수: A안으로 합시다
지영: 네, A안으로 하죠
민수: 네, A안 좋습니다
지영: 다시 생각해 보니 B안이 낫겠습니다
""",
    "agreement taken back": """
민수: A안으로 합시다
지영: 네, A안으로 하죠
민수: 좋습니다. A안으로 하죠
지영: 아니요, 역시 그건 아닌 것 같습니다
""",
    "one of three holds out": """
민수: A안으로 합시다
지영: 네, A안으로 하죠
현우: 저는 반대합니다. B안이어야 합니다
민수: A안으로 하죠
지영: 네, A안입니다
현우: 그래도 저는 B안입니다
""",
    "opposites in nearly the same words": """
민수: 시간이 없습니다.\\n결론: 오늘 배포합시다
지영: 시험이 남았습니다.\\n결론: 내일 배포합시다
민수: 그래도 급합니다.\\n결론: 오늘 배포합시다
지영: 그래도 위험합니다.\\n결론: 내일 배포합시다
""",
    "a negation at the end": """
민수: 빠릅니다.\\n결론: 캐시를 동기 방식으로 운영합니다
지영: 느립니다.\\n결론: 캐시를 동기 방식으로 운영하지 않습니다
민수: 빠릅니다.\\n결론: 캐시를 동기 방식으로 운영합니다
지영: 느립니다.\\n결론: 캐시를 동기 방식으로 운영하지 않습니다
""",
    "agreement under a condition": """
민수: A안으로 합시다
지영: 비용이 줄어든다면 동의할 수도 있겠습니다
민수: A안으로 하죠
지영: 비용이 줄어야 동의할 수 있습니다
""",
    "who only nods once": """
민수: A안으로 합시다
지영: 글쎄요, 생각해 보겠습니다
민수: A안으로 하죠
지영: 네
""",
    "nobody says no, nobody says yes": """
민수: A안을 검토했습니다
지영: B안도 검토했습니다
민수: 둘 다 장단점이 있습니다
지영: 그렇습니다. 둘 다 장단점이 있네요
""",
}


def rounds_of(text: str) -> list[RoundTaken]:
    lines = [line.replace("\\n", "\n").split(": ", 1) for line in text.strip().splitlines()]
    return [
        RoundTaken(number, "debate", (Contribution(who, "debate", said),))
        for number, (who, said) in enumerate(lines, 1)
    ]


@pytest.mark.parametrize("text", AGREED.values(), ids=AGREED)
def test_agreement_that_was_said_converges(text: str) -> None:
    assert assess_text(rounds_of(text)).recommendation is CONVERGED


@pytest.mark.parametrize("text", NOT_AGREED.values(), ids=NOT_AGREED)
def test_what_only_looks_like_agreement_never_converges(text: str) -> None:
    assert assess_text(rounds_of(text)).recommendation is not CONVERGED


@pytest.mark.parametrize(
    ("text", "stance"),
    [
        ("저도 그렇게 생각합니다", AGREE),
        ("같은 의견입니다", AGREE),
        ("이견 없습니다", AGREE),
        ("반대하지 않습니다", AGREE),
        ("동의하지 않을 이유가 없습니다", AGREE),
        ("아니요, 저도 같은 생각입니다", AGREE),
        ("제가 잘못 생각했네요", AGREE),
        ("처음에는 반대했지만 지금은 동의합니다", AGREE),
        ("그렇긴 하지만 비용이 너무 큽니다", DISAGREE),
        ("좋은 의견이지만 동의하기 어렵습니다", DISAGREE),
        ("좋습니다만 비용이 걱정입니다", DISAGREE),
        ("동의는 하지만 시기가 문제입니다", DISAGREE),
        ("맞는 말씀인데 저는 생각이 다릅니다", DISAGREE),
        ("그렇게까지 할 필요는 없습니다", DISAGREE),
        ("저는 다르게 봅니다", DISAGREE),
        ("네, 감사합니다", OTHER),
        ("네, 수고하셨습니다", OTHER),
        ("비용이 줄어야 동의할 수 있습니다", OTHER),
        ("동의하시나요?", OTHER),
    ],
)
def test_a_turn_is_heard_by_what_follows_its_but(text: str, stance: str) -> None:
    assert act_of(text, "A안으로 합시다").stance == stance


@pytest.mark.parametrize(
    "text",
    [
        "검토해 보겠습니다",
        "네, 검토해 보겠습니다",
        "좋은 의견입니다. 한번 살펴보겠습니다.",
        "좋습니다, 내일 다시 논의하시죠.",
        "결과가 좋으면 B안입니다",
        "통과했을 때만 동의합니다",
        "테스트가 통과되는 대로 동의하겠습니다.",
        "예산이 확보된다는 전제하에 찬성입니다.",
        "B가 실패할 경우에는 A안에 찬성합니다.",
        "아직 동의하기는 이릅니다.",
        "동의 여부는 내일 알려 드리겠습니다.",
    ],
)
def test_courtesy_and_conditions_agree_to_nothing_yet(text: str) -> None:
    act = act_of(text, "A안으로 합시다")
    assert act.stance == OTHER
    assert act.agree == 0
    assert act.propose < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "그렇게 하면 비용이 줄어드니 찬성합니다.",
        "동의합니다. 세부 사항은 검토해 보겠습니다.",
        "그 조건이면 저도 찬성합니다.",
        "그렇다면 저도 동의합니다.",
        "검토해 보니 A안이 맞습니다.",
        "말씀하신 대로 A안이 좋습니다.",
        "조건 없이 찬성합니다.",
    ],
)
def test_what_takes_up_a_condition_or_gives_a_reason_agrees(text: str) -> None:
    assert act_of(text, "A안으로 합시다").stance == AGREE


def test_the_first_rules_read_turns_as_they_did() -> None:
    assert original_act_of("통과했을 때만 동의합니다", "A안으로 합시다").agree > 0.5
    essay = "I still believe that the log is better. " + "It keeps every event. " * 20
    assert original_act_of(essay) == Act(disagree=0.8)
    assert original_act_of("No, that is wrong.", "It works.").side == ""


@pytest.mark.parametrize(
    ("text", "stance"),
    [("F안 반대", DISAGREE), ("2번안 찬성합니다", AGREE)],
)
def test_the_word_for_a_plan_is_no_negation(text: str, stance: str) -> None:
    assert act_of(text, "F안으로 합시다").stance == stance
