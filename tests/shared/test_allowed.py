"""What a worker may run and call is entered by content in files that only their owner can write."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from shared.allowed import ANYTHING, VARIABLE, Allowed, identity_of
from shared.instance import Instance
from shared.models.panel import Participant


def somebody(provider: str, model: str | None = None, **options: Any) -> Participant:
    return Participant(name="ada", provider=provider, model=model, options=options)


@pytest.mark.parametrize(
    "participant",
    [
        somebody("openai", "gpt-5"),
        somebody("anthropic", "claude", rpm=5, price={"in": 1, "out": 2}),
        somebody("ollama", "gemma3:4b", num_ctx=4096),
        somebody("command", agent="claude"),
        somebody("command", "opus", agent="claude", json_schema=False),
        somebody("scripted", replies=[{"reply": "x"}]),
        somebody("person"),
        somebody("rules"),
        somebody("analyser"),
    ],
)
def test_what_the_code_itself_names_needs_no_entry(participant: Participant) -> None:
    assert identity_of(participant) is None


STEERING = [
    somebody("command", command=["/bin/sh", "-c", "id"]),
    somebody("command", agent="claude", program="/tmp/evil"),
    somebody("command", agent="claude", arguments=["--dangerously-skip-permissions"]),
    somebody("command", agent="claude", env=["OPENAI_API_KEY"]),
    somebody("command", "--settings=/tmp/evil.json", agent="claude"),
    somebody("openai", "m", base_url="http://127.0.0.1:9/v1"),
    somebody("openai", "m", base_url="https://evil.example", api_key_env="OPENAI_API_KEY"),
    somebody("openai", "m", api_key_env="ANTHROPIC_API_KEY"),
    somebody("anthropic", "m", api_key_file="/root/.ssh/id_ed25519"),
    somebody("gemini", "m", api_key_keyring="bank"),
    somebody("openai-responses", "m", header_file={"X-A": "/etc/shadow"}),
    somebody("openai", "m", header_env={"X-A": "AWS_SECRET_ACCESS_KEY"}),
    somebody("openai", "m", header_keyring={"X-A": "bank"}),
    somebody("openai", "m", headers={"Helicone-Target-URL": "https://evil.example"}),
    somebody("openai", "m", query={"to": "evil"}),
    somebody("openai", "m", extra_body={"api_base": "https://evil.example"}),
    somebody("ollama", "m", base_url="http://169.254.169.254"),
    somebody("scripted", script="/etc/shadow"),
    somebody("browser", site="chatgpt", profile="/home/a/.config/chromium"),
    somebody("browser", site="chatgpt", i_accept_the_sites_terms=True),
]


@pytest.mark.parametrize("participant", STEERING)
def test_what_steers_a_worker_is_allowed_when_it_was_entered_and_not_before(
    tmp_path: Path, participant: Participant
) -> None:
    identity = identity_of(participant)
    assert identity is not None
    allowed = Allowed(tmp_path / "allowed")
    assert not allowed.allows(identity)
    assert allowed.allow_all([participant]) == 1
    assert allowed.allows(identity)
    others = [identity_of(other) for other in STEERING if other is not participant]
    assert not any(allowed.allows(other) for other in others if other is not None)


def test_stand_ins_are_entered_with_whom_they_stand_in_for(tmp_path: Path) -> None:
    first = somebody("openai", "m").model_copy(update={"fallback": (STEERING[0],)})
    allowed = Allowed(tmp_path / "allowed")
    assert allowed.allow_all([first]) == 1
    assert allowed.allows(identity_of(STEERING[0]) or {})


def entered(tmp_path: Path) -> tuple[Allowed, Path, dict[str, Any]]:
    allowed = Allowed(tmp_path / "allowed")
    identity = dict(identity_of(STEERING[0]) or {})
    allowed.allow(identity)
    (file,) = (tmp_path / "allowed").iterdir()
    return allowed, file, identity


def test_entries_are_readable_by_their_owner_only_and_say_what_they_allow(tmp_path: Path) -> None:
    _, file, identity = entered(tmp_path)
    assert (file.stat().st_mode & 0o777, file.parent.stat().st_mode & 0o777) == (0o600, 0o700)
    assert json.loads(file.read_text()) == identity


@pytest.mark.parametrize("spoiled", ["open file", "open folder", "link", "other content", "pipe"])
def test_an_entry_that_somebody_else_could_have_made_is_none(tmp_path: Path, spoiled: str) -> None:
    allowed, file, identity = entered(tmp_path)
    assert allowed.allows(identity)
    if spoiled == "open file":
        file.chmod(0o660)
    elif spoiled == "open folder":
        file.parent.chmod(0o777)
    elif spoiled == "link":
        file.rename(tmp_path / "elsewhere")
        file.symlink_to(tmp_path / "elsewhere")
    elif spoiled == "pipe":
        file.unlink()
        os.mkfifo(file, 0o600)
    else:
        file.write_text("{}")
    assert not allowed.allows(identity)


def test_another_accounts_entries_count_for_nothing(tmp_path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give files away")
    allowed, file, identity = entered(tmp_path)
    os.chown(file, 12345, 12345)
    assert not allowed.allows(identity)


def test_the_folder_is_the_instances_own_or_the_environments(tmp_path: Path) -> None:
    environ = {"HOME": str(tmp_path)}
    instance = Instance.from_environment(environ)
    assert Allowed.of(instance, environ).folder == instance.state_dir / "allowed"
    assert Allowed.of(instance, {VARIABLE: "/srv/allowed"}).folder == Path("/srv/allowed")
    anything = Allowed.of(instance, {VARIABLE: ANYTHING})
    assert anything.allows({"provider": "command", "command": ["x"]})
