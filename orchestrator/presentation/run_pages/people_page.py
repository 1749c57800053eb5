"""Participants as values: whether they can be asked, how fast and reliable they are, their cost, how often right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from orchestrator.evaluation.acceptance import AcceptanceHistory, ParticipantHistory
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.run_pages.stations import Badge
from shared.models.pauses import Pause
from shared.providers.limits import Breaker, BreakerState
from shared.store.spending import Spending
from shared.store.turn_times import TurnTimes
from shared.text.amounts import dollars

_FAILING = 0.2
"""From this share of failed turns on a participant is not called well."""


@dataclass(frozen=True)
class RightShare:
    """How often people took what a participant raised: a share with its 95 % interval, of so many findings."""

    model: str
    share: float
    low: float
    high: float
    wording: str


@dataclass(frozen=True)
class ParticipantCard:
    """A participant: `paused` names the pause that holds it, empty without one."""

    name: str
    badge: Badge
    figures: tuple[tuple[str, str], ...]
    right: tuple[RightShare, ...]
    paused: str
    reason: str


@dataclass(frozen=True)
class AccountLine:
    """A provider's account that was used lately: its state in words, calls under way."""

    account: str
    badge: Badge
    wording: str
    in_flight: int
    resumable: bool


def participant_cards(
    times: Mapping[str, TurnTimes],
    spent: Mapping[str, Spending],
    history: AcceptanceHistory,
    pauses: Sequence[Pause],
    words: Translator,
) -> tuple[ParticipantCard, ...]:
    """Everybody who spoke lately or was judged at any time, whoever spoke most first."""
    judged: dict[str, list[ParticipantHistory]] = {}
    for row in history.participants:
        judged.setdefault(row.name, []).append(row)
    paused = {pause.name: pause for pause in pauses}
    names = dict.fromkeys((*times, *spent, *judged, *paused))
    turns = {
        name: times[name].answered + times[name].failed if name in times else 0 for name in names
    }
    ordered = sorted(names, key=lambda name: (-turns[name], name))
    return tuple(
        _card(
            name,
            times.get(name),
            spent.get(name),
            judged.get(name, ()),
            paused.get(name),
            words,
        )
        for name in ordered
    )


def _card(
    name: str,
    times: TurnTimes | None,
    spent: Spending | None,
    judged: Iterable[ParticipantHistory],
    pause: Pause | None,
    words: Translator,
) -> ParticipantCard:
    figures = (*_times(times, words), *_spending(spent, words))
    return ParticipantCard(
        name=name,
        badge=_badge(times, pause, words),
        figures=tuple(figures),
        right=tuple(_right(row, words) for row in judged),
        paused="" if pause is None else pause.name,
        reason="" if pause is None else pause.reason,
    )


def _badge(times: TurnTimes | None, pause: Pause | None, words: Translator) -> Badge:
    if pause is not None:
        return Badge(words.message("people_paused"), "warning", "schedules")
    if times is None:
        return Badge(words.message("people_silent"), "", "question")
    if times.failing >= _FAILING:
        return Badge(words.message("people_failing", share=times.failing), "bad", "alert")
    return Badge(words.message("people_well"), "good", "check")


def _times(times: TurnTimes | None, words: Translator) -> Iterable[tuple[str, str]]:
    if times is None:
        return
    turns = words.message("people_turns_of", answered=times.answered, failed=times.failed)
    yield words.message("people_turns"), turns
    if times.p50_s is not None and times.p90_s is not None and times.p99_s is not None:
        took = words.message("people_took_of", p50=times.p50_s, p90=times.p90_s, p99=times.p99_s)
        yield words.message("people_took"), took


def _spending(spent: Spending | None, words: Translator) -> Iterable[tuple[str, str]]:
    if spent is None:
        return
    yield words.message("list_calls"), f"{spent.calls:,}"
    yield words.message("list_tokens"), f"{spent.input_tokens + spent.output_tokens:,}"
    cost = words.message("unknown_price") if spent.cost_usd is None else dollars(spent.cost_usd)
    yield words.message("list_cost"), cost


def _right(row: ParticipantHistory, words: Translator) -> RightShare:
    total = row.total
    wording = words.message(
        "people_right_of", accepted=total.accepted, offered=total.offered, n=row.decisions
    )
    return RightShare(row.model or row.provider, total.share, total.low, total.high, wording)


def account_lines(accounts: Sequence[Breaker], words: Translator) -> tuple[AccountLine, ...]:
    """The accounts with their breakers."""
    return tuple(_account(breaker, words) for breaker in accounts)


def _account(breaker: Breaker, words: Translator) -> AccountLine:
    closed = breaker.state is BreakerState.CLOSED
    tone, icon = ("good", "check") if closed else ("bad", "alert")
    if closed and breaker.cooldown_s > 0:
        tone, icon, wording = (
            "warning",
            "schedules",
            words.message("account_waits", s=breaker.cooldown_s),
        )
    elif closed:
        wording = ""
    else:
        why = " · ".join(filter(None, (breaker.why, breaker.said)))
        wording = words.message("account_tried_again", s=breaker.opens_in_s, why=why)
    badge = Badge(words.message(f"account_is_{breaker.state.replace('-', '_')}"), tone, icon)
    return AccountLine(breaker.account, badge, wording, breaker.in_flight, not closed)
