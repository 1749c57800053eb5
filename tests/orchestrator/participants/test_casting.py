"""Who takes part in ask, forum and plan, and in which part."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.participants.casting import Cast
from shared.errors import ConfigurationError, CredentialsRejected
from tests.support.cast_reports import in_words
from tests.support.configurations import CLAUDE, GEMINI, SEED_001, THREE, TWO


def who(cast: Cast) -> list[str]:
    return [critic.name for critic in cast.panel.critics]


# ---- everywhere -----------------------------------------------------------------------------------


@pytest.mark.parametrize("workflow", ["ask", "forum", "plan", "panel"])
def test_without_anybody_who_can_answer_nothing_starts_and_it_says_what_to_do(
    stage: Any, workflow: str
) -> None:
    with pytest.raises(CredentialsRejected) as raised:
        stage.cast(workflow)
    text = str(raised.value)
    assert "set ANTHROPIC_API_KEY" in text
    assert "install `claude`" in text
    assert max(map(len, text.splitlines()[:-1])) < 120  # the last one holds a path
    assert raised.value.exit_code == 4


def test_a_configured_model_without_its_key_is_named_as_the_reason(stage: Any) -> None:
    stage.user("providers: {far: {type: openai, model: m, api_key_env: FAR_KEY}}")
    with pytest.raises(CredentialsRejected, match="FAR_KEY"):
        stage.cast("ask")


@pytest.mark.parametrize("workflow", ["ask", "forum", "plan", "panel"])
@pytest.mark.parametrize("name", ["ruff", "analysers", "rules", "claude,bandit"])
def test_who_follows_rules_cannot_be_asked_by_name(stage: Any, workflow: str, name: str) -> None:
    with pytest.raises(ConfigurationError, match="is rule-based and answers no questions"):
        stage.cast(workflow, name, keys=CLAUDE)


def test_a_file_that_serves_reviews_too_may_name_analysers(stage: Any) -> None:
    stage.user("participants: [models, analysers]")
    cast = stage.cast("ask", keys=TWO)
    assert who(cast) == ["claude", "gemini"]
    assert any("ruff" in hint for hint in in_words(cast).hints)
    stage.user("participants: [analysers]")
    with pytest.raises(
        CredentialsRejected, match="ruff, bandit, complexity, diffcheck follow rules"
    ):
        stage.cast("ask")


@pytest.mark.parametrize("workflow", ["ask", "forum", "plan"])
def test_personas_are_dealt_in_every_discussion(stage: Any, workflow: str) -> None:
    stage.user(
        "participants: [{name: models, persona: security}, {name: models, persona: performance}]"
    )
    cast = stage.cast(workflow, keys=TWO)
    assert who(cast) == ["claude-security", "gemini-performance"]


def test_people_take_part_by_name(stage: Any) -> None:
    stage.user("providers: {mina: {type: person}}")
    cast = stage.cast("ask", "claude,mina", keys=CLAUDE)
    assert who(cast) == ["claude", "mina"]
    assert any("mina must answer within 1 h" in warning for warning in in_words(cast).warnings)
    assert who(stage.cast("ask", "mina")) == ["mina"]


def test_people_are_no_copies_of_one_another(stage: Any) -> None:
    stage.user("providers: {mina: {type: person}, jun: {type: person}}\nbudget: {per_run_time: 2d}")
    report = in_words(stage.cast("ask", "mina,jun"))
    assert (report.hints, report.warnings) == ((), ())
    assert report.found == ("mina (person; answers)", "jun (person; answers)")


def test_a_quorum_that_nobody_can_reach_is_refused(stage: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"debate\.quorum is 4, and 2 take part"):
        stage.cast("panel", keys=TWO, settings={"debate.quorum": 4})


def test_voices_of_one_family_are_warned_about_and_counted(stage: Any) -> None:
    stage.user(
        "providers:\n  a: {type: openai, model: qwen3, base_url: 'http://127.0.0.1:9/v1'}\n"
        "  b: {type: openai, model: qwen2, base_url: 'http://127.0.0.1:9/v1'}\n"
        "  c: {type: openai, model: llama3, base_url: 'http://127.0.0.1:9/v1'}\n"
    )
    alike = stage.cast("ask", "a,b")
    assert any("one family (qwen)" in warning for warning in in_words(alike).warnings)
    mixed = stage.cast("ask")
    assert in_words(mixed).warnings == ()
    assert any("3 voices count as 2 independent votes" in hint for hint in in_words(mixed).hints)


# ---- ask ------------------------------------------------------------------------------------------


def test_everybody_who_is_here_answers(stage: Any) -> None:
    cast = stage.cast("ask", keys=THREE)
    assert who(cast) == ["claude", "gemini", "gpt"]
    assert cast.panel.chair.name == "gpt"
    assert in_words(cast).found[0] == "claude (anthropic, external; answers)"
    assert who(stage.cast("ask", keys=CLAUDE)) == ["claude"]


def test_the_chair_of_a_synthesis_is_named_or_the_last_model(stage: Any) -> None:
    merged = {"ask.synthesis": True}
    assert stage.cast("ask", keys=THREE, settings=merged).panel.chair.name == "gpt"
    assert (
        stage.cast("ask", "chair=claude", keys=THREE, settings=merged).panel.chair.name == "claude"
    )
    stage.user("orchestrator: {ai: gemini}")
    cast = stage.cast("ask", keys=THREE, settings=merged)
    assert cast.panel.chair.name == "gemini"
    assert "gemini (google, external; answers, merges)" in in_words(cast).found
    with pytest.raises(
        ConfigurationError, match="'ruff' cannot merge answers: that takes one model"
    ):
        stage.cast("ask", "chair=ruff", keys=THREE, settings=merged)


def test_an_orchestrator_that_is_not_here_stands_in_nobodys_way_without_a_synthesis(
    stage: Any,
) -> None:
    stage.user("orchestrator: {ai: claude}")
    assert who(stage.cast("ask", "gemini", keys=GEMINI)) == ["gemini"]
    with pytest.raises(CredentialsRejected, match="'claude'"):
        stage.cast("ask", "gemini", keys=GEMINI, settings={"ask.synthesis": True})


def test_people_merge_only_when_they_are_named_for_it(stage: Any) -> None:
    stage.user("providers: {mina: {type: person}, jun: {type: person}}")
    merged = {"ask.synthesis": True}
    with pytest.raises(ConfigurationError, match="chair=NAME"):
        stage.cast("ask", "mina,jun", settings=merged)
    assert stage.cast("ask", "mina,jun,chair=jun", settings=merged).panel.chair.name == "jun"


# ---- forum ----------------------------------------------------------------------------------------


def test_the_seeds_file_says_who_takes_part_and_who_leads(stage: Any) -> None:
    stage.user(SEED_001)
    cast = stage.cast("forum", keys=THREE)
    assert who(cast) == ["claude", "gemini", "codex"]
    assert cast.panel.chair.name == "claude"
    assert stage.cast("forum", keys=THREE, chair="gemini").panel.chair.name == "gemini"
    assert who(stage.cast("forum", "claude,codex", keys=THREE)) == ["claude", "codex"]


def test_the_seeds_file_in_its_own_place_means_the_installed_commands(stage: Any) -> None:
    file = stage.root / ".dev/config.yaml"
    file.parent.mkdir()
    file.write_text(SEED_001, encoding="utf-8")
    programs = stage.root / "bin"
    programs.mkdir()
    for name in ("claude", "gemini", "codex"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    stage.environ["PATH"] = str(programs)
    cast = stage.cast("forum")
    assert who(cast) == ["claude", "gemini", "codex"]
    assert {one.provider for one in cast.panel.critics} == {"command"}
    assert cast.panel.chair.name == "claude"
    (programs / "codex").unlink()
    with pytest.raises(
        CredentialsRejected, match=r"'codex'.*set OPENAI_API_KEY, or install `codex`"
    ):
        stage.cast("forum")


def test_without_a_word_the_last_model_leads(stage: Any) -> None:
    cast = stage.cast("forum", keys=TWO)
    assert cast.panel.chair.name == "gemini"
    assert in_words(cast).found[1] == "gemini (google, external; participant, orchestrator)"


def test_a_forum_takes_two(stage: Any) -> None:
    with pytest.raises(
        ConfigurationError, match="takes at least two participants, and only claude"
    ):
        stage.cast("forum", keys=CLAUDE)


def test_who_leads_may_come_from_outside_and_never_follows_rules(stage: Any) -> None:
    cast = stage.cast("forum", "claude,gemini", keys=THREE, chair="gpt")
    assert (who(cast), cast.panel.chair.name) == (["claude", "gemini"], "gpt")
    with pytest.raises(ConfigurationError, match="'rules' cannot lead a discussion"):
        stage.cast("forum", keys=TWO, chair="rules")


def test_a_forum_that_its_run_would_cut_off_is_warned_about(stage: Any) -> None:
    stage.user("forum: {timeout: 2h}")
    warnings = in_words(stage.cast("forum", keys=TWO)).warnings
    assert any("7200 s, and the run ends after 3600 s" in warning for warning in warnings)
    stage.user("forum: {timeout: 2h}\nbudget: {per_run_time: 3h}")
    assert in_words(stage.cast("forum", keys=TWO)).warnings == ()


# ---- plan -----------------------------------------------------------------------------------------


def test_the_first_plans_the_others_challenge_and_the_last_merges(stage: Any) -> None:
    cast = stage.cast("plan", keys=THREE)
    assert (cast.panel.author.name, who(cast)) == ("claude", ["gemini", "gpt"])
    assert cast.panel.chair.name == "gpt"
    cast = stage.cast("plan", "author=gpt,chair=claude", keys=THREE)
    assert (cast.panel.author.name, who(cast)) == ("gpt", ["claude", "gemini"])
    assert cast.panel.chair.name == "claude"


def test_a_lone_model_plans_and_challenges_and_the_report_warns(stage: Any) -> None:
    cast = stage.cast("plan", keys=CLAUDE)
    assert (cast.panel.author.name, who(cast)) == ("claude", ["claude"])
    assert any("speaks for both sides" in warning for warning in in_words(cast).warnings)


def test_who_challenges_from_a_persona_does_not_plan(stage: Any) -> None:
    stage.user(
        "participants: [{name: models, persona: security}, {name: models, persona: performance}]"
    )
    cast = stage.cast("plan", keys=TWO)
    assert (cast.panel.author.name, cast.panel.author.persona) == ("claude-planner", None)
    assert who(cast) == ["claude-security", "gemini-performance"]
    assert stage.cast("plan", keys=THREE).panel.author.name == "gpt"
