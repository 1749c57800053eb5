"""Code is found by what it is called, by its text, its path and its neighbours, in Korean and in English."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shared.models.agent import CodeHit, Navigation
from tests.workers.tools.agent.shop import new_shop
from tests.workers.tools.agent.workspaces import Project, new_project
from tests.workers.tools.changes import Contents


@pytest.fixture
def shop(tmp_path: Path) -> Project:
    return new_shop(tmp_path)


def navigate(project: Project, intent: str, query: str, **asked: Any) -> Navigation:
    reply = project.run("agent.navigate", project.workspace(), intent=intent, query=query, **asked)
    assert isinstance(reply, Navigation)
    return reply


def hits(project: Project, intent: str, query: str, **asked: Any) -> tuple[CodeHit, ...]:
    return navigate(project, intent, query, **asked).hits


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("로그인 기능 어디 있어?", "app/auth/login.py"),
        ("Where is the login feature?", "app/auth/login.py"),
        ("결제 처리하는 코드 찾아줘", "app/billing/checkout.py"),
        ("토큰은 어디에서 만들어?", "app/auth/tokens.py"),
        ("장바구니에 상품을 추가하는 부분", "web/cart.ts"),
        ("Which code talks to the payment gateway?", "app/billing/gateway.py"),
    ],
)
def test_a_feature_is_found_by_what_it_is_called_in_either_language(
    shop: Project, query: str, path: str
) -> None:
    first = hits(shop, "code_search", query)[0]
    assert first.place.path == path


@pytest.mark.parametrize("intent", ["code_search", "symbol_search"])
def test_a_class_that_something_is_to_be_added_to_is_found_first(
    shop: Project, intent: str
) -> None:
    query = "User 클래스에 validate_email 메서드 추가해줘"
    first = hits(shop, intent, query, target="User")[0]
    assert (first.symbol, first.kind, first.place.line) == ("app.models.User", "class", 1)
    assert first.text.startswith("class User:\n")
    assert first.ways[0] == "symbol"


def test_the_first_name_of_a_sentence_is_its_target_where_none_is_given(shop: Project) -> None:
    assert hits(shop, "symbol_search", "User 클래스 찾아줘")[0].symbol == "app.models.User"


@pytest.mark.parametrize(
    ("name", "symbol"),
    [
        ("app.billing.gateway.Gateway.charge", "app.billing.gateway.Gateway.charge"),
        ("Gateway.charge", "app.billing.gateway.Gateway.charge"),
        ("make_token()", "app.auth.tokens.make_token"),
        ("gateway.CHARGE", "app.billing.gateway.Gateway.charge"),
        ("token maker", "app.auth.tokens.make_token"),
        ("사용자 그룹", "app.models.UserGroup"),
    ],
)
def test_a_symbol_is_found_by_its_name_its_end_or_the_words_in_it(
    shop: Project, name: str, symbol: str
) -> None:
    assert hits(shop, "symbol_search", name)[0].symbol == symbol


def test_a_chain_of_calls_leads_both_ways_by_the_nearest_first(shop: Project) -> None:
    found = hits(shop, "call_chain", "who calls charge?", target="Gateway.charge")
    assert found[0].symbol == "app.billing.gateway.Gateway.charge"
    chains = [(hit.ways, hit.text) for hit in found[1:]]
    charge = "app.billing.gateway.Gateway.charge"
    pay = f"app.billing.checkout.pay -> {charge}"
    assert (("caller",), pay) in chains
    assert (("caller",), f"app.main.main -> {pay}") in chains
    assert (("callee",), f"{charge} -> app.billing.gateway.Gateway.send") in chains
    lengths = [text.count("->") for _, text in chains]
    assert lengths == sorted(lengths)


def test_imports_lead_both_ways(shop: Project) -> None:
    found = hits(shop, "dependency", "tokens 모듈 의존성", target="app.auth.tokens")
    chains = {hit.text: hit.ways for hit in found[1:]}
    assert chains["app.auth.login -> app.auth.tokens"] == ("imported_by",)
    assert chains["app.main -> app.auth.login -> app.auth.tokens"] == ("imported_by",)
    assert chains["app.auth.tokens -> json"] == ("imports",)


def test_who_imports_something_from_outside_is_found(shop: Project) -> None:
    found = hits(shop, "dependency", "json", target="json")
    assert "app.auth.tokens -> json" in [hit.text for hit in found]


def test_text_is_found_in_files_that_are_no_code(shop: Project) -> None:
    found = hits(shop, "code_search", "customers fill a cart")
    readme = next(hit for hit in found if hit.place.path == "README.md")
    assert (readme.place.line, readme.kind, readme.ways) == (3, "text", ("text",))


def test_calls_in_other_languages_are_followed_by_name(shop: Project) -> None:
    found = hits(shop, "call_chain", "post", target="web.http.post")
    assert found[1].text == "web.cart.Cart.add -> web.http.post"
    assert hits(shop, "symbol_search", "serve")[0].place.path == "server/main.go"


def test_no_more_than_the_limit_is_answered_and_the_rest_is_said(shop: Project) -> None:
    reply = navigate(shop, "code_search", "user", limit=2)
    assert (len(reply.hits), reply.complete) == (2, False)
    assert navigate(shop, "code_search", "xylophone").hits == ()


def test_what_was_changed_on_top_is_searched(shop: Project) -> None:
    state = shop.workspace_with(
        {"app/stock.py": "def refill():\n    pass\n", "app/models.py": None}
    )
    reply = shop.run("agent.navigate", state, intent="symbol_search", query="refill User")
    assert isinstance(reply, Navigation)
    symbols = [hit.symbol for hit in reply.hits]
    assert symbols[0] == "app.stock.refill"
    assert "app.models.User" not in symbols


def test_a_file_that_cannot_be_read_is_said_and_the_others_are_searched(tmp_path: Path) -> None:
    files: dict[str, Contents] = {
        "a.py": "def login(:\n",
        "b.py": "def logout():\n    pass\n",
        "c.py": b"\0\0",
    }
    project = new_project(tmp_path / "p", files)
    reply = navigate(project, "symbol_search", "logout")
    assert reply.hits[0].place.path == "b.py"
    assert [problem.params["path"] for problem in reply.problems] == ["a.py", "c.py"]


def test_every_line_with_a_name_is_an_occurrence_code_first(shop: Project) -> None:
    found = navigate(shop, "occurrences", "rename User to Person", target="User", limit=3)
    assert (found.total, found.files, found.complete) == (4, 2, False)
    every = hits(shop, "occurrences", "rename User to Person", target="User", limit=50)
    places = [hit.place.shown for hit in every]
    assert places == [
        "app/auth/login.py:4",
        "app/auth/login.py:8",
        "app/models.py:1",
        "app/models.py:10",
    ]


def test_the_longest_functions_of_the_product_come_first(shop: Project) -> None:
    found = hits(shop, "largest", "tidy it up")
    assert found[0].symbol == "app.auth.login.authenticate"
    assert not any(hit.place.path.startswith("tests/") for hit in found)


def test_an_answer_names_the_stored_graph(shop: Project) -> None:
    found = navigate(shop, "code_search", "login")
    assert len(bytes.fromhex(found.graph)) == 32
