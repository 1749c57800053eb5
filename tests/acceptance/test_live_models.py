"""Model services stream to whoever watches: each protocol's pieces arrive at a terminal before the answer is whole."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from tests.fixtures.instance import SCRIPTS, CommandLine
from tests.support.model_process import ModelServer
from tests.support.terminals import terminal

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(240)]

TYPES = ("anthropic", "openai", "gemini", "ollama")


def words_of(name: str) -> str:
    return " ".join(f"{name[:3]}{number:02}" for number in range(14))


def test_what_models_write_is_read_while_they_write_it(live: CommandLine, tmp_path: Path) -> None:
    with ModelServer(tmp_path) as server:
        server.tell(
            {
                f"stub-{name}": {"text": json.dumps({"answer": words_of(name)}), "fault": "drip"}
                for name in TYPES
            }
        )
        (tmp_path / "key").write_text("not-a-key")
        providers = {
            name: {
                "type": name,
                "model": f"stub-{name}",
                "base_url": server.base_url if name == "openai" else server.url,
                **({} if name == "ollama" else {"api_key_file": str(tmp_path / "key")}),
            }
            for name in TYPES
        }
        config = tmp_path / "quorate.yaml"
        config.write_text(yaml.safe_dump({"providers": providers, "participants": list(TYPES)}))
        command = [str(SCRIPTS / "quorate"), "ask", "--config", str(config), "--no-stdin", "Well?"]
        with terminal(command, live.environ, tmp_path) as shown:
            early = shown.until(lambda text: all(f"{name[:3]}01" in text for name in TYPES))
            assert not any(f"{name[:3]}13" in early for name in TYPES)
            assert shown.end() == 0
        assert all(f"{name[:3]}13" in shown.text for name in TYPES)
        assert all(call["stream"] for call in server.calls())
