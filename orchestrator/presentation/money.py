"""Calls, tokens and dollars for people and as JSON: what was spent, and what probably will be.

An unknown price is said, and never shown as zero.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence
from typing import Any

from orchestrator.core.discussion.estimate import Estimate, Range
from orchestrator.core.document import Grid
from orchestrator.core.lines import Line, Span, Style, line
from orchestrator.presentation.locale.translator import ENGLISH, Translator
from orchestrator.presentation.tables import table
from shared.models.rows import UsageRow
from shared.models.run import RunSpec
from shared.store.spending import Spending
from shared.text.amounts import dollars, exact_dollars


def cost_of(usage: UsageRow | None, words: Translator) -> str:
    """What a run has cost so far; nothing before its first call."""
    if usage is None or not usage.calls:
        return ""
    if not _is_known(usage):
        return words.message("cost_unknown")
    known = dollars(usage.cost_usd or 0.0)
    return words.message("cost_at_least", cost=known) if usage.unknown_costs else known


def _is_known(used: UsageRow | Spending) -> bool:
    """Whether there is an amount to name: what is free beside what nobody knows is no cost of nothing."""
    return bool(used.cost_usd) or (not used.unknown_costs and used.cost_usd is not None)


def spent(usage: UsageRow, words: Translator, *, below: bool = False) -> list[Line]:
    """What a run has used, in one line; nothing when no model was asked. `below`: its child runs are in it."""
    tokens = usage.input_tokens + usage.output_tokens
    if not (tokens or usage.cost_usd or usage.unknown_costs):
        return []
    parts = [words.message("spent_calls", n=usage.calls)]
    if tokens:
        read, written = f"{usage.input_tokens:,}", f"{usage.output_tokens:,}"
        parts.append(words.message("spent_tokens", read=read, written=written))
    if not _is_known(usage):
        parts.append(words.message("cost_unknown"))
    else:
        cost = dollars(usage.cost_usd or 0.0)
        if usage.unknown_costs:
            cost += f" {words.message('calls_unpriced', n=usage.unknown_costs)}"
        parts.append(cost)
    if below:
        parts.append(words.message("with_children"))
    return [line(Span(f"{words.message('spent')}: {', '.join(parts)}", Style.DIM))]


def saved(usage: UsageRow, instead: Estimate, words: Translator) -> Line:
    """What was used, beside what the larger run would have taken by its estimate."""
    low, high = _counts(instead.calls)
    read = instead.input_tokens.low + instead.output_tokens.low
    most = instead.input_tokens.high + instead.output_tokens.high
    cost = instead.cost_usd
    text = words.message(
        "depth_saved",
        calls=words.message("spent_calls", n=usage.calls),
        tokens=f"{usage.input_tokens + usage.output_tokens:,}",
        cost=cost_of(usage, words) or "-",
        low=low,
        high=high,
        least=f"{read:,.0f}",
        most=f"{most:,.0f}",
        dollars="-" if cost is None else f"{dollars(cost.low)} - {dollars(cost.high)}",
    )
    return line(Span(text, Style.DIM))


_AMOUNTS = ("calls", "tokens_in", "cached", "tokens_out", "cost", "unknown_price")


def spending_table(
    by: str,
    rows: Sequence[Spending],
    total: Spending | None,
    words: Translator = ENGLISH,
    width: int | None = None,
) -> list[Line]:
    """A row of at most `width` cells for each key, and their sum."""
    if total is None or not rows:
        return [line(Span(words.message("nothing_spent"), Style.DIM))]
    names = (by, *_AMOUNTS)
    sums = dataclasses.replace(total, key=words.message("list_total"))
    spare = tuple(map(names.index, ("cached", "unknown_price", "tokens_out", "tokens_in")))
    shown = spending_grid(by, (*rows, sums), words)
    lines = table(shown.heads, shown.rows, width, texts=(0,), spare=spare)
    if total.unknown_tokens:
        text = words.message("unknown_tokens", n=total.unknown_tokens)
        lines.append(line(Span(text, Style.DIM)))
    return lines


def spending_grid(by: str, rows: Sequence[Spending], words: Translator) -> Grid:
    """A row for each key."""
    heads = tuple(words.message(f"list_{name}") for name in (by, *_AMOUNTS))
    return Grid(heads, tuple(_row(row, words) for row in rows))


def _row(row: Spending, words: Translator) -> tuple[str, ...]:
    return (
        row.key or "-",
        f"{row.calls:,}",
        f"{row.input_tokens:,}",
        f"{row.cached_tokens:,}",
        f"{row.output_tokens:,}",
        dollars(row.cost_usd or 0.0) if _is_known(row) else words.message("unknown_price"),
        words.message("unpriced_calls", n=row.unknown_costs) if row.unknown_costs else "-",
    )


def estimate_lines(
    estimate: Estimate | None,
    spec: RunSpec,
    title: str,
    instead: Estimate | None = None,
    words: Translator | None = None,
) -> list[Line]:
    """What a run will probably take, and beside it the larger one that it may save.

    In `words`; without them in the run's language.
    """
    words = words or Translator(spec.language)
    head = line(
        Span(words.message("estimate", title=words.run_title(title, spec.workflow)), Style.STRONG)
    )
    shown = [head, *amounts(estimate, words)]
    if estimate is None:
        return shown
    if instead is not None:
        shown += [line(words.message("estimate_instead")), *amounts(instead, words)]
    return [*shown, *_caveats(estimate, spec, words)]


def amounts(estimate: Estimate | None, words: Translator) -> list[Line]:
    """Calls, tokens and dollars, each from the least to the most; None for what nobody can foresee."""
    if estimate is None:
        return [line(f"  {words.message('estimate_none')}")]
    low, high = _counts(estimate.calls)
    texts = [words.message("estimate_calls", low=low, high=high)]
    for way, tokens in (("way_in", estimate.input_tokens), ("way_out", estimate.output_tokens)):
        low, high = _counts(tokens)
        texts.append(words.message("estimate_tokens", way=words.message(way), low=low, high=high))
    cost = estimate.cost_usd
    texts.append(
        words.message("estimate_unknown")
        if cost is None
        else words.message("estimate_cost", low=dollars(cost.low), high=dollars(cost.high))
    )
    return [line(f"  {text}") for text in texts]


def unpriced(estimate: Estimate, words: Translator) -> list[Line]:
    """Whose calls the sum leaves out."""
    names = ", ".join(estimate.unpriced)
    return [_caution(words.message("estimate_unpriced", names=names))] if names else []


def obstacles(reasons: Iterable[str], words: Translator) -> list[Line]:
    """Why a run could not even begin."""
    return [_caution(words.message("estimate_forbidden", reason=reason)) for reason in reasons]


def _caution(text: str) -> Line:
    return line(Span(f"  ⚠ {text}", Style.WARNING))


def _caveats(estimate: Estimate, spec: RunSpec, words: Translator) -> list[Line]:
    limit = spec.budget.max_usd
    names = ", ".join(estimate.unpriced)
    texts = []
    if names and limit is not None:
        texts.append(words.message("estimate_refused", names=names))
    if limit is not None and estimate.cost_usd is not None and estimate.cost_usd.high > limit:
        texts.append(words.message("estimate_over", limit=exact_dollars(limit)))
    lines = [*unpriced(estimate, words), *map(_caution, texts)]
    if spec.reuse:
        lines.append(line(Span(f"  {words.message('estimate_reuse')}", Style.DIM)))
    return lines


def _counts(counts: Range) -> tuple[str, str]:
    return f"{counts.low:,.0f}", f"{counts.high:,.0f}"


def estimate_json(
    estimate: Estimate | None, spec: RunSpec, instead: Estimate | None = None
) -> dict[str, Any]:
    """The same as data; `estimate` is None for a workflow that nobody can foresee."""
    return {
        "workflow": spec.workflow,
        "budget": spec.budget.model_dump(mode="json"),
        "estimate": None if estimate is None else dataclasses.asdict(estimate),
        "instead": None if instead is None else dataclasses.asdict(instead),
    }


def foreseen_json(
    estimate: Estimate | None,
    spec: RunSpec,
    instead: Estimate | None,
    reasons: Sequence[str],
) -> dict[str, Any]:
    """What a run would take, and why it could not even begin."""
    return {**estimate_json(estimate, spec, instead), "obstacles": list(reasons)}
