"""What an evaluation would take, before anything is spent."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from orchestrator.application.eval_plan import EvalPlan
from orchestrator.core.discussion.estimate import Estimate, Range
from orchestrator.core.document import Line, Span, Style, line
from orchestrator.core.views.context import dollars
from orchestrator.presentation.formats.json import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.terminal import Terminal


def show_estimate(plan: EvalPlan, terminal: Terminal, words: Translator, *, as_json: bool) -> int:
    """Print the sum over all runs, and what would keep one from beginning; the exit code. Nothing is started."""
    foreseen = [*plan.estimates()]
    obstacles = [*dict.fromkeys(reason for run in foreseen for reason in run.obstacles)]
    known = [run.estimate for run in foreseen if run.estimate is not None]
    total = _sum(known) if len(known) == len(foreseen) else None
    if as_json:
        whole = {
            "schema_version": SCHEMA_VERSION,
            "eval": plan.name,
            "runs": len(foreseen),
            "estimate": None if total is None else dataclasses.asdict(total),
            "obstacles": obstacles,
        }
        terminal.result(dumps(whole))
        return 0
    head = words.message("eval_estimate", n=len(foreseen), name=plan.name)
    lines = [line(Span(head, Style.STRONG)), *_lines(total, words)]
    texts = [words.message("estimate_forbidden", reason=reason) for reason in obstacles]
    terminal.result([*lines, *(line(Span(f"  ⚠ {text}", Style.WARNING)) for text in texts)])
    return 0


def _sum(estimates: Sequence[Estimate]) -> Estimate:
    return Estimate(
        calls=_range([each.calls for each in estimates]),
        input_tokens=_range([each.input_tokens for each in estimates]),
        output_tokens=_range([each.output_tokens for each in estimates]),
        cost_usd=_priced([each.cost_usd for each in estimates]),
        unpriced=tuple(dict.fromkeys(name for each in estimates for name in each.unpriced)),
    )


def _priced(costs: Sequence[Range | None]) -> Range | None:
    """The sum of what is known; None where nothing is."""
    known = [cost for cost in costs if cost is not None]
    return _range(known) if known or not costs else None


def _range(ranges: Sequence[Range]) -> Range:
    return Range(sum(each.low for each in ranges), sum(each.high for each in ranges))


def _lines(total: Estimate | None, words: Translator) -> list[Line]:
    if total is None:
        return [line(f"  {words.message('estimate_none')}")]
    texts = [words.message("estimate_calls", **_counts(total.calls))]
    for way, tokens in (("way_in", total.input_tokens), ("way_out", total.output_tokens)):
        texts.append(words.message("estimate_tokens", way=words.message(way), **_counts(tokens)))
    cost = total.cost_usd
    texts.append(
        words.message("estimate_unknown")
        if cost is None
        else words.message("estimate_cost", low=dollars(cost.low), high=dollars(cost.high))
    )
    lines = [line(f"  {text}") for text in texts]
    if total.unpriced:
        text = words.message("estimate_unpriced", names=", ".join(total.unpriced))
        lines.append(line(Span(f"  ⚠ {text}", Style.WARNING)))
    return lines


def _counts(counts: Range) -> dict[str, str]:
    return {"low": f"{counts.low:,.0f}", "high": f"{counts.high:,.0f}"}
