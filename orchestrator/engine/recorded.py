"""From stored rows to the journal that a replay reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from orchestrator.core.replay.commands import RecordBody
from orchestrator.core.replay.replay import Entry, Journal
from shared.errors import ReplayMismatch
from shared.models.decision import DecisionAnswer
from shared.models.outcomes import FailureKind
from shared.models.steps import Failure, StepResult
from shared.store.journal import JournalRow, StoredJournal, StoredRecord


def journal_of(stored: StoredJournal, types: Iterable[type[RecordBody]]) -> Journal:
    """The journal; `types` are the facts that the run's workflow writes.

    Raises ReplayMismatch where a record is of no such kind, ValidationError where a record or an answer does not fit
    this version's models.
    """
    kinds = {model.kind: model for model in types}
    return Journal(
        steps={row.key: Entry(row.fingerprint, result_of(row)) for row in stored.steps},
        records={row.key: _record(row, kinds) for row in stored.records},
        asked=frozenset(stored.decisions),
        answers={
            key: DecisionAnswer.model_validate(answer)
            for key, answer in stored.decisions.items()
            if answer is not None
        },
    )


def _record(row: StoredRecord, kinds: Mapping[str, type[RecordBody]]) -> RecordBody:
    model = kinds.get(row.kind)
    if model is None:
        raise ReplayMismatch(
            f"record {row.key!r} is of the kind {row.kind!r}, which this version's workflow does not write: "
            "finish the run with the version that wrote it, or cancel it"
        )
    return model.model_validate(row.body)


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
