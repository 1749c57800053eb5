"""Who takes part in a case: the lenses always, models where they are, an analyst and a verifier only among those."""

import pytest

from shared.errors import ConfigurationError
from shared.models.panel import Participant
from tests.fixtures.places import Stage


def names(critics: tuple[Participant, ...]) -> list[str]:
    return [critic.name for critic in critics]


def test_without_a_model_the_lenses_are_the_critic_and_nobody_analyses_or_verifies(stage: Stage):
    cast = stage.cast("case")
    assert names(cast.panel.critics) == ["lenses"]
    assert cast.panel.critics[0].rule_based
    assert dict(cast.holders) == {}


def test_models_read_beside_the_lenses_and_the_first_of_them_analyses_and_verifies(stage: Stage):
    stage.user("providers: {ada: {type: ollama, model: a}, bob: {type: ollama, model: b}}")
    cast = stage.cast("case")
    assert names(cast.panel.critics) == ["ada", "bob", "lenses"]
    assert {part: holder.name for part, holder in cast.holders.items()} == {
        "analyst": "ada",
        "verifier": "ada",
    }


def test_a_model_on_this_machine_analyses_before_one_elsewhere(stage: Stage):
    stage.user(
        "providers:\n"
        "  far: {type: openai, model: gpt, api_key_env: FAR}\n"
        "  near: {type: ollama, model: a}\n"
    )
    cast = stage.cast("case", keys={"FAR": "secret"})
    assert names(cast.panel.critics) == ["far", "near", "lenses"]
    assert cast.holders["analyst"].name == "near"


def test_the_lenses_can_be_typed_and_take_part_alone(stage: Stage):
    stage.user("providers: {ada: {type: ollama, model: a}}")
    assert names(stage.cast("case", "lenses").panel.critics) == ["lenses"]


def test_nobody_can_be_named_for_a_part(stage: Stage):
    stage.user("providers: {ada: {type: ollama, model: a}}")
    cast = stage.cast("case", analyst="none")
    assert "analyst" not in cast.holders
    assert cast.holders["verifier"].name == "ada"


def test_an_analyser_of_code_takes_no_part_in_a_case(stage: Stage):
    with pytest.raises(ConfigurationError, match="rule-based"):
        stage.cast("case", "security")


EMBEDDER = "providers: {ada: {type: ollama, model: a}, near: {type: embeddings, model: m}}"


def test_an_embedder_takes_no_part_by_itself_and_does_not_speak(stage: Stage):
    stage.user(EMBEDDER)
    cast = stage.cast("case")
    assert names(cast.panel.critics) == ["ada", "lenses"]
    assert "embedder" not in cast.holders
    with pytest.raises(ConfigurationError, match="--embedder near"):
        stage.cast("case", "near,lenses")
    with pytest.raises(ConfigurationError, match="'near' cannot analyse"):
        stage.cast("case", analyst="near")


def test_an_embedder_is_named_for_a_case_and_nobody_else_can_be(stage: Stage):
    stage.user(EMBEDDER)
    cast = stage.cast("case", embedder="near")
    assert cast.holders["embedder"].name == "near"
    assert names(stage.cast("case", "lenses", embedder="near").panel.critics) == ["lenses"]
    assert stage.cast("case", "lenses", embedder="near").holders["embedder"].name == "near"
    with pytest.raises(ConfigurationError, match="type: embeddings"):
        stage.cast("case", embedder="ada")
