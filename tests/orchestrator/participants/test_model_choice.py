"""`-m MODEL`: which service has a model, and whom it replaces in a run."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from orchestrator.application.prepare import SubmissionRequest, prepare_run
from orchestrator.application.subject_input import QuestionInput
from orchestrator.participants.casting import Cast, build_cast
from orchestrator.participants.request import for_this_run
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.settings.loading import load_configuration
from shared.errors import ConfigurationError, CredentialsRejected
from shared.providers.catalogue import key_variables_of, services
from tests.fixtures.places import Stage

KEYS = dict.fromkeys(
    (
        variable
        for row, service in services()
        if not service.routed
        for variable in key_variables_of(row, service)[:1]
    ),
    "k",
)
CONFIGURED = """
participants: [fast, ruff, ann]
orchestrator: {ai: fast}
providers:
  fast: {type: openai, model: local-fast, base_url: "http://127.0.0.1:1/v1"}
  other: {type: openai, model: local-other, base_url: "http://127.0.0.1:1/v1", temperature: 0.5}
  ann: {type: person}
"""


def cast(
    stage: Stage,
    *models: str,
    workflow: str = "ask",
    names: tuple[str, ...] = (),
    keys: dict[str, str] = KEYS,
    settings: dict[str, Any] | None = None,
) -> Cast:
    environ = stage.environ | keys
    configuration = load_configuration(stage.root, environ, overrides=settings, workflow=workflow)
    return build_cast(
        workflow,
        (*names, *map(for_this_run, models)),
        configuration,
        environ,
        stage.root,
        tell=ENGLISH.translate,
    )


@pytest.fixture
def ollama() -> Iterator[str]:
    """A server on loopback that lists two models as Ollama does."""
    listed = json.dumps({"models": [{"name": "qwen3:8b"}, {"name": "llama3:latest"}]}).encode()

    class Tags(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(listed)

        def log_message(self, *_arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Tags)
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    yield f"127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    ("wanted", "provider", "model", "variable"),
    [
        ("gpt-5-mini", "openai-responses", "gpt-5-mini", "OPENAI_API_KEY"),
        ("openai/gpt-brand-new", "openai-responses", "gpt-brand-new", "OPENAI_API_KEY"),
        ("claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("anthropic/claude-sonnet-4-5", "anthropic", "claude-sonnet-4-5", "ANTHROPIC_API_KEY"),
        ("google/gemini-2.5-pro", "gemini", "gemini-2.5-pro", "GEMINI_API_KEY"),
        ("mistral/codestral", "openai", "codestral", "MISTRAL_API_KEY"),
        ("xai/grok-4.20", "openai", "grok-4.20", "XAI_API_KEY"),
        ("deepseek-reasoner", "openai", "deepseek-reasoner", "DEEPSEEK_API_KEY"),
    ],
)
def test_a_model_is_asked_at_the_service_that_has_it(
    stage: Stage, wanted: str, provider: str, model: str, variable: str
) -> None:
    (critic,) = cast(stage, wanted).panel.critics
    assert (critic.provider, critic.model, critic.options["api_key_env"]) == (
        provider,
        model,
        variable,
    )


def test_a_router_is_named_before_its_model(stage: Stage) -> None:
    keys = {"OPENROUTER_API_KEY": "k"}
    (critic,) = cast(stage, "openrouter/qwen/qwen3-coder", keys=keys).panel.critics
    assert critic.model == "qwen/qwen3-coder"
    assert critic.options["base_url"] == "https://openrouter.ai/api/v1"


@pytest.mark.parametrize("wanted", ["qwen3", "qwen3:8b", "ollama/qwen3", "ollama/qwen3:8b"])
def test_a_model_of_this_machine_is_asked_here(stage: Stage, ollama: str, wanted: str) -> None:
    (critic,) = cast(stage, wanted, keys={"OLLAMA_HOST": ollama}).panel.critics
    assert (critic.provider, critic.model) == ("ollama", "qwen3:8b")
    assert critic.options["base_url"] == f"http://{ollama}"


def test_a_model_that_this_machine_lacks_is_named_with_those_that_it_has(
    stage: Stage, ollama: str
) -> None:
    with pytest.raises(ConfigurationError, match=r"qwen3:8b, llama3:latest.*ollama pull phi4"):
        cast(stage, "ollama/phi4", keys={"OLLAMA_HOST": ollama})


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ("gpt-5-mni", r"Did you mean gpt-5-mini .*-m openai/gpt-5-mni"),
        ("nonsense", r"no provider is known for that model"),
        ("ruff", r"no provider is known|no model"),
        ("", r"needs a model's name"),
    ],
)
def test_what_is_no_model_is_refused(stage: Stage, wanted: str, sentence: str) -> None:
    with pytest.raises(ConfigurationError, match=sentence):
        cast(stage, wanted)


def test_without_its_key_the_variable_is_named(stage: Stage) -> None:
    with pytest.raises(CredentialsRejected, match=r"-m gpt-5-mini .*OPENAI_API_KEY"):
        cast(stage, "gpt-5-mini", keys={})


@pytest.mark.parametrize(
    ("service", "variable"),
    [("claude", "ANTHROPIC_API_KEY"), ("gemini", "GEMINI_API_KEY"), ("openai", "OPENAI_API_KEY")],
)
def test_a_service_without_its_key_is_no_slip_for_a_models_name(
    stage: Stage, service: str, variable: str
) -> None:
    with pytest.raises(CredentialsRejected, match=rf"-m {service} needs a key.*{variable}"):
        cast(stage, service, keys={})


def test_workers_elsewhere_have_the_keys(stage: Stage) -> None:
    keys = {"QUORATE_REDIS_URL": "redis://elsewhere"}
    (critic,) = cast(stage, "gpt-5-mini", keys=keys).panel.critics
    assert critic.options["api_key_env"] == "OPENAI_API_KEY"


def test_an_endpoint_of_the_environment_takes_any_name(stage: Stage) -> None:
    keys = {"QUORATE_OPENAI_BASE_URL": "http://127.0.0.1:9/v1"}
    (critic,) = cast(stage, "in-house", keys=keys).panel.critics
    assert (critic.model, critic.options["base_url"]) == ("in-house", "http://127.0.0.1:9/v1")


def test_it_replaces_the_models_of_a_file_and_leaves_the_others(stage: Stage) -> None:
    stage.user(CONFIGURED)
    made = cast(stage, "gpt-5-mini", workflow="review")
    assert {*made.everybody} == {"ruff", "ann", "gpt-5-mini"}
    assert made.panel.chair.name == "gpt-5-mini"


def test_an_entry_is_found_by_its_name_and_by_its_model(stage: Stage) -> None:
    stage.user(CONFIGURED)
    for wanted in ("other", "local-other"):
        assert cast(stage, wanted).panel.critics[0].temperature == 0.5
    assert cast(stage, "fast/another").panel.critics[0].model == "another"


def test_it_joins_whoever_was_typed(stage: Stage) -> None:
    assert list(cast(stage, "gpt-5-mini", names=("claude",)).everybody) == ["gpt-5-mini", "claude"]


def test_several_are_a_panel_and_analysers_stay(stage: Stage) -> None:
    made = cast(stage, "gpt-5-mini", "claude-haiku-4-5", workflow="review")
    author, chair = made.panel.author, made.panel.chair
    assert (author.name, author.model) == ("gpt-5-mini-author", "gpt-5-mini")
    assert chair.name == "claude-haiku-4-5"
    names = {critic.name for critic in made.panel.critics}
    assert {"ruff", "gpt-5-mini", "claude-haiku-4-5"} <= names
    assert author.name not in names
    assert not {"claude", "gpt", "gemini"} & names


def test_a_presets_personas_are_dealt_to_it(stage: Stage) -> None:
    made = cast(stage, "gpt-5-mini", workflow="panel", settings={"preset": "decision"})
    assert {member.model for member in made.everybody.values()} == {"gpt-5-mini"}
    assert len(made.panel.critics) == 3


def test_no_model_is_asked_where_none_may_be(stage: Stage) -> None:
    with pytest.raises(ConfigurationError, match="no model is asked here"):
        cast(stage, "gpt-5-mini", workflow="review", settings={"preset": "keyless"})
    with pytest.raises(ConfigurationError, match="allow_external"):
        cast(stage, "gpt-5-mini", settings={"privacy.allow_external": False})


def test_the_run_captures_it(stage: Stage) -> None:
    environ = stage.environ | KEYS
    for workflow, subject in (
        ("ask", QuestionInput(words=("Why?",))),
        ("forum", QuestionInput(words=("Why?",))),
    ):
        request = SubmissionRequest(
            stage.root, workflow, subject, models=("gpt-5-mini", "claude-haiku-4-5")
        )
        spec = prepare_run(request, environ).make_spec(workflow_version=1)
        asked = {critic.model for critic in spec.panel.critics}
        assert asked == {"gpt-5-mini", "claude-haiku-4-5"}
