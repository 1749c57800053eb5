"""`quorate diff`: two runs beside each other, as text and as JSON."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from orchestrator.core.document import Block, Grid, Heading, Remark
from orchestrator.core.findings.pairing import Pair
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, run_summary
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.tables import table
from orchestrator.presentation.whatif import figures_of, gate_word, how, round_name, weighed
from orchestrator.presentation.whatif_json import finding_json
from orchestrator.whatif.comparing import Answers, Both, Comparison, Side
from orchestrator.workflows.registry import WORKFLOWS
from shared.models.assessment import Assessment
from shared.models.findings import Finding
from shared.text.amounts import dollars

NONE = "-"
Row = tuple[str, ...]


@dataclass(frozen=True)
class ComparisonTables:
    """Two runs side by side in words: what they are to each other, and a table each of what differs."""

    head: Line
    verdict: Line
    heads: tuple[str, ...]
    conclusion: Sequence[Row]
    sections: Sequence[tuple[str, Sequence[Row]]]
    likeness: Sequence[Line]

    def heads_of(self, rows: Sequence[Row]) -> tuple[str, ...]:
        """The heads of a section's columns; the last one of findings has none."""
        return (*self.heads, "")[: len(rows[0])]


def comparison_tables(
    first: Side, second: Side, comparison: Comparison, words: Translator = ENGLISH
) -> ComparisonTables:
    """What differs, the conclusion first; nothing is shown of what is the same."""
    first_run, second_run = first.recording.run, second.recording.run
    head = line(
        Span(first_run.id, Style.STRONG),
        words.message("and"),
        Span(second_run.id, Style.STRONG),
        Span(
            f" · {words.translate(comparison.relation)}" if comparison.relation else "", Style.DIM
        ),
    )
    verdict = line(
        Span(words.message("same"), Style.GOOD)
        if comparison.same
        else Span(words.message("differ"), Style.WARNING),
        words.message(_about(comparison.differing)),
    )
    same = sum(not comparison.changed(pair) for pair in comparison.findings)
    sections: list[tuple[str, Sequence[Row]]] = [
        (words.message("section_options"), list(map(_row, _options(comparison)))),
        (words.message("section_participants"), _participants(comparison.participants, words)),
        (words.message("section_rounds"), _rounds(comparison.rounds, words)),
        (words.message("section_findings", n=same), _findings(comparison, words)),
        (words.message("section_positions"), _positions(comparison)),
        (words.message("section_votes"), _votes(comparison.votes, words)),
        (words.message("section_answers"), _answers(comparison.answers, words)),
    ]
    return ComparisonTables(
        head=head,
        verdict=verdict,
        heads=("", first_run.id, second_run.id),
        conclusion=[_row(both) for both in _conclusion(comparison, words)],
        sections=[(title, rows) for title, rows in sections if rows],
        likeness=_likeness(comparison.answers, words),
    )


def comparison_lines(
    first: Side, second: Side, comparison: Comparison, words: Translator = ENGLISH
) -> list[Line]:
    """The comparison for a terminal."""
    shown = comparison_tables(first, second, comparison, words)
    lines = table(shown.heads, shown.conclusion)
    for title, rows in shown.sections:
        lines += [line(Span(title, Style.STRONG)), *table(shown.heads_of(rows), rows)]
    return [shown.head, shown.verdict, *lines, *shown.likeness]


def comparison_blocks(
    first: Side, second: Side, comparison: Comparison, words: Translator = ENGLISH
) -> list[Block]:
    """The comparison for a page."""
    shown = comparison_tables(first, second, comparison, words)
    blocks: list[Block] = [Remark(shown.head), Remark(shown.verdict)]
    blocks.append(Grid(_named(shown.heads, words), tuple(shown.conclusion)))
    for title, rows in shown.sections:
        blocks += [Heading(title), Grid(_named(shown.heads_of(rows), words), tuple(rows))]
    return [*blocks, *map(Remark, shown.likeness)]


def _named(heads: Sequence[str], words: Translator) -> tuple[str, ...]:
    """The heads with names for those that have none: whoever hears a table hears its heads."""
    first, *others = heads
    return (
        first or words.message("compared_what"),
        *(head or words.message("list_title") for head in others),
    )


def _about(differing: Sequence[str]) -> str:
    """The message that says in what two runs differ, or are the same."""
    return f"in_{'_and_'.join(differing or ('verdict', 'findings'))}"


