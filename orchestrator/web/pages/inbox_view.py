"""What the inbox shows: the decisions and turns that wait for people, and what can be answered at once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime
from operator import attrgetter
from urllib.parse import quote, urlencode

from orchestrator.application.listings import Inbox, WaitingFilter
from orchestrator.presentation.choices import options_of
from orchestrator.presentation.durations import duration
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.questions import asked
from orchestrator.web.pages.decision_view import label_of
from orchestrator.web.pages.rendering import moment
from orchestrator.workflows.registry import decision_choices
from shared.models.rows import DecisionRow
from shared.store.listed_decisions import OpenCount
from shared.store.waiting_turns import WaitingTurn

INBOX = "/inbox"


def decision_address(run: str, key: str) -> str:
    """Where a decision is answered."""
    return f"/runs/{quote(run)}/decisions/{quote(key)}"


def listed_name(row: DecisionRow) -> str:
    """A decision and what it shows, as a form names both."""
    return f"{row.run_id} {row.key} {row.shown_sha256}"


def turn_address(run: str, step: str) -> str:
    """Where a person takes a turn."""
    return f"/runs/{quote(run)}/turns/{quote(step)}"


@dataclass(frozen=True)
class WaitingItem:
    """A row of the inbox."""

    address: str
    icon: str
    question: str
    title: str
    workflow: str
    run: str
    repository: str
    batch: str
    since: datetime
    waited: str
    until: str


@dataclass(frozen=True)
class FilterChoice:
    """By what the list can be narrowed, with how many decisions there are of each value."""

    name: str
    chosen: str
    values: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class BulkChoice:
    """An answer that several of the listed decisions offer, and that changes nothing for good."""

    word: str
    label: str
    count: int


@dataclass(frozen=True)
class InboxView:
    """The inbox as its page shows it; `decisions` are those that a bulk answer is given to."""

    items: tuple[WaitingItem, ...]
    decisions: tuple[DecisionRow, ...]
    filters: tuple[FilterChoice, ...]
    bulk: tuple[BulkChoice, ...]
    filtered: bool
    has_more: bool
    total: int
    page: str

    @property
    def listed(self) -> tuple[str, ...]:
        """The decisions as the form of a bulk answer names them."""
        return tuple(map(listed_name, self.decisions))

    @property
    def address(self) -> str:
        """Where the list alone is."""
        return self.page.replace(INBOX, f"{INBOX}/list", 1)


def inbox_view(
    waiting: Inbox,
    wanted: WaitingFilter,
    asking: Sequence[OpenCount],
    now: datetime,
    words: Translator,
) -> InboxView:
    """The page of what waits."""
    chosen = {name: value for name, value in asdict(wanted).items() if value}
    items = [
        *(_decision(row, now, words) for row in waiting.decisions),
        *(_turn(turn, now, words) for turn in waiting.turns),
    ]
    return InboxView(
        items=tuple(sorted(items, key=attrgetter("since"))),
        decisions=waiting.decisions,
        filters=_filters(asking, chosen),
        bulk=_bulk(waiting.decisions, words),
        filtered=bool(chosen),
        has_more=waiting.has_more,
        total=len(items),
        page=f"{INBOX}?{urlencode(chosen)}" if chosen else INBOX,
    )


def _decision(row: DecisionRow, now: datetime, words: Translator) -> WaitingItem:
    silence = row.question.get("on_timeout")
    until = ""
    if row.deadline_at is not None:
        answer = label_of(row.kind, str(silence), words)
        until = words.message("web_until", when=moment(row.deadline_at), answer=answer)
    return WaitingItem(
        address=decision_address(row.run_id, row.key),
        icon="question",
        question=asked(row, words),
        title=row.title,
        workflow=row.workflow,
        run=row.run_id,
        repository=row.repository or "",
        batch=row.batch or "",
        since=row.opened_at,
        waited=_waited(row.opened_at, now, words),
        until=until,
    )


def _turn(turn: WaitingTurn, now: datetime, words: Translator) -> WaitingItem:
    ends = turn.answer_by or turn.deadline_at
    return WaitingItem(
        address=turn_address(turn.run_id, turn.step),
        icon="person",
        question=words.message("web_turn_of", who=turn.participant, role=words.role(turn.role)),
        title=turn.title,
        workflow=turn.workflow,
        run=turn.run_id,
        repository=turn.repository or "",
        batch=turn.batch or "",
        since=turn.asked_at,
        waited=_waited(turn.asked_at, now, words),
        until="" if ends is None else words.message("web_answer_by", when=moment(ends)),
    )


def _waited(since: datetime, now: datetime, words: Translator) -> str:
    """For how long, in minutes: a figure that changes at every look would be read out each time."""
    seconds = max((now - since).total_seconds(), 0.0)
    if seconds < 60:
        return words.message("web_just_now")
    if seconds < 3600:
        return words.message("web_minutes", n=int(seconds // 60))
    if seconds < 86_400:
        return duration(seconds, words)
    return words.message("web_days", n=int(seconds // 86_400))


def _filters(asking: Sequence[OpenCount], chosen: dict[str, str]) -> tuple[FilterChoice, ...]:
    """What decisions are different in; a filter with one value tells nobody anything."""
    shown = []
    for name in ("workflow", "repository", "batch"):
        counts: Counter[str] = Counter()
        for each in asking:
            counts[getattr(each, name) or ""] += each.decisions
        values = tuple((value, count) for value, count in sorted(counts.items()) if value)
        if len(counts) > 1 or name in chosen:
            shown.append(FilterChoice(name, chosen.get(name, ""), values))
    return tuple(shown)


def _bulk(rows: Iterable[DecisionRow], words: Translator) -> tuple[BulkChoice, ...]:
    """Answers to several decisions; what lets something be changed for good is given one by one."""
    declared = decision_choices()
    kinds: dict[str, list[str]] = {}
    for row in rows:
        for word in options_of(row):
            if word in declared and not declared[word].writes:
                kinds.setdefault(word, []).append(row.kind)
    return tuple(
        BulkChoice(word, _shared_label(word, of, words), len(of))
        for word, of in kinds.items()
        if len(of) > 1
    )


def _shared_label(word: str, kinds: Sequence[str], words: Translator) -> str:
    """The label where all have the same one, else the answer's plain word."""
    labels = {label_of(kind, word, words) for kind in kinds}
    return labels.pop() if len(labels) == 1 else words.word(f"option_{word}", word)
