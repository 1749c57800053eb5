"""The structure of a repository is read from its imports: layers, circles, outliers, and where something belongs."""

from __future__ import annotations

import pytest

from shared.models.agent import RepositoryExamination
from tests.workers.tools.agent.examined import examine, rows

SHOP = {
    "shop/__init__.py": "",
    "shop/models/__init__.py": "",
    "shop/models/user.py": """\
        class User:
            def rename(self, name): ...
            def _secret(self): ...
        """,
    "shop/orders/__init__.py": "",
    "shop/orders/order.py": "from shop.models.user import User\n\nclass Order: ...\n",
    "shop/web/__init__.py": "",
    "shop/web/pages.py": "from ..orders.order import Order\nfrom ..models import user\n",
}


def facts(examination: RepositoryExamination) -> dict[str, list[dict[str, object]]]:
    grouped: dict[str, list[dict[str, object]]] = {}
    for fact in examination.facts:
        grouped.setdefault(fact.code, []).append(fact.params)  # type: ignore[arg-type]
    return grouped


def test_a_layered_repository_has_no_points_and_its_layers_are_named_from_the_top() -> None:
    seen = examine("design", SHOP)
    assert rows(seen) == set()
    known = facts(seen)
    assert known["exam_design_modules"] == [{"n": 7, "imports": 3}]
    (layers,) = known["exam_design_layers"]
    order = str(layers["names"]).split(" > ")
    assert order.index("shop/web") < order.index("shop/orders") < order.index("shop/models")
    assert {"path": "shop/models/user.py", "n": 2} in known["exam_design_hub"]


def test_modules_that_need_one_another_to_be_loaded_are_a_circle() -> None:
    files = {"a.py": "import os\nimport b\n", "b.py": "from c import f\n", "c.py": "import a\n"}
    assert rows(examine("design", files)) == {("cycle", "a.py", 2)}
    later = {**files, "c.py": "def f():\n    import a\n"}
    assert rows(examine("design", later)) == set()
    perhaps = {**files, "c.py": "import sys\nif sys.platform:\n    import a\n"}
    assert rows(examine("design", perhaps)) == set()


def test_javascript_is_followed_by_relative_paths() -> None:
    files = {
        "src/a.ts": 'import { b } from "./b";\nimport x from "react";\n',
        "src/b.ts": 'export { c } from "./lib";\n',
        "src/lib/index.ts": 'import { a } from "../a.js";\n',
    }
    assert rows(examine("design", files)) == {("cycle", "src/a.ts", 1)}


def test_folders_that_import_from_one_another_are_named_where_it_is_rarer() -> None:
    more = {"shop/web/forms.py": "from shop.models.user import User\n"}
    back = {"shop/models/pricing.py": "def price():\n    from shop.web.forms import form\n"}
    seen = examine("design", {**SHOP, **more, **back})
    assert rows(seen) == {("package-cycle", "shop/models/pricing.py", 2)}


def test_product_code_that_imports_a_test_is_named() -> None:
    files = {
        "shop/a.py": "from tests.data_maker import make\n",
        "tests/data_maker.py": "def make(): ...\n",
    }
    assert rows(examine("design", files)) == {("imports-test", "shop/a.py", 1)}


def test_what_is_far_larger_than_the_rest_is_an_outlier() -> None:
    small = {f"p/m{n}.py": f"x = {n}\n" * (20 + n) for n in range(12)}
    large = {
        "p/big.py": "x = 1\n" * 900,
        "p/wide.py": "".join(f"import p.m{n}\n" for n in range(12)),
    }
    assert rows(examine("design", {**small, **large})) == {("large-module", "p/big.py", 1)}
    methods = "class Big:\n" + "".join(f"    def m{n}(self): ...\n" for n in range(31))
    assert rows(examine("design", {"p/c.py": methods})) == {("large-class", "p/c.py", 1)}


@pytest.mark.parametrize(
    "task", ["design a discount for the Order class", "Order 클래스에 할인을 설계해줘"]
)
def test_what_the_task_names_is_shown_with_its_interface(task: str) -> None:
    items = examine("design", SHOP, task).items
    (named,) = [item for item in items if item.state == "interface"]
    assert named.item.startswith("class Order")
    assert (named.places[0].path, named.places[0].line) == ("shop/orders/order.py", 3)
    assert next(item.item for item in items if item.state == "candidate") == "shop/orders/order.py"


def test_the_interface_of_a_class_is_what_others_may_call() -> None:
    (item,) = [
        item
        for item in examine("design", SHOP, "what may I call of User?").items
        if item.state == "interface"
    ]
    assert item.item == "class User: rename(self, name)"
    assert item.reason is not None
    assert item.reason.params == {"n": 2}
