"""Every tool of the registry keeps the contract, so a new one is tested by being registered."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

from shared.errors import ToolError
from workers.tools.memory import MemoryDocuments
from workers.tools.registry import TOOLS, ToolContext, lookup


@pytest.mark.parametrize("name", sorted(TOOLS))
def test_a_tool_has_its_name_a_summary_and_a_run(name: str) -> None:
    tool = lookup(name)
    assert tool.name == name
    assert tool.summary.endswith(".")
    assert list(inspect.signature(tool.run).parameters) == ["inputs", "context"]


@pytest.mark.parametrize("name", sorted(TOOLS))
@pytest.mark.parametrize("inputs", [{}, {"subject": "0" * 64}, {"subject": None, "reply_model": 7}])
def test_a_tool_refuses_inputs_that_make_no_sense(name: str, inputs: dict[str, object]) -> None:
    with pytest.raises(ToolError):
        lookup(name).run(inputs, ToolContext(MemoryDocuments(), 10.0))  # type: ignore[arg-type]


def test_an_unknown_tool_is_named_with_those_that_exist() -> None:
    with pytest.raises(ToolError, match=r"'rufff'.*ruff"):
        lookup("rufff")


def test_tools_are_loaded_on_first_use() -> None:
    code = "import sys, workers.tools.registry; print([m for m in sys.modules if 'tools.' in m])"
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=True)
    assert done.stdout.strip() == b"['workers.tools.registry']"


def test_documents_in_memory_are_content_addressed() -> None:
    documents = MemoryDocuments()
    key = documents.put(b"abc")
    assert key == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert documents.get(key) == b"abc"
    with pytest.raises(ToolError, match="no document"):
        documents.get("0" * 64)
