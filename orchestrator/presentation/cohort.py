"""The report of a batch as a document, with pictures where a page can draw them, and its rows as CSV and JSON Lines."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from orchestrator.core.document import Block, Drawing, Grid, Heading, Title, remark
from orchestrator.core.lines import clean
from orchestrator.core.pictures import Bar, Bars
from orchestrator.evaluation.cohort import (
    TENTHS,
    CohortJudgement,
    CohortReport,
    CohortRow,
    ParticipantShare,
    Spread,
)
from orchestrator.presentation.durations import duration
from orchestrator.presentation.evaluation import eval_document
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.locale.translator import Translator
from shared.text.amounts import dollars

_NONE = "-"
_MOST_WRONG = 20
_FORMULAS = ("=", "+", "-", "@", "\t", "\r")


def cohort_document(report: CohortReport, words: Translator) -> list[Block]:
    """What a batch came to."""
    note = words.message(
        "cohort_scope", n=f"{report.total:,}", workflows=tuple(report.workflows) or (_NONE,)
    )
    blocks: list[Block] = [Title(words.message("cohort_title", name=report.name), note)]
    for name, counts in (
        ("states", report.states),
        ("verdicts", report.verdicts),
        ("failures", report.failures),
        ("endings", report.endings),
        ("severities", report.findings.severities),
        ("statuses", report.findings.statuses),
    ):
        blocks += _counted(name, counts, words)
    blocks += _agreement(report, words)
    blocks += [
        *_figures(report, words),
        *_participants(report, words),
        *_judged(report.expected, words),
    ]
    if report.labels is not None:
        _, *labels = eval_document(report.labels, words, every_case=False)
        blocks += [remark(words.message("cohort_labels")), *labels]
    return blocks


def _counted(name: str, counts: Mapping[str, int], words: Translator) -> Iterator[Block]:
    if not counts:
        return
    whole = sum(counts.values())
    labels = {key: _label(name, key, words) for key in counts}
    drawn = tuple(Bar(labels[key], float(n), f"{n:,}") for key, n in counts.items())
    title = words.message(f"cohort_{name}")
    rows = tuple((labels[key], f"{n:,}", f"{n / whole:.0%}") for key, n in counts.items())
    heads = (title, words.message("cohort_number"), words.message("cohort_share"))
    yield Heading(title)
    yield Drawing(Bars(title, drawn), Grid(heads, rows))


def _label(name: str, key: str, words: Translator) -> str:
    if name == "states":
        return words.message(f"list_items_{key}").lower()
    if name == "endings" and key != _NONE:
        return words.message(f"how_{key}")
    return key


def _agreement(report: CohortReport, words: Translator) -> Iterator[Block]:
    if report.agreement_spread is None:
        return
    title = words.message("cohort_agreement")
    names = [f"{n / TENTHS:.1f} - {(n + 1) / TENTHS:.1f}" for n in range(TENTHS)]
    drawn = tuple(
        Bar(name, float(n), f"{n:,}") for name, n in zip(names, report.agreement, strict=True)
    )
    rows = tuple((name, f"{n:,}") for name, n in zip(names, report.agreement, strict=True) if n)
    yield Heading(
        title, words.message("cohort_median", value=f"{report.agreement_spread.median:.2f}")
    )
    yield Drawing(Bars(title, drawn), Grid((title, words.message("cohort_number")), rows))


def _figures(report: CohortReport, words: Translator) -> Iterator[Block]:
    def spread(name: str, values: Spread | None, shown: Any) -> tuple[str, ...]:
        cells = (
            (_NONE,) * 3
            if values is None
            else tuple(shown(value) for value in (values.median, values.ninth, values.most))
        )
        return (words.message(f"cohort_{name}"), *cells)

    title = words.message("cohort_figures")
    heads = (title, *(words.message(f"cohort_{name}") for name in ("typical", "ninth", "most")))
    yield Heading(title)
    yield Grid(
        heads,
        (
            spread("seconds", report.seconds, lambda value: duration(value, words)),
            spread("rounds", report.rounds, lambda value: f"{value:.0f}"),
        ),
    )
    money = report.money
    cost = _cost(money.cost_usd, money.unknown_costs, money.calls, words)
    each = _NONE if money.per_item_usd is None else dollars(money.per_item_usd)
    yield remark(words.message("cohort_cost", cost=cost, calls=money.calls, each=each))


def _cost(usd: float | None, unknown: int, calls: int, words: Translator) -> str:
    if usd is None:
        return words.message("cost_unknown") if calls else dollars(0.0)
    known = dollars(usd)
    return f"{known} {words.message('calls_unpriced', n=unknown)}" if unknown else known


def _participants(report: CohortReport, words: Translator) -> Iterator[Block]:
    if not report.participants:
        return
    names = ("participant", "raised", "accepted", "calls", "cost_head", "as_expected")
    rows = tuple(_share(share, words) for share in report.participants)
    yield Heading(words.message("cohort_participants"))
    yield Grid(tuple(words.message(f"cohort_{name}") for name in names), rows)


def _share(share: ParticipantShare, words: Translator) -> tuple[str, ...]:
    return (
        share.name,
        f"{share.raised:,}",
        f"{share.accepted:,}",
        f"{share.calls:,}",
        _cost(share.cost_usd, share.unknown_costs, share.calls, words),
        f"{share.right:,}/{share.judged:,}" if share.judged else _NONE,
    )


def _judged(expected: CohortJudgement, words: Translator) -> Iterator[Block]:
    if expected.judged:
        yield remark(words.message("cohort_right", right=expected.right, judged=expected.judged))
    if expected.wrong:
        names = expected.wrong[:_MOST_WRONG]
        yield remark(words.message("cohort_wrong", n=len(expected.wrong), names=names))


# ---- rows ---------------------------------------------------------------------------------------


_COLUMNS = (
    *(
        "custom_id",
        "run",
        "workflow",
        "state",
        "verdict",
        "ending",
        "reason",
        "rounds",
        "agreement",
    ),
    *("calls", "cost_usd", "unknown_costs", "seconds"),
)


def rows_jsonl(rows: Sequence[CohortRow]) -> str:
    """A JSON object a line."""
    return "".join(
        dumps({**row.model_dump(mode="json"), "right": row.is_right}, indent=None) + "\n"
        for row in rows
    )


def rows_csv(rows: Sequence[CohortRow]) -> str:
    """A table with a head; what a spreadsheet would take for a formula is a text."""
    severities = sorted({name for row in rows for name in row.severities})
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([*_COLUMNS, *(f"findings_{name.lower()}" for name in severities), "right"])
    for row in rows:
        values = row.model_dump(mode="json")
        cells = [values[name] for name in _COLUMNS]
        cells += [row.severities.get(name, 0) for name in severities]
        writer.writerow([_cell(cell) for cell in (*cells, row.is_right)])
    return stream.getvalue()


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        return str(value).lower() if isinstance(value, bool) else str(value)
    text = clean(value)
    return f"'{text}" if text.startswith(_FORMULAS) else text
