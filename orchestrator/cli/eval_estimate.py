"""What an evaluation would take, before anything is spent."""

from __future__ import annotations

import dataclasses

from orchestrator.application.eval_plan import EvalPlan
from orchestrator.core.discussion.estimate import summed
from orchestrator.core.lines import Span, Style, line
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.locale.translator import Translator
from orchestrator.presentation.money import amounts, obstacles, unpriced
from orchestrator.presentation.terminal import Terminal


def show_estimate(plan: EvalPlan, terminal: Terminal, words: Translator, *, as_json: bool) -> int:
    """Print the sum over all runs, and what would keep one from beginning; the exit code. Nothing is started."""
    foreseen = [*plan.estimates()]
    reasons = [*dict.fromkeys(reason for run in foreseen for reason in run.obstacles)]
    known = [run.estimate for run in foreseen if run.estimate is not None]
    total = summed(known) if len(known) == len(foreseen) else None
    if as_json:
        whole = {
            "schema_version": SCHEMA_VERSION,
            "eval": plan.name,
            "runs": len(foreseen),
            "estimate": None if total is None else dataclasses.asdict(total),
            "obstacles": reasons,
        }
        terminal.result(dumps(whole))
        return 0
    head = line(Span(words.message("eval_estimate", n=len(foreseen), name=plan.name), Style.STRONG))
    left_out = [] if total is None else unpriced(total, words)
    terminal.result([head, *amounts(total, words), *left_out, *obstacles(reasons, words)])
    return 0
