"""The measures of the house: `make check` fails where one is broken, `--figures` prints them all.

    python .ci/house.py [--figures]

A function's complexity is radon's count. Names in EXCUSED may be above the bound, each with its reason.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from statistics import median

from radon.complexity import cc_visit

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("shared", "workers", "orchestrator")
MOST_COMPLEX = 10
MOST_EXCUSED = 0.01  # of all functions
SMALL_LINES = 70

EXCUSED: dict[str, str] = {}
"""`path:function` to why it reads better in one piece."""


def sources() -> dict[str, Path]:
    """The product's modules by dotted name."""
    paths = (path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py")))
    return {module_name(path): path for path in paths}


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def complexities(path: Path) -> Iterator[tuple[str, int]]:
    """Every function and method with its complexity."""
    where = path.relative_to(ROOT).as_posix()
    for block in cc_visit(path.read_text(encoding="utf-8")):
        if block.letter != "C":
            owner = f"{block.classname}." if block.letter == "M" else ""
            yield f"{where}:{owner}{block.name}", block.complexity


def class_names(trees: dict[str, ast.Module]) -> Counter[str]:
    """How often a public class name is defined."""
    nodes = (node for tree in trees.values() for node in ast.walk(tree))
    named = (node.name for node in nodes if isinstance(node, ast.ClassDef))
    return Counter(name for name in named if not name.startswith("_"))


def importers(trees: dict[str, ast.Module]) -> dict[str, set[str]]:
    """Which modules import a module of the product."""
    found: dict[str, set[str]] = defaultdict(set)
    for importer, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                targets = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and node.module:
                inside = [f"{node.module}.{alias.name}" for alias in node.names]
                targets = [name if name in trees else node.module for name in inside]
            else:
                continue
            for target in set(targets) & trees.keys():
                found[target].add(importer)
    return found


def circle(imported_by: dict[str, set[str]]) -> list[str]:
    """Modules that import one another, those of lazy imports included; empty without any."""
    try:
        TopologicalSorter(imported_by).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def main() -> int:
    paths = sources()
    trees = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in paths.items()}
    counted = dict(pair for path in paths.values() for pair in complexities(path))
    above = {name: count for name, count in counted.items() if count > MOST_COMPLEX}
    doubled = {name: count for name, count in class_names(trees).items() if count > 1}
    faults = [
        f"{name}: complexity {count}; at most {MOST_COMPLEX}, or a reason in .ci/house.py"
        for name, count in sorted(above.items())
        if name not in EXCUSED
    ]
    faults += [
        f"{name}: excused in .ci/house.py, and not above {MOST_COMPLEX}"
        for name in EXCUSED.keys() - above.keys()
    ]
    if len(EXCUSED) > MOST_EXCUSED * len(counted):
        share = f"{MOST_EXCUSED:.0%} of {len(counted)}"
        faults.append(f"{len(EXCUSED)} functions are excused; at most {share}")
    faults += [f"class {name} is defined {count} times" for name, count in sorted(doubled.items())]
    imported_by = importers(trees)
    if modules := circle(imported_by):
        faults.append(f"modules import one another: {' -> '.join(modules)}")
    if "--figures" in sys.argv[1:]:
        lines = {name: path.read_text(encoding="utf-8").count("\n") for name, path in paths.items()}
        sizes = sorted(lines.values())
        alone = [name for name, by in imported_by.items() if len(by) == 1]
        print(f"lines {sum(sizes):,}, modules {len(sizes)}")
        print(
            f"lines a module: median {median(sizes):g}, p90 {sizes[int(0.9 * len(sizes))]}, most {sizes[-1]}"
        )
        print(
            f"functions {len(counted):,}, above {MOST_COMPLEX}: {len(above)} ({len(above) / len(counted):.2%})"
        )
        print(f"classes defined more than once: {len(doubled)}")
        print(
            f"modules with one importer: {len(alone)}, of them under {SMALL_LINES} lines: "
            f"{sum(lines[name] < SMALL_LINES for name in alone)}"
        )
    for fault in faults:
        print(fault, file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
