"""The catalogue answers who asks for tools, and says of each what is true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from shared.delivery.contracts import QUEUE_APPLY, QUEUES, TOOL_TASKS
from shared.errors import ToolError
from shared.tools.card import ToolCard, ToolKind, ToolScope
from shared.tools.catalogue import CARDS, cards, find_card

PAGE = Path(__file__).parents[3] / "docs/design/analysers.md"


@pytest.mark.parametrize("card", cards(), ids=lambda card: card.name)
def test_a_card_is_whole(card: ToolCard) -> None:
    assert CARDS[card.name] is card
    assert card.purpose.endswith(".")
    assert card.module.startswith("workers.tools.")
    assert card.queue in QUEUES
    assert card.queue in TOOL_TASKS
    assert 0 < card.cost.seconds <= card.limits.timeout_s
    assert card.cost.usd == 0
    assert card.inputs.model_json_schema()["additionalProperties"] is False


def test_only_tools_that_write_are_in_the_queue_of_the_writing_hand() -> None:
    assert {card.read_only for card in cards() if card.queue == QUEUE_APPLY} == {False}
    assert {card.queue for card in cards(read_only=False)} == {QUEUE_APPLY}


def test_cards_are_picked_by_kind_by_what_they_write_and_by_what_they_can_read() -> None:
    readers = {card.name for card in cards(kind=ToolKind.ANALYSER, applies_to=["a.go"])}
    assert readers & {"ruff", "bandit", "complexity", "diffcheck"} == {"diffcheck"}
    python = cards(kind=ToolKind.ANALYSER, applies_to=["a.go", "b.py"])
    assert python == cards(kind=ToolKind.ANALYSER)
    assert cards(applies_to=[]) == ()
    assert {card.name for card in cards(read_only=False)} >= {"apply", "undo"}


def test_a_file_is_known_by_its_name_or_by_its_language() -> None:
    scope = ToolScope("python", (".py",))
    assert scope.reads("a.py")
    assert scope.reads("run", "python")
    assert not scope.reads("run", "shell")
    assert not scope.reads("run")


def test_an_unknown_tool_is_named_with_those_that_exist() -> None:
    with pytest.raises(ToolError, match=r"'rufff'.*ruff"):
        find_card("rufff")


def test_the_page_lists_every_tool_as_its_card_does() -> None:
    table = PAGE.read_text().partition("| tool | kind | purpose |")[2].partition("\n\n")[0]
    rows = re.findall(r"^\| `([\w.]+)` \| (.*) \|$", table, re.MULTILINE)
    assert rows == [
        (card.name, f"{card.kind} | {card.purpose} | {reads(card)} | {card.cost.seconds:g}")
        for card in cards()
    ]


def reads(card: ToolCard) -> str:
    return (card.scope.language or "any").capitalize()
