"""A test tests what it calls of the program proper, itself or by way of helpers among the tests."""

from __future__ import annotations

from shared.models.code_graph import EdgeKind
from tests.workers.tools.code_graph.test_python_calls import graph_of

PROGRAM = {
    "shop": "class Cart:\n    def add(self): price()\ndef price(): pass\ndef other(): pass",
    "tests/helpers": "from shop import Cart\ndef full_cart():\n    cart = Cart()\n    cart.add()\n    return cart",
    "tests/test_shop": "import shop\nfrom tests.helpers import full_cart\ndef test_full(): full_cart()\n"
    "class TestOther:\n    def test_it(self): shop.other()\ndef unused(): shop.price()",
}


def test_a_test_tests_what_it_and_its_helpers_call() -> None:
    edges = graph_of(PROGRAM).edges((EdgeKind.TESTS,))
    assert {(edge.source, edge.target, edge.line) for edge in edges} == {
        ("tests.test_shop.test_full", "shop.Cart", 3),
        ("tests.test_shop.test_full", "shop.Cart.add", 3),
        ("tests.test_shop.TestOther.test_it", "shop.other", 5),
    }


def test_a_program_without_tests_has_no_such_edges() -> None:
    assert not list(graph_of({"shop": PROGRAM["shop"]}).edges((EdgeKind.TESTS,)))
