"""What a change reaches: who calls it directly or by others, which tests, which files; nearest first."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.models.agent import CodeImpact
from shared.models.workspace import Workspace
from tests.workers.tools.agent.shop import FILES, new_shop
from tests.workers.tools.agent.workspaces import Project, new_project

GATEWAY = "app/billing/gateway.py"


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    return new_shop(tmp_path)


def impact(
    project: Project, *symbols: str, state: Workspace | None = None, **more: int
) -> CodeImpact:
    reply = project.run("agent.impact", state or project.workspace(), symbols=symbols, **more)
    assert isinstance(reply, CodeImpact)
    return reply


def callers(found: CodeImpact) -> list[str | None]:
    return [hit.symbol for hit in found.callers]


def test_callers_of_a_named_function_come_nearest_first_each_with_its_chain(shop: Project) -> None:
    found = impact(shop, "Gateway.send")
    assert found.symbols == ("app.billing.gateway.Gateway.send",)
    assert callers(found) == [
        "app.billing.gateway.Gateway.charge",
        "app.billing.checkout.pay",
        "app.main.main",
    ]
    last = found.callers[-1]
    assert (last.place.path, last.place.line) == ("app/main.py", 5)
    assert last.text.split(" -> ") == [
        "app.main.main",
        "app.billing.checkout.pay",
        "app.billing.gateway.Gateway.charge",
        "app.billing.gateway.Gateway.send",
    ]
    assert [hit.score for hit in found.callers] == sorted(
        (hit.score for hit in found.callers), reverse=True
    )


def test_tests_are_named_by_their_files_and_are_no_callers_that_could_break(shop: Project) -> None:
    found = impact(shop, "Gateway.send")
    assert found.tests == ("tests/test_gateway.py",)
    assert not [hit for hit in found.callers if hit.place.path.startswith("tests/")]
    assert set(found.files) == {"app/billing/checkout.py", "app/main.py", "tests/test_gateway.py"}


@pytest.mark.parametrize(("depth", "reached"), [(1, 1), (2, 2), (3, 3)])
def test_no_caller_is_further_away_than_asked(shop: Project, depth: int, reached: int) -> None:
    assert len(callers(impact(shop, "Gateway.send", depth=depth))) == reached


def test_without_names_the_definitions_that_hold_a_changed_line_are_meant(shop: Project) -> None:
    changed = FILES[GATEWAY].replace("return amount\n", "return amount + 1\n")
    found = impact(shop, state=shop.workspace_with({GATEWAY: changed}))
    assert found.symbols == ("app.billing.gateway.Gateway.send",)
    assert "app.main.main" in callers(found)


def test_a_method_that_was_added_is_reached_by_nobody_and_its_file_is_not_listed(
    shop: Project,
) -> None:
    added = FILES["app/models.py"].replace(
        "        self.name = name\n",
        "        self.name = name\n\n    def validate_email(self):\n        return True\n",
    )
    found = impact(shop, state=shop.workspace_with({"app/models.py": added}))
    assert "app.models.User.validate_email" in found.symbols
    assert "app/models.py" not in found.files


def test_what_a_change_removed_is_no_longer_called(shop: Project) -> None:
    state = shop.workspace_with({"app/main.py": "def main(request):\n    return None\n"})
    found = impact(shop, "pay", state=state)
    assert found.symbols == ("app.billing.checkout.pay",)
    assert callers(found) == []


def test_nothing_changed_and_a_name_that_nobody_has_reach_nothing(shop: Project) -> None:
    assert impact(shop).model_copy(update={"graph": ""}) == CodeImpact()
    unknown = impact(shop, "no_such_function")
    assert unknown.model_copy(update={"graph": ""}) == CodeImpact()


def test_functions_that_call_one_another_end(tmp_path: Path) -> None:
    files = {"a.py": "def f():\n    g()\n\n\ndef g():\n    f()\n"}
    found = impact(new_project(tmp_path / "loop", files), "f", depth=50)
    assert callers(found) == ["a.g"]


def test_a_file_that_cannot_be_parsed_hides_no_other(shop: Project) -> None:
    state = shop.workspace_with({"app/broken.py": "def broken(:\n", "blob.bin": b"\xff\xfe\0"})
    assert "app.main.main" in callers(impact(shop, "Gateway.send", state=state))


def test_typescript_and_go_are_reached_too(shop: Project) -> None:
    assert [hit.place.path for hit in impact(shop, "post").callers] == ["web/cart.ts"]
    assert [hit.place.path for hit in impact(shop, "serve").callers] == ["server/main.go"]


@pytest.mark.parametrize("name", ["app/auth/tokens.py", "app/auth/tokens.py:9", "tokens.sign"])
def test_a_file_and_a_place_are_names_too(shop: Project, name: str) -> None:
    assert "app.auth.login.authenticate" in callers(impact(shop, name))


def test_who_uses_a_constant_that_was_changed_is_reached(tmp_path: Path) -> None:
    files = {
        "settings.py": "RATE = 1\n",
        "price.py": "from settings import RATE\n\n\ndef price():\n    return RATE\n",
        "test_price.py": "from price import price\n\n\ndef test_price():\n    assert price() == 1\n",
    }
    project = new_project(tmp_path / "p", files)
    found = impact(project, state=project.workspace(settings_py="RATE = 2\n"))
    assert callers(found) == ["price.price"]
    assert (found.files, found.tests) == (("price.py", "test_price.py"), ("test_price.py",))
