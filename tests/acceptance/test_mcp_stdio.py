"""`quorate mcp` without a client library: bytes in, bytes out."""

import json
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.fixtures.instance import SCRIPTS, CommandLine
from tests.support.mcp_cast import Raw, write_cast

pytestmark = pytest.mark.acceptance


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return write_cast(tmp_path / "configuration")


def until(condition: Callable[[], bool], limit_s: float = 30.0) -> None:
    end = time.monotonic() + limit_s
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.1)


def test_a_server_that_loses_its_client_in_the_middle_of_a_call_leaves_the_run_alone(
    live: CommandLine, config: Path, tmp_path: Path
):
    server = Raw(live, "--config", str(config), cwd=tmp_path)
    server.initialize()
    arguments = {"question": "Anybody?", "participants": ["snail"]}
    server.send("tools/call", {"name": "ask", "arguments": arguments}, number=5)
    until(lambda: "Anybody?" in live("list", "--json").stdout)
    server.end()
    run = json.loads(live("list", "--json").stdout)["runs"][0]
    assert (run["title"], run["status"]) == ("Anybody?", "running")
    live("cancel", run["id"])


def test_nothing_but_the_protocol_is_on_standard_output(
    live: CommandLine, config: Path, tmp_path: Path
):
    """Also with a package of the SDK's name in the folder, hostile lines, and a run in between."""
    (tmp_path / "mcp").mkdir()
    (tmp_path / "mcp/__init__.py").write_text("print('hostile')\n")
    server = Raw(live, "--config", str(config), cwd=tmp_path)
    assert server.initialize()["result"]["serverInfo"]["name"] == "quorate"
    server.line("this is no JSON")
    server.line('{"jsonrpc": "2.0"')
    server.line("[1, 2]")
    server.send("no/such", number=7)
    server.send("tools/call", {"name": "ask", "arguments": {"question": "Why?"}}, number=8)
    server.send("tools/call", {"name": "show", "arguments": {"run": 5}}, number=9)
    answers: dict[Any, Any] = {}
    while not {7, 8, 9} <= {*answers}:
        message = server.read()
        assert message["jsonrpc"] == "2.0"
        answers[message.get("id")] = message
    assert answers[7]["error"]["code"] == -32601
    assert answers[8]["result"]["structuredContent"]["status"] == "completed"
    assert answers[9]["result"]["isError"]
    rest, talk = server.end()
    assert rest == ""
    assert "Traceback" not in talk


MISSING = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "mcp" or name.startswith("mcp."):
            raise ModuleNotFoundError(f"No module named {name!r}", name="mcp")
sys.meta_path.insert(0, Missing())
from orchestrator.cli.main import main
sys.exit(main(["mcp"]))
"""


def test_without_the_sdk_the_command_says_how_to_install_it(live: CommandLine, tmp_path: Path):
    python = shutil.which("python", path=str(SCRIPTS))
    assert python is not None
    done = subprocess.run(
        [python, "-P", "-c", MISSING],
        cwd=tmp_path,
        env=dict(live.environ),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout) == (5, "")
    assert "install `quorate[mcp]`" in done.stderr
