"""`quorate diff`: two runs beside each other, as text and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from orchestrator.core.document import Line, Span, Style, line
from orchestrator.core.findings.pairing import Pair
from orchestrator.core.views.context import dollars
from orchestrator.presentation.formats.json import SCHEMA_VERSION, run_summary
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.whatif import gate_word, how, round_name, weighed
from orchestrator.whatif.comparing import Both, Comparison, Side, figures_of
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.findings import Finding

NONE = "-"


def comparison_lines(
    first: Side, second: Side, found: Comparison, words: Translator = ENGLISH
) -> list[Line]:
    """What differs, the conclusion first; nothing is shown of what is the same."""
    one, other = first.recording.run, second.recording.run
    head = line(
        Span(one.id, Style.STRONG),
        words.message("and"),
        Span(other.id, Style.STRONG),
        Span(f" · {words.translate(found.relation)}" if found.relation else "", Style.DIM),
    )
    verdict = line(
        Span(words.message("same"), Style.GOOD)
        if found.same
        else Span(words.message("differ"), Style.WARNING),
        words.message("in_verdict_and_findings"),
    )
    heads = ("", one.id, other.id)
    return [
        head,
        verdict,
        *table(heads, [_row(both) for both in _conclusion(found, words)]),
        *_section(words.message("section_options"), heads, _options(found)),
        *_section(words.message("section_participants"), heads, _seats(found.participants, words)),
        *_rounds(heads, found.rounds, words),
        *_findings(heads, found, words),
        *_positions(heads, found, words),
        *_section(words.message("section_votes"), heads, _votes(found.votes, words)),
        *_answers(heads, found, words),
    ]


def _section(title: str, heads: Sequence[str], rows: Sequence[Both]) -> list[Line]:
    if not rows:
        return []
    return [line(Span(title, Style.STRONG)), *table(heads, [_row(both) for both in rows])]


def _options(found: Comparison) -> list[Both]:
    """Without those that only one of two workflows has: all of them differ, and none can be compared."""
    own = {f"{name}." for name in WORKFLOWS}
    apart = any(both.name == "workflow" for both in found.options)
    return [
        both
        for both in found.options
        if not (apart and any(both.name.startswith(section) for section in own))
        and not (apart and both.name == "workflow_version")
    ]


def _row(both: Both) -> tuple[str, str, str]:
    return both.name, _text(both.first), _text(both.second)


def _text(value: Any) -> str:
    if value is None:
        return NONE
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def _conclusion(found: Comparison, words: Translator) -> list[Both]:
    """What both came to and what it took, in words."""
    return [
        Both(
            words.message(f"both_{both.name}"),
            _figure(both.name, both.first, words),
            _figure(both.name, both.second, words),
        )
        for both in (*found.conclusion, *found.usage)
        if both.name != "unknown_costs" or both.first or both.second
    ]


def _figure(name: str, value: Any, words: Translator) -> Any:
    match name:
        case "ending":
            return how(value, words)
        case "gate":
            return gate_word(value, words)
        case "cost_usd" if value is not None:
            return dollars(value)
        case "elapsed_s":
            return words.message("seconds", s=value)
    return value


def _seats(rows: Sequence[Both], words: Translator) -> list[Both]:
    """The participants by part and name."""
    shown = []
    for both in rows:
        part, _, who = both.name.partition(" ")
        shown.append(Both(f"{words.message(f'part_{part}')} {who}", both.first, both.second))
    return shown


def _votes(rows: Sequence[Both], words: Translator) -> list[Both]:
    return [Both(both.name, _vote(both.first, words), _vote(both.second, words)) for both in rows]


def _vote(vote: str | None, words: Translator) -> str | None:
    """A position in its own words; ours for who did not vote, or for none of them."""
    word = str(vote).replace(" ", "_").replace("none_of_the_positions", "none_of_them")
    return words.message(word) if word in _NO_VOTES else vote


_NO_VOTES = ("did_not_vote", "none_of_them")


def _rounds(heads: Sequence[str], rounds: Sequence[Both], words: Translator) -> list[Line]:
    """Agreement, stability, recommendation and ending; rounds that differ in none of these are left out."""
    rows = []
    for both in rounds:
        first, second = figures_of(both.first), figures_of(both.second)
        if first != second:
            name = round_name(both.name, words)
            rows.append((name, _figures(first, words), _figures(second, words)))
    if not rows:
        return []
    return [line(Span(words.message("section_rounds"), Style.STRONG)), *table(heads, rows)]


def _figures(figures: Sequence[str] | None, words: Translator) -> str:
    if figures is None:
        return words.message("not_held")
    agreement, stability, *endings = figures
    shown = (ending if ending == NONE else how(ending, words) for ending in endings)
    return " ".join((agreement, stability, *shown))


def _findings(heads: Sequence[str], found: Comparison, words: Translator) -> list[Line]:
    rows = [
        (
            _name(pair),
            _status(pair.first, found.mended[0], words),
            _status(pair.second, found.mended[1], words),
            _title(pair),
        )
        for pair in found.findings
        if found.changed(pair)
    ]
    if not rows:
        return []
    same = len(found.findings) - len(rows)
    title = words.message("section_findings", n=same)
    return [line(Span(title, Style.STRONG)), *table((*heads, ""), rows)]


def _name(pair: Pair) -> str:
    return "/".join(dict.fromkeys(one.id for one in (pair.first, pair.second) if one is not None))


def _title(pair: Pair) -> str:
    one = pair.first or pair.second
    if one is None:
        return ""
    return f"{one.place.path}:{one.place.line} {one.title}" if one.place else one.title


def _status(finding: Finding | None, mended: frozenset[str], words: Translator) -> str:
    if finding is None:
        return NONE
    fixed = words.message("fixed") if finding.id in mended else ""
    return f"{weighed(finding)}{fixed}"


def _positions(heads: Sequence[str], found: Comparison, words: Translator) -> list[Line]:
    rows = [
        (f"{one.finding} {one.participant}", one.first or NONE, one.second or NONE)
        for one in found.positions
    ]
    title = words.message("section_positions")
    return [line(Span(title, Style.STRONG)), *table(heads, rows)] if rows else []


def _answers(heads: Sequence[str], found: Comparison, words: Translator) -> list[Line]:
    answers = found.answers
    if answers is None:
        return []
    within = (words.message("alike_within"), *(_share(one) for one in answers.within))
    places = [
        (words.message("place_of", who=one.name), _text(one.first), _text(one.second))
        for one in answers.places
    ]
    rows = [
        words.message("answers_alike", who=who, share=_share(alike))
        for who, alike in answers.likeness.items()
    ]
    return [
        line(Span(words.message("section_answers"), Style.STRONG)),
        *table(heads, [within, *places]),
        *(line(row) for row in rows),
    ]


def _share(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


# ---- JSON ---------------------------------------------------------------------------------------


def comparison_json(first: Side, second: Side, found: Comparison) -> dict[str, Any]:
    """Everything that differs, as data; `findings` holds all of them."""
    answers = found.answers
    return {
        "schema_version": SCHEMA_VERSION,
        "first": run_summary(first.recording.run),
        "second": run_summary(second.recording.run),
        "same": found.same,
        "relation": None if found.relation is None else ENGLISH.translate(found.relation),
        "conclusion": _all(found.conclusion),
        "usage": _all(found.usage),
        "options": _all(found.options),
        "participants": _all(found.participants),
        "rounds": [
            {
                "name": both.name,
                "first": None if both.first is None else both.first.model_dump(mode="json"),
                "second": None if both.second is None else both.second.model_dump(mode="json"),
            }
            for both in found.rounds
        ],
        "findings": [
            {
                "changed": found.changed(pair),
                "title": _title(pair),
                "first": _finding(pair.first, found.mended[0]),
                "second": _finding(pair.second, found.mended[1]),
            }
            for pair in found.findings
        ],
        "positions": [dataclasses.asdict(one) for one in found.positions],
        "votes": _all(found.votes),
        "answers": None
        if answers is None
        else {
            "likeness": dict(answers.likeness),
            "places": _all(answers.places),
            "within": list(answers.within),
        },
    }


def _all(rows: Sequence[Both]) -> list[dict[str, Any]]:
    return [dataclasses.asdict(both) for both in rows]


def _finding(one: Finding | None, mended: frozenset[str]) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "id": one.id,
        "title": one.title,
        "severity": one.severity,
        "status": one.status,
        "fixed": one.id in mended,
        "raised_by": list(one.raised_by),
        "stances": dict(one.stances),
    }
