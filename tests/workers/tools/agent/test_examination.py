"""What holds for every examiner: its words, its cards, its process, and repositories made to break it."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from orchestrator.presentation.locale import translator
from orchestrator.presentation.locale.catalogue import read_entries
from shared.models.agent import RepositoryExamination
from shared.models.findings import Severity
from shared.tools.examiner_cards import EXAMINER_CARDS
from tests.workers.tools.agent.examined import examine
from tests.workers.tools.agent.workspaces import new_project
from workers.tools.agent import examination
from workers.tools.agent.examination import MOST_POINTS, Points, point_code

NAMES = [card.name.partition(".")[2] for card in EXAMINER_CARDS]
RULES = {
    rule
    for name in NAMES
    for rule in importlib.import_module(f"workers.tools.agent.examine_{name}").RULES
}
SOURCES = "\n".join(
    path.read_text() for path in sorted(Path(examination.__file__).parent.glob("*.py"))
)
LOCALE = Path(translator.__file__).parent
NESTED = "x = " + "(" * 3000 + ")" * 3000
HOSTILE = {
    "bad.py": "def (:",
    "deep.py": NESTED,
    "pyproject.toml": "[project\nname=",
    "package.json": "[" * 5000,
    "Dockerfile": "FROM \\\n",
    "docker-compose.yml": "a: &a [*a, *a]\nservices: [1, {x: *a}]",
    ".github/workflows/x.yml": "on: {pull_request_target: }\njobs: [1, 2]",
    "k.yaml": "apiVersion: v1\nkind: Pod\nspec: {containers: [1, [2]]}",
    "README.md": "[x](" + "(" * 2000 + "\n```\n",
    "poetry.lock": "\0binary",
    "main.tf": "ingress {" * 500,
    "n.ipynb": '{"cells": [{"cell_type": "code", "source": [1]}]}',
    "docs/spec.md": "- [x] `" + "a.b" * 3000 + "\n" + "must " * 20_000,
    "migrations/1_a.sql": "-- +goose Up\n" * 2000,
    "migrations/99999999999999_b.sql": "",
    "app/migrations/0001.py": "class Migration:\n    dependencies = [(1,), x, ('app', f())]\n",
    "versions/a.py": "revision = down_revision = ('a',)\n",
    "own/loop.py": "from . import loop\nfrom .... import x\nfrom own.loop import *\n",
    "web/a.js": "import './a'\nimport '../../../../etc/passwd'\n",
}


def test_every_rule_has_words_and_no_words_are_left_over() -> None:
    words = read_entries((LOCALE / "en/agent_examination.po").read_text()).keys() - {""}
    assert {point_code(rule) for rule in RULES} <= words
    facts = words - {point_code(rule) for rule in RULES}
    assert {code for code in facts if f'"{code}"' not in SOURCES} == set()


@pytest.mark.parametrize("name", NAMES)
def test_every_rule_of_an_examiner_begins_with_its_name(name: str) -> None:
    module = importlib.import_module(f"workers.tools.agent.examine_{name}")
    assert {rule.partition(".")[0] for rule in module.RULES} == {name}


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_repository_has_no_points(name: str) -> None:
    assert examine(name, {}).points == ()


@pytest.mark.parametrize("card", EXAMINER_CARDS, ids=lambda card: card.name)
def test_a_hostile_repository_is_examined_in_the_sandbox(card: object, tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", HOSTILE)
    reply = project.run(card.name, project.workspace_with({}), task="x")  # type: ignore[attr-defined]
    assert isinstance(reply, RepositoryExamination)


def test_what_the_workspace_changes_is_examined(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", {"Dockerfile": "FROM python:3.12\nCMD a\n"})
    state = project.workspace_with({"Dockerfile": "FROM python:3.12\nUSER app\nCMD a\n"})
    before = project.run("examine.ops", project.workspace_with({}))
    after = project.run("examine.ops", state)
    assert isinstance(before, RepositoryExamination)
    assert isinstance(after, RepositoryExamination)
    assert [point.rule for point in before.points] == ["ops.docker-root"]
    assert after.points == ()


def test_of_many_points_of_a_rule_the_first_are_listed_and_the_rest_counted() -> None:
    points = Points({"x.y": Severity.INFO, "x.z": Severity.MAJOR})
    for line in range(1, MOST_POINTS + 4):
        points.add("x.y", "a.py", line)
    points.add("x.z", "b.py", 1)
    points.add("x.z", "b.py", 1)
    made = points.examination()
    assert len(made.points) == MOST_POINTS + 1
    assert made.points[0].rule == "x.z"
    assert made.facts[0].params == {"rule": "x.y", "n": 3}
