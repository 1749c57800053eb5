"""Merging a reply's findings takes a bounded time, whatever they say."""

from __future__ import annotations

import string
from random import Random

import pytest

from orchestrator.core.findings.evidence import Checked, absorb_proven
from orchestrator.core.findings.merging import MAX_COMPARED_PAIRS, Raised, absorb
from orchestrator.core.findings.sameness import MAX_VOCABULARY, ComparableClaim, Spellings
from shared.models.findings import Place, RaisedFinding, Severity
from shared.models.notices import verbatim
from shared.models.reply_bounds import MAX_CLAIMS, MAX_LISTED
from tests.support.linear import processor_s

WORDS = 60
# Measured: 0.1 to 1 s. Before there were bounds: 11 s for two participants, and minutes for eight.
ALLOWED_S = 15.0


def claims(
    participants: int, *, place: Place | None = None, different: int = WORDS
) -> list[Raised]:
    """As many findings as replies may hold, of 60 words of which so many stand in no other."""
    chance = Random(7)

    def word() -> str:
        return "".join(chance.choice(string.ascii_lowercase) for _ in range(8))

    common = [word() for _ in range(WORDS - different)]
    return [
        Raised(
            f"p{who}",
            1,
            RaisedFinding(
                title=word(),
                detail=" ".join([*common, *(word() for _ in range(different))]),
                severity=Severity.MAJOR,
                place=place,
            ),
        )
        for who in range(participants)
        for _ in range(MAX_CLAIMS)
    ]


LINE = Place(path="a.py", line=5)


@pytest.mark.parametrize(
    ("participants", "different", "place"), [(2, WORDS, None), (2, 3, LINE), (8, WORDS, LINE)]
)
def test_full_replies_are_merged_in_seconds(
    participants: int, different: int, place: Place | None
) -> None:
    many = claims(participants, place=place, different=different)
    assert processor_s(lambda: absorb(many)) < ALLOWED_S


def test_claims_without_evidence_do_not_take_longer() -> None:
    doubted = [Checked(claim, verbatim("its quotation does not occur")) for claim in claims(2)]
    assert processor_s(lambda: absorb_proven(doubted, ())) < ALLOWED_S


def test_beyond_the_bound_the_same_words_still_are_one_finding() -> None:
    many = claims(8, different=3)
    assert len(many) ** 2 / 4 > MAX_COMPARED_PAIRS
    twice = [*many, *(Raised("z", one.round, one.finding) for one in many)]
    merged = absorb(twice)
    assert len(merged.findings) == len(many)
    assert all(len(finding.raised_by) == 2 for finding in merged.findings)


def test_a_small_vocabulary_is_compared_with_all_of_itself() -> None:
    few = [one for one in claims(1) if one.finding.title][:2]
    reworded = Raised("q", 1, RaisedFinding(title="Inputs are validated", detail="validates"))
    spelt = Raised("r", 1, RaisedFinding(title="Inputs xvalidated", detail="validate"))
    spellings = Spellings(_claim(one) for one in (*few, reworded, spelt))
    assert {"validate", "validates", "xvalidated"} <= {"validated", *spellings.near("validated")}


def test_a_flooded_vocabulary_is_compared_by_how_its_words_begin() -> None:
    flood = claims(2)
    honest = Raised("q", 1, RaisedFinding(title="Inputs are validated", detail="validates"))
    assert len(flood) * WORDS > MAX_VOCABULARY
    spellings = Spellings(_claim(one) for one in (*flood, honest))
    assert "validates" in spellings.near("validated")


def _claim(one: Raised) -> ComparableClaim:
    return ComparableClaim(one.finding.title, one.finding.detail, None, None, None)


def test_a_rules_thousand_findings_in_one_file_are_merged_in_a_second_or_two() -> None:
    """Each round is weighed within one transaction, which must not last."""
    many = [
        Raised(
            who,
            1,
            RaisedFinding(
                title="Use of eval (B307)", rule=rule, place=Place(path="a.py", line=line)
            ),
        )
        for who, rule in (("ruff", "ruff/S307"), ("bandit", "bandit/B307"))
        for line in range(1, MAX_LISTED + 1)
    ]
    merged = absorb(many)
    assert len(merged.findings) == MAX_LISTED
    assert processor_s(lambda: absorb(many)) < 5
