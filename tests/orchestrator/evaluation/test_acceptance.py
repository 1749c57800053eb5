"""What people accepted of whom, and what a vote is worth for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.evaluation.acceptance import (
    FEWEST_DECISIONS,
    FEWEST_FINDINGS,
    LEAST,
    MOST,
    AcceptanceHistory,
    OfferedFindings,
    Raiser,
    acceptance,
    vote_weight,
)
from shared.models.panel import Participant

ANN, BEN = Raiser("ann", "openai", "large"), Raiser("ben", "openai", "small")
ENOUGH = FEWEST_FINDINGS


def rows(who: Raiser, accepted: int, declined: int, kind: str = "MAJOR") -> list[OfferedFindings]:
    return [
        OfferedFindings(who, kind, "security", True, accepted),
        OfferedFindings(who, kind, "security", False, declined),
    ]


def history(*offered: list[OfferedFindings], decisions: int = 50) -> AcceptanceHistory:
    return acceptance([row for each in offered for row in each], {ANN: decisions, BEN: decisions})


def test_shares_by_participant_severity_and_category_have_counts_and_intervals():
    record = history(rows(ANN, 6, 2), rows(ANN, 1, 1, "INFO"), rows(BEN, 0, 10))
    assert record.total is not None
    assert (record.total.accepted, record.total.offered) == (7, 20)
    first, second = record.participants
    assert {first.name, second.name} == {"ann", "ben"}
    ann = first if first.name == "ann" else second
    assert (ann.total.accepted, ann.total.offered) == (7, 10)
    assert list(ann.by_severity) == ["MAJOR", "INFO"]
    assert ann.by_severity["MAJOR"].share == 0.75
    assert ann.by_severity["MAJOR"].low < 0.75 < ann.by_severity["MAJOR"].high
    assert ann.by_category["security"].offered == 10


def test_there_is_no_weight_without_enough_of_a_record():
    few = history(rows(ANN, ENOUGH - 1, 0), rows(BEN, 0, 40))
    ann, ben = sorted(few.participants, key=lambda row: row.name)
    assert ann.weight is None
    assert ben.weight is not None
    brief = history(rows(ANN, 40, 0), rows(BEN, 0, 40), decisions=FEWEST_DECISIONS - 1)
    assert [row.weight for row in brief.participants] == [None, None]
    assert history().total is None


def test_who_is_accepted_more_often_counts_more_within_bounds():
    record = history(rows(ANN, 900, 100), rows(BEN, 10, 990))
    ann, ben = sorted(record.participants, key=lambda row: row.name)
    assert (ann.weight, ben.weight) == (MOST, LEAST)
    mild = history(rows(ANN, 14, 10), rows(BEN, 10, 14))
    ann, ben = sorted(mild.participants, key=lambda row: row.name)
    assert ann.weight is not None
    assert ben.weight is not None
    assert LEAST < ben.weight < 1 < ann.weight < MOST


def test_the_same_name_with_another_model_is_somebody_else():
    record = history(rows(ANN, 40, 10), rows(BEN, 10, 40))
    known = Participant(name="ann", provider="openai", model="large")
    other = Participant(name="ben", provider="openai", model="large")
    assert record.trusted([known, other]).keys() == {"ann"}


def test_where_nothing_was_ever_accepted_nobody_weighs_less():
    assert (
        history(rows(ANN, 0, 100), rows(BEN, 0, 100)).trusted(
            [Participant(name="ann", provider="openai", model="large")]
        )
        == {}
    )


@given(
    st.integers(ENOUGH, 500).flatmap(lambda n: st.tuples(st.integers(0, n - 1), st.just(n))),
    st.floats(0.05, 0.95),
)
def test_a_further_acceptance_never_lowers_a_weight(counts: tuple[int, int], everybody: float):
    accepted, offered = counts
    before = vote_weight(accepted, offered, FEWEST_DECISIONS, everybody)
    after = vote_weight(accepted + 1, offered, FEWEST_DECISIONS, everybody)
    assert before is not None
    assert after is not None
    assert LEAST <= before <= after <= MOST


@pytest.mark.parametrize("offered", [20, 60, 600])
def test_a_short_record_stays_nearer_to_one(offered: int):
    weight = vote_weight(offered * 3 // 4, offered, FEWEST_DECISIONS, 0.6)
    assert weight is not None
    assert 1 < weight <= 1.25
    longer = vote_weight(offered * 30 // 4, offered * 10, FEWEST_DECISIONS, 0.6)
    assert longer is not None
    assert longer >= weight
