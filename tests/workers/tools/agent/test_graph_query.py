"""Questions about the graph of a repository's code, asked as the commands ask them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shared.models.code_answers import CodeRead, GraphAnswer
from shared.models.workspace import Workspace
from tests.workers.tools.agent.shop import new_shop
from tests.workers.tools.agent.workspaces import Project, new_project
from workers.tools.agent.graph_query import PORTION_BYTES
from workers.tools.code_facts import MemoryCodeFacts
from workers.tools.registry import ToolContext, run_tool


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Project:
    return new_shop(tmp_path_factory.mktemp("graph"))


def ask(project: Project, question: str, *names: str, **asked: Any) -> GraphAnswer:
    reply = project.run("graph.query", project.workspace(), question=question, names=names, **asked)
    assert isinstance(reply, GraphAnswer)
    return reply


def reached(answer: GraphAnswer) -> list[tuple[str, list[str]]]:
    return [(link.symbol, [site.shown for site in link.sites]) for link in answer.links]


def test_callers_are_named_with_the_lines_that_call(shop: Project) -> None:
    answer = ask(shop, "callers", "make_token")
    assert [each.symbol for each in answer.asked] == ["app.auth.tokens.make_token"]
    assert reached(answer) == [("app.auth.login.authenticate", ["app/auth/login.py:9"])]
    assert (answer.total, answer.unclear, answer.portions) == (1, None, 0)


def test_with_more_depth_callers_of_callers_follow_with_the_chain_that_leads_there(
    shop: Project,
) -> None:
    answer = ask(shop, "callers", "tokens.sign", depth=3)
    chains = {link.symbol: link.chain for link in answer.links}
    assert chains["app.main.main"] == (
        "app.main.main",
        "app.auth.login.authenticate",
        "app.auth.tokens.make_token",
        "app.auth.tokens.sign",
    )
    assert "tests.test_login.test_login" in chains


@pytest.mark.parametrize("name", ["pay", "app.billing.checkout.pay", "app/billing/checkout.py:5"])
def test_a_definition_is_named_by_its_end_in_full_or_by_its_place(shop: Project, name: str) -> None:
    answer = ask(shop, "callees", name)
    assert [each.symbol for each in answer.asked] == ["app.billing.checkout.pay"]
    assert "app.billing.gateway.Gateway.charge" in [link.symbol for link in answer.links]


def test_a_chain_is_the_shortest_one_or_there_is_none(shop: Project) -> None:
    there = ask(shop, "chain", "app.main.main", "Gateway.send", depth=5)
    assert [link.chain[0] for link in there.links] == ["app.main.main"]
    assert there.links[0].chain[-2:] == (
        "app.billing.gateway.Gateway.charge",
        "app.billing.gateway.Gateway.send",
    )
    assert there.links[0].sites[0].shown == "app/billing/gateway.py:3"
    assert ask(shop, "chain", "app.main.main", "Gateway.send", depth=2).links == ()
    assert ask(shop, "chain", "Gateway.send", "app.main.main", depth=5).links == ()


def test_of_one_name_a_chain_leads_to_everything_within_its_depth(shop: Project) -> None:
    answer = ask(shop, "chain", "authenticate", depth=2)
    assert (
        "app.auth.login.authenticate",
        "app.auth.tokens.make_token",
        "app.auth.tokens.sign",
    ) in ([link.chain for link in answer.links])


def test_a_files_impact_is_that_of_all_that_is_in_it(shop: Project) -> None:
    answer = ask(shop, "impact", "app/models.py", depth=5)
    assert "app.auth.login.authenticate" in [link.symbol for link in answer.links]
    assert answer.paths == ("app/auth/login.py", "app/main.py")
    assert answer.tests == ("tests/test_login.py",)


def test_what_inherits_is_reached_by_a_change_of_its_base(shop: Project) -> None:
    answer = ask(shop, "impact", "models.User", depth=1)
    assert ("app.models.Superuser", ["app/models.py:10"]) in reached(answer)


SETTINGS = {
    "pkg/__init__.py": "",
    "pkg/settings.py": "TIMEOUT = 3\n\n\ndef twice():\n    return 2 * TIMEOUT\n",
    "pkg/app.py": (
        "from pkg.settings import TIMEOUT\n\n\ndef fetch():\n    return TIMEOUT\n\n\n"
        "def main():\n    return fetch()\n"
    ),
    "pkg/plugins.py": "import pkg.settings\n",
    "pkg/other.py": "# No TIMEOUT of theirs.\nTIMEOUTS = 1\n\n\ndef other():\n    return TIMEOUT\n",
    "tests/test_app.py": (
        "from pkg import app, settings\n\n\n"
        "def test_fetch():\n    assert app.fetch() == settings.TIMEOUT\n"
    ),
}


def test_who_uses_a_constant_depends_on_it_and_so_does_who_calls_them(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", SETTINGS)
    answer = ask(project, "impact", "TIMEOUT", depth=5)
    assert sorted(reached(answer)) == [
        ("pkg.app.fetch", ["pkg/app.py:5"]),
        ("pkg.app.main", ["pkg/app.py:9"]),
        ("pkg.settings.twice", ["pkg/settings.py:5"]),
    ]
    assert (answer.paths, answer.tests) == (("pkg/app.py",), ("tests/test_app.py",))


def test_a_file_that_only_imports_a_module_depends_on_it(tmp_path: Path) -> None:
    project = new_project(tmp_path / "p", SETTINGS)
    answer = ask(project, "impact", "pkg/settings.py", depth=1)
    assert ("pkg.plugins", ["pkg/plugins.py:1"]) in reached(answer)
    assert sorted(answer.paths) == ["pkg/app.py", "pkg/plugins.py"]


def test_a_class_that_is_only_named_is_used(tmp_path: Path) -> None:
    files = {
        "user.py": "class User:\n    name = ''\n\n\ndef made():\n    return User()\n",
        "show.py": "from user import User\n\n\ndef shown(it: User):\n    return isinstance(it, User)\n",
    }
    project = new_project(tmp_path / "p", files)
    assert sorted(reached(ask(project, "impact", "User", depth=1))) == [
        ("show.shown", ["show.py:4", "show.py:5"]),
        ("user.made", ["user.py:6"]),
    ]


def test_an_unknown_name_is_answered_with_those_that_come_near(shop: Project) -> None:
    answer = ask(shop, "callers", "Gatewy.charg")
    assert (answer.unclear, answer.total) == ("Gatewy.charg", 0)
    assert answer.candidates[0].symbol == "app.billing.gateway.Gateway.charge"


def test_a_name_that_several_have_is_answered_with_all_of_them(shop: Project) -> None:
    answer = ask(shop, "callers", "main")
    assert (answer.unclear, answer.total) == ("main", 2)
    assert {each.symbol for each in answer.candidates} == {"app.main.main", "server.main.main"}


def test_what_a_file_defines_under_its_own_name_is_meant_before_the_file(tmp_path: Path) -> None:
    files = {
        "shop/tax.js": "export function tax(price) {\n  return price;\n}\n",
        "shop/cart.js": "import { tax } from './tax.js';\nexport const pay = (p) => tax(p);\n",
    }
    project = new_project(tmp_path / "p", files)
    answer = ask(project, "callers", "tax")
    assert [each.symbol for each in answer.asked] == ["shop.tax.tax"]
    assert reached(answer) == [("shop.cart.pay", ["shop/cart.js:2"])]
    assert [each.symbol for each in ask(project, "impact", "cart").asked] == ["shop.cart"]


@pytest.mark.parametrize(
    "name", ["", ".", "()", "/etc/passwd", "no/such.py:3", "a" * 5000, "\u202e"]
)
def test_nonsense_names_nothing(shop: Project, name: str) -> None:
    answer = ask(shop, "callers", name)
    assert answer.unclear == name.strip()
    assert answer.links == ()


def test_no_more_is_shown_than_was_wanted_and_all_of_it_is_counted(shop: Project) -> None:
    answer = ask(shop, "callers", "tokens.sign", depth=3, limit=1)
    assert (len(answer.links), answer.total > 1) == (1, True)


def test_search_finds_code_by_words(shop: Project) -> None:
    answer = ask(shop, "search", text="로그인 기능 어디 있어?", limit=3)
    assert answer.hits[0].place.path == "app/auth/login.py"
    assert len(answer.hits) == 3


def test_a_graph_says_how_large_it_is(shop: Project) -> None:
    answer = ask(shop, "build")
    assert (answer.files, answer.symbols > 30, answer.edges > 30) == (15, True, True)


class TestPortions:
    """Much code that nobody has read is read in portions first."""

    def test_the_portions_together_read_everything_once(self, tmp_path: Path) -> None:
        shop = new_shop(tmp_path)
        shop.repo.commit({"a.ts": "// nothing\n" * (PORTION_BYTES // 15)})
        shop.repo.commit({"b.ts": "// anything\n" * (PORTION_BYTES // 15)})
        context = ToolContext(shop.documents, 60.0, code=MemoryCodeFacts())

        def run(tool: str, **asked: Any) -> Any:
            state: Workspace = shop.workspace()
            return run_tool(tool, {"workspace": state.model_dump(mode="json"), **asked}, context)

        first = run("graph.query", divides=True)
        assert (first.portions, first.files) == (2, 0)
        readings = [run("graph.read", portion=n, portions=2) for n in range(2)]
        assert all(isinstance(reading, CodeRead) for reading in readings)
        assert sum(reading.files for reading in readings) == 17
        assert sum(reading.read for reading in readings) == 17
        again = run("graph.read", portion=0, portions=1)
        assert (again.files, again.read) == (17, 0)
        answer = run("graph.query", divides=True)
        assert (answer.portions, answer.files, answer.read) == (0, 17, 0)
