"""What a run has applied while it still goes on: from its journal, since its result says so only at the end."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from orchestrator.core.results import ShownMatter
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import StepStatus
from shared.models.review_replies import Applied
from shared.models.rows import DecisionRow, StepRow

APPLY, DECISION = "apply", "decision"


def applied_so_far(steps: Iterable[StepRow]) -> Mapping[str, Applied]:
    """What each finished step applied, by the key of the decision that it carried out."""
    done = (step for step in steps if step.role == APPLY and step.status == StepStatus.DONE)
    return {
        f"{step.key.removesuffix(APPLY)}{DECISION}": Applied.model_validate(step.reply)
        for step in done
        if step.reply is not None
    }


def mended_so_far(steps: Iterable[StepRow], decisions: Sequence[DecisionRow]) -> frozenset[str]:
    """The findings that applied fixes have resolved, as far as a person decided on them."""
    applied = applied_so_far(steps)
    carried_out = (row for row in decisions if row.key in applied and row.answer is not None)
    return frozenset(name for row in carried_out for name in _chosen(row))


def _chosen(decision: DecisionRow) -> Iterable[str]:
    answer = DecisionAnswer.model_validate(decision.answer)
    matter = ShownMatter.model_validate(decision.question.get("shown") or {})
    for fix in matter.fixes.fixes if matter.fixes else ():
        wanted = answer.only is None or set(fix.findings) <= set(answer.only)
        if fix.problem is None and wanted:
            yield from fix.findings
