"""What was spent, as pictures with their tables: a column for each day, and bars by who, what and for which batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from orchestrator.core.document import Drawing
from orchestrator.core.pictures import Bar, Bars, Columns
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.money import spending_grid
from shared.store.spending import Grouping, Spending
from shared.text.amounts import dollars

MOST_BARS = 12
AGES_D = (7, 30, 90)
BY = (Grouping.PARTICIPANT, Grouping.WORKFLOW, Grouping.BATCH, Grouping.MODEL)


@dataclass(frozen=True)
class CostTile:
    """A figure that one looks for first."""

    name: str
    text: str


def tiles(
    total: Spending | None, days: Sequence[Spending], today: date, words: Translator
) -> tuple[CostTile, ...]:
    """What was spent in all and today, and how many calls nobody knows the price of."""
    of_today = next((row for row in days if row.key == today.isoformat()), None)
    figures = [("costs_in_all", _dollars(total)), ("costs_today", _dollars(of_today))]
    if total is not None:
        tokens = total.input_tokens + total.output_tokens
        figures += [("costs_calls", f"{total.calls:,}"), ("costs_tokens", f"{tokens:,}")]
        if total.unknown_costs:
            figures.append(("costs_unknown", f"{total.unknown_costs:,}"))
    return tuple(CostTile(words.message(code), text) for code, text in figures)


def _dollars(row: Spending | None) -> str:
    return dollars((row.cost_usd if row is not None else None) or 0.0)


def by_day(rows: Sequence[Spending], days: int, today: date, words: Translator) -> Drawing:
    """A column for each day, also for those on which nothing was spent."""
    spent = {row.key: row for row in rows}
    dates = [today - timedelta(days=back) for back in range(days - 1, -1, -1)]
    columns = tuple(_column(day, spent.get(day.isoformat())) for day in dates)
    picture = Columns(words.message("costs_by_day"), columns)
    return Drawing(picture, spending_grid("day", rows, words))


def _column(day: date, row: Spending | None) -> Bar:
    cost = (row.cost_usd if row is not None else None) or 0.0
    return Bar(f"{day:%m-%d}", cost, _dollars(row))


def by(grouping: Grouping, rows: Sequence[Spending], words: Translator) -> Drawing | None:
    """The dearest first; None where nothing was spent that has a name."""
    named = [row for row in rows if row.key]
    if not named:
        return None
    bars = tuple(Bar(row.key, row.cost_usd or 0.0, _dollars(row)) for row in named[:MOST_BARS])
    picture = Bars(words.message(f"costs_by_{grouping.value}"), bars)
    return Drawing(picture, spending_grid(grouping.value, named, words))
