"""A run's result under some rules, in one form for what is stored and for what would be."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from orchestrator.core.findings.verdict import GateResult, derive, gate_of
from orchestrator.core.replay.commands import RoundRecord
from orchestrator.core.replay.recomputation import Recomputed, rounds_of
from orchestrator.core.results import FindingsResult
from orchestrator.whatif.recording import Recording
from orchestrator.workflows.display import result_of
from orchestrator.workflows.registry import workflow_of
from shared.models.assessment import Assessment
from shared.models.findings import Finding
from shared.models.outcomes import Ending, Verdict
from shared.models.run import RulesVersion, RunSpec

ENDING = "ending"  # the record of a vote after the last round


@dataclass(frozen=True)
class RunResult:
    """Rounds by the key of their record, findings as they are at the end, and what follows.

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


def stored_result(recording: Recording, walked: Recomputed | None = None) -> RunResult:
    """What is stored. `walked` says in which order the rounds came; what it does not explain comes last."""
    written = rounds_of(recording.journal.records)
    order = [key for key in (walked.rounds if walked else ()) if key in written]
    left = [key for key in written if key not in order]
    order += sorted(left, key=lambda key: (key == ENDING, len(key), key))
    return _result(recording.spec, {key: written[key] for key in order}, recording.run.outcome)


def result_of_walk(
    spec: RunSpec, walked: Recomputed, outcome: Mapping[str, Any] | None
) -> RunResult:
    """What would be. `outcome` is the walk's as it would be stored."""
    return _result(spec, walked.rounds, outcome)


def _result(
    spec: RunSpec, records: Mapping[str, RoundRecord], outcome: Mapping[str, Any] | None
) -> RunResult:
    last = list(records.values())[-1:]
    findings = named_findings(records.values())
    workflow = workflow_of(spec)
    result = result_of(workflow, outcome)
    if outcome is None:
        standing = named_findings(last)
        ending = last[0].assessment.ending if last else None
        verdict = _verdict_so_far(spec, standing, ending)
    else:
        named = result.standing if isinstance(result, FindingsResult) else None
        standing = tuple(finding for finding in findings if named is None or finding.id in named)
        ending = None if outcome["ending"] is None else Ending(outcome["ending"])
        verdict = Verdict(outcome["verdict"])
    return RunResult(
        rounds={key: record.assessment for key, record in records.items()},
        findings=findings,
        standing=standing,
        ending=ending,
        verdict=verdict,
        gate=gate_of(workflow.gate_of(spec), standing, ending, result),
        votes={} if result is None else result.vote_figures,
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
    verdict = derive(findings, ending, workflow_of(spec).gate_of(spec).fail_on)
    alone = all(critic.rule_based for critic in spec.panel.critics)
    tells = spec.rules_version >= RulesVersion.EXAMINED
    return Verdict.CHECKS_PASSED if verdict is Verdict.APPROVED and alone and tells else verdict
