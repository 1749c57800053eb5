"""Which panel follows from names, settings and the environment."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from orchestrator.participants.casting import build_cast
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.settings.loading import load_configuration
from shared.errors import ConfigurationError, CredentialsRejected
from shared.models.panel import Panel
from shared.providers.families import family_of, plain_name
from shared.providers.locality import leaves_machine
from tests.support.cast_reports import ToldReport, in_words

LOCAL = "http://127.0.0.1:9/v1"
TWO_MODELS = f"""\
providers:
  alpha: {{type: openai, model: qwen3-coder, base_url: "{LOCAL}"}}
  beta: {{type: openai, model: vendor/mistral-large, base_url: "{LOCAL}", temperature: 0.1, timeout: 2m}}
"""


class Desk:
    """Builds panels in a directory with an own configuration."""

    def __init__(self, root: Path) -> None:
        self.root = root
        # In CI nobody asks for an Ollama on this machine.
        self.environ = {"HOME": str(root / "home"), "CI": "true"}

    def user(self, text: str) -> None:
        file = self.root / "home/.config/quorate/config.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def script(self, name: str = "s.yaml") -> str:
        (self.root / name).write_text(yaml.safe_dump([{"reply": {"verdict": "APPROVED"}}]))
        return name

    def build(self, *names: str, paths: tuple[str, ...] | None = None) -> tuple[Panel, ToldReport]:
        configuration = load_configuration(self.root, self.environ)
        cast = build_cast(
            "review",
            names or None,
            configuration,
            self.environ,
            self.root,
            paths=paths,
            tell=ENGLISH.translate,
        )
        return cast.panel, in_words(cast)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


def critics(panel: Panel) -> list[str]:
    return [critic.name for critic in panel.critics]


def test_without_a_key_the_panel_is_the_analysers_and_the_rules(desk: Desk) -> None:
    panel, report = desk.build()
    assert critics(panel) == ["ruff", "bandit", "complexity", "diffcheck"]
    assert {(c.provider, c.family, c.tool == c.name) for c in panel.critics} == {
        ("analyser", "rules", True)
    }
    assert (panel.author.provider, panel.chair.provider) == ("rules", "rules")
    text = "\n".join(report.lines)
    assert "ruff (rule-based; critic)" in text
    assert "rule-based only" in text
    assert "QUORATE_OPENAI_BASE_URL and QUORATE_OPENAI_MODEL" in text
    assert ".config/quorate/config.yaml" in text


def test_one_model_speaks_for_both_sides_and_the_report_warns(desk: Desk) -> None:
    desk.environ |= {"OPENAI_API_KEY": "k", "QUORATE_OPENAI_MODEL": "gpt-5-mini"}
    panel, report = desk.build()
    assert critics(panel) == ["gpt-5-mini", "ruff", "bandit", "complexity", "diffcheck"]
    assert panel.author.name == panel.chair.name == "gpt-5-mini"
    assert panel.author.options == {}
    assert panel.author.family == "openai"
    assert any("speaks for both sides" in warning for warning in report.warnings)
    assert report.hints == ()
    assert "external" in report.found[0]


def test_of_several_models_the_first_answers_and_the_last_merges(desk: Desk) -> None:
    desk.user(TWO_MODELS)
    panel, report = desk.build()
    assert critics(panel) == ["beta", "ruff", "bandit", "complexity", "diffcheck"]
    assert (panel.author.name, panel.chair.name) == ("alpha", "beta")
    beta = panel.chair
    assert (beta.family, beta.temperature, beta.timeout_s) == ("mistral", 0.1, 120.0)
    assert beta.options == {"base_url": LOCAL}
    assert report.warnings == ()


def test_roles_can_be_given_by_name(desk: Desk) -> None:
    desk.user(TWO_MODELS + "orchestrator: {ai: alpha}\n")
    panel, _ = desk.build("alpha", "beta", "author=beta")
    assert (critics(panel), panel.author.name, panel.chair.name) == (["alpha"], "beta", "alpha")
    panel, _ = desk.build("ruff", "author=rules", "chair=beta")
    assert (critics(panel), panel.author.name, panel.chair.name) == (["ruff"], "rules", "beta")
    with pytest.raises(ConfigurationError, match="'ruff' cannot speak for the author or chair"):
        desk.build("bandit", "chair=ruff")


def test_models_of_one_family_are_warned_about(desk: Desk) -> None:
    desk.user(TWO_MODELS.replace("vendor/mistral-large", "qwen2.5"))
    _, report = desk.build()
    assert any("one family (qwen)" in warning for warning in report.warnings)


def test_names_can_be_listed_with_commas_and_groups(desk: Desk) -> None:
    assert critics(desk.build("ruff,bandit")[0]) == ["ruff", "bandit"]
    assert len(critics(desk.build("analysers")[0])) == 4
    assert len(critics(desk.build("keyless")[0])) == 4


def test_a_preset_gives_its_participants_their_personas(desk: Desk) -> None:
    desk.user(TWO_MODELS + "language: ko\n")
    panel, _ = desk.build("security")
    assert critics(panel) == ["beta/security", "bandit", "diffcheck"]
    assert "보안 엔지니어" in (panel.critics[0].persona or "")


def test_a_configured_participant_carries_what_its_entry_says(desk: Desk) -> None:
    desk.user(
        TWO_MODELS + "settings: {timeout: 90}\nparticipants:\n"
        "  - alpha\n  - {name: beta, persona: Look for missing tests., temperature: 0.9, timeout: 10}\n"
        "  - {name: beta, persona: performance}\n"
    )
    panel, report = desk.build()
    assert critics(panel) == ["beta/own", "beta/performance"]
    own = panel.critics[0]
    assert (own.persona, own.temperature, own.timeout_s) == ("Look for missing tests.", 0.9, 10.0)
    assert panel.author.timeout_s == 90.0
    assert report.hints == ()


def test_a_scripted_participant_carries_its_replies(desk: Desk) -> None:
    panel, _ = desk.build(f"scripted:{desk.script()}#alice")
    (alice,) = panel.critics
    assert (alice.name, alice.provider, alice.family) == ("alice", "scripted", "scripted")
    assert alice.options["replies"] == [{"reply": {"verdict": "APPROVED"}}]
    assert panel.author == panel.chair == alice
    panel, _ = desk.build("scripted:s.yaml#a", "scripted:s.yaml#b", "scripted:s.yaml", "ruff")
    assert (critics(panel), panel.author.name, panel.chair.name) == (["b", "s", "ruff"], "a", "s")


def test_a_configured_script_is_relative_to_its_configuration(desk: Desk) -> None:
    desk.user("providers: {demo: {type: scripted, script: demo.yaml, family: x}}")
    desk.script("home/.config/quorate/demo.yaml")
    panel, _ = desk.build("demo")
    assert (panel.critics[0].family, len(panel.critics[0].options)) == ("x", 1)


def test_a_model_can_be_named_with_its_endpoint(desk: Desk) -> None:
    desk.environ |= {"OPENAI_API_KEY": "k"}
    panel, _ = desk.build(f"openai:llama3:8b@{LOCAL}/")
    model = panel.critics[0]
    assert (model.name, model.model, model.family) == ("llama3-8b", "llama3:8b", "meta")
    # The key of OpenAI does not go to an address of its own.
    assert model.options == {"base_url": LOCAL}
    desk.environ |= {"QUORATE_OPENAI_API_KEY": "k2"}
    panel, _ = desk.build(f"openai:llama3:8b@{LOCAL}")
    assert panel.critics[0].options == {"base_url": LOCAL, "api_key_env": "QUORATE_OPENAI_API_KEY"}


def test_the_environments_endpoint_gets_the_environments_key(desk: Desk) -> None:
    desk.environ |= {
        "OPENAI_API_KEY": "k",
        "QUORATE_OPENAI_BASE_URL": LOCAL,
        "QUORATE_OPENAI_MODEL": "m",
    }
    for names in ((), ("m",), ("openai:m",)):
        panel, _ = desk.build(*names)
        assert panel.critics[0].options == {"base_url": LOCAL, "api_key_env": "OPENAI_API_KEY"}
        assert '"k"' not in panel.model_dump_json()


def test_the_environments_endpoint_must_not_hold_a_password(desk: Desk) -> None:
    desk.environ |= {
        "QUORATE_OPENAI_BASE_URL": "http://me:secret-value@127.0.0.1/v1",
        "QUORATE_OPENAI_MODEL": "m",
    }
    with pytest.raises(ConfigurationError, match=r"QUORATE_OPENAI_BASE_URL: .*password") as raised:
        desk.build()
    assert "secret-value" not in str(raised.value)


def test_half_an_endpoint_is_hinted_at(desk: Desk) -> None:
    desk.environ |= {"QUORATE_OPENAI_BASE_URL": LOCAL}
    assert "set QUORATE_OPENAI_MODEL" in desk.build()[1].hints[0]
    desk.environ = {"HOME": desk.environ["HOME"], "CI": "true", "QUORATE_OPENAI_MODEL": "m"}
    assert "set OPENAI_API_KEY too" in desk.build()[1].hints[0]


def test_a_missing_key_is_a_credentials_error_or_leaves_the_model_out(desk: Desk) -> None:
    desk.user(
        "providers: {far: {type: openai, model: m, base_url: https://far.test/v1, api_key_env: FAR}}"
    )
    with pytest.raises(
        CredentialsRejected, match=r"far needs a key in the environment variable FAR"
    ):
        desk.build("far")
    with pytest.raises(CredentialsRejected, match=r"openai:gpt-5 needs a key .* OPENAI_API_KEY"):
        desk.build("openai:gpt-5")
    panel, report = desk.build()
    assert "far" not in critics(panel)
    assert any("far needs a key" in warning for warning in report.warnings)
    # Workers elsewhere have their own environment.
    desk.environ["QUORATE_REDIS_URL"] = "redis://elsewhere"
    assert desk.build("far")[0].critics[0].options["api_key_env"] == "FAR"


def test_external_models_stay_out_when_nothing_may_leave(desk: Desk) -> None:
    desk.user(
        TWO_MODELS + "  far: {type: openai, model: m, base_url: https://far.test/v1}\n"
        "privacy: {allow_external: false}\n"
    )
    desk.environ |= {"OPENAI_API_KEY": "k", "QUORATE_OPENAI_MODEL": "gpt"}
    panel, report = desk.build()
    assert not any(leaves_machine(member) for member in (*panel.critics, panel.author, panel.chair))
    assert any("far is an external endpoint" in warning for warning in report.warnings)
    for name in ("far", "openai:gpt"):
        with pytest.raises(ConfigurationError, match="allow_external is false"):
            desk.build(name)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "rufff",
            r"No participant is called 'rufff'\. Did you mean 'ruff'\?.*Known here: ruff, bandit",
        ),
        ("somebody", r"'somebody'.*need an entry under `providers:`.*type: openai"),
        ("scripted:missing.yaml", r"missing\.yaml cannot be read"),
        ("openai:@http://x/v1", "needs a model"),
        ("openai:m@http://u:p@x/v1", "must not hold a user name"),
        ("rules", "no critic"),
        ("author=nobody", "No participant is called 'nobody'"),
    ],
)
def test_a_panel_that_cannot_be_built_says_why(desk: Desk, name: str, message: str) -> None:
    with pytest.raises(ConfigurationError, match=message):
        desk.build(name)


def test_a_service_that_is_known_and_not_here_is_a_matter_of_credentials(desk: Desk) -> None:
    with pytest.raises(
        CredentialsRejected, match=r"'claude'.*set ANTHROPIC_API_KEY, or install `claude`"
    ):
        desk.build("claude")


def test_a_persona_is_for_models_and_has_to_be_known(desk: Desk) -> None:
    desk.user(TWO_MODELS + "participants: [{name: alpha, persona: securty}]")
    with pytest.raises(
        ConfigurationError, match=r"no persona 'securty'; did you mean 'security'\?"
    ):
        desk.build()
    desk.user("participants: [{name: ruff, persona: security}]")
    with pytest.raises(ConfigurationError, match="ruff follows rules and can have no persona"):
        desk.build()


@pytest.mark.parametrize(
    ("model", "family"),
    [
        ("gpt-5-mini", "openai"),
        ("o3", "openai"),
        ("Claude-x", "anthropic"),
        ("meta-llama/Llama-3-70b", "meta"),
        ("google/gemma-3", "google"),
        ("mystery-7b", "mystery"),
        ("7b", "unknown"),
    ],
)
def test_families_are_guessed_from_names(model: str, family: str) -> None:
    assert family_of(model) == family


def test_any_model_name_becomes_a_participants_name() -> None:
    assert plain_name("m¹½") == "m--"
    assert plain_name("한글 model:8b") == "한글-model-8b"
    assert len(plain_name("x" * 100)) == 64
    assert plain_name("") == "participant"


def test_a_key_that_would_cross_a_network_in_clear_is_warned_of(desk: Desk) -> None:
    desk.user(
        "providers:\n"
        "  lan: {type: openai, model: m, base_url: 'http://10.0.0.5/v1', api_key_env: K}\n"
        "  safe: {type: openai, model: m, base_url: 'https://llm.example/v1', api_key_env: K}\n"
        "  here: {type: openai, model: m, base_url: 'http://127.0.0.1:1/v1', api_key_env: K}\n"
        "  open: {type: openai, model: m, base_url: 'http://10.0.0.5/v1'}\n"
    )
    desk.environ["K"] = "secret"
    warnings = desk.build()[1].warnings
    told = [warning for warning in warnings if "unencrypted" in warning]
    assert len(told) == 1
    assert "the key of lan goes to http://10.0.0.5/v1" in told[0]


# ---- who has nothing to look at -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("typed", "paths", "left"),
    [
        ((), ("app.js", "README.md"), ["diffcheck"]),
        ((), ("app.js", "a.pyi"), ["ruff", "bandit", "complexity", "diffcheck"]),
        (("analysers",), ("app.js",), ["diffcheck"]),
        (("ruff", "diffcheck"), ("app.js",), ["ruff", "diffcheck"]),
        (("ruff",), ("app.js",), ["ruff"]),
        (("models", "analysers"), (), ["beta"]),
        (("models", "analysers"), ("app.js",), ["beta", "diffcheck"]),
    ],
)
def test_analysers_that_can_read_nothing_of_the_change_take_no_part(
    desk: Desk, typed: tuple[str, ...], paths: tuple[str, ...], left: list[str]
) -> None:
    if "models" in typed:
        desk.user(TWO_MODELS)
    panel, report = desk.build(*typed, paths=paths)
    assert critics(panel) == left
    everybody = 4 if {"analysers"} & set(typed or ["analysers"]) else len(typed)
    gone = any("nothing that they read" in one for one in report.lines)
    assert gone is (len([one for one in left if one != "beta"]) < everybody)


def test_analysers_that_a_file_names_make_way_too_unless_nobody_would_be_left(desk: Desk) -> None:
    desk.user("participants: [ruff, diffcheck]\n")
    assert critics(desk.build(paths=("main.go",))[0]) == ["diffcheck"]
    desk.user("participants: [ruff, bandit]\n")
    assert critics(desk.build(paths=("main.go",))[0]) == ["ruff", "bandit"]


@pytest.mark.parametrize("names", ["analysers,ruff", "ruff,analysers", "analysers,analysers"])
def test_an_analyser_that_is_named_twice_takes_part_once(desk: Desk, names: str) -> None:
    panel, _ = desk.build(names)
    assert sorted(critics(panel)) == ["bandit", "complexity", "diffcheck", "ruff"]
