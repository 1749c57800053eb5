"""Dependencies: what is imported, what is declared, what is locked, and where these differ."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator

from shared.models.agent import RepositoryExamination
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent.distribution_names import (
    distributions_of,
    imports_of,
    is_namespace_of,
)
from workers.tools.agent.examination import Points, run_apart
from workers.tools.agent.foreign_imports import JS_SUFFIXES
from workers.tools.agent.lock_files import LockFile, is_lock, lock_files
from workers.tools.agent.manifests import (
    DeclaredDependency,
    DependencyScope,
    Ecosystem,
    Manifest,
    is_manifest,
    manifests,
)
from workers.tools.agent.package_uses import PACKAGE_USES, PackageUse
from workers.tools.agent.repository_files import (
    RepositoryFiles,
    is_below,
    is_product,
    is_sample,
    parent_of,
)
from workers.tools.registry import ToolContext

RULES = {
    "dependency.undeclared": Severity.MAJOR,
    "dependency.transitive": Severity.MINOR,
    "dependency.dev-in-product": Severity.MAJOR,
    "dependency.unused": Severity.INFO,
    "dependency.unpinned": Severity.MINOR,
    "dependency.lock-missing": Severity.MINOR,
    "dependency.not-in-lock": Severity.MAJOR,
    "dependency.lock-differs": Severity.MAJOR,
    "dependency.several-versions": Severity.MINOR,
}
_CONFIGURATION = (
    ".toml",
    ".cfg",
    ".ini",
    ".yml",
    ".yaml",
    ".json",
    ".sh",
    ".html",
    ".vue",
    ".svelte",
    ".css",
    ".scss",
)
_NAMED = ("Dockerfile", "Procfile", "Makefile")
_COMPILED = (Ecosystem.GO, Ecosystem.RUST)
_ANY_VERSION = frozenset({"", "*", "latest", "x"})


def wanted(path: str) -> bool:
    """Sources, manifests, locks, and what may name a package."""
    suffixes = (".py", ".go", *JS_SUFFIXES, *_CONFIGURATION)
    name = path.rsplit("/", 1)[-1]
    return is_manifest(path) or is_lock(path) or path.endswith(suffixes) or name.startswith(_NAMED)


def run(inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """Points on dependencies. Raises `ToolError`."""
    return run_apart(__name__, inputs, context)


def examine(files: RepositoryFiles) -> RepositoryExamination:
    """Compare imports, manifests and locks."""
    locks = [lock for lock in lock_files(files) if not is_sample(lock.path)]
    lock_paths = {lock.path for lock in locks}
    declared = [row for row in manifests(files) if row.path not in lock_paths]
    points = Points(RULES)
    used = [use for imports in PACKAGE_USES.values() for use in imports(files)]
    for use in used:
        _check_use(points, use, declared, locks)
    _check_unused(points, declared, files, lock_paths, used)
    for manifest in declared:
        _check_locked(points, manifest, locks, files)
    _check_versions(points, declared)
    return points.examination(_facts(declared, locks))


def _check_use(
    points: Points, use: PackageUse, declared: list[Manifest], locks: list[LockFile]
) -> None:
    """An import must be covered by a manifest above its file; a development one only outside the product."""
    own = [manifest for manifest in declared if manifest.ecosystem is use.ecosystem]
    governing = [manifest for manifest in own if is_below(use.path, manifest.folder)]
    if _is_excused(use, own) or not _are_whole(governing):
        return
    rows = [row for row in _rows(governing) if _covers(row, use)]
    if rows:
        _check_scope(points, use, rows, governing)
    else:
        _name_missing(points, use, governing, locks)


def _name_missing(
    points: Points, use: PackageUse, governing: list[Manifest], locks: list[LockFile]
) -> None:
    rule = "dependency.transitive" if _is_locked(use, locks) else "dependency.undeclared"
    manifest = max((row.path for row in governing), key=lambda path: path.count("/"))
    points.add(rule, use.path, use.line, name=_shown(use), manifest=manifest)


def _is_excused(use: PackageUse, own: Iterable[Manifest]) -> bool:
    return use.guarded or not is_product(use.path) or _is_own(use, own)


def _check_scope(
    points: Points, use: PackageUse, rows: list[DeclaredDependency], governing: list[Manifest]
) -> None:
    if {row.scope for row in rows} == {DependencyScope.DEVELOPMENT} and _ships(governing):
        name, manifest = rows[0].name, rows[0].path
        points.add("dependency.dev-in-product", use.path, use.line, name=name, manifest=manifest)


def _rows(declared: Iterable[Manifest]) -> Iterator[DeclaredDependency]:
    for manifest in declared:
        yield from manifest.dependencies


def _is_own(use: PackageUse, declared: Iterable[Manifest]) -> bool:
    return any(manifest.name and _is_itself(manifest, use) for manifest in declared)


def _is_locked(use: PackageUse, locks: Iterable[LockFile]) -> bool:
    governing = (lock for lock in locks if lock.ecosystem is use.ecosystem)
    names = _names(use)
    return any(
        is_below(use.path, lock.folder) and names & lock.versions.keys() for lock in governing
    )


def _are_whole(governing: list[Manifest]) -> bool:
    """Whether everything that is declared is known: a program may work it out, or another manifest may."""
    if any(_is_worked_out(manifest) for manifest in governing):
        return False
    return any(manifest.whole and _declares(manifest) for manifest in governing)


def _is_worked_out(manifest: Manifest) -> bool:
    return not manifest.whole and (
        bool(manifest.dependencies) or manifest.path.endswith("setup.py")
    )


def _declares(manifest: Manifest) -> bool:
    return bool(manifest.dependencies) or manifest.ecosystem is not Ecosystem.PYTHON


def _ships(governing: list[Manifest]) -> bool:
    """Whether the product has dependencies apart from those of development; a bundled web page has none."""
    if any(manifest.ecosystem is Ecosystem.JAVASCRIPT for manifest in governing):
        return False
    return any(row.scope is DependencyScope.PRODUCT for row in _rows(governing))


def _covers(row: DeclaredDependency, use: PackageUse) -> bool:
    if row.ecosystem is Ecosystem.PYTHON:
        return row.name in distributions_of(use.name) or is_namespace_of(use.name, row.name)
    if row.ecosystem is Ecosystem.GO:
        return f"{use.name}/".startswith(f"{row.name}/")
    return (
        row.name == use.name
        or row.name == f"@types/{use.name.removeprefix('@').replace('/', '__')}"
    )


def _is_itself(manifest: Manifest, use: PackageUse) -> bool:
    if manifest.ecosystem is Ecosystem.PYTHON:
        return manifest.name in distributions_of(use.name)
    return f"{use.name}/".startswith(f"{manifest.name}/")


def _names(use: PackageUse) -> frozenset[str]:
    if use.path.endswith(".py"):
        return distributions_of(use.name)
    return frozenset({use.name})


def _shown(use: PackageUse) -> str:
    return use.name.partition(".")[0] if use.path.endswith(".py") else use.name


def _check_unused(
    points: Points,
    declared: Iterable[Manifest],
    files: RepositoryFiles,
    locks: set[str],
    used: Collection[PackageUse],
) -> None:
    """A product's dependency whose name stands nowhere but in manifests and locks."""
    silent = locks | {row.path for row in declared if not row.path.endswith("setup.py")}
    texts = [text.casefold() for path, text in files.texts.items() if path not in silent]
    for row in _rows(declared):
        if row.scope is not DependencyScope.PRODUCT or row.ecosystem in _COMPILED:
            continue
        if not _is_used(row, used) and not _is_mentioned(row, texts, files.texts[row.path]):
            points.add("dependency.unused", row.path, row.line, name=row.name)


