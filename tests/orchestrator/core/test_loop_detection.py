"""Repetition and oscillation."""

from __future__ import annotations

import pytest

from orchestrator.core.consensus.loop_detection import oscillations, repeating, repeats
from orchestrator.core.findings.stances import raising_stance
from orchestrator.core.rounds import Contribution, RoundTaken
from shared.models.findings import Position, Stance, StatedStance

TEXT = "The query is built by concatenation, so the name can end the statement."
OTHER = "Binding the parameter would remove the danger without any cost in speed."


def said(text: str = TEXT, *stances: StatedStance, answered: bool = True) -> Contribution:
    return Contribution("a", "critique", text, answered, stances)


def stance(position: Position = Position.AGREE, reason: str = "It is reachable.") -> StatedStance:
    return StatedStance(finding="F1", position=position, reason=reason)


def test_near_identical_text_is_a_repetition() -> None:
    assert repeats(said(TEXT), said(TEXT.upper()))
    assert not repeats(said(TEXT), said(OTHER))


def test_a_negation_makes_it_another_statement() -> None:
    assert not repeats(said(TEXT), said(TEXT.replace("can end", "cannot end")))


def test_the_same_positions_for_the_same_reasons_are_a_repetition_in_any_words() -> None:
    assert repeats(said(TEXT, stance()), said(OTHER, stance()))
    assert not repeats(said(TEXT, stance()), said(OTHER, stance(reason="Seen in the tests.")))


def test_another_position_is_never_a_repetition() -> None:
    assert not repeats(said(TEXT, stance()), said(TEXT, stance(Position.WITHDRAW)))


def test_positions_without_reasons_do_not_repeat_a_different_text() -> None:
    assert not repeats(said(TEXT, stance(reason="")), said(OTHER, stance(reason="")))


def test_nothing_repeats_what_was_not_answered() -> None:
    assert not repeats(said(TEXT, answered=False), said(TEXT))
    assert not repeats(said(""), said(""))


def test_a_round_repeats_only_when_everybody_who_answered_does() -> None:
    first = RoundTaken(1, "critique", (said(), Contribution("b", "critique", TEXT)))
    same = RoundTaken(3, "critique", first.contributions)
    moved = RoundTaken(3, "critique", (said(), Contribution("b", "critique", OTHER)))
    assert repeating([first, same])
    assert not repeating([first, moved])
    assert not repeating([first])
    assert not repeating([])


def test_the_same_words_in_another_role_are_no_repetition() -> None:
    rounds = [
        RoundTaken(1, "critique", (Contribution("a", "critique", TEXT),)),
        RoundTaken(2, "rebuttal", (Contribution("a", "rebuttal", TEXT),)),
    ]
    assert not repeating(rounds)


def trail(*positions: Position, role: str = "critique") -> list[Stance]:
    return [
        Stance(round=at, participant="a", role=role, finding="F1", position=position)
        for at, position in enumerate(positions, start=1)
    ]


AGREE, DISAGREE, PARTIAL = Position.AGREE, Position.DISAGREE, Position.PARTIAL


@pytest.mark.parametrize(
    ("positions", "swings"),
    [
        ((AGREE, DISAGREE, AGREE), True),
        ((PARTIAL, AGREE, DISAGREE, AGREE), True),
        ((AGREE, Position.WITHDRAW, AGREE), True),
        ((AGREE, DISAGREE, AGREE, AGREE), False),
        ((AGREE, DISAGREE, DISAGREE), False),
        ((AGREE, PARTIAL, DISAGREE), False),
        ((AGREE, Position.ABSTAIN, AGREE), False),
        ((AGREE, DISAGREE), False),
        ((AGREE, AGREE, AGREE), False),
    ],
)
def test_there_and_back_on_a_finding_is_an_oscillation(
    positions: tuple[Position, ...], swings: bool
) -> None:
    assert oscillations(trail(*positions)) == ((("a", "F1"),) if swings else ())


def test_raising_is_the_first_position_of_a_trail() -> None:
    lines = [raising_stance("F1", "a", 1), *trail(AGREE, DISAGREE, AGREE)[1:]]
    assert oscillations(lines) == (("a", "F1"),)


def test_positions_in_two_roles_are_two_trails() -> None:
    lines = [
        *trail(AGREE),
        *trail(AGREE, DISAGREE, role="rebuttal")[1:],
        *trail(AGREE, AGREE, AGREE)[2:],
    ]
    assert oscillations(lines) == ()
