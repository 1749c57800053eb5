"""Migration: what another API, package or version would touch, in order; what is deprecated; schema steps."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from shared.models.agent import CheckedItem, RepositoryExamination
from shared.models.findings import Place, Severity
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent import schema_migrations
from workers.tools.agent.deprecations import REMOVED, NamedUse, marked_deprecated, named_uses
from workers.tools.agent.distribution_names import distributions_of, normalised
from workers.tools.agent.examination import Points, run_apart
from workers.tools.agent.foreign_imports import JS_SUFFIXES, javascript_packages
from workers.tools.agent.manifests import DeclaredDependency, is_manifest, manifests
from workers.tools.agent.module_graph import layers, module_graph
from workers.tools.agent.repository_files import RepositoryFiles, is_foreign, is_sample, is_test
from workers.tools.agent.search_words import read_query
from workers.tools.registry import ToolContext

RULES = {
    **schema_migrations.RULES,
    "migration.deprecated": Severity.MINOR,
    "migration.own-deprecated": Severity.INFO,
}
MOST_PLACES, MOST_FILES, MOST_SUBJECTS = 20, 200, 5
_PAGES = (".md", ".rst", ".txt")
_CONFIGURED = (".toml", ".cfg", ".ini", ".yml", ".yaml", ".json")
_LOCKS = re.compile(r"(?:^|/)(?:[^/]*\.lock|[^/]*-lock\.(?:json|yaml)|go\.sum)$")
_TARGET = re.compile(r"\b(?:to|with|onto|into|by)\s+[`'\"]?$", re.IGNORECASE)
_KOREAN_TARGET = re.compile(r"[`'\"]?\s*(?:으로|로)(?![가-힣])")


@dataclass(frozen=True)
class MigrationSubject:
    """What is moved away from: a name of code, or a package with what it is imported by."""

    name: str
    declared: tuple[DeclaredDependency, ...] = ()


def wanted(path: str) -> bool:
    """Sources, manifests, configuration, pages and SQL."""
    if _LOCKS.search(path):
        return False
    ends = (".py", ".sql", *JS_SUFFIXES, *_PAGES, *_CONFIGURED)
    return path.endswith(ends) or is_manifest(path)


def run(inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """Points on what is deprecated, items for what is to be moved. Raises `ToolError`."""
    return run_apart(__name__, inputs, context)


def examine(files: RepositoryFiles) -> RepositoryExamination:
    """Find the uses of what the task names, deprecated names, and the schema's migrations."""
    points = Points(RULES)
    uses = {path: tuple(named_uses(tree)) for path in files.python() if (tree := files.tree(path))}
    _check_deprecated(points, files, uses)
    facts = schema_migrations.check_schema(points, files)
    items: list[CheckedItem] = []
    for subject in _subjects(files, uses):
        touched = dict(_touched(files, uses, subject))
        ordered = _in_order(files, touched)
        facts += _facts(subject, touched)
        items += [_item(subject, path, touched[path]) for path in ordered]
    if not items and files.task.strip():
        facts.append(notice("exam_migration_nothing_named"))
    return points.examination(facts, items[:MOST_FILES])


# ---- what is deprecated -------------------------------------------------------------------------

Uses = Mapping[str, tuple[NamedUse, ...]]


def _check_deprecated(points: Points, files: RepositoryFiles, uses: Uses) -> None:
    own = {
        name: path
        for path in uses
        if "eprecat" in files.texts[path] and (tree := files.tree(path))
        for name in marked_deprecated(tree)
    }
    for path, named in uses.items():
        for use in named:
            _check_use(points, path, use, own)


def _check_use(points: Points, path: str, use: NamedUse, own: Mapping[str, str]) -> None:
    gone = _gone(use.name)
    if gone is not None:
        since, instead = REMOVED[gone]
        points.add(
            "migration.deprecated", path, use.line, name=gone, since=since, instead=instead or "-"
        )
    last = use.name.rpartition(".")[2]
    definition = own.get(last, path)
    if definition != path and _is_from(use.name, definition):
        points.add("migration.own-deprecated", path, use.line, name=last, file=definition)


def _gone(name: str) -> str | None:
    parts = name.split(".")
    return next(
        (known for n in range(1, len(parts) + 1) if (known := ".".join(parts[:n])) in REMOVED), None
    )


def _is_from(name: str, path: str) -> bool:
    """Whether a dotted name may be one of that file's."""
    stem = path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
    package = path.split("/", maxsplit=1)[0].removesuffix(".py")
    return stem in name.split(".") or name.startswith(f"{package}.")


# ---- what the task names ------------------------------------------------------------------------


def _subjects(files: RepositoryFiles, uses: Uses) -> Iterator[MigrationSubject]:
    """The packages that the task names and somebody declares or imports, and names of code that are used."""
    declared = _declared(files)
    known = _known_names(files.task, {*declared, *map(normalised, _imported_tops(uses))})
    old = [name for name in known if not _is_goal(files.task, name)] or known
    for name in old[:MOST_SUBJECTS]:
        yield MigrationSubject(name, tuple(declared.get(normalised(name), ())))


