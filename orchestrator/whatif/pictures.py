"""A run's result under some rules, in one form for what is stored and for what would be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.core.findings.verdict import GateResult, derive, gate_of
from orchestrator.core.replay.commands import RoundRecord
from orchestrator.core.replay.recomputation import Recomputed, rounds_of
from orchestrator.whatif.recording import Recording
from orchestrator.workflows.registry import workflow_of
from shared.models.assessment import Assessment
from shared.models.findings import Finding
from shared.models.outcomes import Ending, Verdict
from shared.models.run import RunSpec

ENDING = "ending"  # the record of a vote after the last round

# Workflows whose verdict code derives from findings and the ending, also before the outcome is there.


@dataclass(frozen=True)
class Picture:
    """Rounds by the key of their record, findings as they stand at the end, and what follows.

    `so_far`: there is no outcome, and verdict and gate are what follows from the last round. `votes` is what the
    outcome tells of ballots (forum, panel) and quorum (ask).
    """

    rounds: Mapping[str, Assessment]
    findings: tuple[Finding, ...]
    standing: tuple[Finding, ...]
    ending: Ending | None
    verdict: Verdict | None
    gate: GateResult
    votes: Mapping[str, Any]
    so_far: bool

    @property
    def rounds_held(self) -> int:
        """How many rounds there were; the record of the ballots is none."""
        return sum(key != ENDING for key in self.rounds)


def stored_picture(recording: Recording, walked: Recomputed | None = None) -> Picture:
    """What is stored. `walked` says in which order the rounds came; what it does not explain comes last."""
    written = rounds_of(recording.journal.records)
    order = [key for key in (walked.rounds if walked else ()) if key in written]
    left = [key for key in written if key not in order]
    order += sorted(left, key=lambda key: (key == ENDING, len(key), key))
    return _picture(recording.spec, {key: written[key] for key in order}, recording.run.outcome)


def picture_of(spec: RunSpec, walked: Recomputed, outcome: Mapping[str, Any] | None) -> Picture:
    """What would be. `outcome` is the walk's as it would be stored."""
    return _picture(spec, walked.rounds, outcome)


def _picture(
    spec: RunSpec, records: Mapping[str, RoundRecord], outcome: Mapping[str, Any] | None
) -> Picture:
    last = list(records.values())[-1:]
    findings = named_findings(records.values())
    if outcome is None:
        standing = named_findings(last)
        ending = last[0].assessment.ending if last else None
        verdict = _verdict_so_far(spec, standing, ending)
        detail: Mapping[str, Any] = {}
    else:
        detail = outcome.get("detail") or {}
        named = detail.get("standing")
        standing = tuple(one for one in findings if named is None or one.id in named)
        ending = None if outcome["ending"] is None else Ending(outcome["ending"])
        verdict = Verdict(outcome["verdict"])
    return Picture(
        rounds={key: record.assessment for key, record in records.items()},
        findings=findings,
        standing=standing,
        ending=ending,
        verdict=verdict,
        gate=gate_of(
            workflow_of(spec).gate_of(spec), standing, ending, workflow_of(spec).result_of(outcome)
        ),
        votes=_votes(detail),
        so_far=outcome is None,
    )


def named_findings(records: Iterable[RoundRecord]) -> tuple[Finding, ...]:
    """The findings of each cycle as its last round left them, under their names in the whole run."""
    last = {record.prefix: record for record in records}
    return tuple(
        finding.model_copy(update={"id": record.prefix + finding.id})
        for record in last.values()
        for finding in record.findings
    )


def _verdict_so_far(
    spec: RunSpec, findings: tuple[Finding, ...], ending: Ending | None
) -> Verdict | None:
    if ending is None or not workflow_of(spec).finds:
        return None
    return derive(findings, ending, workflow_of(spec).gate_of(spec).fail_on)


def _votes(detail: Mapping[str, Any]) -> dict[str, Any]:
    """Who voted what, and what it adds up to; the answers' quorum."""
    votes: dict[str, Any] = {}
    for name in ("quorum", "choice"):
        if name in detail:
            votes[name] = detail[name]
    agreement = detail.get("agreement")
    if isinstance(agreement, dict):
        votes["converged"] = agreement.get("converged")
        for name in ("support", "threshold", "leading"):
            if name in agreement:
                votes[name] = agreement[name]
        positions = agreement.get("positions")
        if isinstance(positions, dict):
            votes["support"] = {key: one.get("support") for key, one in positions.items()}
    return votes
