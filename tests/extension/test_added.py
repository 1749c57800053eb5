"""Whoever adds a workflow, a provider, a lens, a tool or a format adds a file or folder and a row: the rest follows."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fixtures.instance import CommandLine

pytestmark = pytest.mark.acceptance

PLAN = """
- when: {role: plan}
  reply: {plan: "1. Buy two servers\\n2. Move the shop"}
- when: {role: cost-analysis}
  reply:
    verdict: REVISE
    findings: [{title: "Two servers are idle at night", severity: MAJOR, quote: "1. Buy two servers"}]
- when: {role: synthesis}
  reply: {summary: "The cost decides it."}
- reply: {verdict: ACCEPT}
"""


@pytest.fixture
def service() -> Iterator[str]:
    """A server of the added provider's protocol: it answers with what it was asked, backwards in lines."""

    class Echo(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body = json.dumps({"said": f"echo of {len(asked['say'])} characters"}).encode()
            self.send_response(200 if self.headers.get("x-echo-key") == "secret" else 401)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_args: object) -> None:
            """Quiet."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Echo)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1"
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_tool_takes_part_and_a_format_shows_the_result(
    extended: CommandLine, change: Path
) -> None:
    assert "todos" in extended("participants", cwd=change).stdout
    assert ".csv" in extended("review", "--help").stdout
    page = change / "findings.csv"
    words = ("review", "--staged", "-p", "todos", "--decide", "skip", "-o", str(page))
    answer = extended(*words, cwd=change)
    assert answer.returncode == 0, answer.stderr
    assert page.read_text() == "severity,title\nMINOR,Something is left to do\n"
    assert extended("show", "last", "--format", "csv").stdout == page.read_text()


def test_a_lens_is_a_role_of_its_own(extended: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "plan.yaml").write_text(PLAN)
    (tmp_path / "config.yaml").write_text(
        "participants: [ann, bob, cho]\npanel: {author: dan, chair: dan}\nproviders:\n"
        + "".join(
            f"  {name}: {{type: scripted, script: plan.yaml}}\n"
            for name in "ann bob cho dan".split()
        )
    )
    answer = extended(
        *("plan", "Move the shop", "--strategy", "perspectives", "--rounds", "1"),
        *("--decide", "accept", "--config", str(tmp_path / "config.yaml"), "--json"),
    )
    assert answer.returncode == 3, answer.stderr  # nobody answered the new lens's objection
    report = json.loads(answer.stdout)
    roles = {step["role"] for stage in report["rounds"] for step in stage["steps"]}
    assert "cost-analysis" in roles
    assert "Two servers are idle at night" in answer.stdout


def test_a_provider_is_found_by_its_key_and_asked(extended: CommandLine, service: str) -> None:
    listed = extended("participants", environ={"ECHO_KEY": "k", "QUORATE_DISCOVER": "on"})
    assert "echo-large" in listed.stdout, listed.stderr
    (extended.home / "key").write_text("secret")
    config = extended.home / "echo.yaml"
    config.write_text(
        f"providers:\n  parrot: {{type: echo, model: m, base_url: '{service}', api_key_file: key}}\n"
    )
    answer = extended("ask", "How much is it?", "-p", "parrot", "--config", str(config), "--json")
    assert answer.returncode == 0, answer.stderr
    (given,) = json.loads(answer.stdout)["detail"]["answers"]
    assert given["answer"].startswith("echo of ")


def test_a_workflow_has_a_command_a_section_and_every_view(
    extended: CommandLine, poll: tuple[str, ...]
) -> None:
    assert "Poll a panel." in extended("--help").stdout
    assert "--least N" in extended("poll", "--help").stdout
    assert "least: 2" in extended("config", "show", *poll[2:]).stdout

    asked = extended(*poll, "--decide", "later", "--json")
    assert asked.returncode == 8, asked.stderr
    assert "estimate by ann, bob" in asked.stderr
    decided = extended("decide", "last", "publish", "--json")
    assert decided.returncode == 0, decided.stderr

    report = json.loads(extended("show", "last", "--json").stdout)
    assert report["run"]["workflow"] == "poll"
    assert report["detail"]["choice"] == "publish"
    assert "Asked alone, I say five weeks." in report["detail"]["compared"]
    roles = {step["role"] for stage in report["rounds"] for step in stage["steps"]}
    assert roles >= {"estimate", "tell", "run"}
    text = extended("show", "last").stdout
    assert "2 of 2 answered" in text
    assert "Most say four weeks." in text
    korean = extended("show", "last", "--lang", "ko").stdout
    assert "2명 중 2명이 답했습니다" in korean
    assert "## " in extended("show", "last", "--format", "markdown").stdout


def test_a_workflows_bounds_are_those_of_its_fields(extended: CommandLine) -> None:
    refused = extended("poll", "How long?", "--least", "100")
    assert refused.returncode == 2
    assert "--least" in refused.stderr
