"""`make bench`: what a turn, a round, an advance and waiting cost, beside other engines. Figures, no assertions.

    make bench ARGS="[--only NAME ...] [--write] [--offline]"

Processor times are those of all of a contestant's processes; `w_o` is workers and orchestrator together, servers apart.
Median, lowest and highest of the repetitions. `--write` keeps the figures in docs/design/figures/bench.json, and draws
the picture and the table of docs/performance.md from them, as `python -m benchmarks.figures` does.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import time
from datetime import UTC, datetime
from typing import Any

from benchmarks.contestants import ROOT, versions
from benchmarks.figures import FIGURES, cell, save, write
from benchmarks.measures import MEASURES, Rows, Sizes


def measure(name: str, sizes: Sizes) -> dict[str, Any]:
    """One measure with what has to be known about it."""
    started, load = time.monotonic(), os.getloadavg()[0]
    function = MEASURES[name]
    rows = function(sizes)
    return {
        "measures": (function.__doc__ or "").strip(),
        "commit": _commit(),
        "at": datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        "took_s": round(time.monotonic() - started),
        "machine": f"{os.cpu_count()} cores, Python {platform.python_version()}",
        "load_before": round(load, 1),
        "versions": versions(),
        "rows": rows,
    }


def table(rows: Rows) -> str:
    """Rows and figures for a terminal."""
    columns = list(dict.fromkeys(figure for row in rows.values() for figure in row))
    width = max(map(len, rows))
    lines = [" " * width + "".join(f"{column:>26}" for column in columns)]
    for name, row in rows.items():
        cells = (cell(row[column], full=True) if column in row else "" for column in columns)
        lines.append(f"{name:<{width}}" + "".join(f"{text:>26}" for text in cells))
    return "\n".join(lines)


def _commit() -> str:
    """The commit that is measured, with a + where the code differs from it."""
    commit = _git("rev-parse", "--short", "HEAD")
    return commit + (
        "+" if _git("status", "--porcelain", "shared", "workers", "orchestrator") else ""
    )


def _git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()


def main() -> int:
    """Measure what was asked for; the exit code says whether all of it could be."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument(
        "--only", choices=list(MEASURES), action="append", help="one measure of all"
    )
    parser.add_argument(
        "--write", action="store_true", help="keep the figures, renew picture and page"
    )
    parser.add_argument("--offline", action="store_true", help="install no peers")
    options = parser.parse_args()
    kept = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    failed = []
    for name in options.only or MEASURES:
        try:
            kept[name] = measure(name, Sizes(offline=options.offline))
        except Exception as error:  # noqa: BLE001 - the others are measured all the same
            failed.append(name)
            print(f"\n{name}: {type(error).__name__}: {error}", file=sys.stderr)
            continue
        print(f"\n{name}: {kept[name]['measures']} ({kept[name]['took_s']} s)", flush=True)
        print(table(kept[name]["rows"]), flush=True)
        if options.write:
            save(kept)
    if options.write:
        write()
    return len(failed)


if __name__ == "__main__":
    sys.exit(main())
