"""Whether two worded answers say the same: never when a word or a negation was exchanged."""

from __future__ import annotations

import pytest

from orchestrator.core.consensus.detectors.wordings import says_the_same


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("keep the queue", "We keep the queue."),
        ("keep the queue and drop the cache", "drop the cache, keep the queue"),
        ("keep Postgres", "keep Postgres as it is"),
        ("오늘 배포해야 합니다", "오늘 배포합시다"),
        ("배포를 일주일 미룹시다", "일주일 배포를 미루는 것이 좋겠습니다"),
        ("캐시를 없애고 큐를 유지합시다", "큐를 유지하고 캐시를 없앱시다"),
        ("yes", "Yes."),
    ],
)
def test_other_order_and_other_endings_are_the_same(one: str, other: str) -> None:
    assert says_the_same(one, other)
    assert says_the_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ship the release today", "ship the release tomorrow"),
        ("approve the change", "reject the change"),
        ("approve the change", "do not approve the change"),
        ("approve the change", "approve the change if the tests pass"),
        ("merge after the tests pass", "merge before the tests pass"),
        ("keep Postgres as the only store", "keep Redis as the only store"),
        ("wait 3 days", "wait 5 days"),
        ("yes", "no"),
        ("so then", "well"),
        ("오늘 배포합시다", "내일 배포합시다"),
        ("예산을 늘립시다", "예산을 줄입시다"),
        ("동기 방식으로 처리합니다", "비동기 방식으로 처리합니다"),
        ("배포를 미룹시다", "배포를 미루지 맙시다"),
        ("배포를 일주일 미룹시다", "배포를 이주일 미룹시다"),
        ("테스트가 통과한 뒤 병합합니다", "테스트가 통과하기 전에 병합합니다"),
    ],
)
def test_an_exchanged_word_or_negation_is_another_answer(one: str, other: str) -> None:
    assert not says_the_same(one, other)
    assert not says_the_same(other, one)
