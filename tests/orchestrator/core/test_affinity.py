"""How near claims are: by what they are about, whoever says it and in whatever order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.findings.affinity import affinities, terms

RACE = (
    "openLedger may run twice at a time and write two headers because its mutex is released early"
)
RACE_OTHERWISE = (
    "The mutex of openLedger is released before the header, so two callers both write it"
)
TYPO = "Spelling mistake in the button's caption"
TESTS = "No test covers the empty basket"
WORDS = st.sampled_from("lock index race build typo message test cache key null userId".split())


def test_two_wordings_of_one_defect_are_nearer_than_either_is_to_another() -> None:
    near = affinities([RACE, RACE_OTHERWISE, TYPO, TESTS])
    assert near[0][1] > 0.2
    assert all(near[0][1] > 3 * near[one].get(other, 0.0) for one in (0, 1) for other in (2, 3))


def test_a_third_claim_brings_two_together_that_hardly_share_a_word() -> None:
    first, second = "Null dereference of currentUser", "user may be absent, then rendering crashes"
    between = "currentUser may be absent, so rendering crashes with a null dereference"
    alone = affinities([first, second])[0].get(1, 0.0)
    assert affinities([first, second, between])[0][1] > alone


def test_an_identifier_is_known_whole_and_by_its_parts() -> None:
    found = dict(terms("call getUserById for the user"))
    assert found["#getuserbyid"] == 1.0
    assert found["user"] == 1.5


def test_korean_words_are_near_across_their_particles() -> None:
    near = affinities(["입력값을 검증하지 않습니다", "입력값 검증이 없습니다", "예외가 삼켜집니다"])
    assert near[0][1] > near[0].get(2, 0.0) + 0.1


def test_texts_without_words_are_near_to_nothing() -> None:
    assert affinities(["", "...", "lock"]) == ({}, {}, {})


@given(st.lists(st.lists(WORDS, max_size=6).map(" ".join), max_size=8))
def test_affinity_is_symmetric_bounded_and_independent_of_the_order(texts: list[str]) -> None:
    near = affinities(texts)
    backwards = affinities(texts[::-1])
    last = len(texts) - 1
    for one, others in enumerate(near):
        for other, alike in others.items():
            assert one != other
            assert alike == near[other][one]
            assert 0.0 < alike <= 1.0 + 1e-9
            assert abs(alike - backwards[last - one][last - other]) < 1e-9
