"""Costs and participants as values: days without spending are days, an unknown price is none, and who is well."""

from __future__ import annotations

from datetime import date

import pytest

from orchestrator.core.pictures import Bars, Columns
from orchestrator.evaluation.acceptance import OfferedFindings, Raiser, acceptance
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.run_pages.costs_page import by, by_day, tiles
from orchestrator.presentation.run_pages.people_page import account_lines, participant_cards
from shared.models.pauses import Pause
from shared.providers.limits import Breaker, BreakerState
from shared.store.spending import Grouping, Spending
from shared.store.turn_times import TurnTimes

TODAY = date(2026, 11, 24)


def spent(key: str, cost_usd: float | None = 1.0, **changes: int) -> Spending:
    counts = {"unknown_costs": 0, "unknown_tokens": 0, **changes}
    return Spending(key, 2, 1000, 200, 0, cost_usd, **counts)


def times(name: str, answered: int = 9, failed: int = 0) -> TurnTimes:
    return TurnTimes(name, answered, failed, 3, 1.0, 2.0, 3.0)


def test_every_day_has_a_column_also_one_without_spending() -> None:
    shown = by_day([spent("2026-11-24", 2.0), spent("2026-11-20", 0.5)], 7, TODAY, ENGLISH)

    assert isinstance(shown.picture, Columns)
    assert [column.name for column in shown.picture.columns][::6] == ["11-18", "11-24"]
    assert [column.value for column in shown.picture.columns] == [0, 0, 0.5, 0, 0, 0, 2.0]
    assert len(shown.table.rows) == 2


def test_what_has_no_name_is_no_bar_and_a_table_has_more_than_the_picture() -> None:
    shown = by(Grouping.BATCH, [spent(""), *(spent(f"b{n}") for n in range(20))], ENGLISH)

    assert shown is not None
    assert isinstance(shown.picture, Bars)
    assert len(shown.picture.bars) == 12
    assert len(shown.table.rows) == 20
    assert by(Grouping.BATCH, [spent("")], ENGLISH) is None


def test_a_price_that_nobody_knows_is_said_and_is_not_nothing() -> None:
    shown = by(Grouping.MODEL, [spent("local", None, unknown_costs=2)], ENGLISH)

    assert shown is not None
    assert shown.table.rows[0][5:] == (ENGLISH.message("unknown_price"), "2 calls")
    names = [tile.name for tile in tiles(spent("", None, unknown_costs=2), [], TODAY, ENGLISH)]
    assert "Calls of unknown price" in names


def test_before_anything_was_spent_the_figures_are_zero() -> None:
    assert {tile.text for tile in tiles(None, [], TODAY, ENGLISH)} == {"$0.00"}


@pytest.mark.parametrize(
    ("turns", "pauses", "tone"),
    [
        (times("ada"), (), "good"),
        (times("ada", answered=7, failed=3), (), "bad"),
        (times("ada"), (Pause("ada", 0.0, "too dear"),), "warning"),
        (None, (), ""),
    ],
    ids=["well", "failing", "paused", "silent"],
)
def test_a_participant_is_well_failing_paused_or_silent(
    turns: TurnTimes | None, pauses: tuple[Pause, ...], tone: str
) -> None:
    known = {"ada": turns} if turns else {}
    [card] = participant_cards(known, {"ada": spent("ada")}, acceptance([], {}), pauses, ENGLISH)

    assert card.badge.tone == tone
    assert (card.paused, card.reason) == (("ada", "too dear") if pauses else ("", ""))


def test_how_often_somebody_was_right_is_told_with_its_interval_for_each_model() -> None:
    one, other = Raiser("ada", "openai", "gpt-5"), Raiser("ada", "openai", "gpt-6")
    history = acceptance(
        [
            OfferedFindings(one, "MAJOR", "security", True, 30),
            OfferedFindings(one, "MAJOR", "security", False, 10),
            OfferedFindings(other, "MINOR", "style", True, 1),
        ],
        {one: 12, other: 1},
    )
    [card] = participant_cards({}, {}, history, (), Translator("ko"))

    assert [(right.model, right.share) for right in card.right] == [("gpt-5", 0.75), ("gpt-6", 1.0)]
    assert all(0 <= right.low <= right.share <= right.high <= 1 for right in card.right)
    assert "40" in card.right[0].wording


def test_whoever_spoke_most_comes_first() -> None:
    known = {"bob": times("bob", 3), "ada": times("ada", 9), "cyd": times("cyd", 3)}
    cards = participant_cards(known, {}, acceptance([], {}), (), ENGLISH)

    assert [card.name for card in cards] == ["ada", "bob", "cyd"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_an_account_says_what_holds_it_back(language: str) -> None:
    def breaker(state: BreakerState, cooldown_s: float = 0.0) -> Breaker:
        return Breaker("openai", state, 5, "rate_limit", "slow down", 30.0, cooldown_s, 2)

    states = [breaker(state) for state in BreakerState]
    lines = account_lines([*states, breaker(BreakerState.CLOSED, 12.0)], Translator(language))

    assert [line.resumable for line in lines] == [False, True, True, False]
    assert [bool(line.wording) for line in lines] == [False, True, True, True]
    assert all(line.badge.text for line in lines)
