"""How much a turn writes ahead: bytes of WAL a turn, by table and kind of record.

    python -m benchmarks.wal [--runs 150] [--by-kind]

Real servers and processes, a burst of the trivial workflow and one of reviews, right after a checkpoint. Images of
whole pages (the first change of a page after a checkpoint) are shown apart: they depend on how often there is one.
"""

from __future__ import annotations

import argparse
import re
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import psutil

from benchmarks.cluster import Cluster, cluster, review_spec
from benchmarks.trivial import trivial_spec
from shared.instance import Instance
from shared.models.run import RunSpec

WARM_UP = 20
RECORD = re.compile(
    r"rmgr: (?P<manager>\S+) +len \(rec/tot\): +(?P<bytes>\d+)/ *(?P<total>\d+),.* desc: (?P<kind>\S+)"
    r"(?:.*?rel \d+/\d+/(?P<file>\d+))?"
)
_NAMES = """
SELECT pg_relation_filenode(c.oid) AS file, coalesce(t.relname, i.relname, c.relname) AS name, c.relkind = 'i' AS index
  FROM pg_class c
  LEFT JOIN pg_class t ON t.reltoastrelid = c.oid
  LEFT JOIN pg_index x ON x.indexrelid = c.oid
  LEFT JOIN pg_class i ON i.oid = x.indrelid
 WHERE c.relkind IN ('r', 'i', 't')
"""
IMAGES = "(images of pages)"


def dumped(bench: Cluster, begin: str, end: str) -> list[str]:
    """The WAL between two places, a line a record."""
    program = Path(psutil.Process(bench.roots["postgres"]).exe()).with_name("pg_waldump")
    folder = Instance.from_environment(bench.environ).postgres_dir / "pg_wal"
    words = (program, "--path", folder, "--start", begin, "--end", end)
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def by_table(bench: Cluster, lines: list[str], *, kinds: bool) -> Counter[str]:
    """Bytes by table or its indexes, or also by kind of record; commits and the like by their manager."""
    with bench.database.connection() as connection:
        rows = connection.execute(_NAMES).fetchall()
    names = {str(row.file): f"{row.name} (indexes)" if row.index else row.name for row in rows}
    counted: Counter[str] = Counter()
    for found in filter(None, map(RECORD.match, lines)):
        name = names.get(found["file"] or "", found["manager"])
        counted[f"{name} {found['kind']}" if kinds else name] += int(found["bytes"])
        counted[IMAGES] += int(found["total"]) - int(found["bytes"])
    return counted


def written(
    bench: Cluster, make: Callable[[], tuple[RunSpec, dict[str, bytes]]], runs: int, *, kinds: bool
) -> tuple[int, Counter[str]]:
    """The turns of so many runs, and what they wrote by table."""

    def place() -> str:
        with bench.database.connection() as connection:
            row = connection.execute("SELECT pg_current_wal_flush_lsn()").fetchone()
        assert row is not None
        return str(row[0])

    spec, documents = make()
    bench.wait([bench.submit(spec, documents) for _ in range(WARM_UP)])
    with bench.database.connection() as connection:
        connection.execute("CHECKPOINT")
    begin = place()
    names = [bench.submit(spec, documents) for _ in range(runs)]
    bench.wait(names)
    end = place()
    turns = bench.number("SELECT count(*) FROM steps WHERE run_id = ANY(%s)", names)
    return int(turns), by_table(bench, dumped(bench, begin, end), kinds=kinds)


def main() -> None:
    """Measure both workflows, one after the other."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=150)
    parser.add_argument("--by-kind", action="store_true")
    options = parser.parse_args()
    loads = {"trivial": trivial_spec, "review": lambda: review_spec(critics=3, rounds=3)}
    with cluster(slots=1000) as bench:
        for name, make in loads.items():
            turns, counted = written(bench, make, options.runs, kinds=options.by_kind)
            images = counted.pop(IMAGES)
            total = sum(counted.values()) / turns
            print(
                f"\n{name}: {total:,.0f} bytes of WAL a turn, {images / turns:,.0f} more of images of pages"
            )
            for table, size in counted.most_common():
                print(f"  {table:<44}{size / turns:>8,.0f}")


if __name__ == "__main__":
    main()
