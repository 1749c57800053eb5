"""Where settings come from, and which of them wins."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.settings.loading import yaml_of
from orchestrator.settings.options import budget, decision_policy, screen, workflow_options
from orchestrator.settings.preset_files import load_persona, load_preset, preset_names
from orchestrator.settings.problems import validate
from shared.errors import ConfigurationError
from shared.models.findings import Severity

SEED_001 = """\
# .dev/config.yaml

orchestrator:
  ai: claude          # Orchestrator로 사용할 AI

participants:         # 토론 참여 AI 목록
  - claude
  - gemini
  - codex

settings:
  max_rounds: 10      # 최대 라운드
  timeout: 300        # 타임아웃 (초)
"""


# ---- lookup and precedence ---------------------------------------------------------------------


def test_without_a_file_everything_is_a_default(place: Any) -> None:
    found = place.load()
    assert found.sources == {}
    assert found.source("review.strategy") == "default"
    assert workflow_options("review", found.settings).rounds == 3
    assert workflow_options("review", found.settings).detector == "stance"


@pytest.mark.parametrize("name", [".quorate.yaml", ".quorate/config.yaml", ".dev/config.yaml"])
def test_the_original_file_is_valid_as_it_is(place: Any, name: str) -> None:
    place.file(name, SEED_001)
    found = place.load()
    settings = found.settings
    assert found.leads is not None
    assert found.leads[0] == "claude"
    assert [entry.name for entry in found.joining] == ["claude", "gemini", "codex"]
    assert workflow_options("review", settings).rounds == 10
    assert settings.settings.timeout == 300.0


def test_the_first_project_file_wins(place: Any) -> None:
    place.file("pyproject.toml", "[tool.quorate.review]\nmax_rounds = 8\n")
    assert place.load().settings.review.max_rounds == 8
    place.file(".dev/config.yaml", "review: {max_rounds: 6}")
    assert place.load().settings.review.max_rounds == 6
    place.file(".quorate/config.yaml", "review: {max_rounds: 5}")
    assert place.load().settings.review.max_rounds == 5
    place.file(".quorate.yaml", "review: {max_rounds: 4}")
    assert place.load().settings.review.max_rounds == 4
    named = place.file("other.yaml", "review: {max_rounds: 1}")
    place.environ["QUORATE_CONFIG"] = str(named)
    assert place.load().settings.review.max_rounds == 1
    explicit = place.file("more.yaml", "review: {max_rounds: 7}")
    assert place.load(explicit=explicit).settings.review.max_rounds == 7


def test_another_tools_file_in_the_shared_folder_is_left_alone(place: Any) -> None:
    place.file(".dev/config.yaml", "containers: {db: postgres}")
    assert place.load().sources == {}


def test_each_level_wins_over_the_one_below_and_says_so(place: Any) -> None:
    user = place.user("language: en\nreview: {max_rounds: 5}\nsettings:\n  timeout: 10m\n")
    project = place.file(".quorate.yaml", "language: ko\nreview: {max_rounds: 7}\n")
    place.environ["QUORATE_ROUNDS"] = "6"
    found = place.load(overrides={"gate.fail_on": "major", "review.strategy": None})
    assert found.settings.review.max_rounds == 6
    assert found.settings.language == "ko"
    assert found.settings.settings.timeout == 600.0
    assert found.settings.gate.fail_on is Severity.MAJOR
    assert dict(found.sources) == {
        "language": f"{project}:1",
        "review.max_rounds": "environment ($QUORATE_ROUNDS)",
        "settings.timeout": f"{user}:4",
        "gate.fail_on": "command line",
    }
    shown = {key: (value, source) for key, value, source in found.known_keys()}
    assert shown["review.strategy"] == ("review", "default")
    assert "max_rounds: 6" in yaml_of(found)


def test_the_command_line_wins_over_the_environment(place: Any) -> None:
    place.environ["QUORATE_FAIL_ON"] = "minor"
    place.environ["QUORATE_PANEL"] = "ruff, bandit"
    found = place.load(overrides={"gate.fail_on": "critical"})
    assert found.settings.gate.fail_on is Severity.CRITICAL
    assert [entry.name for entry in found.settings.participants or ()] == ["ruff", "bandit"]


def test_a_preset_lies_below_every_file(place: Any) -> None:
    place.file(".quorate.yaml", "preset: security\nreview: {max_rounds: 4}\n")
    found = place.load()
    assert found.settings.review.strategy == "red-team"
    assert found.settings.review.max_rounds == 4
    assert found.source("review.strategy").startswith("preset security")
    place.file(".quorate.yaml", "language: ko\npreset: securty\n")
    with pytest.raises(
        ConfigurationError, match=r"yaml:2: There is no preset 'securty'.*'security'"
    ):
        place.load()


def test_every_preset_and_persona_is_valid() -> None:
    reviews, debates = (
        ("everyone", "keyless", "security"),
        ("code_review", "decision", "qa_accuracy"),
    )
    assert set(preset_names()) >= {*reviews, *debates}
    for name in preset_names():
        preset = load_preset(name)
        assert preset.description
        assert validate(preset.document).participants
    for persona in ("security", "performance", "maintainability", "correctness"):
        assert load_persona(persona, "en") != load_persona(persona, "ko")


def test_a_provider_is_replaced_as_a_whole(place: Any) -> None:
    place.user("providers:\n  x: {type: openai, model: m, base_url: http://a/v1, api_key_env: K}\n")
    place.file(".quorate.yaml", "providers: {x: {type: openai, model: m, base_url: http://b/v1}}")
    provider: Any = place.load(trust_project=True).settings.providers["x"]
    assert (provider.base_url, provider.api_key_env) == ("http://b/v1", None)


def test_the_files_of_providers_are_relative_to_their_configuration(place: Any) -> None:
    place.user(
        "providers:\n  s: {type: scripted, script: scripts/s.yaml}\n"
        "  o: {type: openai, model: m, api_key_file: ~/key}\n"
    )
    providers: Any = place.load().settings.providers
    assert providers["s"].script == str(place.home / ".config/quorate/scripts/s.yaml")
    assert providers["o"].api_key_file == str(place.home / "key")


def test_settings_become_the_runs_own_words(place: Any) -> None:
    place.user(
        "review: {strategy: red-team, apply: in-place, exclude: ['*.lock']}\n"
        "convergence: {detector: lexical, weights: [0.5, 0.5], agreement: 0.9}\n"
        "gate: {fail_on: none, quorum: 2}\n"
        "decision: {mode: skip, timeout: 4h}\n"
        "budget: {per_run_usd: 1.5, per_run_calls: 20, per_run_time: 15m}\n"
        "privacy: {never_send: ['*.secret']}\n"
    )
    settings = place.load().settings
    options = workflow_options("review", settings)
    assert (options.strategy, options.detector, options.apply) == (
        "red-team",
        "lexical",
        "in-place",
    )
    assert (options.thresholds.agreement, options.thresholds.stability_weight) == (0.9, 0.5)
    assert (options.fail_on, options.quorum) == (None, 2)
    assert decision_policy(settings, "review").timeout_s == 14400.0
    assert (budget(settings).max_usd, budget(settings).max_seconds) == (1.5, 900.0)
    assert "*.secret" in screen(settings).never_sent
    assert ".env" in screen(settings).never_sent
    assert screen(settings).exclude == ("*.lock",)
