"""What leaves this machine: which participants are elsewhere, what they are sent, what a run may forbid."""

from __future__ import annotations

from typing import Any

import pytest

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE
from shared.providers.locality import leaves_machine
from shared.store.steps import Promises
from shared.text.rendering import RenderedPrompt
from tests.support.notices import all_words
from workers.turns.egress import check_allowed, without_secrets

SECRET = 'password = "hunter2-and-more"'


HOME_IS_HERE = Promises(allow_external=False)
NO_MODELS = Promises(allow_external=False, allow_models=False)


def participant(provider: str = "openai", model: str | None = None, **options: Any) -> Participant:
    return Participant(name="bob", provider=provider, model=model, options=dict(options))


def at(address: str, provider: str = "openai") -> Participant:
    return participant(provider, base_url=address)


ELSEWHERE = [
    participant(),
    participant("openai-responses"),
    participant("anthropic"),
    participant("gemini"),
    participant("command"),
    participant("command", agent="claude"),
    participant("command", command=["cat"]),
    participant("command", external=True),
    participant("browser", site="claude"),
    participant("browser", site="claude", base_url="http://127.0.0.1:1/"),
    participant("browser", site="claude", external=False),
    participant("a provider of tomorrow"),
    participant("a provider of tomorrow", base_url="http://127.0.0.1/", external=False),
    participant("ollama", "gpt-oss:120b-cloud"),
    participant("ollama", "glm-4.6:cloud", base_url="http://127.0.0.1:11434"),
    participant("ollama", "Qwen3:480B-CLOUD", base_url="http://localhost:11434"),
    participant("ollama", "mine", extra_body={"model": "gpt-oss:120b-cloud"}),
    participant("openai", "gpt-oss:120b-cloud", base_url="http://127.0.0.1:11434/v1"),
    participant("ollama", external=True),
    participant(base_url="http://127.0.0.1:4000/v1", external=True),
    participant(base_url="https://llm.example/v1", external=False),
    at("https://llm.example/v1"),
    at("http://10.0.0.5:8000/v1"),
    at("http://192.168.1.2/v1"),
    at("http://localhost.example/v1"),
    at("http://localhost./v1"),
    at("http://gpu.localhost/v1"),
    at("http://localhost@evil.example/v1"),
    at("http://127.0.0.1@evil.example/v1"),
    at("http://127.0.0.1:80@evil.example/v1"),
    at("http://evil.example\\@127.0.0.1/v1"),
    at("http://127.0.0.1\\@evil.example/v1"),
    at("http://evil.example#@127.0.0.1/"),
    at("http://127.0.0.1?@evil.example/"),
    at("http://127.0.0.1.evil.example/"),
    at("http://127.0.0.1.nip.io/"),
    at("http://127.evil.example/"),
    at("http://127.1/v1"),
    at("http://127.0.0.256/v1"),
    at("http://127.0.0.01/v1"),
    at("http://2130706433/v1"),
    at("http://0x7f000001/v1"),
    at("http://0177.0.0.1/v1"),
    at("http://\uff11\uff12\uff17.0.0.1/v1"),
    at("http://127\u30020\u30020\u30021/v1"),
    at("http://0.0.0.0:11434"),
    at("http://[::]:11434"),
    at("http://[::ffff:127.0.0.1]/v1"),
    at("http://[::1%25eth0]/v1"),
    at("http://[2001:db8::1]/v1"),
    at("http://[bad"),
    at("http://[::1].evil.example/"),
    at("http://\t127.0.0.1/"),
    at("http://127.0.0.1\n.evil.example/"),
    at(" http://127.0.0.1/"),
    at("ftp://127.0.0.1/"),
    at("//127.0.0.1/"),
    at(""),
    at("http://gpu.example:11434", "ollama"),
]
HERE = [
    participant("scripted"),
    participant("rules"),
    participant("analyser"),
    participant("person"),
    participant("ollama"),
    participant("ollama", "llama3.2:3b", base_url="http://127.0.0.1:11434"),
    participant("command", command=["llama-cli"], external=False),
    at("http://127.0.0.1:8000/v1"),
    at("http://127.9.9.9/v1"),
    at("http://[::1]:8000/v1"),
    at("http://LOCALHOST:1234/v1"),
    at("https://localhost/v1/"),
]


def names(somebody: Participant) -> str:
    return f"{somebody.provider} {somebody.model or ''} {dict(somebody.options)}"


@pytest.mark.parametrize("somebody", ELSEWHERE, ids=names)
def test_these_are_elsewhere(somebody: Participant) -> None:
    assert leaves_machine(somebody)
    with pytest.raises(ProviderError, match="allow_external") as raised:
        check_allowed(somebody, HOME_IS_HERE)
    assert raised.value.kind is FailureKind.NOT_ALLOWED
    assert not raised.value.retryable
    check_allowed(somebody, Promises())


@pytest.mark.parametrize("somebody", HERE, ids=names)
def test_these_are_here_and_may_be_asked_when_nothing_leaves(somebody: Participant) -> None:
    assert not leaves_machine(somebody)
    check_allowed(somebody, HOME_IS_HERE)


def test_where_no_model_is_promised_only_rules_and_people_are_asked() -> None:
    computing = {"rules", "analyser", "person"}
    for somebody in (*ELSEWHERE, *HERE):
        if somebody.provider in computing:
            check_allowed(somebody, NO_MODELS)
            continue
        with pytest.raises(ProviderError, match="no model is asked") as refused:
            check_allowed(somebody, NO_MODELS)
        assert refused.value.kind is FailureKind.NOT_ALLOWED


def test_only_what_reaches_nobody_and_a_server_on_this_machine_are_here() -> None:
    here = {name for name in CATALOGUE if not leaves_machine(participant(name))}
    assert here == {"ollama", "embeddings", "person", "scripted", "analyser", "rules"}


def test_a_step_can_narrow_what_its_run_allows_and_not_widen_it() -> None:
    assert Promises().narrowed(False) == HOME_IS_HERE
    assert HOME_IS_HERE.narrowed(True) == HOME_IS_HERE
    assert NO_MODELS.narrowed(True) == NO_MODELS


def test_what_leaves_carries_no_secret_and_the_note_says_how_many_were_hidden() -> None:
    prompt = RenderedPrompt(
        system="You review.", user=f"{SECRET}\nredis://:s3cr3t@cache/0\n{SECRET}"
    )
    sent, note = without_secrets(prompt, participant())
    assert "hunter2" not in sent.user
    assert "s3cr3t" not in sent.user
    assert all_words(note) == ("masked 2 secrets (assigned-secret, connection-password)",)


def test_what_stays_here_and_what_holds_no_secret_is_sent_as_it_is() -> None:
    secret = RenderedPrompt(system="", user=SECRET)
    assert without_secrets(secret, participant("ollama")) == (secret, ())
    plain = RenderedPrompt(system="You review.", user="x = 1")
    assert without_secrets(plain, participant()) == (plain, ())
