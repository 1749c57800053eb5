"""Who gets the floor: the seed's considerations, watched by code."""

import pytest

from orchestrator.workflows.forum.floor import (
    FloorChoice,
    FloorStanding,
    Why,
    by_rule,
    choose,
    due,
    eligible,
    match_name,
    standings,
)
from orchestrator.workflows.forum.result import FloorRound, RecordedBid
from shared.models.notices import verbatim

NAMES = ("claude", "gemini", "codex")


def stand(
    name: str, asks: bool = True, waiting: int = 1, floors: int = 0, last: bool = False
) -> FloorStanding:
    return FloorStanding(name, asks, "", waiting if asks else 0, floors, last)


def asked(*names: str, missing: tuple[str, ...] = ()) -> tuple[RecordedBid, ...]:
    return tuple(
        RecordedBid(
            participant=name,
            action="REQUEST" if name in names else "PASS",
            missing=verbatim("timeout") if name in missing else None,
        )
        for name in NAMES
    )


def held(bids: tuple[RecordedBid, ...], selected: str) -> FloorRound:
    return FloorRound(number=1, bids=bids, selected=selected)


def test_waiting_counts_rounds_in_a_row_and_ends_with_the_floor_or_a_pass() -> None:
    past = [held(asked(*NAMES), "claude"), held(asked("gemini", "claude"), "claude")]

    waiting = {one.name: one.waiting for one in standings(NAMES, past, asked(*NAMES))}

    assert waiting == {"claude": 1, "gemini": 3, "codex": 1}


def test_a_missing_answer_neither_counts_as_asking_nor_loses_the_place() -> None:
    past = [
        held(asked("gemini", "codex"), "codex"),
        held(asked("codex", missing=("gemini",)), "codex"),
    ]

    gemini = standings(NAMES, past, asked("gemini"))[1]

    assert (gemini.waiting, gemini.floors, gemini.last) == (2, 0, False)


def test_the_orchestrator_s_wish_is_followed_when_it_is_fair() -> None:
    everybody = (stand("claude", floors=1), stand("gemini", floors=2), stand("codex"))

    assert choose(everybody, "Gemini", 2, "why") == FloorChoice(
        "gemini", Why.WISHED, "Gemini", "why"
    )


def test_whoever_waited_too_long_comes_before_any_wish() -> None:
    everybody = (stand("claude"), stand("gemini", waiting=3), stand("codex", waiting=4))

    assert [one.name for one in due(everybody, 2)] == ["codex", "gemini"]
    choice = choose(everybody, "claude", 2)
    assert (choice.speaker, choice.why, choice.by) == ("codex", Why.WAITED_TOO_LONG, "rule")


def test_a_wish_among_those_who_waited_equally_long_is_followed() -> None:
    everybody = (stand("claude"), stand("gemini", waiting=3), stand("codex", waiting=3))

    assert choose(everybody, "codex", 2).why is Why.WISHED


def test_nobody_speaks_twice_in_a_row_while_others_ask() -> None:
    everybody = (
        stand("claude", last=True, floors=1),
        stand("gemini", floors=1),
        stand("codex", asks=False),
    )

    choice = choose(everybody, "claude", 2)

    assert (choice.speaker, choice.why) == ("gemini", Why.TWICE_IN_A_ROW)


def test_the_only_one_who_asks_may_go_on() -> None:
    everybody = (stand("claude", last=True, floors=1), stand("gemini", asks=False))

    assert choose(everybody, "claude", 2).why is Why.WISHED


def test_who_did_not_ask_is_not_given_the_floor_while_others_ask() -> None:
    everybody = (stand("claude"), stand("gemini", asks=False), stand("codex"))

    choice = choose(everybody, "gemini", 2)

    assert (choice.speaker, choice.why, choice.wished) == ("claude", Why.DID_NOT_ASK, "gemini")


def test_the_rule_takes_who_spoke_least_then_who_waits_longest_then_the_panel_s_order() -> None:
    assert by_rule((stand("a", floors=1), stand("b"), stand("c"))) == "b"
    assert by_rule((stand("a"), stand("b", waiting=2), stand("c"))) == "b"
    assert by_rule((stand("a", last=True), stand("b", floors=5))) == "b"


def test_when_nobody_asks_anybody_but_the_last_speaker_may_be_called_on() -> None:
    everybody = (stand("claude", asks=False, last=True), stand("gemini", asks=False))

    assert [one.name for one in eligible(everybody)] == ["gemini"]
    assert choose(everybody, "gemini", 2).why is Why.CALLED_ON
    assert choose(everybody, "claude", 2).why is Why.DID_NOT_ASK


def test_no_name_and_an_unknown_name_are_settled_by_the_rule() -> None:
    everybody = (stand("claude", floors=1), stand("gemini"))

    assert choose(everybody, None, 2) == FloorChoice("gemini", Why.NO_SELECTION)
    assert choose(everybody, "mistral", 2) == FloorChoice("gemini", Why.UNKNOWN_NAME, "mistral")
    assert choose(everybody, "Claud", 2).why is Why.NEAREST_NAME


@pytest.mark.parametrize(
    ("wanted", "meant"),
    [
        ("gemini", "gemini"),
        (" Gemini ", "gemini"),
        ("@GEMINI", "gemini"),
        ("Gemini (Google)", "gemini"),
        ("Gemini, because it waits", "gemini"),
        ("gemni", "gemini"),
        ("claude-opus", "claude"),
        ("gem", "gemini"),
        ("c", None),
        ("", None),
        ("both claude and gemini", None),
        ("somebody", None),
    ],
)
def test_a_name_is_understood_where_it_can_only_mean_one(wanted: str, meant: str | None) -> None:
    assert match_name(wanted, NAMES) == meant


def test_a_name_that_is_equally_near_to_two_means_neither() -> None:
    assert match_name("critic3", ("critic1", "critic2")) is None
    assert match_name("critic", ("critic1", "critic2")) is None
    assert match_name("클로드", ("클로드", "제미나이")) == "클로드"
