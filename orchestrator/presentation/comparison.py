"""`quorate diff`: two runs beside each other, as text and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

from orchestrator.core.document import Line, Span, Style, line
from orchestrator.core.findings.pairing import Pair
from orchestrator.core.views.context import dollars
from orchestrator.presentation.formats.json import SCHEMA_VERSION, run_summary
from orchestrator.presentation.locale.words import count, say, told
from orchestrator.presentation.tables import table
from orchestrator.presentation.whatif import gate_word, how, round_name, weighed
from orchestrator.whatif.comparing import Both, Comparison, Side, figures_of
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.findings import Finding

NONE = "-"


def comparison_lines(
    first: Side, second: Side, found: Comparison, language: str = "en"
) -> list[Line]:
    """What differs, the conclusion first; nothing is shown of what is the same."""
    one, other = first.recording.run, second.recording.run
    head = line(
        Span(one.id, Style.STRONG),
        say("and", language),
        Span(other.id, Style.STRONG),
        Span(f" · {told(found.relation, language)}" if found.relation else "", Style.DIM),
    )
    verdict = line(
        Span(say("same", language), Style.GOOD)
        if found.same
        else Span(say("differ", language), Style.WARNING),
        say("in_verdict_and_findings", language),
    )
    heads = ("", one.id, other.id)
    return [
        head,
        verdict,
        *table(heads, [_row(both) for both in _conclusion(found, language)]),
        *_section(say("section_options", language), heads, _options(found)),
        *_section(
            say("section_participants", language), heads, _seats(found.participants, language)
        ),
        *_rounds(heads, found.rounds, language),
        *_findings(heads, found, language),
        *_positions(heads, found, language),
        *_section(say("section_votes", language), heads, _votes(found.votes, language)),
        *_answers(heads, found, language),
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


def _conclusion(found: Comparison, language: str) -> list[Both]:
    """What both came to and what it took, in words."""
    return [
        Both(
            say(f"both_{both.name}", language),
            _figure(both.name, both.first, language),
            _figure(both.name, both.second, language),
        )
        for both in (*found.conclusion, *found.usage)
        if both.name != "unknown_costs" or both.first or both.second
    ]


def _figure(name: str, value: Any, language: str) -> Any:
    match name:
        case "ending":
            return how(value, language)
        case "gate":
            return gate_word(value, language)
        case "cost_usd" if value is not None:
            return dollars(value)
        case "elapsed_s":
            return say("seconds", language, s=value)
    return value


def _seats(rows: Sequence[Both], language: str) -> list[Both]:
    """The participants by part and name."""
    shown = []
    for both in rows:
        part, _, who = both.name.partition(" ")
        shown.append(Both(f"{say(f'part_{part}', language)} {who}", both.first, both.second))
    return shown


def _votes(rows: Sequence[Both], language: str) -> list[Both]:
    return [
        Both(both.name, _vote(both.first, language), _vote(both.second, language)) for both in rows
    ]


def _vote(vote: str | None, language: str) -> str | None:
    """A position in its own words; ours for who did not vote, or for none of them."""
    word = str(vote).replace(" ", "_").replace("none_of_the_positions", "none_of_them")
    return say(word, language) if word in _NO_VOTES else vote


_NO_VOTES = ("did_not_vote", "none_of_them")


def _rounds(heads: Sequence[str], rounds: Sequence[Both], language: str) -> list[Line]:
    """Agreement, stability, recommendation and ending; rounds that differ in none of these are left out."""
    rows = []
    for both in rounds:
        first, second = figures_of(both.first), figures_of(both.second)
        if first != second:
            name = round_name(both.name, language)
            rows.append((name, _figures(first, language), _figures(second, language)))
    if not rows:
        return []
    return [line(Span(say("section_rounds", language), Style.STRONG)), *table(heads, rows)]


def _figures(figures: Sequence[str] | None, language: str) -> str:
    if figures is None:
        return say("not_held", language)
    agreement, stability, *words = figures
    shown = (word if word == NONE else how(word, language) for word in words)
    return " ".join((agreement, stability, *shown))


def _findings(heads: Sequence[str], found: Comparison, language: str) -> list[Line]:
    rows = [
        (
            _name(pair),
            _status(pair.first, found.mended[0], language),
            _status(pair.second, found.mended[1], language),
            _title(pair),
        )
        for pair in found.findings
        if found.changed(pair)
    ]
    if not rows:
        return []
    same = len(found.findings) - len(rows)
    title = count("section_findings", language, same)
    return [line(Span(title, Style.STRONG)), *table((*heads, ""), rows)]


def _name(pair: Pair) -> str:
    return "/".join(dict.fromkeys(one.id for one in (pair.first, pair.second) if one is not None))


def _title(pair: Pair) -> str:
    one = pair.first or pair.second
    if one is None:
        return ""
    return f"{one.place.path}:{one.place.line} {one.title}" if one.place else one.title


def _status(finding: Finding | None, mended: frozenset[str], language: str) -> str:
    if finding is None:
        return NONE
    fixed = say("fixed", language) if finding.id in mended else ""
    return f"{weighed(finding)}{fixed}"


def _positions(heads: Sequence[str], found: Comparison, language: str) -> list[Line]:
    rows = [
        (f"{one.finding} {one.participant}", one.first or NONE, one.second or NONE)
        for one in found.positions
    ]
    title = say("section_positions", language)
    return [line(Span(title, Style.STRONG)), *table(heads, rows)] if rows else []


def _answers(heads: Sequence[str], found: Comparison, language: str) -> list[Line]:
    answers = found.answers
    if answers is None:
        return []
    within = (say("alike_within", language), *(_share(one) for one in answers.within))
    places = [
        (say("place_of", language, who=one.name), _text(one.first), _text(one.second))
        for one in answers.places
    ]
    rows = [
        say("answers_alike", language, who=who, share=_share(alike))
        for who, alike in answers.likeness.items()
    ]
    return [
        line(Span(say("section_answers", language), Style.STRONG)),
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
        "relation": None if found.relation is None else told(found.relation, "en"),
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
