"""An evaluation as a document: figures with their intervals, calibration, panels beside each other, every case."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from orchestrator.core.document import Block, Grid, Heading, Title, remark
from orchestrator.core.lines import Span, Style
from orchestrator.evaluation.calibration import Reliability
from orchestrator.evaluation.figures import COMPARED, EvalFigure, FigureDifference, ScoreSheet
from orchestrator.evaluation.result import EvalCaseResult, EvalResult
from orchestrator.evaluation.scoring import CaseState
from orchestrator.presentation.locale.translator import Translator
from shared.models.findings import Severity
from shared.text.amounts import dollars

NOTHING = "-"
FEW = 20
"""Cases below which a bootstrap's interval is too narrow to build on."""
_ROWS = ("precision", "recall", "recall_of_all", "f1", "left_alone", "same_severity")
_MONEY = frozenset({"cost_per_true_usd"})


def eval_document(result: EvalResult, words: Translator, *, every_case: bool) -> list[Block]:
    """What it came to; `every_case` with a line for each case of each panel."""
    cases = len(dict.fromkeys(row.case for row in result.cases))
    note = words.message("eval_scope", n=cases, panels=len(result.panels), workflow=result.workflow)
    blocks: list[Block] = [Title(words.message("eval_title", names=result.names), note)]
    blocks += [*_counted(result, words), *_figures(result, words), *_participants(result, words)]
    blocks += [*_differences(result, words), *_calibration(result, words)]
    blocks += _cases(result, words) if every_case else []
    return [*blocks, *_remarks(result, words)]


def _counted(result: EvalResult, words: Translator) -> Iterator[Block]:
    """Which findings were counted, where not all were."""
    if result.first is not None:
        yield remark(Span(words.message("eval_first", n=result.first), Style.DIM))
    if result.least != Severity.INFO:
        yield remark(Span(words.message("eval_least", least=result.least), Style.DIM))


# ---- figures ------------------------------------------------------------------------------------


def _figures(result: EvalResult, words: Translator) -> Iterator[Block]:
    panels = result.panels
    sheets = [panel.sheet for panel in panels]
    yield Heading(words.message("eval_figures"), words.message("eval_interval"))
    rows = [
        _across(words, "measured", [str(panel.sheet.counts.cases) for panel in panels]),
        *_unmeasured(result, words),
        _counts("expected", sheets, lambda sheet: sheet.counts.expected, words),
        _counts("raised", sheets, lambda sheet: sheet.counts.raised, words),
        _counts("true", sheets, lambda sheet: sheet.counts.true, words),
        _counts("repeats", sheets, lambda sheet: sheet.counts.repeats, words),
        *(
            _across(words, name, [_shown(sheet.figures[name], name) for sheet in sheets])
            for name in _ROWS
        ),
        _across(words, "cost", [_cost(sheet, words) for sheet in sheets]),
        _across(words, "cost_per_true_usd", [_price(sheet, words) for sheet in sheets]),
    ]
    yield Grid(("", *(panel.name for panel in panels)), tuple(rows))


def _unmeasured(result: EvalResult, words: Translator) -> Iterator[tuple[str, ...]]:
    for state in (CaseState.FAILED, CaseState.OPEN, CaseState.ABSENT):
        if result.count(state):
            cells = [str(panel.states.get(state, 0)) for panel in result.panels]
            yield _across(words, state.value, cells)


def _across(words: Translator, name: str, cells: Sequence[str]) -> tuple[str, ...]:
    return (words.message(f"eval_{name}"), *cells)


def _counts(
    name: str, sheets: Sequence[ScoreSheet], of: Callable[[ScoreSheet], int], words: Translator
) -> tuple[str, ...]:
    return _across(words, name, [f"{of(sheet):,}" for sheet in sheets])


def _shown(figure: EvalFigure, name: str) -> str:
    """`0.62 (0.40 - 0.80)`; a bare figure has no interval."""
    if figure.value is None:
        return NOTHING
    shown: Callable[[float], str] = dollars if name in _MONEY else "{:.2f}".format
    if figure.low is None or figure.high is None:
        return shown(figure.value)
    return f"{shown(figure.value)} ({shown(figure.low)} - {shown(figure.high)})"


def _cost(sheet: ScoreSheet, words: Translator) -> str:
    counts = sheet.counts
    if counts.cost_usd is None:
        return words.message("cost_unknown")
    known = dollars(counts.cost_usd)
    unknown = counts.unknown_costs
    return f"{known} {words.message('calls_unpriced', n=unknown)}" if unknown else known


def _price(sheet: ScoreSheet, words: Translator) -> str:
    """What a true finding cost; at least so much where some calls have no known price."""
    if sheet.counts.cost_usd is None:
        return words.message("cost_unknown")
    if not sheet.counts.true:
        return words.message("eval_no_true")
    shown = _shown(sheet.figures["cost_per_true_usd"], "cost_per_true_usd")
    unknown = sheet.counts.unknown_costs
    return words.message("cost_at_least", cost=shown) if unknown else shown