def _is_used(row: DeclaredDependency, used: Iterable[PackageUse]) -> bool:
    return any(
        use.ecosystem is row.ecosystem and _covers(row, use) for use in used
    ) or _is_added_on(row.name)


def _is_mentioned(row: DeclaredDependency, texts: Iterable[str], manifest: str) -> bool:
    """Named anywhere, or once more in its own manifest: by a script, a plugin, a setting."""
    again = re.findall(rf"(?<![\w-]){re.escape(row.name)}(?![\w-])", manifest, re.IGNORECASE)
    python = row.ecosystem is Ecosystem.PYTHON
    names = {name.casefold() for name in imports_of(row.name)} if python else set()
    return len(again) > 1 or any(name in text for text in texts for name in {row.name, *names})


def _is_added_on(name: str) -> bool:
    """Used without being imported: stubs, plugins, servers, drivers and tools of the command line."""
    return bool(
        re.search(
            r"^(?:types-|@types/|pytest-|eslint-|flake8-|babel-|@babel/|gunicorn|uvicorn|uwsgi|psycopg|mysqlclient|asyncpg|"
            r"aiosqlite|greenlet|tzdata|cryptography|certifi|brotli|uvloop|httptools|watchdog|hiredis|lxml|html5lib|setuptools|"
            r"wheel|pip$|colorama|typescript|react-dom|tslib|python$)|-stubs$|-plugin|-loader$|-cli$|-backend|-binary$|-theme",
            name,
        )
    )


