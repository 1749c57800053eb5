"""Lists of runs, decisions and participants as tables."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.durations import duration
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.questions import asked
from orchestrator.presentation.tables import table
from orchestrator.presentation.wrapping import folded
from shared.models.rows import DecisionRow, RunRow

ROOMY, TITLE = 100, 20
"""Below so many columns moments have no year; so much of a title is shown as long as another column can give way."""


def heads(names: Sequence[str], words: Translator) -> tuple[str, ...]:
    """The heads of a list's columns."""
    return tuple(words.message(f"list_{name}") for name in names)


@dataclass(frozen=True)
class AwaitedAnswer:
    """What a run waits for: one of the options of its decision, or the turns of people."""

    options: tuple[str, ...] = ()
    people: tuple[str, ...] = ()


@dataclass(frozen=True)
class RunList:
    """Runs, and the runs that they started, by the run that started them; `has_more`: older ones are not listed.

    `awaited` says, of those that wait for somebody, for what.
    """

    rows: Sequence[RunRow]
    children: Mapping[str, Sequence[RunRow]] = field(default_factory=dict)
    has_more: bool = False
    awaited: Mapping[str, AwaitedAnswer] = field(default_factory=dict)

    @cached_property
    def taken_back(self) -> frozenset[str]:
        """The runs whose fix a listed run took back, so that their verdicts no longer hold."""
        return frozenset(run.took_back_from for run in self.rows if run.took_back_from)

    def tree(self, rows: Sequence[RunRow] | None = None) -> Iterator[RunRow]:
        """All of them, each child after the run that started it."""
        for run in self.rows if rows is None else rows:
            yield run
            yield from self.tree(self.children.get(run.id, ()))


def runs(listed: RunList, words: Translator = ENGLISH, width: int | None = None) -> list[Line]:
    """One line a run of at most `width` cells; what another run started is listed below it, or names it."""
    if not listed.rows:
        return [line(Span(words.message("no_runs"), Style.DIM))]
    every = tuple(listed.tree())
    named = ("repository",) if len({run.repository for run in every}) > 1 else ()
    names = (
        *("run", "workflow", "status", "verdict", "ending", "started", "took"),
        *named,
        "title",
    )
    lines = table(
        heads(names, words),
        [
            _row(run, listed, words, named=bool(named), dated=width is None or width >= ROOMY)
            for run in every
        ],
        width,
        texts=_in_order(names, *named, "title"),
        spare=_in_order(names, "ending", "took", "workflow", *named, "started"),
        least=TITLE,
    )
    more = words.message("more_runs", n=len(listed.rows), more=10 * len(listed.rows))
    return [*lines, *hint(more, width)] if listed.has_more else lines


def hint(text: str, width: int | None) -> list[Line]:
    """What can be done now, below a list."""
    lines = [line(Span(text, Style.DIM))]
    return lines if width is None else folded(lines, width, 2)


def _row(
    run: RunRow, listed: RunList, words: Translator, *, named: bool, dated: bool
) -> tuple[str, ...]:
    return (
        f"└ {run.id}" if run.parent else run.id,
        run.workflow,
        words.message(f"state_{run.status.value}"),
        _verdict(run, listed, words),
        words.message(f"how_{run.ending}") if run.ending else "-",
        f"{run.created_at:%Y-%m-%d %H:%M}" if dated else f"{run.created_at:%m-%d %H:%M}",
        duration(run.worked_s, words),
        *([run.repository or "-"] if named else []),
        _title(run, listed, words),
    )


def _verdict(run: RunRow, listed: RunList, words: Translator) -> str:
    if run.verdict and run.id in listed.taken_back:
        return words.message("verdict_before_undo", verdict=run.verdict)
    awaited = listed.awaited.get(run.id)
    if awaited is None or run.verdict:
        return run.verdict or "-"
    if awaited.people:
        return words.message("waits_for_people", names=", ".join(awaited.people))
    return words.message("waits_for_choice", options="|".join(awaited.options))


def _title(run: RunRow, listed: RunList, words: Translator) -> str:
    title = words.run_title(run.title, run.workflow)
    if run.parent is None or run.parent in listed.children:
        return title
    return f"{title} ({words.message('part_of', run=run.parent, step=run.parent_step)})"


def _in_order(names: Sequence[str], *chosen: str) -> tuple[int, ...]:
    return tuple(map(names.index, chosen))


def decisions(
    rows: Sequence[DecisionRow], words: Translator = ENGLISH, width: int | None = None
) -> list[Line]:
    """One line of at most `width` cells a decision, and how to answer; the options as they are typed."""
    if not rows:
        return [line(Span(words.message("no_decision_waits"), Style.DIM))]
    named = ("repository",) if len({row.repository for row in rows}) > 1 else ()
    names = ("run", "about", "asked", "until", "options", "question", *named, "title")
    lines = table(
        heads(names, words),
        [
            (
                row.run_id,
                row.kind,
                f"{row.opened_at:%Y-%m-%d %H:%M}",
                "-" if row.deadline_at is None else f"{row.deadline_at:%Y-%m-%d %H:%M}",
                "|".join(row.question.get("options") or ()),
                asked(row, words),
                *([row.repository or "-"] if named else []),
                words.run_title(row.title, row.workflow),
            )
            for row in rows
        ],
        width,
        texts=_in_order(names, "question", *named, "title"),
        spare=_in_order(names, "about", "asked", "question", "until"),
    )
    return [*lines, *hint(words.message("decide_hint"), width)]
