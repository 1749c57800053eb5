"""Findings of two runs beside each other: the same defect is one row."""

from hypothesis import given, settings
from hypothesis import strategies as st

from orchestrator.core.findings.pairing import pair_up
from shared.models.findings import Finding, Place
from tests.support.reports import make_finding

SHELL = make_finding("F1")


def test_the_same_words_pair_whatever_their_numbers():
    (pair,) = pair_up([SHELL], [SHELL.model_copy(update={"id": "F9"})])
    assert pair.first is SHELL
    assert pair.second is not None
    assert pair.second.id == "F9"


def test_the_same_defect_in_other_words_pairs():
    first = make_finding(title="SQL injection in query", rule=None, detail="")
    second = make_finding(
        "F3",
        title="User input concatenated into SQL query allows injection",
        rule=None,
        detail="",
        place=Place(path="app.py", line=10),
    )
    (pair,) = pair_up([first], [second])
    assert (pair.first, pair.second) == (first, second)


def test_what_is_elsewhere_stays_apart():
    there = make_finding("F2", place=Place(path="other.py", line=9))
    pairs = pair_up([SHELL], [there])
    assert [(one.first, one.second) for one in pairs] == [(SHELL, None), (None, there)]


def test_each_is_paired_once_and_the_likeliest_wins():
    twin = SHELL.model_copy(update={"id": "F2"})
    pairs = pair_up([SHELL], [twin, SHELL])
    assert [(one.first, one.second) for one in pairs] == [(SHELL, SHELL), (None, twin)]


def test_positions_of_a_debate_pair_only_letter_by_letter():
    def position(identity: str, title: str) -> Finding:
        return make_finding(
            identity, title=title, category="position", rule=None, place=None, detail=""
        )

    yes, no = (
        position("P1", "We should move the shop"),
        position("P1", "We should not move the shop"),
    )
    assert [one.second for one in pair_up([yes], [no])] == [None, no]
    other = position("P2", "we should move the shop!")
    (pair,) = pair_up([yes], [other])
    assert pair.second is other


FINDINGS = st.lists(
    st.builds(
        make_finding,
        st.sampled_from(["F1", "F2", "F3"]),
        title=st.sampled_from(["Shell injection", "Unused import", "No test"]),
        place=st.none() | st.builds(Place, path=st.just("app.py"), line=st.integers(1, 20)),
    ),
    max_size=5,
)


@settings(max_examples=50, deadline=None)
@given(FINDINGS, FINDINGS)
def test_nobody_is_lost_and_nobody_is_there_twice(first: list[Finding], second: list[Finding]):
    pairs = pair_up(first, second)
    assert [one.first for one in pairs if one.first is not None] == first
    found = [one.second for one in pairs if one.second is not None]
    assert sorted(map(id, found)) == sorted(map(id, second))
    assert all(one.first is not None or one.second is not None for one in pairs)
