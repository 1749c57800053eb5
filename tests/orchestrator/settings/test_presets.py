"""Presets: one YAML file each, ours or a person's own, for one workflow or for all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from orchestrator.participants.casting import build_cast
from orchestrator.settings.options import workflow_options
from orchestrator.settings.preset_files import SECTIONS, load_preset, preset_names
from shared.errors import ConfigurationError

CONTRACT = """\
description: Two sides of a contract.
workflow: panel
options: {strategy: parallel, max_rounds: 4}
configuration:
  language: ko
  participants:
    - {name: models, label: buyer, persona: You look at it as the buyer.}
    - {name: models, label: seller, persona: You look at it as the seller.}
"""


def own(place: Any, name: str, text: str) -> Path:
    file: Path = place.file(str(place.home / f".config/quorate/presets/{name}.yaml"), text)
    return file


def typed(place: Any, preset: str, workflow: str | None) -> Any:
    return place.load(overrides={"preset": preset}, workflow=workflow)


@pytest.mark.parametrize(
    ("name", "strategy", "rounds", "threshold"),
    [
        ("code_review", "sequential", 2, 0.7),
        ("qa_accuracy", "sequential", 3, 0.85),
        ("decision", "sequential", 3, 0.75),
    ],
)
def test_a_presets_options_are_its_workflows_section(
    place: Any, name: str, strategy: str, rounds: int, threshold: float
) -> None:
    found = typed(place, name, "panel")
    options = workflow_options("panel", found.settings, moderator=None)
    assert (options.strategy, options.max_rounds, options.consensus_threshold) == (
        strategy,
        rounds,
        threshold,
    )
    assert found.source("debate.max_rounds").startswith(f"preset {name}:")


def test_everything_else_lies_above_a_presets_options(place: Any) -> None:
    place.user("preset: decision\ndebate: {max_rounds: 5}\nsettings: {max_rounds: 9}\n")
    options = workflow_options("panel", place.load(workflow="panel").settings, moderator=None)
    assert (options.max_rounds, options.consensus_threshold) == (5, 0.75)
    # The preset's own number is the workflow's own key: it counts before the general one.
    place.user("preset: decision\nsettings: {max_rounds: 9}\n")
    assert (
        workflow_options("panel", place.load(workflow="panel").settings, moderator=None).max_rounds
        == 3
    )
    place.user("settings: {max_rounds: 20}\n")
    assert (
        workflow_options("panel", place.load(workflow="panel").settings, moderator=None).max_rounds
        == 10
    )


def test_a_typed_preset_of_another_workflow_is_an_error_that_names_the_fitting_ones(
    place: Any,
) -> None:
    with pytest.raises(ConfigurationError) as raised:
        typed(place, "decision", "review")
    text = (
        "command line: The preset 'decision' is for the workflow panel, not for review, which has "
    )
    assert str(raised.value).startswith(text)
    assert "everyone, keyless, security" in str(raised.value)
    place.environ["QUORATE_PRESET"] = "security"
    with pytest.raises(ConfigurationError, match=r"\$QUORATE_PRESET.*is for the workflow review"):
        place.load(workflow="panel")
    with pytest.raises(ConfigurationError, match="which has none"):
        place.load(workflow="forum")


def test_a_file_serves_all_workflows_so_its_preset_is_passed_over_elsewhere(place: Any) -> None:
    place.user("preset: decision\n")
    assert place.load(workflow="ask").preset is None
    assert place.load(workflow="ask").settings.participants is None
    place.file(".quorate.yaml", "preset: security\n")
    assert place.load(workflow="panel").preset.name == "decision"
    assert workflow_options("review", place.load(workflow="review").settings).strategy == "red-team"


def test_a_person_has_presets_of_their_own(place: Any) -> None:
    own(place, "contract", CONTRACT)
    found = typed(place, "contract", "panel")
    assert found.settings.language == "ko"
    environ = place.environ | {"ANTHROPIC_API_KEY": "k", "CI": "true", "PATH": ""}
    cast = build_cast("panel", None, found, environ, place.project, tell=str)
    assert [one.name for one in cast.panel.critics] == ["claude-buyer", "claude-seller"]
    folder = place.home / ".config/quorate/presets"
    assert "contract" in preset_names(folder)
    assert "contract" not in preset_names()


def test_a_persons_own_preset_replaces_ours_of_that_name(place: Any) -> None:
    own(place, "decision", CONTRACT)
    assert typed(place, "decision", "panel").settings.debate.max_rounds == 4


def test_a_preset_can_be_named_by_its_file(place: Any) -> None:
    place.file("team/contract.yaml", CONTRACT)
    found = typed(place, "team/contract.yaml", "panel")
    assert (found.preset.name, found.settings.debate.max_rounds) == ("contract", 4)
    # In a file the path is relative to that file.
    place.file(str(place.home / ".config/quorate/near.yml"), CONTRACT)
    place.user("preset: near.yml\n")
    assert place.load(workflow="panel").preset.name == "near"
    with pytest.raises(ConfigurationError, match=r"command line: There is no preset file .*gone"):
        typed(place, "gone.yaml", "panel")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("workflow: pannel\n", r"p\.yaml:1: workflow: 'pannel' is not known.*'panel'"),
        ("descripton: x\n", r"p\.yaml:1: unknown key 'descripton'; did you mean 'description'"),
        ("description: x\noptions: {max_rounds: 2}\n", r"p\.yaml:2: options: say which `workflow`"),
        (
            "workflow: panel\noptions:\n  strategy: sequential\n  max_rounds: 99\n",
            r"p\.yaml:4: debate\.max_rounds",
        ),
        (
            "workflow: forum\noptions:\n  concensus: 0.8\n",
            r"p\.yaml:3: unknown key 'concensus'; did you mean 'consensus'",
        ),
        (
            "configuration:\n  participants: [models]\n  gate: {fail_on: bad}\n",
            r"p\.yaml:3: gate\.fail_on",
        ),
        ("configuration:\n  preset: decision\n", r"p\.yaml:2: preset: a preset cannot build on"),
        (
            "configuration:\n  participants:\n    - {name: models, label: x}\n",
            r"p\.yaml:3: .*`label` names a persona",
        ),
        ("- a list\n", r"p\.yaml:1: expected a mapping"),
    ],
)
def test_every_problem_of_a_preset_is_named_with_file_and_line(
    place: Any, text: str, problem: str
) -> None:
    place.file("p.yaml", text)
    with pytest.raises(ConfigurationError, match=problem):
        typed(place, "p.yaml", None)


def test_every_preset_is_for_a_workflow_and_its_options_hold() -> None:
    for name in preset_names():
        preset = load_preset(name)
        assert preset.workflow in SECTIONS
        assert preset.document.lines, "every key has its line"


# ---- a repository's own file ----------------------------------------------------------------------


def test_a_repository_may_choose_among_ours_only(place: Any) -> None:
    own(place, "loose", "configuration: {gate: {fail_on: none}}\n")
    own(place, "security", "configuration: {gate: {fail_on: none}}\n")
    place.file(".quorate.yaml", "preset: loose\n")
    with pytest.raises(ConfigurationError, match="There is no preset 'loose'"):
        place.load()
    assert place.load(trust_project=True).preset.name == "loose"
    # The name of ours means ours, even where the person has replaced it.
    place.file(".quorate.yaml", "preset: security\n")
    assert place.load().settings.gate.fail_on is None
    assert place.load().settings.review.strategy == "red-team"
    place.file("evil.yaml", "configuration: {gate: {fail_on: none}}\n")
    place.file(".quorate.yaml", "preset: ./evil.yaml\n")
    found = place.load()
    assert (found.preset, [notice.params["why"] for notice in found.notices]) == (None, ["file"])


def test_a_preset_that_was_called_otherwise_is_found_and_the_new_name_told(place: Any) -> None:
    configuration = typed(place, "code-review", "review")
    assert configuration.preset.name == "everyone"
    (told,) = configuration.notices
    assert (told.code, told.params) == (
        "preset_renamed",
        {"name": "code-review", "now": "everyone"},
    )
