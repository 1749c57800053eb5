"""Answers about code as people and as programs read them."""

from __future__ import annotations

import json
import re
from array import array
from xml.etree import ElementTree

import pytest

from orchestrator.core.lines import plain
from orchestrator.presentation.code_graph import candidate_lines, chain_lines, link_lines
from orchestrator.presentation.code_graph_export import FORMATS, exported
from orchestrator.presentation.locale.translator import Translator
from shared.models.code_answers import CodeLink, CodeSymbol, GraphAnswer
from shared.models.code_graph import CodeGraph, EdgeKind, Node
from shared.models.code_graph_document import from_document, to_document
from shared.models.findings import Place

WORDS = Translator("en")
HOSTILE = 'a"b<&\x1b[31m\u202e\\\n\ud800'
GRAPH = CodeGraph(
    (
        Node(HOSTILE, "function", "a\\b.py", 3, 4, "def <x>"),
        Node("json.loads", "external", "", 0, 0),
    ),
    ("a\\b.py",),
    array("I", [0]),
    array("I", [1]),
    array("B", [EdgeKind.CALLS]),
    array("I", [0]),
    array("I", [4]),
    array("I", [0]),
    array("I", [0, 1, 1]),
    array("I", [0, 0, 1]),
)


def place(path: str, line: int) -> Place:
    return Place(path=path, line=line)


ANSWER = GraphAnswer(
    asked=(CodeSymbol(symbol="m.f", kind="function", place=place("m.py", 1)),),
    links=(
        CodeLink(symbol="m.g", kind="function", chain=("m.g", "m.f"), sites=(place("m.py", 7),)),
        CodeLink(
            symbol="m.h",
            kind="function",
            chain=("m.h", "m.g", "m.f"),
            sites=(place("m.py", 9), place("m.py", 11)),
        ),
    ),
    total=3,
)


def test_every_call_has_a_line_that_an_editor_opens() -> None:
    assert plain(link_lines(ANSWER, WORDS)).splitlines() == [
        "m.py:1  m.f  function",
        "  m.py:7  m.g",
        "  m.py:9  m.h  m.h -> m.g -> m.f",
        "  m.py:11  m.h  m.h -> m.g -> m.f",
        "and one more",
    ]


def test_a_chain_is_one_line() -> None:
    assert plain(chain_lines(ANSWER, WORDS)).splitlines()[1] == "m.h -> m.g -> m.f  m.py:9"
    assert plain(chain_lines(GraphAnswer(), Translator("ko"))) == "없음\n"


def test_names_from_a_repository_cannot_steer_a_terminal() -> None:
    candidates = (CodeSymbol(symbol="\x1b]0;title\x07f", kind="function", place=None),)
    answer = GraphAnswer(unclear="f", candidates=candidates)
    assert plain(candidate_lines(answer, WORDS)) == "-  f  function\n"


@pytest.mark.parametrize("form", FORMATS)
def test_an_export_is_well_formed_whatever_names_a_repository_has(form: str) -> None:
    text = "".join(exported(GRAPH, form))
    assert "\x1b" not in text
    text.encode()
    if form == "json":
        content = json.loads(text)
        assert [node["id"] for node in content["nodes"]] == [HOSTILE, "json.loads"]
        assert [edge["kind"] for edge in content["edges"]] == ["calls"]
    elif form == "graphml":
        root = ElementTree.fromstring(text)
        assert len(root.findall(".//{*}node")), len(root.findall(".//{*}edge")) == (2, 1)
    else:
        assert text.count("->") == 1
        assert '"' not in re.sub(r'"(?:[^"\\\n]|\\.)*"', "", text)
        assert text.startswith("digraph code {\n")


def test_an_empty_graph_is_exported_too() -> None:
    empty = CodeGraph((), ())
    assert json.loads("".join(exported(empty, "json")))["nodes"] == []


def test_a_graph_comes_back_from_its_document() -> None:
    assert from_document(to_document(GRAPH)) == GRAPH
