"""The stance ledger: positions, agreement between, stability within, and what becomes of a finding."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.core.findings.stances import (
    FindingStanding,
    Floor,
    agreement_between,
    agreement_on,
    conceded,
    latest,
    raising_stance,
    settle,
    stability_within,
    status_of,
)
from orchestrator.core.rounds import Contribution, RoundTaken, ledger_of
from shared.models.findings import (
    Finding,
    FindingStatus,
    Position,
    Severity,
    Stance,
    StatedStance,
)
from shared.models.run import RulesVersion

AGREE, PARTIAL, DISAGREE = Position.AGREE, Position.PARTIAL, Position.DISAGREE
WITHDRAW, ABSTAIN = Position.WITHDRAW, Position.ABSTAIN


def finding(*raisers: str, identity: str = "F1", severity: Severity = Severity.MAJOR) -> Finding:
    return Finding(
        id=identity,
        title="A defect",
        detail="",
        severity=severity,
        category="general",
        raised_by=raisers or ("a",),
        raised_in_round=1,
    )


def line(
    who: str, position: Position, number: int = 3, role: str = "critique", identity: str = "F1"
) -> Stance:
    return Stance(round=number, participant=who, role=role, finding=identity, position=position)


def turn(
    who: str,
    *positions: Position | None,
    role: str = "critique",
    answered: bool = True,
) -> Contribution:
    """A contribution with positions on F1, F2, ...; None leaves a finding out."""
    stances = tuple(
        StatedStance(finding=f"F{at}", position=position)
        for at, position in enumerate(positions, start=1)
        if position is not None
    )
    return Contribution(who, role, f"{who} speaks", answered, stances)


def stability(rounds: list[RoundTaken], *findings: Finding) -> float | None:
    return stability_within(rounds, ledger_of(rounds), findings)


# ---- positions ----------------------------------------------------------------------------------


def test_raising_is_an_implied_agreement() -> None:
    assert latest([], finding("a", "b")) == {"a": AGREE, "b": AGREE}


def test_the_last_round_counts_whatever_the_order_of_the_lines() -> None:
    lines = [line("a", WITHDRAW, 5), line("a", AGREE, 3), line("b", PARTIAL, 3)]
    assert latest(lines, finding("a")) == {"a": WITHDRAW, "b": PARTIAL}


def test_what_is_said_outranks_what_raising_again_implies() -> None:
    said = line("a", DISAGREE, 3)
    implied = raising_stance("F1", "a", 3)
    assert latest([said, implied], finding("a")) == {"a": DISAGREE}
    assert latest([implied, said], finding("a")) == {"a": DISAGREE}


def test_lines_on_other_findings_do_not_count() -> None:
    assert latest([line("a", DISAGREE, identity="F2")], finding("a")) == {"a": AGREE}


# ---- agreement between participants -------------------------------------------------------------


@pytest.mark.parametrize(
    ("positions", "agreement"),
    [
        ([AGREE, AGREE], 1.0),
        ([DISAGREE, WITHDRAW], 1.0),
        ([AGREE, PARTIAL], 0.5),
        ([AGREE, DISAGREE], 0.0),
        ([AGREE, AGREE, DISAGREE], 1 / 3),
        ([AGREE, AGREE, PARTIAL], 2 / 3),
        ([AGREE, AGREE, ABSTAIN], 1.0),
    ],
)
def test_agreement_is_one_less_the_mean_pairwise_distance(
    positions: list[Position], agreement: float
) -> None:
    standing = FindingStanding({f"p{at}": position for at, position in enumerate(positions)})
    assert agreement_between(standing) == pytest.approx(agreement)


def test_below_the_quorum_of_positions_agreement_is_zero() -> None:
    assert agreement_between(FindingStanding({"a": AGREE, "b": ABSTAIN})) == 0.0
    assert agreement_between(FindingStanding({"a": AGREE, "b": AGREE}), quorum=3) == 0.0
    assert agreement_between(FindingStanding({"a": AGREE}), quorum=1) == 1.0


def test_somebody_missing_is_as_far_away_as_can_be() -> None:
    standing = FindingStanding({"a": AGREE, "b": AGREE}, frozenset({"c"}))
    assert agreement_between(standing) == pytest.approx(1 / 3)


# ---- what becomes of a finding ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("raisers", "lines", "status"),
    [
        (["a"], [], FindingStatus.UNDECIDED),
        (["a", "b"], [], FindingStatus.ACCEPTED),
        (["a"], [line("b", AGREE)], FindingStatus.ACCEPTED),
        (["a"], [line("b", ABSTAIN)], FindingStatus.UNDECIDED),
        (["a"], [line("b", DISAGREE)], FindingStatus.CONTESTED),
        (["a"], [line("author", AGREE, 2, "rebuttal")], FindingStatus.ACCEPTED),
        (["a"], [line("author", DISAGREE, 2, "rebuttal")], FindingStatus.CONTESTED),
        (["a"], [line("author", PARTIAL, 2, "rebuttal")], FindingStatus.ACCEPTED),
        (["a"], [line("a", WITHDRAW)], FindingStatus.REJECTED),
        (["a"], [line("a", WITHDRAW), line("b", AGREE)], FindingStatus.CONTESTED),
        (["a"], [line("a", WITHDRAW), line("b", PARTIAL)], FindingStatus.CONTESTED),
        (["a", "b"], [line("a", WITHDRAW)], FindingStatus.CONTESTED),
        (["a", "b"], [line("a", WITHDRAW), line("b", WITHDRAW)], FindingStatus.REJECTED),
        (["a"], [line("a", DISAGREE), line("b", DISAGREE)], FindingStatus.REJECTED),
        (["a"], [line("a", DISAGREE)], FindingStatus.UNDECIDED),
        (
            ["a", "b"],
            [line("a", ABSTAIN), line("b", DISAGREE), line("c", DISAGREE)],
            FindingStatus.UNDECIDED,
        ),
        (
            ["a"],
            [line("a", ABSTAIN), line("b", DISAGREE), line("c", DISAGREE)],
            FindingStatus.UNDECIDED,
        ),
    ],
)
def test_status_follows_from_who_stands_where(
    raisers: list[str], lines: list[Stance], status: FindingStatus
) -> None:
    assert status_of(finding(*raisers), lines) is status


def test_one_participant_cannot_reject_what_others_support() -> None:
    lines = [line("c", DISAGREE)]
    assert status_of(finding("a", "b"), lines) is FindingStatus.CONTESTED


def test_a_large_majority_carries_a_finding_and_cannot_reject_one() -> None:
    against = [line(f"p{at}", DISAGREE) for at in range(9)]
    assert status_of(finding("a"), against) is FindingStatus.CONTESTED
    for_it = [line(f"p{at}", AGREE) for at in range(9)]
    minor = finding("a").model_copy(update={"severity": Severity.MINOR})
    assert status_of(minor, [*for_it, line("z", DISAGREE)]) is FindingStatus.ACCEPTED


@pytest.mark.parametrize("severity", [Severity.CRITICAL, Severity.MAJOR])
def test_no_majority_outvotes_a_denial_of_a_grave_finding(severity: Severity) -> None:
    grave = finding("a").model_copy(update={"severity": severity})
    lines = [*(line(f"p{at}", AGREE) for at in range(11)), line("z", DISAGREE)]
    assert status_of(grave, lines) is FindingStatus.CONTESTED
    assert status_of(grave, lines, rules=RulesVersion.ORIGINAL) is FindingStatus.ACCEPTED


def test_a_concession_taken_back_is_none() -> None:
    lines = [line("author", AGREE, 2, "rebuttal"), line("author", DISAGREE, 4, "rebuttal")]
    assert not conceded(lines, finding("a"))
    assert status_of(finding("a"), lines) is FindingStatus.CONTESTED


def test_a_critics_agreement_is_no_concession() -> None:
    assert not conceded([line("b", AGREE)], finding("a"))


def test_settling_writes_positions_and_status_and_leaves_the_severity() -> None:
    known = finding("a", severity=Severity.CRITICAL)
    (settled,) = settle([known], [line("b", DISAGREE)])
    assert settled.status is FindingStatus.CONTESTED
    assert settled.stances == {"a": AGREE, "b": DISAGREE}
    assert settled.severity is Severity.CRITICAL


# ---- stability within one participant -----------------------------------------------------------


def test_stability_is_unknown_while_nobody_spoke_twice_in_a_role() -> None:
    rounds = [
        RoundTaken(1, "critique", (turn("a"),)),
        RoundTaken(2, "rebuttal", (turn("a", AGREE, role="rebuttal"),)),
    ]
    assert stability(rounds, finding("a")) is None


def test_restating_a_position_is_stable_and_changing_it_is_not() -> None:
    first = RoundTaken(1, "critique", (turn("a"), turn("b")))
    kept = RoundTaken(3, "critique", (turn("a", AGREE), turn("b", AGREE, DISAGREE)))
    findings = (finding("a", "b"), finding("b", identity="F2"))
    # a restates F1; b restates F1 and gives F2 up.
    assert stability([first, kept], *findings) == pytest.approx((1.0 + 0.5) / 2)


def test_withdrawing_after_disagreeing_is_no_change() -> None:
    rounds = [
        RoundTaken(1, "critique", (turn("a", DISAGREE),)),
        RoundTaken(3, "critique", (turn("a", WITHDRAW),)),
    ]
    assert stability(rounds, finding("a")) == 1.0


def test_a_first_position_on_anothers_finding_is_nothing_to_compare() -> None:
    rounds = [
        RoundTaken(1, "critique", (turn("a"), turn("b"))),
        RoundTaken(3, "critique", (turn("a"), turn("b", DISAGREE))),
    ]
    assert stability(rounds, finding("a")) is None


def test_a_pair_with_a_missing_turn_is_unstable() -> None:
    for gone_first in (True, False):
        rounds = [
            RoundTaken(1, "critique", (turn("a", answered=not gone_first),)),
            RoundTaken(3, "critique", (turn("a", AGREE, answered=gone_first),)),
        ]
        assert stability(rounds, finding("a")) == 0.0


# ---- with turns that brought nothing ------------------------------------------------------------


def test_ledger_lines_of_an_unanswered_turn_are_ignored() -> None:
    rounds = [
        RoundTaken(1, "critique", (turn("a"), turn("b"))),
        RoundTaken(3, "critique", (turn("a", AGREE), turn("b", AGREE, answered=False))),
    ]
    floor = Floor.of(rounds, [line("a", AGREE), line("b", AGREE)])
    assert floor.standing(finding("a")) == FindingStanding({"a": AGREE}, frozenset({"b"}))
    assert agreement_on(finding("a"), floor) == 0.0


def test_a_restated_position_makes_up_for_a_missed_turn() -> None:
    rounds = [
        RoundTaken(1, "critique", (turn("a"), turn("b"))),
        RoundTaken(3, "critique", (turn("a", AGREE), turn("b", answered=False))),
        RoundTaken(5, "critique", (turn("a", AGREE), turn("b", AGREE))),
    ]
    floor = Floor.of(rounds, ledger_of(rounds))
    assert floor.standing(finding("a")).missing == frozenset()
    assert agreement_on(finding("a"), floor) == 1.0


def test_missing_before_the_finding_was_known_is_no_gap() -> None:
    rounds = [
        RoundTaken(1, "critique", (turn("a"), turn("b", answered=False))),
        RoundTaken(3, "critique", (turn("a"), turn("b"))),
    ]
    floor = Floor.of(rounds, [])
    late = finding("a").model_copy(update={"raised_in_round": 3})
    assert floor.standing(late).missing == frozenset()
    assert floor.standing(finding("a")).missing == {"b"}


def test_a_line_of_nobodys_turn_counts() -> None:
    rounds = [RoundTaken(1, "critique", (turn("a"),))]
    ballot = line("person", DISAGREE, 2, role="ballot")
    assert Floor.of(rounds, [ballot]).standing(finding("a")).positions == {
        "a": AGREE,
        "person": DISAGREE,
    }


def test_concession_and_withdrawal_settle_unless_somebody_is_missing() -> None:
    blind = RoundTaken(1, "critique", (turn("a"), turn("b"), turn("c")))
    concession = RoundTaken(2, "rebuttal", (turn("author", AGREE, role="rebuttal"),))
    dissent = RoundTaken(3, "critique", (turn("a"), turn("b", DISAGREE), turn("c")))
    gone = RoundTaken(3, "critique", (turn("a"), turn("b", DISAGREE), turn("c", answered=False)))
    for last, agreement in ((dissent, 1.0), (gone, 1 / 6)):
        rounds = [blind, concession, last]
        floor = Floor.of(rounds, ledger_of(rounds))
        assert agreement_on(finding("a"), floor) == pytest.approx(agreement)


# ---- properties ---------------------------------------------------------------------------------

POSITIONS = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(list(Position)))


@given(POSITIONS, st.sets(st.sampled_from("uvw")), st.integers(1, 3))
def test_agreement_stays_within_bounds_and_missing_never_raises_it(
    positions: dict[str, Position], missing: set[str], quorum: int
) -> None:
    full = agreement_between(FindingStanding(positions), quorum)
    less = agreement_between(FindingStanding(positions, frozenset(missing)), quorum)
    assert 0.0 <= less <= full <= 1.0


@given(POSITIONS, st.sampled_from("abcdef"))
def test_going_missing_never_raises_agreement(positions: dict[str, Position], who: str) -> None:
    full = agreement_between(FindingStanding(positions))
    assert agreement_between(FindingStanding(positions, frozenset({who}))) <= full


@given(
    st.lists(st.builds(line, st.sampled_from("abc"), st.sampled_from(list(Position))), max_size=6)
)
def test_stating_the_same_lines_twice_changes_nothing(lines: list[Stance]) -> None:
    assert latest([*lines, *lines], finding("a")) == latest(lines, finding("a"))
    assert status_of(finding("a"), [*lines, *lines]) is status_of(finding("a"), lines)
