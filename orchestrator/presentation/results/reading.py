"""What every result has: its first line, its state, its decision, its warnings and what it cost."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.core.document import Span, Style, line
from orchestrator.presentation.formats.text import decision_lines, headline, state_lines, warnings
from orchestrator.presentation.locale.sentences import told
from orchestrator.presentation.locale.words import count, say
from orchestrator.presentation.money import dollars, spent
from orchestrator.presentation.report import RunReport
from orchestrator.presentation.results.document import (
    Block,
    Grid,
    Heading,
    Item,
    Items,
    Remark,
    Words,
)


@dataclass(frozen=True)
class Reading:
    """A run and how its result is wanted.

    `everything`: all that was said; `brief`: only what was asked for, for a pipe or for `--quiet`.
    """

    report: RunReport
    language: str = "en"
    everything: bool = False
    brief: bool = False

    @property
    def detail(self) -> Mapping[str, Any]:
        """The outcome's details; empty while there is no outcome."""
        return self.report.detail

    def say(self, word: str, **values: object) -> str:
        """The sentence in the reader's language."""
        return say(word, self.language, **values)

    def told(self, sentence: str | None) -> str:
        """A sentence that the workflow wrote, in the reader's language."""
        return told(sentence or "", self.language)

    def count(self, word: str, n: int) -> str:
        """The sentence for a number of things."""
        return count(word, self.language, n)


def opening(reading: Reading) -> list[Block]:
    """Verdict, convergence and time, and what became of the run."""
    if reading.brief:
        return []
    report, language = reading.report, reading.language
    lines = [headline(report, language), *state_lines(report, language)]
    return [Remark(one) for one in lines]


def closing(reading: Reading) -> list[Block]:
    """The decision, the warnings, who used what, and where there is more; nothing of it in a brief result."""
    report, language = reading.report, reading.language
    if reading.brief:
        return []
    blocks: list[Block] = [*still_at_it(reading)]
    blocks += [Remark(one) for one in decision_lines(report, language)]
    blocks += [Remark(one) for one in warnings(report, language)]
    if reading.everything:
        blocks += usage_by(reading)
    blocks += [Remark(one) for one in spent(report.usage, language)]
    more = f": quorate show {report.run.id}{'' if reading.everything else ' --all'}"
    return [*blocks, Remark(line(reading.say("details"), more))]


def still_at_it(reading: Reading) -> list[Block]:
    """Who is being waited for; whose turn is held up is told elsewhere, with the reason."""
    report = reading.report
    who = [
        one.participant
        for one in report.steps
        if one.status == "leased" or (one.status == "pending" and not one.note)
    ]
    if not who or report.run.status.final:
        return []
    return [Remark(line(reading.say("still_at_it", who=", ".join(dict.fromkeys(who)))))]


def figures(*parts: str | None) -> str:
    """The parts that are known, one after another."""
    return " · ".join(part for part in parts if part)


def price(reading: Reading, cost_usd: float | None) -> str:
    """A cost; an unknown one is said to be unknown."""
    return reading.say("cost_unknown") if cost_usd is None else dollars(cost_usd)


def tokens(reading: Reading, n: int | None) -> str | None:
    """A number of tokens, when it is known."""
    return None if n is None else reading.say("tokens", n=n)


def confidence(reading: Reading, value: float | None) -> str | None:
    """A stated confidence, when there is one."""
    return None if value is None else reading.say("confidence", value=value)


def voices(reading: Reading, votes: int) -> str:
    """A word where several votes are not so many independent ones: members of one family count as one."""
    independent = reading.detail.get("effective_votes")
    if independent is None or independent >= votes:
        return ""
    return reading.count("voices", independent)


def titled(title: str, texts: Sequence[str]) -> list[Block]:
    """A heading with a list below it; nothing without entries."""
    if not texts:
        return []
    return [Heading(title), Items(tuple(Item(text) for text in texts))]


def sentence(title: str, text: str) -> list[Block]:
    """A short text on its title's line, a longer one below it."""
    if "\n" in text.strip():
        return [Heading(title), Words(text)]
    return [Remark(line(Span(f"{title}: ", Style.STRONG), text.strip()))]


def synthesis(reading: Reading, body: Mapping[str, Any], by: str | None) -> list[Block]:
    """A merged text with its sections."""
    title = reading.say("synthesis_by", who=by) if by else reading.say("synthesis")
    blocks: list[Block] = [Heading(title), Words(str(body.get("summary") or ""))]
    entries = [
        Item(text, reading.say(word))
        for word, name in (
            ("consensus", "consensus"),
            ("resolved", "resolved_issues"),
            ("concerns", "remaining_concerns"),
        )
        for text in body.get(name) or ()
    ]
    return [*blocks, Items(tuple(entries))] if entries else blocks


def usage_by(reading: Reading) -> list[Block]:
    """Turns, tokens and cost of each participant, from the outcome."""
    by = (reading.detail.get("usage") or {}).get("by") or {}
    rows = [
        (
            name,
            str(one["turns"]),
            str(one["failed"]),
            "-" if one["tokens"] is None else f"{one['tokens']:,}",
            price(reading, one["cost_usd"]),
        )
        for name, one in by.items()
    ]
    if not rows:
        return []
    heads = tuple(
        reading.say(f"head_{one}") for one in ("who", "turns", "failed", "tokens", "cost")
    )
    return [Heading(reading.say("by_participant")), Grid(heads, tuple(rows))]


def shortened(text: str, most: int) -> str:
    """The beginning of a text on one line."""
    flat = " ".join(text.split())
    return flat if len(flat) <= most else flat[: most - 1].rstrip() + "…"


def names(found: Iterable[str], nobody: str) -> str:
    """`a, b, c`, or who nobody is."""
    return ", ".join(found) or nobody
