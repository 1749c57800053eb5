"""Every tool keeps what its card says, so a new one is tested by having a card."""

from __future__ import annotations

import subprocess
import sys
import typing
from pathlib import Path

import pytest
from pydantic import JsonValue

from shared.errors import ToolError
from shared.models.case import Case
from shared.models.subject import Origin
from shared.models.workspace import Workspace
from shared.tools.agent_inputs import WorkspaceInput
from shared.tools.card import ToolCard, ToolKind, ToolLimits
from shared.tools.case_inputs import CaseInput
from shared.tools.catalogue import cards
from shared.tools.graph_cards import CallersInput, CodeVectorsInput
from tests.workers.tools.changes import added, new_repo, patch_of, stored, subject_of
from workers.tools.registry import MemoryDocuments, ToolContext, load, run_tool
from workers.tools.sandbox.sandbox import execute, scratch

READING = cards(read_only=True)
ANALYSERS = cards(kind=ToolKind.ANALYSER)
OLD, NEW = (
    "import os\n\n\ndef f(a=[]):\n    return a\n",
    "import os\n\n\ndef g(a=[]):\n    return a\n",
)


class Sealed:
    """Documents that can be read only."""

    def __init__(self, documents: MemoryDocuments) -> None:
        self.get = documents.get

    def put(self, data: bytes) -> str:
        raise AssertionError(f"{data[:80]!r} was stored")


NOTE = (
    "A 50-year-old man with a cough. Pulse 80/min.\n\nPLAN\nStart amoxicillin 500 mg twice daily.\n"
)
PREPARED: dict[str, JsonValue] = {
    "chart": {"language": "en"},
    "timeline": {},
    "evidence": {},
    "gaps": {},
    "queries": [{"text": "cough"}],
    "space": "a model",
    "most": 1,
}
"""Of the inputs of the tools that read a chart, what is not the subject: the least that makes sense."""
ASKED: dict[str, JsonValue] = {
    "paths": ["a.py"],
    "intent": "code_search",
    "query": "f",
    "patch": "--- a/a.py\n+++ b/a.py\n@@ -0,0 +1 @@\n+x = 1\n",
    "command": "true",
    "text": 'File "a.py", line 1',
    "space": "a model",
}
"""The same for the tools that read a workspace."""


def chart_of(documents: MemoryDocuments) -> str:
    """A stored case."""
    case = Case(title="note.txt", chart=documents.put(NOTE.encode()))
    return documents.put(case.model_dump_json().encode())


def inputs_for(card: ToolCard, subject: str) -> dict[str, JsonValue]:
    """Inputs that make sense to a tool that only reads."""
    if card.inputs is CodeVectorsInput:
        return {"portions": []}
    known = card.inputs.model_fields.keys() if issubclass(card.inputs, CaseInput) else frozenset()
    prepared = {name: value for name, value in PREPARED.items() if name in known}
    inputs: dict[str, JsonValue] = {"subject": subject, **prepared}
    if card.kind is ToolKind.CHECK:
        fix = {"findings": ["F1"], "patch": patch_of("a.py", NEW, OLD), "source": "x"}
        inputs["fixes"] = [fix]  # type: ignore[list-item]
    if card.kind is ToolKind.COMMAND:
        inputs["name"] = "wc"
        inputs["program"] = {
            "command": ["wc", "-l"],
            "files": ["*.py"],
            "format": "regex",
            "pattern": r"^\s*(?P<line>\d+) (?P<file>\S+)(?P<message>.*)$",
        }
    if card.kind is ToolKind.REPORT:
        inputs |= {"name": "eslint", "format": "eslint", "report": subject}
    if "command" in card.inputs.model_fields:
        inputs["command"] = "true"
    return inputs