def _check_locked(
    points: Points, manifest: Manifest, locks: list[LockFile], files: RepositoryFiles
) -> None:
    governing = [lock for lock in locks if _governs(lock, manifest)]
    lock = max(governing, key=lambda lock: len(lock.folder), default=None)
    if lock is None:
        _check_unlocked(points, manifest, files)
    elif lock.root is not None and lock.folder == manifest.folder:
        _check_root(points, manifest, lock)
    else:
        _check_held(points, manifest, lock, {name for row in governing for name in row.versions})


def _check_held(points: Points, manifest: Manifest, lock: LockFile, locked: set[str]) -> None:
    asked = [row for row in manifest.dependencies if row.scope is not DependencyScope.OPTIONAL]
    for row in asked if _is_lock_of(manifest, locked, lock) else ():
        if row.name not in locked and not _is_local(row):
            points.add("dependency.not-in-lock", row.path, row.line, name=row.name, lock=lock.path)


def _governs(lock: LockFile, manifest: Manifest) -> bool:
    inside = f"{manifest.folder}/x".lstrip("/")
    return lock.ecosystem is manifest.ecosystem and is_below(inside, lock.folder)


def _is_lock_of(manifest: Manifest, locked: set[str], lock: LockFile) -> bool:
    """A lock beside its manifest that has most of it; a compiled list may be another one's."""
    if lock.folder != manifest.folder or any(";" in row.specifier for row in manifest.dependencies):
        return False
    compiled = "requirements" in lock.path.rsplit("/", 1)[-1]
    if manifest.path.endswith((".txt", ".in", "setup.py", "setup.cfg")) and not compiled:
        return False
    rows = [row.name for row in manifest.dependencies if row.scope is DependencyScope.PRODUCT]
    return bool(rows) and 2 * len(locked.intersection(rows)) >= len(rows)


def _is_local(row: DeclaredDependency) -> bool:
    return row.specifier.startswith(
        ("file:", "link:", "workspace:", "portal:", ".", "git", "http", "npm:", "/")
    )


def _check_root(points: Points, manifest: Manifest, lock: LockFile) -> None:
    """package-lock.json keeps what package.json asked for when it was written."""
    root = lock.root or {}
    for row in manifest.dependencies:
        if row.scope is DependencyScope.OPTIONAL:
            continue
        if row.name not in root:
            points.add("dependency.not-in-lock", row.path, row.line, name=row.name, lock=lock.path)
        elif root[row.name] != row.specifier:
            points.add(
                "dependency.lock-differs", row.path, row.line, name=row.name, specifier=row.specifier,
                locked=root[row.name], lock=lock.path,
            )  # fmt: skip


def _check_unlocked(points: Points, manifest: Manifest, files: RepositoryFiles) -> None:
    """Without a lock, a dependency that any version satisfies is another one tomorrow."""
    product = [row for row in manifest.dependencies if row.scope is DependencyScope.PRODUCT]
    for row in product:
        if row.specifier in _ANY_VERSION:
            points.add("dependency.unpinned", row.path, row.line, name=row.name)
    text = files.texts[manifest.path]
    application = {
        Ecosystem.JAVASCRIPT: '"private": true' in text and '"workspaces"' not in text,
        Ecosystem.GO: bool(product),
        Ecosystem.RUST: f"{manifest.folder}/src/main.rs".lstrip("/") in files.known,
    }
    if product and application.get(manifest.ecosystem, False):
        points.add("dependency.lock-missing", manifest.path, 1, n=len(product))


def _check_versions(points: Points, declared: Iterable[Manifest]) -> None:
    """One package at two exact versions in manifests that are installed together."""
    exact: dict[tuple[Ecosystem, str, str], dict[str, DeclaredDependency]] = defaultdict(dict)
    for row in _rows(declared):
        match = re.fullmatch(r"===?\s*([\w.+!-]+)|(\d+\.\d+\.\d+[\w.-]*)", row.specifier)
        if match:
            folder = parent_of(row.path)
            exact[row.ecosystem, folder, row.name].setdefault(match.group(1) or match.group(2), row)
    for (_, _, name), rows in exact.items():
        if len(rows) > 1:
            last = list(rows.values())[-1]
            points.add(
                "dependency.several-versions",
                last.path,
                last.line,
                name=name,
                versions=", ".join(sorted(rows)),
            )


def _facts(declared: list[Manifest], locks: list[LockFile]) -> Iterator[Notice]:
    for manifest in declared:
        scopes = Counter(row.scope for row in manifest.dependencies)
        yield notice(
            "exam_dependency_manifest",
            path=manifest.path,
            product=scopes[DependencyScope.PRODUCT],
            optional=scopes[DependencyScope.OPTIONAL],
            development=scopes[DependencyScope.DEVELOPMENT],
        )
    for lock in locks:
        several = sum(len(versions) > 1 for versions in lock.versions.values())
        yield notice("exam_dependency_lock", path=lock.path, n=len(lock.versions), several=several)
    yield notice("exam_dependency_no_advisories")
