"""What a run says of itself, told in Korean: nothing that a workflow can say is left in English."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from shared.models.notices import Notice, is_notice, notice, sentences, verbatim
from shared.models.outcomes import Ending
from tests.orchestrator.workflows.test_reachable_endings import ROWS

HANGUL = re.compile("[\uac00-\ud7a3]")
KOREAN = Translator("ko")


def notices(stored: Any) -> Iterator[Notice]:
    """Every notice in a JSON value."""
    if is_notice(stored):
        yield Notice.model_validate(stored)
    elif isinstance(stored, dict):
        for value in stored.values():
            yield from notices(value)
    elif isinstance(stored, list):
        for value in stored:
            yield from notices(value)


@pytest.mark.parametrize(
    ("workflow", "ending", "act"),
    ROWS,
    ids=[f"{workflow}-{ending}" for workflow, ending, _ in ROWS],
)
def test_every_sentence_of_every_ending_has_its_korean(
    workflow: str, ending: Ending, act: Callable[[], Outcome]
) -> None:
    outcome = act()
    told = [*outcome.warnings, *notices(outcome.detail)]

    korean = {KOREAN.translate(one): one.code for one in told}
    assert [text for text in korean if not all(map(HANGUL.search, text.split("; ")))] == []
    assert told or workflow in ("plan", "review") or ending is Ending.CONVERGED


def test_a_notice_is_told_with_its_names_numbers_and_notices() -> None:
    votes = {"stop": "concluded", "stated": 3, "expected": 3, "support": 1.0}
    agreed = notice("forum_agreed", **votes)
    missing = notice("missing_participants", who=["ada", "bob"])
    both = sentences(
        notice("not_agreed_yet", open=notice("findings_open", findings=["F1"])), missing
    )
    assert KOREAN.translate(agreed) == (
        "진행자가 토론을 끝냄, 표결이 일치함: 3명 중 3명이 입장을 밝힘, 지지 1.00"
    )
    assert KOREAN.translate(both) == "아직 합의하지 않음, 미해결 항목: F1; 불참: ada, bob"
    assert sentences(both, missing) == both


def test_a_number_chooses_the_form() -> None:
    told = [ENGLISH.translate(notice("new_findings_unanswered", n=n)) for n in (1, 2)]
    assert [text.split()[:3] for text in told] == [
        ["1", "new", "finding"],
        ["2", "new", "findings"],
    ]


def test_what_no_catalogue_has_is_told_as_it_is() -> None:
    for translator in (KOREAN, ENGLISH):
        assert translator.translate(verbatim("the moon is full")) == "the moon is full"
        assert translator.translate(notice("of_tomorrow", who="ada")) == "of_tomorrow: who=ada"


def test_a_text_with_braces_and_a_million_of_them_is_told_as_it_is() -> None:
    hostile = "{who} {0} {who:이/가} " * 50_000
    told = KOREAN.translate(notice("missing_participants", who=[hostile]))
    assert told.startswith("불참: {who} {0} {who:이/가}")
