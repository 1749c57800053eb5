"""The presets of seed 003: one YAML each, with the seed's debaters, rounds and thresholds."""

from importlib.resources import files
from typing import Any

import pytest
import yaml

from orchestrator.settings import builtin_prompts as prompts
from orchestrator.settings.preset_files import load_persona, load_preset
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.panel.strategies import STRATEGIES

# Seed 003's table.
TABLE = [
    ("code_review", ["security", "performance", "maintainability"], 2, 0.7),
    ("qa_accuracy", ["analytical", "creative", "critical"], 3, 0.85),
    ("decision", ["pragmatist", "strategist", "risk_analyst"], 3, 0.75),
]


def read(name: str) -> dict[str, Any]:
    text = (files("orchestrator.settings") / "presets" / f"{name}.yaml").read_text(encoding="utf-8")
    found: dict[str, Any] = yaml.safe_load(text)
    return found


@pytest.mark.parametrize(("name", "debaters", "rounds", "threshold"), TABLE)
def test_a_preset_has_the_seeds_debaters_rounds_and_threshold(name, debaters, rounds, threshold):
    preset = read(name)
    options = PanelOptions.model_validate(preset["options"])
    assert preset["workflow"] == "panel"
    assert (options.max_rounds, options.consensus_threshold) == (rounds, threshold)
    assert options.strategy in STRATEGIES
    listed: Any = load_preset(name).document.tree["participants"]
    assert [one["persona"] for one in listed] == debaters


@pytest.mark.parametrize("language", prompts.LANGUAGES)
@pytest.mark.parametrize("persona", [one for _, debaters, _, _ in TABLE for one in debaters])
def test_every_debaters_perspective_is_described_in_both_languages(persona, language):
    text = load_persona(persona, language)
    assert len(text) > 40
    assert (language == "ko") == any("가" <= letter <= "힣" for letter in text)
