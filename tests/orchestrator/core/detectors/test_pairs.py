"""How one Korean sentence stands to another: what a word list cannot see."""

from __future__ import annotations

import pytest

from orchestrator.core.consensus.detectors.pairs import pair_features, relation_of

SAID = "새 서버는 오전 9시에 열리고 예약을 모두 받습니다."


@pytest.mark.parametrize(
    "claim",
    [
        "새 서버는 예약을 받지 않습니다.",
        "새 서버는 오후 7시에 열립니다.",
        "새 서버는 아무 예약도 받지 않습니다.",
        "새 서버는 오전 9시에 닫힙니다.",
    ],
)
def test_negation_numbers_and_opposites_contradict(claim: str) -> None:
    found = relation_of(SAID, claim)
    assert found.contradicts > found.follows


@pytest.mark.parametrize("claim", ["새 서버는 예약을 받습니다.", "새 서버는 오전 9시에 열립니다."])
def test_a_part_of_what_was_said_follows(claim: str) -> None:
    found = relation_of(SAID, claim)
    assert found.follows > found.contradicts


def test_empty_sentences_are_no_error() -> None:
    assert 0 <= relation_of("", "").contradicts <= 1
    assert pair_features("", "")
