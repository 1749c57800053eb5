"""What turns and tool runs of the workflow case are for; Flower shows them as `quorate.turn.<role>`."""

from __future__ import annotations

from enum import StrEnum

LENSES = "lenses"
"""The participant that computes: it raises what the critic's tools found."""


class CaseRole(StrEnum):
    """The nodes of the graph. In the second group of them participants speak, too."""

    STRUCTURING = "structuring"
    RETRIEVAL = "retrieval"
    INTERVENTIONS = "interventions"
    PREPROCESSING = "preprocessing"
    LENS = "lens"

    DIAGNOSIS = "diagnosis"
    TREATMENT = "treatment"
    REWRITING = "rewriting"
    ROUTING = "routing"
    CRITIQUE = "critique"
    FEEDBACK = "feedback"
    VERIFICATION = "verification"
    EMBEDDING = "embedding"
