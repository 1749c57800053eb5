"""What a document asks for is looked for in code and in tests, and no more is said than can be shown."""

from __future__ import annotations

import pytest

from shared.models.agent import RepositoryExamination
from tests.workers.tools.agent.examined import examine, rows

SHOP = {
    "shop/cart.py": "class Cart:\n    def apply_discount(self, code): ...\n\n    def total_price(self): ...\n",
    "shop/cli.py": "OPTIONS = ['--dry-run']\n",
    "web/login.ts": "export function validateEmail(text) { return true }\n",
    "tests/test_cart.py": "def test_apply_discount():\n    Cart().apply_discount('x')\n",
}
SPEC = """\
# Shop

## Requirements
- `Cart.apply_discount` must refuse a code that is over.
- The total price of a cart must be shown.
- `--dry-run` shall change nothing.
- Orders must be archived after a year.

It is a nice shop.

```
- this must not be read
```
"""


def states(examination: RepositoryExamination) -> list[str]:
    return [item.state for item in examination.items]


def test_each_item_has_its_evidence_or_none() -> None:
    seen = examine("spec", {**SHOP, "docs/spec.md": SPEC})
    assert states(seen) == ["met", "unknown", "unknown", "unmet"]
    discount, total, option, archive = seen.items
    assert [(place.path, place.line) for place in discount.places] == [
        ("shop/cart.py", 2),
        ("tests/test_cart.py", 2),
    ]
    assert [(place.path, place.line) for place in total.places] == [("shop/cart.py", 4)]
    assert [(place.path, place.line) for place in option.places] == [("shop/cli.py", 1)]
    assert archive.places == ()
    assert [fact.code for fact in seen.facts] == ["exam_spec_counted", "exam_spec_limits"]
    assert seen.facts[0].params == {
        "path": "docs/spec.md",
        "n": 4,
        "met": 1,
        "unknown": 2,
        "unmet": 1,
    }


def test_a_ticked_item_without_evidence_is_a_point() -> None:
    text = "- [x] `Cart` holds items\n- [x] `Invoice` is printed\n- [ ] `Refund` is paid\n"
    seen = examine("spec", {**SHOP, "TODO.md": text})
    assert rows(seen) == {("ticked-without-evidence", "TODO.md", 2)}
    assert states(seen) == ["met", "unmet", "unmet"]


@pytest.mark.parametrize(
    ("task", "documents", "expected"),
    [
        ("check these:\n- `validateEmail` exists\n- refunds\n", (), ["unknown", "unmet"]),
        ("check NOTES.md", (), ["met"]),
        ("is it done?", ("The `Cart` must hold items.",), ["met"]),
        ("is it done?", (), []),
    ],
)
def test_what_is_asked_for_is_the_document_that_was_given_named_or_listed(
    task: str, documents: tuple[str, ...], expected: list[str]
) -> None:
    files = {**SHOP, "NOTES.md": "The `Cart` must hold items.\n"}
    assert states(examine("spec", files, task, documents)) == expected


def test_korean_requirements_are_found_by_the_words_of_names() -> None:
    text = "# 요구사항\n사용자는 이메일을 검증할 수 있어야 한다.\n재미있는 소개글.\n"
    seen = examine("spec", {**SHOP, "docs/요구사항.md": text})
    assert states(seen) == ["unknown"]
    assert [place.path for place in seen.items[0].places] == ["web/login.ts"]


def test_a_list_of_packages_is_no_specification() -> None:
    assert examine("spec", {**SHOP, "requirements.txt": "- must\nrequests\n"}).items == ()