def workspace_inputs(card: ToolCard, workspace: Workspace) -> dict[str, JsonValue]:
    """Inputs that make sense to a tool that reads a workspace."""
    known = {name: value for name, value in ASKED.items() if name in card.inputs.model_fields}
    return {"workspace": workspace.model_dump(mode="json"), **known}


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.name)
def test_a_tools_run_takes_and_returns_what_its_card_says(card: ToolCard) -> None:
    hints = typing.get_type_hints(load(card).run)
    assert hints == {"inputs": card.inputs, "context": ToolContext, "return": card.reply}


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.name)
@pytest.mark.parametrize(
    "inputs", [{}, {"subject": "0" * 64}, {"subject": None, "reply_model": 7}, {"nonsense": 1}]
)
def test_a_tool_refuses_inputs_that_make_no_sense(
    card: ToolCard, inputs: dict[str, JsonValue]
) -> None:
    with pytest.raises(ToolError):
        run_tool(card.name, inputs, ToolContext(MemoryDocuments(), 10.0))


@pytest.mark.parametrize("card", READING, ids=lambda card: card.name)
def test_a_tool_that_only_reads_leaves_repository_and_documents_as_they_were(
    card: ToolCard, tmp_path: Path
) -> None:
    repo = new_repo(tmp_path / "r")
    head = repo.commit({"a.py": NEW})
    documents = MemoryDocuments()
    origin = Origin(repository=str(repo.root), reviewed=head)
    subject = stored(documents, subject_of(documents, {"a.py": (OLD, NEW)}, origin))
    if issubclass(card.inputs, CaseInput):
        subject = chart_of(documents)
    before = repo.state()
    if issubclass(card.inputs, WorkspaceInput):
        # Such a tool stores what it read for whoever asks next, so only the repository is looked at.
        inputs = workspace_inputs(card, Workspace(repository=str(repo.root), commit=head))
        reply = run_tool(card.name, inputs, ToolContext(documents, 60.0))
    elif card.inputs is CallersInput:
        reply = run_tool(card.name, inputs_for(card, subject), ToolContext(documents, 60.0))
    else:
        sealed = ToolContext(Sealed(documents), 60.0)
        reply = run_tool(card.name, inputs_for(card, subject), sealed)
    assert isinstance(reply, card.reply)
    assert repo.state() == before


@pytest.mark.parametrize("card", ANALYSERS, ids=lambda card: card.name)
def test_an_analyser_reads_what_its_card_says_and_nothing_else(card: ToolCard) -> None:
    documents = MemoryDocuments()
    context = ToolContext(documents, 60.0)
    python = run_tool(card.name, {"subject": added(documents, a_py=NEW)}, context)
    assert isinstance(python, card.reply)
    foreign = {"subject": added(documents, **{"a.go": "package a\n"})}
    if card.scope.reads("a.go"):
        assert isinstance(run_tool(card.name, foreign, context), card.reply)
    else:
        with pytest.raises(ToolError, match="Nothing analysed"):
            run_tool(card.name, foreign, context)


def test_what_is_wrong_with_inputs_is_said_by_its_field() -> None:
    inputs: dict[str, JsonValue] = {"subject": "0" * 64, "reply_model": "synthesis"}
    with pytest.raises(ToolError, match=r"What ruff is given is malformed at 'reply_model'"):
        run_tool("ruff", inputs, ToolContext(MemoryDocuments(), 10.0))


def test_the_programs_of_a_tool_are_held_to_its_cards_limits() -> None:
    limits = ToolLimits(memory_mb=512, processors=1)
    countdown = ToolContext(MemoryDocuments(), 10.0, limits=limits).countdown()
    held = countdown.confinement(brief=True)
    assert (held.memory_mb, held.processors, held.brief) == (512, 1, True)
    code = "x = bytearray(600 * 1024 * 1024)"
    with scratch() as home:
        ended = execute(
            [sys.executable, "-c", code],
            cwd=home,
            home=home,
            timeout_s=countdown.remaining_s(),
            confinement=countdown.confinement(),
        )
    assert ended.complaint == "MemoryError"


def test_tools_are_loaded_on_first_use() -> None:
    listed = "[m for m in sys.modules if 'tools.analysers' in m or 'tools.fixes' in m]"
    code = f"import sys, workers.tools.registry; print({listed})"
    root = Path(__file__).parents[3]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=True)
    assert done.stdout.strip() == b"[]"


def test_documents_in_memory_are_content_addressed() -> None:
    documents = MemoryDocuments()
    key = documents.put(b"abc")
    assert key == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert documents.get(key) == b"abc"
    with pytest.raises(ToolError, match="no document"):
        documents.get("0" * 64)
