"""Is what the detectors call consensus consensus? Measured on recorded discussions.

    python -m benchmarks.consensus --data DIR [--json]

DIR holds `delidata`, `mad-commonmt`, `subreddit-mask`, `klue-nli` and `xnli-ko-dev` (see `consensus_data`); what is
not there is left out. Three rules stand side by side: the published one, its honest form `lexical`, and `text`.
"shipped" is the model that comes with the product, which has seen the data it was trained on (said in the table);
"held out" is measured on groups that neither the model nor the choice of constants has seen (`consensus_groups`).
"""

from __future__ import annotations

import argparse
import json
import math
from pathlib import Path
from typing import Any

from benchmarks.consensus_data import (
    digest,
    groups_file,
    load_debates,
    load_groups,
    load_pairs,
    load_replies,
    load_translated,
    pairs_files,
    translated_files,
)
from benchmarks.consensus_debates import measure_debates
from benchmarks.consensus_fitting import cross_fit
from benchmarks.consensus_groups import measure_groups
from benchmarks.consensus_measures import Row
from benchmarks.consensus_pairs import measure_pairs
from benchmarks.consensus_turns import measure_replies, measure_speed, measure_turns
from orchestrator.core.consensus.detectors.linear import load_model


def measure(data: Path) -> dict[str, list[Row]]:
    """Everything that `data` has."""
    report: dict[str, list[Row]] = {}
    if groups_file(data).is_file():
        groups = load_groups(data)
        fits = cross_fit(groups)
        known = digest(groups_file(data)) in load_model("acts.weights").trained_on
        report["groups (delidata)"] = list(measure_groups(groups, fits, known))
        report["turns (delidata)"] = list(measure_turns(groups, fits, known))
        report["speed"] = list(measure_speed(groups))
    if (data / "mad-commonmt").is_dir():
        report["debates (mad-commonmt)"] = list(measure_debates(load_debates(data)))
    if replies := load_replies(data):
        report["replies (subreddit-mask)"] = list(measure_replies(replies))
    if files := [*pairs_files(data), *translated_files(data)]:
        trained_on = load_model("pairs.weights").trained_on
        known = all(digest(file) in trained_on for file in files)
        report |= measure_pairs(load_pairs(data), load_translated(data), known)
    return report


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return "..".join(map(_shown, value))
    if isinstance(value, float):
        return "-" if math.isnan(value) else f"{value:.3f}"
    return str(value)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    report = measure(options.data)
    if options.json:
        print(
            json.dumps(
                {key: {row.title: row.figures for row in rows} for key, rows in report.items()},
                indent=2,
            )
        )
        return
    for section, rows in report.items():
        print(section)
        for row in rows:
            figures = "  ".join(f"{name} {_shown(value)}" for name, value in row.figures.items())
            print(f"  {row.title:48} {figures}")


if __name__ == "__main__":
    main()
