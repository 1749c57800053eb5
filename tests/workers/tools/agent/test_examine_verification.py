"""Checkers are told by what configures them, with their commands."""

from __future__ import annotations

from tests.workers.tools.agent.examined import examine, rows

PROJECT = (
    '[project]\nname = "x"\n[tool.mypy]\nstrict = true\n[tool.ruff.lint]\nselect = []\n'
    "[tool.pytest.ini_options]\n"
)


def test_checkers_are_told_with_their_place_and_command() -> None:
    texts = {
        "pyproject.toml": PROJECT,
        "tests/test_a.py": "from hypothesis import given\n",
        "web/package.json": '{"scripts": {"test": "vitest"}}',
        "web/tsconfig.json": "{}",
        "Makefile": "check: a\n",
    }
    made = examine("verification", texts)
    assert rows(made) == set()
    commands = {
        (fact.params["name"], fact.params["command"], fact.params["folder"]) for fact in made.facts
    }
    assert commands == {
        ("mypy", "mypy .", "."),
        ("ruff", "ruff check .", "."),
        ("pytest", "pytest", "."),
        ("hypothesis", "pytest", "."),
        ("npm test", "npm test", "web"),
        ("tsc", "npx tsc --noEmit", "web"),
        ("make check", "make check", "."),
    }
    places = {item.item: (item.places[0].path, item.places[0].line) for item in made.items}
    assert places["mypy"] == ("pyproject.toml", 3)
    assert places["hypothesis"] == ("tests/test_a.py", 1)


def test_a_checker_that_no_pipeline_calls_is_a_point_unless_it_may_call_it_by_another() -> None:
    def points(step: str) -> set[str]:
        texts = {
            "pyproject.toml": PROJECT,
            ".github/workflows/ci.yml": f"on: push\njobs: {step}\n",
            "tests/test_a.py": "",
        }
        return {
            str(point.message.params["name"]) for point in examine("verification", texts).points
        }

    assert points("pytest and ruff") == {"mypy"}
    assert points("make check") == set()


def test_a_project_without_tests_is_told_so() -> None:
    made = examine("verification", {"a.py": "", "b.py": ""})
    assert rows(made) == {("no-tests", "", 0)}
    assert [fact.code for fact in made.facts] == ["exam_verification_none"]
