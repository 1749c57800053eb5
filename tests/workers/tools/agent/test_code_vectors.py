"""Code by its meaning: what is embedded of a repository, stored once for a content, and ranked with the other ways."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from shared.errors import ToolError
from shared.models.agent import Navigation
from shared.models.code_answers import CodeEmbedded, CodeTexts, GraphAnswer, UnembeddedCode
from shared.models.embeddings import MOST_TEXTS, SearchVector
from shared.models.workspace import Workspace
from shared.text.vectors import packed
from tests.workers.tools.agent.workspaces import Project, new_project
from workers.tools.code_facts import MemoryCodeFacts
from workers.tools.registry import ToolContext, run_tool

SPACE = "m"
FILES = {
    "app/money.py": (
        "class Till:\n    def charge(self, amount):\n"
        '        """Take what is owed."""\n        return amount\n\n\n'
        "RATE = 3\nround_up = lambda n: n + 1\n"
    ),
    "app/doors.py": "def unlock(key):\n    return key\n",
    "app/secret_keys.py": "def key_of(name):\n    return name\n",
    "tests/test_money.py": "def test_charge():\n    assert True\n",
}
QUERY = "who lets people in"


class Searched:
    """A project with a store of its own, and somebody who makes vectors: doors on one axis, the rest on the other."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.context = ToolContext(project.documents, 60.0, code=MemoryCodeFacts())
        self.texts: list[str] = []

    def unembedded(self, state: Workspace, space: str = SPACE, **more: object) -> UnembeddedCode:
        given = {"workspace": state.model_dump(mode="json"), "space": space, **more}
        reply = run_tool("graph.unembedded", json.loads(json.dumps(given)), self.context)
        assert isinstance(reply, UnembeddedCode)
        return reply

    def portion(self, document: str) -> CodeTexts:
        return CodeTexts.model_validate_json(self.context.documents.get(document))

    def embed(self, state: Workspace) -> int:
        """Embed what is missing; how many definitions that were."""
        kept = 0
        for document in self.unembedded(state).portions:
            texts = self.portion(document).texts
            self.texts += texts
            vectors = [packed([1.0, 0.1] if "unlock" in text else [0.1, 1.0]) for text in texts]
            given = {"portions": [{"document": document, "vectors": vectors}]}
            reply = run_tool("graph.embedded", json.loads(json.dumps(given)), self.context)
            assert isinstance(reply, CodeEmbedded)
            kept += reply.kept
        return kept

    def search(self, state: Workspace, vector: SearchVector | None = None) -> GraphAnswer:
        given = {"workspace": state.model_dump(mode="json"), "question": "search", "text": QUERY}
        if vector is not None:
            given["meaning"] = vector.model_dump()
        reply = run_tool("graph.query", given, self.context)
        assert isinstance(reply, GraphAnswer)
        return reply


DOORS = SearchVector(space=SPACE, vector=packed([1.0, 0.0]))


@pytest.fixture
def searched(tmp_path: Path) -> Searched:
    return Searched(new_project(tmp_path / "app", FILES))


def symbols(answer: GraphAnswer | Navigation) -> list[str | None]:
    return [hit.symbol for hit in answer.hits]


def test_what_shares_no_word_is_found_by_its_meaning_and_nothing_else_changes(
    searched: Searched,
) -> None:
    state = searched.project.workspace()
    before = searched.search(state)
    assert "app.doors.unlock" not in symbols(before)
    assert searched.embed(state) == 4
    assert searched.search(state).hits == before.hits
    found = searched.search(state, DOORS)
    assert symbols(found)[0] == "app.doors.unlock"
    assert found.hits[0].ways == ("vector",)


def test_the_agent_s_search_takes_the_same_vectors(searched: Searched) -> None:
    state = searched.project.workspace()
    searched.embed(state)
    given = {
        "workspace": state.model_dump(mode="json"),
        "intent": "code_search",
        "query": QUERY,
        "meaning": DOORS.model_dump(),
    }
    reply = run_tool("agent.navigate", given, searched.context)
    assert isinstance(reply, Navigation)
    assert symbols(reply)[0] == "app.doors.unlock"


def test_a_definition_is_embedded_with_its_words_its_signature_and_what_is_said_of_it(
    searched: Searched,
) -> None:
    searched.embed(searched.project.workspace())
    (text,) = (text for text in searched.texts if text.startswith("charge"))
    assert "Take what is owed." in text
    assert "app/money.py" in text
    assert "def charge(self, amount):" in text
    assert not any("test_charge" in text or "lambda" in text[:8] for text in searched.texts)


def test_after_a_change_only_what_the_changed_file_defines_is_embedded(searched: Searched) -> None:
    state = searched.project.workspace()
    searched.embed(state)
    assert searched.unembedded(state) == UnembeddedCode()
    changed = searched.project.workspace_with({"app/doors.py": "def bolt(key):\n    return key\n"})
    (document,) = searched.unembedded(changed).portions
    assert [text.partition("\n")[0] for text in searched.portion(document).texts] == ["bolt"]
    searched.embed(changed)
    assert searched.unembedded(changed) == searched.unembedded(state) == UnembeddedCode()


def test_each_model_has_vectors_of_its_own(searched: Searched) -> None:
    state = searched.project.workspace()
    searched.embed(state)
    assert searched.unembedded(state, "another").portions
    other = SearchVector(space="another", vector=packed([1.0, 0.0]))
    assert searched.search(state, other).hits == searched.search(state).hits


def test_vectors_of_another_length_are_not_compared(searched: Searched) -> None:
    state = searched.project.workspace()
    searched.embed(state)
    longer = SearchVector(space=SPACE, vector=packed([1.0, 0.0, 0.5]))
    assert searched.search(state, longer).hits == searched.search(state).hits


def test_files_that_may_hold_secrets_are_not_embedded(searched: Searched) -> None:
    state = searched.project.workspace()
    (document,) = searched.unembedded(state, never_sent=("secret*.py",)).portions
    assert not any("key of" in text for text in searched.portion(document).texts)
    (document,) = searched.unembedded(
        state, never_sent=("secret*.py",), may_be_sent=("secret_keys.py",)
    ).portions
    assert any("key of" in text for text in searched.portion(document).texts)


def test_many_definitions_are_several_portions_and_what_is_too_much_is_counted(
    tmp_path: Path,
) -> None:
    files = {
        f"m{number}.py": "".join(f"def f{n}():\n    pass\n" for n in range(70))
        for number in range(4)
    }
    searched = Searched(new_project(tmp_path / "many", files))
    state = searched.project.workspace()
    whole = searched.unembedded(state)
    sizes = [len(searched.portion(document).texts) for document in whole.portions]
    assert sum(sizes) == 280
    assert max(sizes) <= MOST_TEXTS
    assert len(sizes) == 3
    some = searched.unembedded(state, most=100)
    assert sum(len(searched.portion(document).texts) for document in some.portions) == 70
    assert some.left_out == 210


@pytest.mark.parametrize(
    "vectors", [["?"], [packed([1.0])], [packed([1.0, 2.0]), packed([1.0])], []]
)
def test_what_is_no_vector_for_each_definition_is_refused(
    searched: Searched, vectors: list[str]
) -> None:
    state = searched.project.workspace()
    (document,) = searched.unembedded(state).portions
    with pytest.raises(ToolError):
        run_tool(
            "graph.embedded",
            {"portions": [{"document": document, "vectors": [*vectors]}]},
            searched.context,
        )
    assert searched.unembedded(state).portions == (document,)
