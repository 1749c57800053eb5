"""From stored rows to the journal that a replay reads."""

from __future__ import annotations

from orchestrator.core.replay.commands import RoundRecord
from orchestrator.core.replay.replay import Entry, Journal
from shared.models.decision import Answer
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure, StepResult
from shared.store.runs import JournalRow, StoredJournal


def journal_of(stored: StoredJournal) -> Journal:
    """The journal. Raises ValidationError where a record or an answer is not one of this version's."""
    return Journal(
        steps={row.key: Entry(row.fingerprint, result_of(row)) for row in stored.steps},
        records={key: RoundRecord.model_validate(body) for key, body in stored.records.items()},
        asked=frozenset(stored.decisions),
        answers={
            key: Answer.model_validate(answer)
            for key, answer in stored.decisions.items()
            if answer is not None
        },
    )


def result_of(row: JournalRow) -> StepResult | None:
    """How a step ended; None while it is open."""
    if row.status == "done":
        return StepResult(
            reply=row.reply,
            elapsed_s=row.elapsed_s,
            tokens=row.tokens,
            cost_usd=row.cost_usd,
            note=row.note,
        )
    if row.status in ("failed", "cancelled"):
        kind = FailureKind(row.failure_kind or FailureKind.CANCELLED)
        failure = Failure(kind=kind, message=row.failure_message or row.status)
        return StepResult(
            failure=failure, elapsed_s=row.elapsed_s, tokens=row.tokens, cost_usd=row.cost_usd
        )
    return None
