"""`evidence.unembedded`: which passages of a case an embedding model has not seen yet."""

from __future__ import annotations

from shared.models.embeddings import UnembeddedPassages
from shared.tools.case_inputs import EmbeddingInput
from workers.tools.clinical.chart import load_case
from workers.tools.clinical.stages.evidence import case_sources, cut_sources
from workers.tools.registry import ToolContext


def run(inputs: EmbeddingInput, context: ToolContext) -> UnembeddedPassages:
    """The first of them, those of the chart before all others. Raises ToolError for a subject that is no case."""
    documents = cut_sources(case_sources(load_case(context, inputs.subject)), context)
    places = context.passages.unembedded(documents, inputs.space)
    kept = tuple(places[: inputs.most])
    return UnembeddedPassages(places=kept, left_out=len(places) - len(kept))
