"""Whether every place that the tools of `case` name is exact text of the chart, over all texts of MEDEC and ACI-BENCH.

    python -m benchmarks.case_spans --data DIR

Both versions of a MEDEC text with an error are read: the wrong one and the corrected one. Counted are the sentences
with ids, what is mentioned and measured, the times, the evidence, and what the lenses quote.
"""

from __future__ import annotations

import argparse
import csv
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from benchmarks.case_notes import read_notes, run_case_tools
from benchmarks.data import folder_of
from shared.models.case import ChartSpan, LensPoint
from workers.tools.clinical.chart import read_chart
from workers.tools.clinical.dates import find_dates
from workers.tools.clinical.stages.spans import find_spans


def main() -> int:
    """Print how many places there are of each kind; 1 where one of them is no text of its chart."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--data", type=Path, required=True, help="the folder with the collections")
    texts = dict(_texts(parser.parse_args().data))
    counts: Counter[str] = Counter()
    wrong: list[str] = []
    for name, text in texts.items():
        chart, raised = run_case_tools(text)
        read = read_chart(text)
        kinds = {
            "sentences": find_spans(read),
            "mentions": [each.span for each in chart.mentions],
            "values": [each.span for each in chart.measurements],
            "times": [each.span for each in find_dates(read)],
            "points": list(_spans([each.point for each in raised])),
        }
        for kind, spans in kinds.items():
            counts[kind] += len(spans)
            wrong += [
                f"{name} {kind} {span}"
                for span in spans
                if text[span.start : span.end] != span.text
            ]
    print(
        f"{len(texts)} texts; {sum(counts.values())} places: {dict(counts)}; not exact: {len(wrong)}"
    )
    print(*wrong[:20], sep="\n")
    return 1 if wrong else 0


def _texts(data: Path) -> Iterator[tuple[str, str]]:
    yield from ((note.id, note.text) for note in read_notes(data))
    for path in sorted(folder_of(data, "medec").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                yield f"{row['Text ID']} as it was", row["Text"]


def _spans(points: list[LensPoint]) -> Iterator[ChartSpan]:
    for point in points:
        yield from point.spans


if __name__ == "__main__":
    sys.exit(main())
