"""What a run says of itself, told in Korean: nothing that a workflow can say is left in English."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome
from orchestrator.presentation.locale.sentences import told
from shared.models.outcomes import Ending
from tests.orchestrator.workflows.test_reachable_endings import ROWS

HANGUL = re.compile("[\uac00-\ud7a3]")


def sentences(outcome: Outcome) -> Iterator[str]:
    """The warnings, and every reason that the workflow itself gives."""
    yield from outcome.warnings
    yield from reasons(outcome.detail)


def reasons(detail: Mapping[str, Any]) -> Iterator[str]:
    if isinstance(detail.get("reason"), str) and detail["reason"]:
        yield detail["reason"]
    for one in detail.get("rounds") or ():
        assessment = one.get("assessment") if isinstance(one, dict) else None
        if assessment and assessment.get("reason"):
            yield assessment["reason"]


@pytest.mark.parametrize(
    ("workflow", "ending", "act"),
    ROWS,
    ids=[f"{workflow}-{ending}" for workflow, ending, _ in ROWS],
)
def test_every_sentence_of_every_ending_has_its_korean(
    workflow: str, ending: Ending, act: Callable[[], Outcome]
) -> None:
    said = list(sentences(act()))

    left = [one for one in said if not all(map(HANGUL.search, told(one, "ko").split("; ")))]
    assert left == []
    assert said or workflow in ("plan", "review") or ending is Ending.CONVERGED


@pytest.mark.parametrize(
    ("english", "korean"),
    [
        (
            "the orchestrator ended the discussion, and the ballots agree: 3 of 3 took a position, support 1.00",
            "진행자가 토론을 끝냄, 표결이 일치함: 3명 중 3명이 입장을 밝힘, 지지 1.00",
        ),
        (
            "the participants do not agree yet, with F1, F2 open; missing: ada",
            "아직 합의하지 않음, 미해결 항목: F1, F2; 불참: ada",
        ),
        (
            "ada did not answer in round 2 (1/3 did): timeout: ada did not answer within 60 s.",
            "ada 불참, 2라운드 (응답 1/3): 시간 초과: ada 60초 안에 응답하지 않음",
        ),
        (
            "ada did not answer in round 2 (1/3 did): timeout: no answer; it hung",
            "ada 불참, 2라운드 (응답 1/3): timeout: no answer; it hung",
        ),
        (
            "positions have settled without agreement, with P1 open; the moderator scored 0.50, but P1, P2 contested",
            "합의 없이 입장이 굳어짐, 미해결 항목: P1; 사회자 점수 0.50, 그러나 다투는 입장: P1, P2",
        ),
        (
            "there and back again: bob on P1, cyd on P1; the votes agree, the debate did not",
            "입장이 거듭 번복됨: bob: P1, cyd: P1; 투표는 일치하나 토론은 그렇지 않았음",
        ),
        (
            "me waits for a person's answer: `quorate inbox`.",
            "me 사람의 답변을 기다림: `quorate inbox`",
        ),
        (
            "held waits: an operator paused 'held' (`quorate participants resume held`).",
            "held 대기: 운영자가 'held' 중지함 (`quorate participants resume held`)",
        ),
        (
            "gpt's provider failed again and again (overloaded); it is tried again in 12 s.",
            "gpt 제공자가 거듭 실패함(overloaded), 12초 뒤 다시 시도",
        ),
    ],
)
def test_a_sentence_is_told_with_its_names_and_numbers(english: str, korean: str) -> None:
    assert told(english, "ko") == korean
    assert told(english, "en") == english


def test_what_nobody_can_translate_is_told_as_it_is() -> None:
    assert told("the moon is full", "ko") == "the moon is full"


@pytest.mark.parametrize("words", ["; ", "a; ", "round 1: ", "ada did not answer in round 1: "])
def test_a_strangers_words_of_thousands_of_sentences_are_told_as_they_are(words: str):
    for length in (3_999, 400_000):
        sentence = (words * length)[:length]
        assert len(told(sentence, "ko")) >= len(sentence) / 4
