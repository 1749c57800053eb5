"""What a checkout needs is told with its place; what nothing pins or mentions is a point."""

from __future__ import annotations

import pytest

from tests.workers.tools.agent.examined import examine, rows


def test_a_variable_that_the_product_needs_and_nothing_names_is_a_point() -> None:
    texts = {
        "app/a.py": 'import os\nA = os.environ["DATABASE_URL"]\nB = os.environ["TOLD"]\n',
        "tests/test_a.py": 'import os\nA = os.environ["ONLY_TESTS"]\n',
        "README.md": "Set TOLD.\n",
    }
    made = examine("environment", texts)
    assert rows(made) == {("variable-undocumented", "app/a.py", 2)}
    names = [
        fact.params["names"] for fact in made.facts if fact.code == "exam_environment_variables"
    ]
    assert names == [("DATABASE_URL (2)", "TOLD (3)")]


@pytest.mark.parametrize(
    "text",
    [
        'A = os.environ.get("X")\nB = os.environ["X"]',
        'if "X" in os.environ:\n    A = os.environ["X"]',
        'try:\n    A = os.environ["X"]\nexcept KeyError:\n    A = ""',
        'os.environ["X"] = "1"\nB = os.environ["X"]',
        'A = os.environ["HOME"]',
        'def app(environ):\n    return environ["PATH_INFO"]',
    ],
)
def test_a_variable_that_may_be_missing_is_no_point(text: str) -> None:
    assert rows(examine("environment", {"a.py": f"import os\n{text}\n"})) == set()


def test_variables_of_javascript_without_a_default_are_needed() -> None:
    text = 'const a = process.env.API_URL;\nconst b = process.env.PORT || 3000;\nif (process.env.X === "1") {}\n'
    assert rows(examine("environment", {"src/a.ts": text})) == {
        ("variable-undocumented", "src/a.ts", 1)
    }


def test_runtimes_services_and_the_way_to_install_are_facts() -> None:
    texts = {
        "pyproject.toml": '[project]\nname = "x"\nrequires-python = ">=3.11"\ndependencies = ["a>=1"]\n',
        "uv.lock": "",
        ".nvmrc": "20\n",
        "docker-compose.yml": "services:\n  db:\n    image: postgres:16\n  cache:\n    image: redis\n",
        "Dockerfile": "FROM python:3.9-slim\n",
    }
    made = examine("environment", texts)
    assert rows(made) == {
        ("service-unpinned", "docker-compose.yml", 5),
        ("runtimes-differ", "Dockerfile", 1),
    }
    facts = {
        (fact.code.removeprefix("exam_environment_"), *list(fact.params.values())[:2])
        for fact in made.facts
    }
    assert facts == {
        ("runtime", "Python", ">=3.11"),
        ("runtime", "Node.js", "20"),
        ("runtime", "Python", "3.9-slim"),
        ("install", "uv.lock", "uv sync --frozen"),
        ("service", "db", "postgres:16"),
        ("service", "cache", "redis"),
    }


def test_a_manifest_without_the_version_of_its_runtime_is_a_point() -> None:
    texts = {"pyproject.toml": '[project]\nname = "x"\ndependencies = ["a"]\n'}
    assert rows(examine("environment", texts)) == {("no-runtime-version", "pyproject.toml", 1)}
