"""Findings in Markdown: a table of them, and below it what is said of each, unfolded where it matters most."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from orchestrator.core.document import FindingEntry, FindingList, Objection
from orchestrator.core.findings.repeats import cycle_of
from orchestrator.presentation.formats.markdown_text import (
    code,
    escape,
    fenced,
    html_with_code,
    inline,
    linked,
    looks_like_code,
    prose,
    with_code,
)
from orchestrator.presentation.formats.suggestions import suggested_lines
from shared.models.findings import Place, Severity

Link = Callable[[Place], str | None]
"""The address of a place, where it has one."""

UNFOLDED = 3
"""What is read first is not folded away; with more of them a thread of comments cannot be followed any more."""
SIGNS = {Severity.CRITICAL: "🔴", Severity.MAJOR: "🟠", Severity.MINOR: "🟡", Severity.INFO: "🔵"}


def findings(shown: FindingList, link: Link) -> str:
    """The table, then the details of what more is said of; what rules alone found is the table."""
    if not any(entry.carried for entry in shown.entries):
        return _table(shown, (), [_rule_row(entry, link) for entry in shown.entries])
    rows = [_row(entry, link) for entry in shown.entries]
    table = _table(shown, ("carried", "objections"), rows)
    detailed = filter(_says_more, shown.entries)
    details = (
        _details(entry, shown, link, unfolded=at < UNFOLDED) for at, entry in enumerate(detailed)
    )
    return "\n\n".join((table, *details))


def _says_more(entry: FindingEntry) -> bool:
    """Whether anything is said of it that the table does not have: of what a rule found that is often nothing."""
    texts = (entry.why, entry.suggestion, entry.caveat, entry.patch)
    return not entry.rules or bool(entry.objections or any(text.strip() for text in texts))


def _table(shown: FindingList, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Its last column, the states, is left out where there is nothing in it."""
    names = ("id", "severity", "where", "finding", *columns, "status")
    kept = len(names) if any(row[-1] for row in rows) else len(names) - 1
    heads = [inline(shown.words.heads[name]) for name in names]
    return "\n".join(_line(row[:kept]) for row in (heads, ["---"] * len(names), *rows))


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _row(entry: FindingEntry, link: Link) -> list[str]:
    against = ", ".join(objection.participant for objection in entry.objections)
    return [
        *_first_cells(entry, link),
        inline(", ".join(entry.supporters)),
        inline(against),
        _states(entry),
    ]


def _rule_row(entry: FindingEntry, link: Link) -> list[str]:
    return [*_first_cells(entry, link), _states(entry)]


def _first_cells(entry: FindingEntry, link: Link) -> list[str]:
    """Severity, place, and what is wrong with the rules that say so; of rules also their line of code."""
    severity = entry.finding.severity
    cell = f"{SIGNS[severity]}&nbsp;{severity.value}"
    code_line = code(entry.code_line) if entry.rules and entry.code_line else ""
    title = f"{with_code(entry.title_beside_rule)} {_rules(entry)}".rstrip()
    row = "<br>".join(filter(None, (title, code_line, inline(entry.alike))))
    return [entry.finding.id, cell, _where(entry, link), row]


def _rules(entry: FindingEntry) -> str:
    """Each rule as code, with the page that its analyser names."""
    return ", ".join(
        linked(rule.code, rule.page) if rule.page else code(rule.code) for rule in entry.rules
    )


def _states(entry: FindingEntry) -> str:
    return inline(", ".join(entry.states))


def _where(entry: FindingEntry, link: Link) -> str:
    """The place, as a link into the published commit; what a fix left behind is published nowhere."""
    place = entry.finding.place
    if place is None:
        return "-"
    address = link(place) if cycle_of(entry.finding) == 1 else None
    return code(entry.where) if address is None else linked(entry.where, address)


def _details(entry: FindingEntry, shown: FindingList, link: Link, *, unfolded: bool) -> str:
    finding, words = entry.finding, shown.words
    states = f" ({', '.join(entry.states)})" if entry.states else ""
    name = f"{finding.id} · {finding.severity.value} · {entry.title_beside_rule}{states}"
    head = f"<details{' open' if unfolded else ''}><summary><b>{html_with_code(name)}</b></summary>"
    body = [
        _where(entry, link),
        _quoted(finding.quote or ""),
        prose(entry.why),
        _labelled(words.suggestion, _advice(entry.suggestion)),
        _suggested(entry),
        _labelled(words.rules, _rules(entry)),
        _labelled(words.carried, inline(entry.carried)),
        *(_objection(objection, words.objections) for objection in entry.objections),
        inline(entry.caveat.strip()),
    ]
    return "\n\n".join((head, *(part for part in body if part.strip(" -")), "</details>"))


def _quoted(text: str) -> str:
    return fenced(text) if text.strip() else ""


def _advice(text: str) -> str:
    """A suggestion; of one that is code the layout is kept."""
    return fenced(text.strip("\n")) if looks_like_code(text) else prose(text)


def _labelled(label: str, markup: str) -> str:
    """A text of several rows stands below its label: behind it, its first row would begin no block of code."""
    between = "\n\n" if "\n" in markup else " "
    return f"**{inline(label)}:**{between}{markup}" if markup.strip() else ""


def _suggested(entry: FindingEntry) -> str:
    """The patch as a host's suggestion, where it replaces exactly the lines of the finding."""
    place = entry.finding.place
    lines = suggested_lines(entry.patch, place) if entry.patch and place else None
    return fenced(lines, "suggestion") if lines else ""


def _objection(objection: Objection, label: str) -> str:
    """Who does not share the finding, with the words of the reason quoted."""
    how = f" ({inline(objection.how)})" if objection.how else ""
    head = f"**{inline(label)}:** {inline(objection.participant)}{how}"
    reason = " ".join(objection.reason.split())
    return f"{head}\n\n> {escape(reason)}" if reason else head
