"""Who debates, judges and moderates in a panel."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.participants.casting import Cast, build_cast
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.settings.loading import load_configuration
from shared.errors import ConfigurationError
from tests.support.cast_reports import in_words
from tests.support.configurations import CLAUDE, FOUR, GPT, SEED_001, THREE, TWO


def who(cast: Cast) -> list[str]:
    return [critic.name for critic in cast.panel.critics]


DECISION = {"preset": "decision"}


@pytest.mark.parametrize(
    ("keys", "debaters", "judge"),
    [
        (CLAUDE, ["claude-pragmatist", "claude-strategist", "claude-risk_analyst"], "claude-judge"),
        (TWO, ["claude-pragmatist", "gemini-strategist", "claude-risk_analyst"], "gemini-judge"),
        (THREE, ["claude-pragmatist", "gemini-strategist", "gpt-risk_analyst"], "gpt-judge"),
        (FOUR, ["claude-pragmatist", "gemini-strategist", "gpt-risk_analyst"], "grok"),
    ],
)
def test_a_presets_personas_are_one_debater_each(
    stage: Any, keys: dict[str, str], debaters: list[str], judge: str
) -> None:
    cast = stage.cast("panel", keys=keys, settings=DECISION)
    assert (who(cast), cast.panel.chair.name) == (debaters, judge)
    assert len({critic.persona for critic in cast.panel.critics}) == 3
    assert cast.panel.chair.persona is None
    assert stage.spec(cast).panel.chair.name == judge


def test_a_judge_of_a_debaters_family_is_warned_about(stage: Any) -> None:
    lone = in_words(stage.cast("panel", keys=CLAUDE, settings=DECISION)).warnings
    assert any("one family (anthropic)" in warning for warning in lone)
    three = in_words(stage.cast("panel", keys=THREE, settings=DECISION)).warnings
    assert three == ("the judge gpt-judge is of the same model family as gpt-risk_analyst.",)
    assert in_words(stage.cast("panel", keys=FOUR, settings=DECISION)).warnings == ()


def test_a_presets_moderated_debate_has_a_moderator_and_none_switches_it_off(stage: Any) -> None:
    cast = stage.cast("panel", keys=THREE, settings=DECISION)
    moderator = cast.holders["moderator"]
    assert moderator.name == "gpt-moderator"
    assert moderator.model == cast.panel.chair.model
    assert (
        "moderator"
        not in stage.cast("panel", keys=THREE, settings=DECISION, moderator="none").holders
    )
    quick = {**DECISION, "debate.strategy": "quick"}
    assert "moderator" not in stage.cast("panel", keys=THREE, settings=quick).holders


def test_without_a_preset_code_alone_sees_consensus_except_where_feedback_is_all_that_is_heard(
    stage: Any,
) -> None:
    assert "moderator" not in stage.cast("panel", keys=THREE).holders
    delphi = stage.cast("panel", keys=THREE, settings={"debate.strategy": "delphi"})
    assert "moderator" in delphi.holders
    named = stage.cast("panel", keys=THREE, moderator="claude").holders["moderator"]
    assert named.name == "claude-moderator"
    stage.user("panel: {moderator: none}")
    assert (
        "moderator"
        not in stage.cast("panel", keys=THREE, settings={"debate.strategy": "delphi"}).holders
    )


def test_a_named_judge_does_not_debate_while_two_others_can(stage: Any) -> None:
    cast = stage.cast("panel", keys=THREE, chair="gemini")
    assert (who(cast), cast.panel.chair.name) == (["claude", "gpt"], "gemini")
    cast = stage.cast("panel", keys=THREE, settings=DECISION, chair="gemini")
    assert who(cast) == ["claude-pragmatist", "gpt-strategist", "claude-risk_analyst"]
    assert cast.panel.chair.name == "gemini"


def test_a_judge_that_has_to_debate_as_well_judges_from_another_seat(stage: Any) -> None:
    for cast in (
        stage.cast("panel", keys=TWO, chair="gemini"),
        stage.cast("panel", "claude,gemini", keys=THREE, chair="gemini"),
        stage.cast("panel", "claude,gemini,chair=gemini", keys=THREE),
    ):
        assert (who(cast), cast.panel.chair.name) == (["claude", "gemini"], "gemini-judge")
        stage.spec(cast)


def test_a_left_over_model_judges(stage: Any) -> None:
    cast = stage.cast("panel", "claude,gemini", keys=THREE)
    assert (who(cast), cast.panel.chair.name) == (["claude", "gemini"], "gpt")
    stage.user("panel: {judge: claude}")
    assert stage.cast("panel", keys=FOUR).panel.chair.name == "claude"


def test_another_name_of_a_debater_is_no_model_that_is_left_over(stage: Any) -> None:
    # `codex` is another name of the model that is found as `gpt`.
    cast = stage.cast("panel", "claude,codex", keys=CLAUDE | GPT)
    assert (who(cast), cast.panel.chair.name) == (["claude", "codex"], "codex-judge")
    cast = stage.cast("panel", keys=THREE, chair="codex")
    assert (who(cast), cast.panel.chair.name) == (["claude", "gemini"], "codex")


def test_chosen_participants_take_the_presets_perspectives(stage: Any) -> None:
    cast = stage.cast("panel", "claude,gemini", keys=FOUR, settings=DECISION)
    assert who(cast) == ["claude-pragmatist", "gemini-strategist", "claude-risk_analyst"]
    stage.user(SEED_001)
    cast = stage.cast("panel", keys=FOUR, settings=DECISION)
    # The file's orchestrator judges, so it does not debate.
    assert who(cast) == ["gemini-pragmatist", "codex-strategist", "gemini-risk_analyst"]
    assert cast.panel.chair.name == "claude"
    stage.user(
        "participants: [{name: claude, persona: creative}, {name: gemini, persona: critical}]"
    )
    # A preset that was typed outranks every file.
    assert who(stage.cast("panel", keys=FOUR, settings=DECISION)) == [
        "claude-pragmatist",
        "gemini-strategist",
        "gpt-risk_analyst",
    ]


def test_a_debate_takes_two_sides(stage: Any) -> None:
    with pytest.raises(ConfigurationError, match="only claude is here: a preset with perspectives"):
        stage.cast("panel", keys=CLAUDE)


def test_people_debate_and_judge_when_they_are_named(stage: Any) -> None:
    stage.user("providers: {mina: {type: person}, jun: {type: person}}")
    with pytest.raises(ConfigurationError, match="--judge NAME"):
        stage.cast("panel", "mina,jun")
    cast = stage.cast("panel", "claude,mina", keys=CLAUDE, chair="jun")
    assert (who(cast), cast.panel.chair.name) == (["claude", "mina"], "jun")


def test_scripted_debaters_judge_from_a_seat_of_their_own(stage: Any) -> None:
    (stage.root / "s.yaml").write_text("- {reply: {position: yes}}\n")
    cast = stage.cast("panel", "scripted:s.yaml#ada", "scripted:s.yaml#bob")
    assert (who(cast), cast.panel.chair.name) == (["ada", "bob"], "bob-judge")


def test_a_persona_speaks_the_language_of_the_run(stage: Any) -> None:
    environ = stage.environ | CLAUDE
    found = load_configuration(stage.root, environ, overrides=DECISION, workflow="panel")
    korean = build_cast(
        "panel", None, found.in_language("ko"), environ, stage.root, tell=ENGLISH.translate
    )
    assert "실용주의자" in (korean.panel.critics[0].persona or "")
    lines = in_words(korean, "ko").lines
    assert lines[0].startswith("참가자: claude-pragmatist (anthropic, 외부; 토론자)")
    assert any(line.startswith("경고: 모든 모델이 한 계열(anthropic)") for line in lines)
