"""Into the critic and out of it: the two mappings of the clinical critic's design, over the states that a run has.

The design has two states that name the same things differently. A run has each of them once: the graph's *clean state*
is `GraphState`, and the *agent state*, which the critic's tools look at, is what they are given, `LensInput`.

| clean state | agent state | here |
| --- | --- | --- |
| `patient_case.clinical_text` | `patient.text` | `subject`, the captured case |
| `similar_cases` | `cohort_data.similar_cases` | the same; of the nearest, `neighbours` count |
| `structured_chart`, `intervention_coverage` | `cohort_data` | `chart`, `coverage` |
| `diagnosis_analysis`, `treatment_analysis`, `evidence` | `cohort_data` | `GraphState`: for critics, not for tools |
| | `preprocessing` | `timeline`, `evidence`, `gaps` |
| | `lens_results`, `behavior_results` | the tools' answers, which come back as `CleanUpdates` |
| `critique`, `solutions`, `confidence`, `iteration`, `memory` | | the critic's records, and `CaseResult` |
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from orchestrator.workflows.case.state import GraphState
from shared.models.case import DocumentHash, LensResult
from shared.tools.case_inputs import LensInput

BEHAVIOR = "behavior_"
"""How the tools begin whose results the design keeps apart from those of the lenses."""


@dataclass(frozen=True)
class CleanUpdates:
    """What the critic's tools bring into the result, each by its tool's name."""

    lens_results: dict[str, LensResult]
    behavior_results: dict[str, LensResult]


def clean_state_to_agent_state(
    clean: GraphState, patient_case: DocumentHash, neighbours: int
) -> LensInput:
    """What the critic's tools look at: the captured case, and what the graph and the preprocessing know of it."""
    done = clean.preprocessing
    return LensInput(
        subject=patient_case,
        chart=clean.chart,
        timeline=done.timeline,
        evidence=done.evidence,
        gaps=done.gaps,
        coverage=clean.coverage,
        neighbours=neighbours,
    )


def agent_state_to_clean_updates(results: Mapping[str, LensResult]) -> CleanUpdates:
    """The tools' answers in the two parts of the design, in the order in which they came."""
    behavior = {name: result for name, result in results.items() if name.startswith(BEHAVIOR)}
    lenses = {name: result for name, result in results.items() if name not in behavior}
    return CleanUpdates(lenses, behavior)