def _options(comparison: Comparison) -> list[Both]:
    """Without those that only one of two workflows has: all of them differ, and none can be compared."""
    own = {f"{name}." for name in WORKFLOWS}
    apart = any(both.name == "workflow" for both in comparison.options)
    return [
        both
        for both in comparison.options
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


def _conclusion(comparison: Comparison, words: Translator) -> list[Both]:
    """What both came to and what it took, in words."""
    return [
        Both(
            words.message(f"both_{both.name}"),
            _figure(both.name, both.first, words),
            _figure(both.name, both.second, words),
        )
        for both in (*comparison.conclusion, *comparison.usage)
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


def _participants(rows: Sequence[Both], words: Translator) -> list[Row]:
    """The participants by part and name."""
    shown: list[Row] = []
    for both in rows:
        part, _, name = both.name.partition(" ")
        shown.append(_row(Both(f"{words.message(f'part_{part}')} {name}", both.first, both.second)))
    return shown


def _votes(rows: Sequence[Both], words: Translator) -> list[Row]:
    return [
        _row(Both(both.name, _vote(both.first, words), _vote(both.second, words))) for both in rows
    ]


def _vote(vote: str | None, words: Translator) -> str | None:
    """A position in its own words; ours for who did not vote, or for none of them."""
    word = str(vote).replace(" ", "_").replace("none_of_the_positions", "none_of_them")
    return words.message(word) if word in _NO_VOTES else vote


_NO_VOTES = ("did_not_vote", "none_of_them")


def _rounds(rounds: Sequence[Both], words: Translator) -> list[Row]:
    """Agreement, stability, recommendation and ending; rounds that differ in none of these are left out."""
    rows = (
        (round_name(both.name, words), _figures(both.first, words), _figures(both.second, words))
        for both in rounds
    )
    return [row for row in rows if row[1] != row[2]]


def _figures(assessment: Assessment | None, words: Translator) -> str:
    figures = figures_of(assessment, words)
    if figures is None:
        return words.message("not_held")
    agreement, stability, _score, *endings = figures
    return " ".join((agreement, stability, *endings))


def _findings(comparison: Comparison, words: Translator) -> list[Row]:
    first, second = comparison.mended
    return [
        (
            _name(pair),
            _status(pair.first, first, words),
            _status(pair.second, second, words),
            _title(pair, words),
        )
        for pair in comparison.findings
        if comparison.changed(pair)
    ]


def _name(pair: Pair) -> str:
    return "/".join(dict.fromkeys(finding.id for finding in (pair.first, pair.second) if finding))


def _title(pair: Pair, words: Translator) -> str:
    finding = pair.first or pair.second
    if finding is None:
        return ""
    title = words.finding(finding).title
    return title if finding.place is None else f"{finding.place.shown} {title}"


def _status(finding: Finding | None, mended: frozenset[str], words: Translator) -> str:
    if finding is None:
        return NONE
    fixed = words.message("fixed") if finding.id in mended else ""
    return f"{weighed(finding)}{fixed}"


def _positions(comparison: Comparison) -> list[Row]:
    return [
        (f"{moved.finding} {moved.participant}", moved.first or NONE, moved.second or NONE)
        for moved in comparison.positions
    ]


def _answers(answers: Answers | None, words: Translator) -> list[Row]:
    if answers is None:
        return []
    within = (words.message("alike_within"), *map(_share, answers.within))
    places = (
        _row(Both(words.message("place_of", who=both.name), both.first, both.second))
        for both in answers.places
    )
    return [within, *places]


def _likeness(answers: Answers | None, words: Translator) -> list[Line]:
    pairs = answers.likeness.items() if answers is not None else ()
    return [
        line(words.message("answers_alike", who=name, share=_share(alike))) for name, alike in pairs
    ]


def _share(value: float | None) -> str:
    return NONE if value is None else f"{value:.2f}"


# ---- JSON ---------------------------------------------------------------------------------------


def comparison_json(first: Side, second: Side, comparison: Comparison) -> dict[str, Any]:
    """Everything that differs, as data; `findings` holds all of them."""
    answers = comparison.answers
    return {
        "schema_version": SCHEMA_VERSION,
        "first": run_summary(first.recording.run),
        "second": run_summary(second.recording.run),
        "same": comparison.same,
        "relation": None if comparison.relation is None else ENGLISH.translate(comparison.relation),
        "conclusion": _all(comparison.conclusion),
        "usage": _all(comparison.usage),
        "options": _all(comparison.options),
        "participants": _all(comparison.participants),
        "rounds": [
            {
                "name": both.name,
                "first": None if both.first is None else both.first.model_dump(mode="json"),
                "second": None if both.second is None else both.second.model_dump(mode="json"),
            }
            for both in comparison.rounds
        ],
        "findings": [
            {
                "changed": comparison.changed(pair),
                "title": _title(pair, ENGLISH),
                "first": _finding(pair.first, comparison.mended[0]),
                "second": _finding(pair.second, comparison.mended[1]),
            }
            for pair in comparison.findings
        ],
        "positions": [dataclasses.asdict(difference) for difference in comparison.positions],
        "votes": _all(comparison.votes),
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


def _finding(finding: Finding | None, mended: frozenset[str]) -> dict[str, Any] | None:
    content = finding_json(finding)
    if finding is None or content is None:
        return None
    return {
        **content,
        "fixed": finding.id in mended,
        "raised_by": list(finding.raised_by),
        "stances": dict(finding.stances),
    }