def _declared(files: RepositoryFiles) -> Mapping[str, list[DeclaredDependency]]:
    declared: defaultdict[str, list[DeclaredDependency]] = defaultdict(list)
    for manifest in manifests(files):
        for row in manifest.dependencies:
            declared[normalised(row.name)].append(row)
    return declared


def _known_names(task: str, packages: Collection[str]) -> list[str]:
    """What the task names, and is a package of the repository or can only be a name of code."""
    names = read_query(task).names if task.strip() else ()
    return [
        name
        for name in names
        if normalised(name.partition(".")[0]) in packages
        or normalised(name) in packages
        or _is_code(name)
    ]


def _imported_tops(uses: Uses) -> frozenset[str]:
    return frozenset(use.name.partition(".")[0] for named in uses.values() for use in named)


def _is_code(name: str) -> bool:
    """As no word of a sentence is written: with a dot, an underscore, or a capital inside."""
    return any(mark in name for mark in "._") or bool(re.search(r"[a-z][A-Z]", name))


def _is_goal(task: str, name: str) -> bool:
    """What the task wants to move to."""
    before, _, after = task.partition(name)
    return bool(_TARGET.search(before)) or bool(_KOREAN_TARGET.match(after))


@dataclass(frozen=True)
class TouchedFile:
    """What of a file would have to be looked at: `kind` is what the file is."""

    kind: str
    lines: tuple[int, ...]
    text: str = ""


def _touched(
    files: RepositoryFiles, uses: Uses, subject: MigrationSubject
) -> Iterator[tuple[str, TouchedFile]]:
    """Every file that names the subject, with the lines."""
    for row in subject.declared:
        yield row.path, TouchedFile("manifest", (row.line,), row.specifier)
    tops = _imported_as(subject, uses)
    word = re.compile(rf"(?<![\w.-]){re.escape(subject.name)}(?![\w-])")
    manifest_paths = {row.path for row in subject.declared}
    for path, text in files.texts.items():
        if path in manifest_paths or is_foreign(path) or is_sample(path):
            continue
        lines = _lines(path, text, uses, subject, tops, word)
        if lines:
            yield path, TouchedFile(_kind(path), tuple(lines))


def _lines(
    path: str,
    text: str,
    uses: Uses,
    subject: MigrationSubject,
    tops: Collection[str],
    word: re.Pattern[str],
) -> list[int]:
    """By the imports where those can be read, else by the name in the text."""
    named = {use.line for use in uses.get(path, ()) if _names(use.name, subject.name, tops)}
    if named or (tops and path in uses):
        return sorted(named)
    if path.endswith(JS_SUFFIXES) and tops:
        return [line for name, line in javascript_packages(text) if name == subject.name]
    return _written(text, subject.name, word)


def _written(text: str, name: str, word: re.Pattern[str]) -> list[int]:
    if name not in text:
        return []
    return [number for number, line in enumerate(text.split("\n"), 1) if word.search(line[:2000])]


def _imported_as(subject: MigrationSubject, uses: Uses) -> frozenset[str]:
    """The top-level names by which Python imports the package; none for a name of code."""
    if "." in subject.name:
        return frozenset()
    plain = normalised(subject.name)
    return frozenset(
        top for top in _imported_tops(uses) if top == subject.name or plain in distributions_of(top)
    )


def _names(used: str, name: str, tops: Collection[str]) -> bool:
    if tops:
        return used.partition(".")[0] in tops
    return used == name or used.startswith(f"{name}.") or used.endswith(f".{name}")


def _kind(path: str) -> str:
    if is_test(path):
        return "test"
    if path.endswith((".py", ".sql", *JS_SUFFIXES)):
        return "code"
    return "page" if path.endswith(_PAGES) else "configuration"


_KINDS = {
    "manifest": "exam_migration_manifest",
    "configuration": "exam_migration_configuration",
    "code": "exam_migration_code",
    "test": "exam_migration_test",
    "page": "exam_migration_page",
}
"""The kinds of files in the order in which they are migrated."""


def _in_order(files: RepositoryFiles, touched: Mapping[str, TouchedFile]) -> list[str]:
    """Manifests first, then code from what others import up to what nobody does, then tests and pages."""
    graph, order = module_graph(files), tuple(_KINDS)
    groups = layers(graph.paths, graph.imported)
    rank = {path: number for number, group in enumerate(groups) for path in group}
    return sorted(
        touched, key=lambda path: (order.index(touched[path].kind), rank.get(path, 0), path)
    )


def _item(subject: MigrationSubject, path: str, file: TouchedFile) -> CheckedItem:
    name = f"{subject.name} {file.text}".strip()
    return CheckedItem(
        item=f"{path}: {name}",
        state="place",
        places=tuple(Place(path=path, line=line) for line in file.lines[:MOST_PLACES]),
        reason=notice(_KINDS[file.kind], n=len(file.lines)),
    )


def _facts(subject: MigrationSubject, touched: Mapping[str, TouchedFile]) -> Iterable[Notice]:
    yield notice(
        "exam_migration_subject",
        name=subject.name,
        files=len(touched),
        n=sum(len(file.lines) for file in touched.values()),
    )
    for row in subject.declared:
        yield notice(
            "exam_migration_declared",
            name=row.name,
            specifier=row.specifier or "*",
            path=row.path,
            line=row.line,
        )
