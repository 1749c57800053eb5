"""Schema migrations of a repository: their order, heads, and ways back. Alembic, Django, and numbered SQL files."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from workers.tools.agent.docstrings import FunctionNode
from workers.tools.agent.examination import Points
from workers.tools.agent.repository_files import (
    RepositoryFiles,
    is_foreign,
    is_sample,
    is_test,
    parent_of,
)

RULES = {
    "migration.several-heads": Severity.MAJOR,
    "migration.unknown-parent": Severity.MAJOR,
    "migration.same-number": Severity.MAJOR,
    "migration.no-way-back": Severity.INFO,
}
_SQL = re.compile(
    r"(?:(?P<flyway>[VU])(?P<version>\d+(?:[._]\d+)*)__|(?P<number>\d{1,14})[-_.])[^/]*?(?P<way>\.(?:up|down))?\.sql$"
)
_SQL_FOLDER = re.compile(
    r"(?:^|/)(?:\w*migrations?\w*|migrate|versions|schema|sql|db)(?:/|$)", re.IGNORECASE
)
_DOWN_INSIDE = re.compile(
    r"^[ \t]*--[ \t]*(?:\+goose +Down|migrate:down|\+migrate +Down|rollback\b)", re.M | re.I
)
_UP_INSIDE = re.compile(r"^[ \t]*--[ \t]*(?:\+goose +Up|migrate:up|\+migrate +Up)", re.M | re.I)


@dataclass(frozen=True)
class SchemaMigration:
    """One step. `parents` are the names that it follows.

    `way_back`: whether it can be undone, None where it need not say so.
    """

    name: str
    path: str
    line: int
    parents: tuple[str, ...]
    way_back: bool | None = None


def is_schema_migration(path: str) -> bool:
    """Whether a file may be one, by its name."""
    return bool(_SQL.search(path.rsplit("/", 1)[-1])) and bool(_SQL_FOLDER.search(parent_of(path)))


def check_schema(points: Points, files: RepositoryFiles) -> list[Notice]:
    """Points on every series of migrations, and a fact on each."""
    facts = []
    series = _chained(files)
    names = {step.name for steps in series.values() for step in steps}
    for (kind, folder), steps in sorted(series.items()):
        heads = _check_chain(points, steps, names)
        facts.append(_fact(kind, folder, len(steps), heads))
    for folder, paths in sorted(_numbered(files).items()):
        facts.append(_check_numbers(points, files, folder, paths))
    return facts


def _fact(kind: str, folder: str, n: int, heads: Sequence[str]) -> Notice:
    return notice(
        "exam_migration_series", kind=kind, folder=folder or ".", n=n, head=", ".join(heads[:5])
    )


# ---- steps that name the one before -------------------------------------------------------------


def _chained(files: RepositoryFiles) -> Mapping[tuple[str, str], list[SchemaMigration]]:
    series: defaultdict[tuple[str, str], list[SchemaMigration]] = defaultdict(list)
    for path in filter(lambda path: not is_test(path), files.python()):
        text = files.texts[path]
        for kind, marks, read in (
            ("Alembic", ("down_revision", "revision"), _alembic),
            ("Django", ("Migration(", "dependencies"), _django),
        ):
            tree = files.tree(path) if all(mark in text for mark in marks) else None
            step = read(path, tree) if tree is not None else None
            if step is not None:
                series[kind, parent_of(path)].append(step)
    return series


def _alembic(path: str, tree: ast.Module) -> SchemaMigration | None:
    """A file with `revision` and `down_revision` at its top level."""
    values = {name: (value, line) for name, value, line in _assigned(tree.body)}
    name, line = values.get("revision", (None, 1))
    if not isinstance(name, str) or "down_revision" not in values:
        return None
    parents, _ = values["down_revision"]
    listed = parents if isinstance(parents, tuple) else (parents,)
    backs = (
        each for each in tree.body if isinstance(each, FunctionNode) and each.name == "downgrade"
    )
    named = tuple(each for each in listed if isinstance(each, str))
    return SchemaMigration(name, path, line, named, any(map(_does_something, backs)))


def _django(path: str, tree: ast.Module) -> SchemaMigration | None:
    """`class Migration` in a folder `migrations`; what it follows in other apps is not looked at."""
    *folders, file = path.split("/")
    classes = [
        each for each in tree.body if isinstance(each, ast.ClassDef) and each.name == "Migration"
    ]
    if not classes or folders[-1:] != ["migrations"]:
        return None
    node = classes[0]
    app = folders[-2] if len(folders) > 1 else ""
    parents = tuple(name for label, name in _dependencies(node) if label == app)
    return SchemaMigration(file.removesuffix(".py"), path, node.lineno, parents, _undoes_data(node))


def _dependencies(node: ast.ClassDef) -> Iterator[tuple[str, str]]:
    """The pairs of `dependencies` that are texts; what Django works out is left out."""
    for statement in node.body:
        if isinstance(statement, ast.Assign) and _is_named(statement, "dependencies"):
            rows = getattr(statement.value, "elts", ())
            for pair in map(_literal, rows):
                if isinstance(pair, tuple) and len(pair) == 2:
                    yield str(pair[0]), str(pair[1])


def _undoes_data(node: ast.ClassDef) -> bool | None:
    """Whether every RunPython and RunSQL has its reverse; None where there is neither."""
    least = {"RunPython": ("reverse_code", 2), "RunSQL": ("reverse_sql", 2)}
    calls = [
        call
        for call in ast.walk(node)
        if isinstance(call, ast.Call)
        and isinstance(call.func, ast.Attribute)
        and call.func.attr in least
    ]
    if not calls:
        return None
    return all(_has_reverse(call, *least[call.func.attr]) for call in calls)  # type: ignore[attr-defined]


def _has_reverse(call: ast.Call, keyword: str, least: int) -> bool:
    return len(call.args) >= least or any(each.arg in (keyword, None) for each in call.keywords)


def _assigned(body: Sequence[ast.stmt]) -> Iterator[tuple[str, object, int]]:
    for node in body:
        targets: Sequence[ast.expr] = ()
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        for target in targets:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if isinstance(target, ast.Name):
                yield target.id, _literal(value), node.lineno


def _literal(value: ast.expr | None) -> object:
    try:
        return ast.literal_eval(value) if value is not None else None
    except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
        return None


def _is_named(node: ast.Assign, name: str) -> bool:
    return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)


def _does_something(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """More than a docstring, `pass` or `...`."""
    return any(
        not (
            isinstance(each, ast.Pass)
            or (isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant))
        )
        for each in node.body
    )


def _check_chain(
    points: Points, steps: Sequence[SchemaMigration], elsewhere: Collection[str]
) -> list[str]:
    """The heads of a series: nothing follows them."""
    known = {step.name: step for step in steps}
    for step in steps:
        _check_step(points, step, elsewhere)
        if known[step.name] is not step:
            points.add("migration.same-number", step.path, step.line, name=step.name, n=2)
    followed = {parent for step in steps for parent in step.parents if parent}
    heads = sorted(name for name in known if not _is_any(name, followed))
    if len(heads) > 1:
        last, names = known[heads[-1]], ", ".join(heads[:5])
        points.add("migration.several-heads", last.path, last.line, n=len(heads), names=names)
    return heads


def _check_step(points: Points, step: SchemaMigration, names: Collection[str]) -> None:
    for parent in step.parents:
        if not any(name.startswith(parent) for name in names):
            points.add(
                "migration.unknown-parent", step.path, step.line, name=step.name, parent=parent
            )
    if step.way_back is False:
        points.add("migration.no-way-back", step.path, step.line, name=step.name)


def _is_any(name: str, beginnings: Collection[str]) -> bool:
    """Alembic takes the beginning of a name for it."""
    return any(name.startswith(beginning) for beginning in beginnings)


# ---- steps that are numbered --------------------------------------------------------------------


def _numbered(files: RepositoryFiles) -> Mapping[str, list[str]]:
    folders: defaultdict[str, list[str]] = defaultdict(list)
    for path in files.paths:
        if is_schema_migration(path) and not is_foreign(path) and not is_sample(path):
            folders[parent_of(path)].append(path)
    return {folder: paths for folder, paths in folders.items() if len(paths) > 1}


def _check_numbers(
    points: Points, files: RepositoryFiles, folder: str, paths: Sequence[str]
) -> Notice:
    ups: defaultdict[tuple[int, ...], list[str]] = defaultdict(list)
    downs: set[tuple[int, ...]] = set()
    for path in paths:
        number, is_down = _number(path)
        if is_down:
            downs.add(number)
        else:
            ups[number].append(path)
    for number, same in ups.items():
        if len(same) > 1:
            label = ".".join(map(str, number))
            points.add("migration.same-number", same[-1], 1, name=label, n=len(same))
    _check_ways_back(points, files, ups, downs)
    last = ups[max(ups)][0].rsplit("/", 1)[-1] if ups else ""
    return _fact("SQL", folder, len(ups), [last] if last else [])


def _check_ways_back(
    points: Points,
    files: RepositoryFiles,
    ups: Mapping[tuple[int, ...], Sequence[str]],
    downs: Collection[tuple[int, ...]],
) -> None:
    """Only where the project goes both ways at all is one missing."""
    for number, same in sorted(ups.items()):
        path = same[0]
        text = files.texts.get(path, "")
        is_expected = bool(downs) or bool(_UP_INSIDE.search(text))
        if is_expected and number not in downs and not _DOWN_INSIDE.search(text):
            points.add("migration.no-way-back", path, 1, name=path.rsplit("/", 1)[-1])


def _number(path: str) -> tuple[tuple[int, ...], bool]:
    match = _SQL.search(path.rsplit("/", 1)[-1])
    assert match is not None
    digits = re.split(r"[._]", match["version"] or match["number"])
    return tuple(int(each) for each in digits), match["flyway"] == "U" or match["way"] == ".down"
