"""What holds for every provider of the registry, by being in it."""

from __future__ import annotations

import ast
import contextlib
import inspect
import json
import subprocess
import sys
from pathlib import Path

import pytest

import workers.providers as package
from shared.errors import ConfigurationError, ProviderError
from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.catalogue import CATALOGUE
from tests.workers.providers.calls import call_of
from workers.providers.calls import Completion, Finish
from workers.providers.registry import load_provider


class Raised:
    """A flag that is up already."""

    def is_set(self) -> bool:
        return True


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_provider_has_the_protocols_functions_and_a_docstring(name: str) -> None:
    provider = load_provider(name)
    assert list(inspect.signature(provider.complete).parameters) == ["call", "cancel"]
    assert list(inspect.signature(provider.structured).parameters) == ["participant"]
    assert provider.__doc__


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_call_without_matter_key_or_model_ends_in_a_typed_error(name: str) -> None:
    with pytest.raises(ProviderError):
        load_provider(name).complete(call_of(name, None), Raised())


@pytest.mark.parametrize("name", CATALOGUE)
def test_unusable_options_are_a_typed_error_or_ignored(name: str) -> None:
    participant = Participant(name="x", provider=name, options={"base_url": 7, "replies": 7})
    with contextlib.suppress(ProviderError):
        assert load_provider(name).structured(participant) in (True, False)


def test_an_unknown_provider_names_the_nearest() -> None:
    with pytest.raises(ConfigurationError, match="did you mean 'scripted'"):
        load_provider("scriptd")
    with pytest.raises(ConfigurationError, match="known are anthropic"):
        load_provider("???")


def test_the_registry_loads_no_provider_and_no_http_client() -> None:
    program = (
        "import sys, workers.providers.registry, json;"
        "print(json.dumps([m for m in sys.modules if m.startswith(('httpx', 'workers.providers'))]))"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    ).stdout
    assert set(json.loads(loaded)) <= {
        f"workers.providers{name}" for name in ("", ".registry", ".calls")
    }


def test_http_is_known_in_one_place() -> None:
    allowed = {"transport", "slots", "sockets"}
    folder = Path(package.__path__[0])
    for file in folder.glob("*.py"):
        names = {
            alias.name
            for node in ast.walk(ast.parse(file.read_text()))
            if isinstance(node, ast.Import)
            for alias in node.names
        }
        assert not names & {"httpx", "httpcore"} or file.stem in allowed, file


def test_a_completion_survives_being_stored() -> None:
    completion = Completion(
        text="한글 \x00\ud800",
        usage=Usage(input_tokens=1, cost_usd=0.25),
        finish_reason=Finish.LENGTH,
        model="m",
        raw=b"{}",
        limits={"x-ratelimit-remaining": "1"},
    )
    back = Completion.unpacked(completion.packed())
    assert back.text == "한글 \ufffd\ufffd"
    assert (back.usage, back.finish_reason, back.model) == (
        completion.usage,
        completion.finish_reason,
        "m",
    )
    assert completion.packed() == completion.packed()


def test_a_call_does_not_show_its_texts() -> None:
    shown = repr(call_of(user="a private subject"))
    assert "private" not in shown
    assert "You are a reviewer" not in shown
