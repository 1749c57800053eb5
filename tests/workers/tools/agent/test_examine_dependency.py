"""Imports, manifests and locks are compared; what may be meant is no point."""

from __future__ import annotations

import pytest

from tests.workers.tools.agent.examined import examine, rows

GUARD = "TYPE_" + "CHECKING"
PROJECT = (
    '[project]\nname = "shop"\ndependencies = ["requests>=2", "PyYAML>=6"]\n'
    '[dependency-groups]\ndev = ["pytest>=8"]\n'
)


def test_an_import_that_nothing_declares_is_named_where_it_stands() -> None:
    made = examine(
        "dependency",
        {
            "pyproject.toml": PROJECT,
            "shop/a.py": "import os\nimport requests, yaml\nimport numpy as np\n",
        },
    )
    assert rows(made) == {("undeclared", "shop/a.py", 3)}
    assert made.points[0].message.params["name"] == "numpy"


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    import ujson\nexcept ImportError:\n    ujson = None\n",
        "import sys\nif sys.version_info < (3, 11):\n    import tomli\n",
        f"from typing import {GUARD}\nif {GUARD}:\n    import numpy\n",
        "import shop.b\nfrom . import c\nimport helpers\n",
        "import shop\nfrom __future__ import annotations\n",
    ],
)  # fmt: skip
def test_what_may_be_missing_and_what_is_the_projects_own_is_no_point(text: str) -> None:
    texts = {
        "pyproject.toml": PROJECT,
        "shop/a.py": f"import requests, yaml\n{text}",
        "helpers.py": "",
    }
    assert rows(examine("dependency", texts)) == set()


@pytest.mark.parametrize(
    ("module", "distribution"),
    [("PIL", "pillow"), ("bs4", "beautifulsoup4"), ("google.cloud.storage", "google-cloud-storage"),
     ("dateutil", "python-dateutil"), ("serial", "pyserial"), ("zope.event", "zope.event"), ("foo_bar", "Foo.Bar")],
)  # fmt: skip
def test_a_package_is_known_by_its_distributions_name(module: str, distribution: str) -> None:
    manifest = f'[project]\nname = "x"\ndependencies = ["{distribution}>=1"]\n'
    texts = {"pyproject.toml": manifest, "app/a.py": f"import {module}\n"}
    assert rows(examine("dependency", texts)) == set()


def test_a_manifest_that_a_program_works_out_says_nothing_about_what_is_missing() -> None:
    texts = {
        "setup.py": "from setuptools import setup\nsetup(name='x', install_requires=read())\n",
        "x/a.py": "import numpy\n",
    }
    assert rows(examine("dependency", texts)) == set()


def test_tests_may_use_what_development_declares_and_the_product_may_not() -> None:
    texts = {
        "pyproject.toml": PROJECT,
        "tests/test_a.py": "import pytest\nimport unknown_plugin\n",
        "shop/a.py": "import requests, yaml\nimport pytest\n",
    }
    assert rows(examine("dependency", texts)) == {("dev-in-product", "shop/a.py", 2)}


def test_a_dependency_that_nothing_names_is_unused() -> None:
    manifest = (
        '[project]\nname = "x"\ndependencies = [\n  "requests>=2",\n  "leftpad>=1",\n'
        '  "gunicorn>=20",\n  "celery>=5",\n]\n'
    )
    texts = {
        "pyproject.toml": manifest,
        "x/a.py": "import requests\n",
        "Procfile": "w: celery -A x\n",
    }
    assert rows(examine("dependency", texts)) == {("unused", "pyproject.toml", 5)}


def test_without_a_lock_any_version_is_a_point_and_with_one_it_is_none() -> None:
    texts = {"requirements.txt": "requests\nflask==3.0\n", "a.py": "import requests, flask\n"}
    assert rows(examine("dependency", texts)) == {("unpinned", "requirements.txt", 1)}
    lock = {"requirements.lock": "requests==2.32.0\nflask==3.0\n"}
    assert rows(examine("dependency", texts | lock)) == set()


def test_a_lock_without_a_declared_package_is_out_of_date() -> None:
    lock = '[[package]]\nname = "requests"\nversion = "2.32"\n\n[[package]]\nname = "urllib3"\nversion = "2"\n'
    texts = {
        "pyproject.toml": PROJECT,
        "uv.lock": lock,
        "shop/a.py": "import requests, yaml\nimport urllib3\n",
    }
    assert rows(examine("dependency", texts)) == {
        ("not-in-lock", "pyproject.toml", 3),
        ("not-in-lock", "pyproject.toml", 5),
        ("transitive", "shop/a.py", 2),
    }


def test_javascript_imports_are_held_against_the_nearest_package_and_those_above() -> None:
    texts = {
        "package.json": '{"dependencies": {"react": "^18"}}',
        "web/package.json": '{"name": "web",\n"dependencies": {"lodash": "^4"}}',
        "web/src/a.ts": 'import x from "react/jsx-runtime";\nimport y from "zod/v4";\nimport fs from "node:fs";\n'
        'import l from "lodash";\n// import q from "quoted";\nimport b from "./b";\nimport w from "web/x";\n',
    }
    assert rows(examine("dependency", texts)) == {("undeclared", "web/src/a.ts", 2)}


def test_package_lock_keeps_what_was_asked_for() -> None:
    texts = {
        "package.json": '{"private": true,\n"dependencies": {"react": "^18",\n"zod": "^3"}}',
        "package-lock.json": '{"packages": {"": {"dependencies": {"react": "^17"}}}}',
        "a.js": 'require("react"); require("zod")',
    }
    assert rows(examine("dependency", texts)) == {
        ("lock-differs", "package.json", 2),
        ("not-in-lock", "package.json", 3),
    }


def test_go_imports_are_held_against_go_mod() -> None:
    texts = {
        "go.mod": "module example.com/shop\n\ngo 1.22\n\nrequire (\n\tgithub.com/a/b v1.2.3\n)\n",
        "go.sum": "github.com/a/b v1.2.3 h1:x=\n",
        "main.go": 'package main\n\nimport (\n\t"fmt"\n\t"github.com/a/b/sub"\n\t"example.com/shop/in"\n'
        '\t"github.com/c/d"\n)\n',
    }
    assert rows(examine("dependency", texts)) == {("undeclared", "main.go", 7)}


def test_two_exact_versions_side_by_side_are_named() -> None:
    texts = {
        "requirements.txt": "flask==3.0\n",
        "requirements-dev.txt": "flask==2.3\n",
        "a.py": "import flask\n",
    }
    made = examine("dependency", texts)
    assert [point.rule for point in made.points] == ["dependency.several-versions"]
    assert made.points[0].message.params["versions"] == "2.3, 3.0"


def test_it_says_that_no_vulnerabilities_were_looked_up() -> None:
    assert "exam_dependency_no_advisories" in {
        fact.code for fact in examine("dependency", {}).facts
    }
