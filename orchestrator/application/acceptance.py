"""What people accepted of each participant on this installation, and what that makes of a vote in a new run."""

from __future__ import annotations

from collections import Counter

from orchestrator.application.backend import Backend
from orchestrator.evaluation.acceptance import (
    AcceptanceHistory,
    OfferedFindings,
    Raiser,
    acceptance,
)
from orchestrator.workflows.registry import decision_choices, workflow_of
from shared.models.run import RunSpec
from shared.store.offered import decided_offers


def accepted_history(backend: Backend) -> AcceptanceHistory:
    """Everybody's record, from the newest decisions."""
    writes = {word for word, choice in decision_choices().items() if choice.writes}
    counts: Counter[tuple[Raiser, str, str, bool]] = Counter()
    decisions: Counter[Raiser] = Counter()
    for decision in backend.read(decided_offers):
        raisers = set()
        for row in decision.rows:
            raiser = Raiser(row.name, row.provider, row.model)
            accepted = row.picked if decision.choice in writes else 0
            counts[raiser, row.severity, row.category, True] += accepted
            counts[raiser, row.severity, row.category, False] += row.offered - accepted
            raisers.add(raiser)
        decisions.update(raisers)
    offered = [OfferedFindings(*kind, count) for kind, count in counts.items() if count]
    return acceptance(offered, decisions)


def with_record(backend: Backend, spec: RunSpec) -> RunSpec:
    """The specification with what each participant's vote counts, as it is known now; the run keeps it."""
    if not workflow_of(spec).finds:
        return spec
    trusted = accepted_history(backend).trusted(spec.panel.critics)
    return spec.model_copy(update={"trusted": trusted}) if trusted else spec
