"""What the comparison with similar cases tells of real notes, and whether it sees what was planted in their neighbours.

    python -m benchmarks.case_comparison --data FOLDER

FOLDER as for `benchmarks.case_retrieval`. Every correct text is compared with the 25 others that are most like it (none
of its own vignette). As it is, what is told counts as a false alarm, since nobody said that these texts lack anything.
Then the neighbours alone are the similar cases: a sentence about a drug that no text of the collection names is added
to all of them, to be told (recall), and to the nearest one only, not to be told.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.case_retrieval import consultations, read_medec
from benchmarks.data import folder_of
from shared.models.case import (
    Case,
    EvidenceSpans,
    LensResult,
    RecordGaps,
    SourceText,
    StructuredChart,
    Timeline,
)
from shared.text.similarity import nearest_texts
from shared.tools.case_inputs import LensInput
from workers.tools.clinical.lenses.topk_direct_compare import run
from workers.tools.clinical.similarity import CaseFeatures, by_nearness, features_of
from workers.tools.registry import MemoryDocuments, ToolContext

COHORT = 25
SAME_VIGNETTE = 0.6
DRUGS = ("ivabradine", "methyldopa", "acetazolamide")


@dataclass
class Figures:
    """Of a collection: texts that could be compared, what was told of them, and what became of planted drugs."""

    texts: int = 0
    compared: int = 0
    told: Counter[str] = field(default_factory=Counter)
    planted: int = 0
    seen: int = 0
    single: int = 0


def measure(texts: Sequence[str], neighbours: int) -> Figures:
    """Each text beside those that are most like it."""
    everything = " ".join(texts).lower()
    drug = next(name for name in DRUGS if name not in everything)
    sentence = f" {drug.capitalize()} was started."
    figures = Figures()
    for text in texts:
        others = [
            texts[place] for place, s in nearest_texts(text, texts, 2 * COHORT) if s < SAME_VIGNETTE
        ]
        others = others[:COHORT]
        figures.texts += 1
        result = compare(text, others, neighbours)
        if result.abstains:
            continue
        figures.compared += 1
        figures.told.update(point.kind for point in result.points)
        nearest = [others[place] for place in _order(text, others)[:neighbours]]
        planted = [other + sentence for other in nearest]
        figures.planted += 1
        figures.seen += _tells(compare(text, planted, neighbours), drug)
        figures.single += _tells(compare(text, [*planted[:1], *nearest[1:]], neighbours), drug)
    return figures


def _order(text: str, others: Sequence[str]) -> list[int]:
    rows = [(SourceText(name=str(n), text="0" * 64), other) for n, other in enumerate(others)]
    ranked: list[CaseFeatures] = by_nearness(features_of(text, "chart"), text, rows)
    return [int(row.source) for row in ranked]


def _tells(result: LensResult, drug: str) -> bool:
    return any(str(point.message.params.get("what")).lower() == drug for point in result.points)


def compare(text: str, others: Sequence[str], neighbours: int) -> LensResult:
    """The lens's answer."""
    context = ToolContext(MemoryDocuments(), 60.0)
    put = context.documents.put
    similar = tuple(
        SourceText(name=f"similar/{n}", text=put(other.encode())) for n, other in enumerate(others)
    )
    case = Case(title="a case", chart=put(text.encode()), similar=similar)
    inputs = LensInput(
        subject=put(case.model_dump_json().encode()),
        chart=StructuredChart(language="en"),
        timeline=Timeline(),
        evidence=EvidenceSpans(),
        gaps=RecordGaps(),
        neighbours=neighbours,
    )
    return run(inputs, context)


def main() -> None:
    """Print the figures of both collections."""
    parser = argparse.ArgumentParser(description="Comparison of cases with similar ones.")
    parser.add_argument("--data", type=Path, required=True, metavar="FOLDER")
    parser.add_argument("--neighbours", type=int, default=3)
    parsed = parser.parse_args()
    medec = read_medec(folder_of(parsed.data, "medec"))
    flawed = {query.target for query in medec.corrections}
    for name, texts in (
        ("aci-bench", [note for _, note in consultations(folder_of(parsed.data, "aci-bench"))]),
        (
            "medec",
            [
                text
                for name, text in zip(medec.names, medec.texts, strict=True)
                if name not in flawed
            ],
        ),
    ):
        figures = measure(texts, parsed.neighbours)
        told = sum(figures.told.values())
        print(
            f"{name}: {figures.texts} texts, {figures.compared} compared; told {told} points, "
            f"{told / figures.texts:.2f} a text {dict(figures.told)}; planted in all neighbours: "
            f"{figures.seen} of {figures.planted} told; in one: {figures.single}"
        )


if __name__ == "__main__":
    main()
