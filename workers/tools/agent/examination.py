"""How an examiner is run: the files that it reads are given to a process of its own, its points come back.

An examiner is a module with `RULES` (each rule's severity), `wanted(path)`, and `examine(files)`, a pure function of
`RepositoryFiles`. Sources are somebody else's: they are parsed in the sandbox, where they may take memory and time.

The process sees this product's modules by links in a folder of its own, for it may not list the one they are in.
"""

from __future__ import annotations

import gc
import importlib
import json
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Protocol, cast

from pydantic import ValidationError

from shared.errors import ToolError
from shared.models.agent import CheckedItem, ExaminedPoint, RepositoryExamination
from shared.models.findings import Place, Severity
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent.repository_files import RepositoryFiles, is_foreign
from workers.tools.agent.workspace import open_workspace
from workers.tools.registry import ToolContext
from workers.tools.sandbox.sandbox import execute, scratch

LARGEST_FILE = 2 * 1024 * 1024
LARGEST_ALL = 256 * 1024 * 1024
MOST_POINTS = 50  # of one rule; how many more there are is a fact
_PACKAGES = tuple(Path(__file__).parents[3] / name for name in ("shared", "workers"))
_PROGRAM = """
import sys
sys.path.insert(0, sys.argv[1])
from workers.tools.sandbox.deep import main
main("workers.tools.agent.examination", "main", sys.argv[2:])
"""


class Examiner(Protocol):
    """A module that looks at a repository."""

    def wanted(self, path: str) -> bool:
        """Whether the file is read."""

    def examine(self, files: RepositoryFiles) -> RepositoryExamination:
        """What there is to say of the files."""


class Points:
    """The points of one examination, each by a rule of its table; the words are `exam_<rule>` with its parameters."""

    def __init__(self, rules: Mapping[str, Severity]) -> None:
        self._rules = rules
        self._points: dict[str, ExaminedPoint] = {}

    def add(
        self, rule: str, path: str | None = None, line: int = 1, **params: str | float | None
    ) -> None:
        """Raise a point; the same one is raised once."""
        point = ExaminedPoint(
            rule=rule,
            message=notice(point_code(rule), **params),
            severity=self._rules[rule],
            place=None if path is None else Place(path=path, line=max(1, line)),
        )
        self._points.setdefault(point.model_dump_json(), point)

    def examination(
        self, facts: Iterable[Notice] = (), items: Iterable[CheckedItem] = ()
    ) -> RepositoryExamination:
        """Everything in order, the worst first; of one rule, the first MOST_POINTS."""
        points = sorted(self._points.values(), key=_order)
        counts = Counter(point.rule for point in points)
        shown: Counter[str] = Counter()
        kept = []
        for point in points:
            shown[point.rule] += 1
            if shown[point.rule] <= MOST_POINTS:
                kept.append(point)
        more = (
            notice("exam_more", rule=rule, n=count - MOST_POINTS)
            for rule, count in sorted(counts.items())
            if count > MOST_POINTS
        )
        return RepositoryExamination(points=tuple(kept), items=tuple(items), facts=(*facts, *more))


def _order(point: ExaminedPoint) -> tuple[int, str, int, str]:
    place = point.place
    return (
        point.severity.rank,
        place.path if place else "",
        place.line if place else 0,
        point.rule,
    )


def point_code(rule: str) -> str:
    """The code of a rule's words."""
    return f"exam_{rule.replace('.', '_').replace('-', '_')}"


def run_apart(module: str, inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """Look at a workspace with the examiner of that module, in the sandbox. Raises `ToolError`."""
    with open_workspace(inputs.workspace, context) as tree:
        paths = tree.paths()
        wanted = cast(Examiner, sys.modules[module]).wanted
        read = _texts(tree.read_all(_fitting(paths, wanted, tree.size)))
    given = {
        "paths": paths,
        "texts": read,
        "task": inputs.task,
        "documents": [
            context.documents.get(document).decode(errors="replace")
            for document in inputs.documents
        ],
    }
    countdown = context.countdown()
    with scratch() as root:
        for package in _PACKAGES:
            (root / package.name).symlink_to(package)
        finished = execute(
            [sys.executable, "-I", "-c", _PROGRAM, str(root), module],
            cwd=root,
            home=root,
            timeout_s=countdown.remaining_s(),
            stdin=json.dumps(given).encode(),
            confinement=countdown.confinement(output_mb=16),
            reads=_PACKAGES,
        )
    try:
        return RepositoryExamination.model_validate_json(finished.stdout)
    except ValidationError as error:
        name = module.rpartition(".")[2]
        raise ToolError(
            "{name} did not finish: {complaint}.", name=name, complaint=finished.complaint
        ) from error


def _fitting(
    paths: Iterable[str], wanted: Callable[[str], bool], size: Callable[[str], int]
) -> list[str]:
    """The files that are read: those that are wanted, as many as fit."""
    fitting: list[str] = []
    total = 0
    for path in paths:
        if is_foreign(path) or not wanted(path) or size(path) > LARGEST_FILE:
            continue
        total += size(path)
        if total > LARGEST_ALL:
            break
        fitting.append(path)
    return fitting


def _texts(contents: Mapping[str, bytes]) -> dict[str, str]:
    return {
        path: data.decode("utf-8-sig", errors="replace").replace("\r\n", "\n")
        for path, data in contents.items()
        if b"\0" not in data
    }


def main() -> int:
    """Examine what comes on standard input with the module that is named, and write what it says."""
    # Trees have no cycles: collecting them only counts them again and again, three quarters of the time of a large
    # repository. The process ends with its answer.
    gc.disable()
    given = json.load(sys.stdin)
    files = RepositoryFiles(
        tuple(given["paths"]), given["texts"], given["task"], tuple(given["documents"])
    )
    examiner = cast(Examiner, importlib.import_module(sys.argv[1]))
    sys.stdout.write(examiner.examine(files).model_dump_json())
    return 0
