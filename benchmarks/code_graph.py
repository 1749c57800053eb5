"""How well Python's calls are found, and at what cost: python -m benchmarks.code_graph [--data DIR] [--package DIR ...]

`--data` holds PyCG's micro-benchmark (`snippets.tar.gz`): small programs in 18 categories, each with its calls.
Precision, recall and F1 are counted over all calls, as `caller > callee`; those of PyCG and jedi are published ones, as
the data's PROVENANCE.txt gives them. `--package` times a folder of installed code, on one
processor, without the sandbox and the store.
"""

from __future__ import annotations

import argparse
import json
import re
import resource
import sys
import tarfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path, PurePosixPath

from shared.models.code_graph import EdgeKind, FileFacts
from shared.models.code_graph_index import GraphIndex
from workers.tools.code_graph.assembly import make_graph
from workers.tools.code_graph.python_outline import outline_python
from workers.tools.code_graph.python_resolution import PythonResolution

PUBLISHED = {
    "PyCG": (0.976, 0.932, 0.953),
    "jedi": (0.950, 0.652, 0.773),
}
RECURSION = 20_000
Calls = set[tuple[str, str]]
_BUILT_IN = re.compile(r"^builtins\.(?:(str|dict|list)\.)?")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path)
    parser.add_argument("--package", type=Path, action="append", default=[])
    asked = parser.parse_args()
    sys.setrecursionlimit(RECURSION)
    if asked.data is not None:
        _show_quality(asked.data)
    for folder in asked.package:
        _show_cost(folder.resolve())


def _show_quality(data: Path) -> None:
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for name, files in sorted(_programs(data).items()):
        expected = _expected(files)
        found = calls_of(files)
        for category in (name.split("/")[0], "all"):
            counts[category]["right"] += len(found & expected)
            counts[category]["wrong"] += len(found - expected)
            counts[category]["missed"] += len(expected - found)
    print(f"{'':14} {'calls':>6} {'precision':>10} {'recall':>7} {'F1':>6}")
    whole = counts.pop("all")
    for category, count in [*counts.items(), ("all", whole)]:
        row = "{:10.3f} {:7.3f} {:6.3f}".format(*_scores(count))
        print(f"{category:14} {count['right'] + count['missed']:6} {row}")
    for name, scores in PUBLISHED.items():
        print(f"{name:14} {'':6} " + "{:10.3f} {:7.3f} {:6.3f}".format(*scores))


def _scores(count: Mapping[str, int]) -> tuple[float, float, float]:
    right = count["right"]
    precision = right / max(1, right + count["wrong"])
    recall = right / max(1, right + count["missed"])
    return precision, recall, 2 * precision * recall / max(1e-9, precision + recall)


def _programs(data: Path) -> dict[str, dict[str, bytes]]:
    """The files of each program, by `category/name`."""
    programs: dict[str, dict[str, bytes]] = defaultdict(dict)
    with tarfile.open(data / "snippets.tar.gz") as archive:
        for member in archive:
            stream = archive.extractfile(member)
            if stream is not None:
                _, category, name, *path = PurePosixPath(member.name).parts[-99:]
                programs[f"{category}/{name}"]["/".join(path)] = stream.read()
    return {name: files for name, files in programs.items() if "callgraph.json" in files}


def _expected(files: Mapping[str, bytes]) -> Calls:
    listed = json.loads(files["callgraph.json"])
    return {(caller, callee) for caller, callees in listed.items() for callee in callees}


def calls_of(files: Mapping[str, bytes]) -> Calls:
    """The calls of a program, by the benchmark's names."""
    facts = [_facts(path, data) for path, data in files.items() if path.endswith(".py")]
    edges = make_graph(facts).edges((EdgeKind.CALLS,))
    return {(edge.source, _their_name(edge.target)) for edge in edges}


def _facts(path: str, data: bytes) -> FileFacts:
    module = path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    return outline_python(path, data, module)


def _their_name(target: str) -> str:
    """`<builtin>.len` and `<**PyStr**>.join`, as the benchmark writes them."""
    match = _BUILT_IN.match(target)
    if match is None:
        return target
    kind = f"<**Py{match[1].title()}**>." if match[1] else "<builtin>."
    return kind + target[match.end() :]


def _show_cost(folder: Path) -> None:
    began = time.process_time()
    facts = [*_read(folder)]
    read_s = time.process_time() - began
    python = PythonResolution()
    began = time.process_time()
    graph = make_graph(facts, python)
    resolved_s = time.process_time() - began
    symbols = sum(len(each.symbols) for each in facts)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"{folder.name}: {len(facts)} files, {symbols:,} symbols, {len(graph):,} edges; "
        f"read {read_s:.1f} s, resolved {resolved_s:.1f} s, {memory} MB, "
        f"{symbols / (read_s + resolved_s):,.0f} symbols/s"
    )
    times = [_changed_s(facts, number, python) for number in range(0, len(facts), len(facts) // 5)]
    print(f"  after a change of one file: {min(times):.2f} to {max(times):.2f} s")
    index = GraphIndex(graph)
    index.chains([0], 1, backwards=False)
    starts = range(0, len(graph.nodes), max(1, len(graph.nodes) // 200))
    chains = [_chain_s(index, start) for start in starts]
    print(
        f"  chains of 5 calls: median {sorted(chains)[len(chains) // 2] * 1000:.2f} ms, most {max(chains) * 1000:.1f}"
    )


def _read(folder: Path) -> Iterator[FileFacts]:
    for path in sorted(folder.rglob("*.py")):
        yield _facts(path.relative_to(folder.parent).as_posix(), path.read_bytes())


def _changed_s(facts: list[FileFacts], number: int, python: PythonResolution) -> float:
    changed = [*facts]
    changed[number] = replace(facts[number])
    began = time.process_time()
    make_graph(changed, python)
    return time.process_time() - began


def _chain_s(index: GraphIndex, start: int) -> float:
    began = time.perf_counter()
    index.chains([start], 5, backwards=True)
    return time.perf_counter() - began


if __name__ == "__main__":
    main()
