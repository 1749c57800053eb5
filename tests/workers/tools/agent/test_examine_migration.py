"""A migration is listed place by place in order; deprecated names and the schema's migrations are checked."""

from __future__ import annotations

import pytest

from shared.models.agent import RepositoryExamination
from tests.workers.tools.agent.examined import examine, rows

CLIENT = {
    "pyproject.toml": '[project]\nname = "shop"\ndependencies = [\n    "requests>=2,<3",\n    "rich",\n]\n',
    "shop/__init__.py": "",
    "shop/http.py": "import requests as r\n\ndef get(url):\n    return r.get(url)\n",
    "shop/app.py": "import requests\nfrom shop.http import get\n\nprint(requests.__version__, get('x'))\n",
    "tests/test_http.py": "import requests\n",
    "docs/guide.md": "It uses requests.\nrequests-mock is not used.\n",
    "ci.yml": "run: pip install requests\n",
}


def places(examination: RepositoryExamination) -> list[tuple[str, list[int]]]:
    return [
        (item.places[0].path, [place.line for place in item.places])
        for item in examination.items
        if item.state == "place"
    ]


@pytest.mark.parametrize(
    "task", ["migrate from requests to rich", "requests에서 rich로 옮겨줘", "replace `requests`"]
)
def test_what_a_package_s_migration_touches_is_listed_in_order(task: str) -> None:
    seen = examine("migration", CLIENT, task)
    assert places(seen) == [
        ("pyproject.toml", [4]),
        ("ci.yml", [1]),
        ("shop/http.py", [1, 4]),
        ("shop/app.py", [1, 4]),
        ("tests/test_http.py", [1]),
        ("docs/guide.md", [1]),
    ]
    (declared,) = [fact for fact in seen.facts if fact.code == "exam_migration_declared"]
    assert declared.params["specifier"] == ">=2,<3"


def test_a_name_of_code_is_followed_through_its_imports() -> None:
    files = {
        "shop/users.py": "def load_user(key): ...\n",
        "shop/app.py": "from shop import users\nfrom shop.users import load_user as load\n\nload(1)\n"
        "users.load_user(2)\n",
        "shop/other.py": "load_users = 1\n",
    }
    seen = examine("migration", files, "rename load_user() everywhere")
    assert places(seen) == [("shop/users.py", [1]), ("shop/app.py", [2, 4, 5])]


def test_a_task_that_names_nothing_is_told_so() -> None:
    (fact,) = examine("migration", {"a.py": "import os\n"}, "migrate everything").facts
    assert fact.code == "exam_migration_nothing_named"


def test_what_python_removed_and_what_the_project_deprecates_is_named() -> None:
    files = {
        "shop/a.py": "import imp\nfrom datetime import datetime\nimport logging as log\n\ndatetime.utcnow()\n"
        "log.warn('x')\n"
        "log.warning('y')\n",
        "shop/old.py": "import warnings\n\ndef old():\n    warnings.warn('old', DeprecationWarning)\n\n"
        "def new(): ...\n",
        "shop/b.py": "from shop.old import new, old\n\nold()\n",
    }
    assert rows(examine("migration", files)) == {
        ("deprecated", "shop/a.py", 1),
        ("deprecated", "shop/a.py", 5),
        ("deprecated", "shop/a.py", 6),
        ("own-deprecated", "shop/b.py", 1),
        ("own-deprecated", "shop/b.py", 3),
    }


def alembic(revision: str, down: str, body: str = "op.drop_table('x')") -> str:
    return f"revision = {revision!r}\ndown_revision = {down}\n\ndef upgrade(): ...\n\ndef downgrade():\n    {body}\n"


def test_alembic_s_heads_parents_and_ways_back_are_checked() -> None:
    folder = "db/versions"
    good = {f"{folder}/a.py": alembic("a1", "None"), f"{folder}/b.py": alembic("b2", "'a1'")}
    seen = examine("migration", good)
    assert rows(seen) == set()
    assert seen.facts[0].params == {"kind": "Alembic", "folder": folder, "n": 2, "head": "b2"}
    forked = {
        **good,
        f"{folder}/c.py": alembic("c3", "'a1'", "pass"),
        f"{folder}/d.py": alembic("d4", "('b2', 'zz')"),
    }
    assert rows(examine("migration", forked)) == {
        ("several-heads", f"{folder}/d.py", 1),
        ("unknown-parent", f"{folder}/d.py", 1),
        ("no-way-back", f"{folder}/c.py", 1),
    }
    merged = {**forked, f"{folder}/d.py": alembic("d4", "('b2', 'c3')")}
    assert rows(examine("migration", merged)) == {("no-way-back", f"{folder}/c.py", 1)}


def test_django_s_leaves_are_counted_in_each_app() -> None:
    def step(parents: str, operation: str = "") -> str:
        return f"class Migration(m.Migration):\n    dependencies = [{parents}]\n    operations = [{operation}]\n"

    files = {
        "shop/migrations/0001_initial.py": step("('auth', '0012_x')"),
        "shop/migrations/0002_a.py": step("('shop', '0001_initial')"),
        "shop/migrations/0002_b.py": step("('shop', '0001_initial')", "m.RunPython(go)"),
    }
    assert rows(examine("migration", files)) == {
        ("several-heads", "shop/migrations/0002_b.py", 1),
        ("no-way-back", "shop/migrations/0002_b.py", 1),
    }


def test_numbered_sql_has_each_number_once_and_a_way_back_where_others_have_one() -> None:
    files = {
        "migrations/001_users.up.sql": "",
        "migrations/001_users.down.sql": "",
        "migrations/002_orders.up.sql": "",
        "migrations/002_items.up.sql": "",
    }
    seen = examine("migration", files)
    assert rows(seen) == {
        ("same-number", "migrations/002_orders.up.sql", 1),
        ("no-way-back", "migrations/002_items.up.sql", 1),
    }
    flyway = {
        "db/migration/V1__a.sql": "",
        "db/migration/V2__b.sql": "",
        "db/migration/V10__c.sql": "",
    }
    seen = examine("migration", flyway)
    assert rows(seen) == set()
    assert seen.facts[0].params["head"] == "V10__c.sql"
