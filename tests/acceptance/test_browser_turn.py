"""A web chat takes its turn through a real turn worker and a real Chromium, from the command line to the report."""

from __future__ import annotations

import json
import shutil
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.instance import Endpoints
from tests.fixtures.instance import make_command_line, make_repository
from tests.support.chat_pages import ChatPages

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.needs_chromium,
    pytest.mark.timeout(240),
    pytest.mark.skipif(
        find_spec("playwright") is None, reason="Playwright is not installed (extra `browser`)"
    ),
    pytest.mark.skipif(shutil.which("chromium") is None, reason="no `chromium` on PATH"),
]

SERVICES = (
    ("quorate", "orchestrator"),
    ("quorate-worker", "turns"),
    ("quorate-worker", "tools"),
)
ANSWER = json.dumps({"verdict": "NEEDS_FIX", "summary": "The web chat has read the change."})
TERMS = {"i_accept_the_sites_terms": True}


def configuration(folder: Path, pages: ChatPages) -> str:
    """One web chat that answers, one that wants a log-in."""
    providers = {
        "web": {
            "type": "browser", "site": "chatgpt", **TERMS, "timeout": 90,
            "base_url": pages.url("chatgpt"), "profile": str(folder / "profile"),
        },
        "stranger": {
            "type": "browser", "site": "claude", **TERMS, "timeout": 90,
            "base_url": pages.url("claude", "login"), "profile": str(folder / "other"),
        },
    }  # fmt: skip
    file = folder / "quorate.yaml"
    file.write_text(yaml.safe_dump({"providers": providers}), encoding="utf-8")
    return str(file)


def steps_of(report: dict[str, Any]) -> dict[str, dict[str, Any]]:
    stage = next(one for one in report["rounds"] if one["stage"].startswith("critique"))
    return {step["participant"]: step for step in stage["steps"]}


def test_a_web_chat_criticises_a_change_and_a_log_in_wall_is_a_typed_failure(
    servers: Endpoints, database_url: str, tmp_path: Path
) -> None:
    urls = {"QUORATE_REDIS_URL": servers.redis_url, "QUORATE_DATABASE_URL": database_url}
    command_line = make_command_line(tmp_path, **urls)
    services: list[subprocess.Popen[str]] = []
    with ChatPages(ANSWER) as pages:
        try:
            services += [command_line.start(*words, program=name) for name, *words in SERVICES]
            done = command_line(
                *("review", "--config", configuration(tmp_path, pages), "--rounds", "1"),
                *("--panel", "web,stranger,ruff,author=rules,chair=rules"),
                *("--decide", "skip", "--json"),
                cwd=make_repository(tmp_path / "repository"),
                timeout_s=200.0,
            )
        finally:
            for service in services:
                service.terminate()
            talk = [service.communicate(timeout=60)[1] for service in services]
        assert done.stdout, done.stderr + "\n".join(talk)
        steps = steps_of(json.loads(done.stdout))
        assert steps["web"]["status"] == "done", steps["web"]
        assert steps["web"]["reply"]["summary"] == "The web chat has read the change."
        assert steps["web"]["cost_usd"] is None
        assert steps["stranger"]["failure"]["kind"] == "credentials"
        assert "quorate participants login stranger" in steps["stranger"]["failure"]["message"]
        (asked,) = pages.asked
        assert "subprocess.call" in asked
        assert "<<<BEGIN" in asked
