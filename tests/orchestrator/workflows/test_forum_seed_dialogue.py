"""The example dialogue of the design that the forum comes from, word for word, to its own ending."""

from typing import Any

from orchestrator.core.replay.commands import Turn
from orchestrator.workflows.forum.options import ForumOptions
from shared.models.outcomes import Ending, Verdict
from shared.models.steps import StepResult
from tests.support.notices import all_words
from tests.support.question_panel import hold, say, shown, submitted

QUESTION = "이 서비스 아키텍처 어떻게 구성할까?"
GEMINI = (
    "현재 규모를 고려하면 모놀리식으로 시작하는 게 좋을 것 같습니다. "
    "너무 이른 마이크로서비스는 오버엔지니어링이 될 수 있어요."
)
CLAUDE = (
    "Gemini 의견에 동의합니다. 다만 모듈러 모놀리스 패턴을 적용하면 나중에 분리하기 쉬울 것 같아요."
)
CODEX = "두 분 의견 모두 동의합니다. 모듈러 모놀리스가 테스트하기도 편할 것 같아요."
CONCLUSION = "모듈러 모놀리스 패턴 채택\n- 현재 규모에 적합\n- 추후 마이크로서비스 분리 용이\n- 테스트 편의성"

OPENINGS = {
    "opening/Claude": "모놀리식이 낫다고 생각합니다.",
    "opening/Gemini": "모놀리식으로 시작합니다.",
    "opening/Codex": "마이크로서비스가 좋습니다.",
}
TEXTS = {
    "bid/1/Claude": "REQUEST",
    "bid/1/Gemini": "REQUEST",
    "bid/1/Codex": "PASS",
    "selection/1": "Claude와 Gemini가 발언을 원합니다.\n아키텍처 주제이므로 먼저 Gemini의 의견을\n"
    "들어보겠습니다.\n\nSELECT: Gemini",
    "speech/1/Gemini": GEMINI,
    "bid/2/Claude": "REQUEST",
    "bid/2/Codex": "REQUEST",
    "bid/2/Gemini": "PASS",
    "selection/2": "Claude가 아까부터 발언을 원했으니\nClaude에게 기회를 주겠습니다.\n\nSELECT: Claude",
    "speech/2/Claude": CLAUDE,
    "bid/3/Claude": "PASS",
    "bid/3/Codex": "REQUEST - 할 말이 있음",
    "bid/3/Gemini": "PASS - 지금은 패스",
    "selection/3": "Claude가 모듈러 모놀리스를 제안했습니다.\n"
    "Codex도 발언을 원했는데, 의견 있으신가요?\n\nSELECT: Codex",
    "speech/3/Codex": CODEX,
    "bid/4/Claude": "PASS",
    "bid/4/Codex": "PASS",
    "bid/4/Gemini": "PASS",
    "selection/4": f"모든 참여자가 모듈러 모놀리스에 동의했습니다.\n\nEND: {CONCLUSION}",
    "ballot/Claude": "동의",
    "ballot/Gemini": "동의: 현재 규모에 맞습니다.",
    "ballot/Codex": '{"position": "agree", "confidence": 0.9, "reason": "테스트하기 편합니다"}',
}


def replay_dialogue(step: Turn) -> StepResult:
    return say(step, (OPENINGS | TEXTS)[step.key])


def dialogue(**options: Any) -> Any:
    run = submitted(
        "forum",
        ForumOptions(**options),
        names=("Claude", "Gemini", "Codex"),
        text=QUESTION,
        language="ko",
    )
    return hold(run, replay_dialogue)


def test_the_dialogue_ends_with_the_conclusion_of_the_design() -> None:
    outcome, _ = dialogue()

    assert outcome.summary == CONCLUSION
    assert (outcome.verdict, outcome.ending) == (Verdict.ANSWERED, Ending.CONVERGED)
    assert all_words(outcome.warnings) == ()


def test_the_floor_goes_where_the_orchestrator_gave_it() -> None:
    outcome, run = dialogue()

    rounds: Any = outcome.detail["rounds"]
    assert [(one["selected"], one["selected_by"]) for one in rounds] == [
        ("Gemini", "orchestrator"),
        ("Claude", "orchestrator"),
        ("Codex", "orchestrator"),
        (None, None),
    ]
    assert [one["speech"] for one in rounds] == [GEMINI, CLAUDE, CODEX, None]
    assert rounds[0]["orchestrator_said"].startswith("Claude와 Gemini가 발언을 원합니다.")
    assert outcome.detail["stopped_by"] == "concluded"
    assert set(run.steps) == {*OPENINGS, *TEXTS}


def test_without_openings_the_steps_are_the_design_s_alone() -> None:
    outcome, run = dialogue(blind_opening=False)

    assert outcome.ending is Ending.CONVERGED
    assert set(run.steps) == set(TEXTS)


def test_all_hear_what_was_said() -> None:
    _, run = dialogue()

    for name in ("Claude", "Gemini", "Codex"):
        step = run.commands[f"bid/3/{name}"]
        assert isinstance(step, Turn)
        heard = shown(step)
        assert heard.index(QUESTION) < heard.index(GEMINI) < heard.index(CLAUDE)
        assert CODEX not in heard
