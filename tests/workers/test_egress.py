"""What leaves this machine: which participants are elsewhere, what they are sent, what a run may forbid."""

from __future__ import annotations

import pytest

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.rendering import RenderedPrompt
from workers.egress import check_allowed, leaves_machine, without_secrets

SECRET = 'password = "hunter2-and-more"'


def participant(provider: str = "openai", **options: str) -> Participant:
    return Participant(name="bob", provider=provider, options=dict(options))


@pytest.mark.parametrize(
    "somebody",
    [
        participant(),
        participant("anthropic"),
        participant("command"),
        participant(base_url="https://llm.example/v1"),
        participant(base_url="http://10.0.0.5:8000/v1"),
        participant(base_url="http://localhost.example/v1"),
        participant(base_url="http://localhost@evil.example/v1"),
        participant(base_url="http://127.0.0.1.evil.example/"),
        participant(base_url="http://0.0.0.0:11434"),
        participant(base_url="http://[bad"),
        participant("ollama", base_url="http://gpu.example:11434"),
    ],
)
def test_these_are_elsewhere(somebody: Participant) -> None:
    assert leaves_machine(somebody)
    with pytest.raises(ProviderError, match="allow_external") as raised:
        check_allowed(somebody, allows_external=False)
    assert raised.value.kind is FailureKind.NOT_ALLOWED
    assert not raised.value.retryable
    check_allowed(somebody, allows_external=True)


@pytest.mark.parametrize(
    "somebody",
    [
        participant("scripted"),
        participant("rules"),
        participant("ollama"),
        participant(base_url="http://127.0.0.1:8000/v1"),
        participant(base_url="http://127.9.9.9/v1"),
        participant(base_url="http://[::1]:8000/v1"),
        participant(base_url="http://LOCALHOST:1234/v1"),
    ],
)
def test_these_are_here_and_may_be_asked_whatever_the_run_allows(somebody: Participant) -> None:
    assert not leaves_machine(somebody)
    check_allowed(somebody, allows_external=False)


def test_what_leaves_carries_no_secret_and_the_note_says_how_many_were_hidden() -> None:
    prompt = RenderedPrompt(
        system="You review.", user=f"{SECRET}\nredis://:s3cr3t@cache/0\n{SECRET}"
    )
    sent, note = without_secrets(prompt, participant())
    assert "hunter2" not in sent.user
    assert "s3cr3t" not in sent.user
    assert note == ("masked 2 secrets (assigned-secret, connection-password)",)


def test_what_stays_here_and_what_holds_no_secret_is_sent_as_it_is() -> None:
    secret = RenderedPrompt(system="", user=SECRET)
    assert without_secrets(secret, participant("ollama")) == (secret, ())
    plain = RenderedPrompt(system="You review.", user="x = 1")
    assert without_secrets(plain, participant()) == (plain, ())