def _participants(result: EvalResult, words: Translator) -> Iterator[Block]:
    rows = [
        (
            panel.name,
            sheet.name,
            f"{sheet.counts.raised:,}",
            f"{sheet.counts.true:,}",
            _shown(sheet.figures["precision"], "precision"),
            _shown(sheet.figures["recall"], "recall"),
            _cost(sheet, words),
            _price(sheet, words),
        )
        for panel in result.panels
        for sheet in panel.participants
        if len(panel.participants) > 1
    ]
    if not rows:
        return
    names = ("cast", "participant", "raised", "true", "precision", "recall")
    heads = (*names, "cost", "cost_per_true_usd")
    yield Heading(words.message("eval_participants"))
    yield Grid(tuple(words.message(f"eval_{name}") for name in heads), tuple(rows))


# ---- two panels ---------------------------------------------------------------------------------


def _differences(result: EvalResult, words: Translator) -> Iterator[Block]:
    for compared in result.comparisons:
        title = words.message("eval_beside", first=compared.first, second=compared.second)
        yield Heading(title, words.message("eval_paired", n=compared.cases))
        rows = [_difference(row, words) for row in compared.differences if row.figure in COMPARED]
        heads = ("", compared.first, compared.second, words.message("eval_difference"), "")
        if rows:
            yield Grid(heads, tuple(rows))


def _difference(row: FigureDifference, words: Translator) -> tuple[str, ...]:
    sides = (EvalFigure(value=row.first), EvalFigure(value=row.second))
    if row.difference.value is None:
        clear = ""
    else:
        clear = words.message(f"eval_{_certainty(row)}")
    return (
        words.message(f"eval_{row.figure}"),
        *(_shown(side, row.figure) for side in sides),
        _signed(row.difference, row.figure),
        clear,
    )


def _certainty(row: FigureDifference) -> str:
    if row.sure:
        return "clear"
    return "unclear" if row.difference.low != row.difference.high else "even"


def _signed(figure: EvalFigure, name: str) -> str:
    if figure.value is None:
        return NOTHING
    values = [value for value in (figure.value, figure.low, figure.high) if value is not None]
    shown = [f"{'-' if value < 0 else '+'}{_plain(abs(value), name)}" for value in values]
    return shown[0] if len(shown) < 3 else f"{shown[0]} ({shown[1]} - {shown[2]})"


def _plain(value: float, name: str) -> str:
    return dollars(value) if name in _MONEY else f"{value:.2f}"


# ---- calibration --------------------------------------------------------------------------------


def _calibration(result: EvalResult, words: Translator) -> Iterator[Block]:
    for panel in result.panels:
        tables = {"likelihood": panel.likelihood, "confidence": panel.confidence}
        for name, table in tables.items():
            if table.count:
                title = words.message(f"eval_by_{name}", panel=panel.name)
                yield from reliability_blocks(title, table, words)


def reliability_blocks(title: str, table: Reliability, words: Translator) -> Iterator[Block]:
    """A reliability table with its two figures."""
    note = words.message(
        "eval_errors", n=table.count, brier=table.brier or 0.0, ece=table.expected_error or 0.0
    )
    yield Heading(title, note)
    names = ("stated_range", "raised", "stated_mean", "true", "share_true")
    yield Grid(
        tuple(words.message(f"eval_{name}") for name in names),
        tuple(
            (
                f"{row.low:.1f} - {row.high:.1f}",
                str(row.count),
                f"{row.stated:.2f}",
                str(row.true),
                f"{row.share:.2f} ({row.share_low:.2f} - {row.share_high:.2f})",
            )
            for row in table.bins
        ),
    )


# ---- cases --------------------------------------------------------------------------------------


def _cases(result: EvalResult, words: Translator) -> Iterator[Block]:
    yield Heading(words.message("eval_cases"))
    names = ("case", "cast", "state", "found", "alarms", "missed", "run")
    yield Grid(
        tuple(words.message(f"eval_{name}") for name in names),
        tuple(_case(row, words) for row in result.cases),
    )


def _case(row: EvalCaseResult, words: Translator) -> tuple[str, ...]:
    state = words.message(f"eval_{row.state.value}")
    if row.state is not CaseState.MEASURED:
        state += f" ({row.verdict})" if row.verdict else ""
        return (row.case, row.panel, state, NOTHING, NOTHING, NOTHING, row.run or NOTHING)
    true = sum(claim.true for claim in row.findings)
    missed = ", ".join(_label(row, at) for at in row.missed)
    return (
        row.case,
        row.panel,
        row.verdict or state,
        f"{true}/{len(row.expected)}" if row.expected else words.message("eval_nothing_there"),
        str(len(row.findings) - true),
        missed or NOTHING,
        row.run or NOTHING,
    )


def _label(row: EvalCaseResult, at: int) -> str:
    label = row.expected[at]
    where = label.path or (label.words[0] if label.words else "")
    return f"{where}:{label.line}" if label.line else where


def _remarks(result: EvalResult, words: Translator) -> Iterator[Block]:
    unmeasured = {
        "eval_left_open": result.count(CaseState.OPEN),
        "eval_left_failed": result.count(CaseState.FAILED),
        "eval_left_absent": result.count(CaseState.ABSENT),
    }
    texts = [words.message(code, n=count) for code, count in unmeasured.items() if count]
    smallest = min((panel.sheet.counts.cases for panel in result.panels), default=0)
    if 0 < smallest < FEW:
        texts.append(words.message("eval_few", n=smallest))
    if texts:
        yield Heading(words.message("eval_mind"))
    for text in texts:
        yield remark(Span(f"⚠ {text}", Style.WARNING))
