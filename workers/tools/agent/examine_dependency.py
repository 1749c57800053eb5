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
    declared = [manifest for manifest in manifests(files) if not is_sample(manifest.path)]
    locks = [lock for lock in lock_files(files) if not is_sample(lock.path)]
    lock_paths = {lock.path for lock in locks}
    declared = [manifest for manifest in declared if manifest.path not in lock_paths]
    points = Points(RULES)
    used: list[PackageUse] = []
    for ecosystem, imports in PACKAGE_USES.items():
        own = [manifest for manifest in declared if manifest.ecosystem is ecosystem]
        held = [lock for lock in locks if lock.ecosystem is ecosystem]
        for use in imports(files):
            _check_use(points, use, own, held)
            used.append(use)
    _check_unused(points, declared, files, lock_paths, used)
    for manifest in declared:
        _check_locked(points, manifest, locks, files)
    _check_versions(points, declared)
    return points.examination(_facts(declared, locks))


def _check_use(
    points: Points, use: PackageUse, declared: list[Manifest], locks: list[LockFile]
) -> None:
    """An import must be covered by a manifest above its file; a development one only outside the product."""
    governing = [manifest for manifest in declared if is_below(use.path, manifest.folder)]
    if use.guarded or not _are_whole(governing):
        return
    rows = [row for manifest in governing for row in manifest.dependencies if _covers(row, use)]
    if any(manifest.name and _is_itself(manifest, use) for manifest in declared):
        return
    if rows:
        scopes = {row.scope for row in rows}
        if scopes == {DependencyScope.DEVELOPMENT} and is_product(use.path) and _ships(governing):
            points.add(
                "dependency.dev-in-product",
                use.path,
                use.line,
                name=rows[0].name,
                manifest=rows[0].path,
            )
        return
    if not is_product(use.path):
        return
    locked = [
        lock
        for lock in locks
        if is_below(use.path, lock.folder) and _names(use) & lock.versions.keys()
    ]
    manifest = max(governing, key=lambda manifest: len(manifest.folder)).path
    rule = "dependency.transitive" if locked else "dependency.undeclared"
    points.add(rule, use.path, use.line, name=_shown(use), manifest=manifest)


def _are_whole(governing: list[Manifest]) -> bool:
    """Whether everything that is declared is known: a program may work it out, or another manifest may."""
    ships = [
        manifest
        for manifest in governing
        if manifest.dependencies or manifest.ecosystem is not Ecosystem.PYTHON
    ]
    dynamic = any(not manifest.whole and manifest.dependencies for manifest in governing)
    setup = any(manifest.path.endswith("setup.py") and not manifest.whole for manifest in governing)
    return any(manifest.whole for manifest in ships) and not setup and not dynamic


def _ships(governing: list[Manifest]) -> bool:
    """Whether the product has dependencies apart from those of development; a bundled web page has none."""
    if any(manifest.ecosystem is Ecosystem.JAVASCRIPT for manifest in governing):
        return False
    rows = (row for manifest in governing for row in manifest.dependencies)
    return any(row.scope is DependencyScope.PRODUCT for row in rows)


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
    for row in (row for manifest in declared for row in manifest.dependencies):
        if row.scope is not DependencyScope.PRODUCT or row.ecosystem in (
            Ecosystem.GO,
            Ecosystem.RUST,
        ):
            continue
        if any(_covers(row, use) for use in used) or _is_added_on(row.name):
            continue
        python = row.ecosystem is Ecosystem.PYTHON
        names = {name.casefold() for name in imports_of(row.name)} if python else set()
        mentioned = any(name in text for name in {row.name, *names} for text in texts)
        if not mentioned and not _has_configuration_use(row, files):
            points.add("dependency.unused", row.path, row.line, name=row.name)


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


def _has_configuration_use(row: DeclaredDependency, files: RepositoryFiles) -> bool:
    """Named once more in its own manifest: a script, a plugin, a setting."""
    text = files.texts[row.path]
    return len(re.findall(rf"(?<![\w-]){re.escape(row.name)}(?![\w-])", text, re.IGNORECASE)) > 1


def _check_locked(
    points: Points, manifest: Manifest, locks: list[LockFile], files: RepositoryFiles
) -> None:
    governing = [
        lock
        for lock in locks
        if lock.ecosystem is manifest.ecosystem
        and is_below(f"{manifest.folder}/x".lstrip("/"), lock.folder)
    ]
    product = [row for row in manifest.dependencies if row.scope is not DependencyScope.OPTIONAL]
    if not governing:
        _check_unlocked(points, manifest, files)
        return
    lock = max(governing, key=lambda lock: len(lock.folder))
    if lock.root is not None and lock.folder == manifest.folder:
        _check_root(points, manifest, lock)
        return
    if not _is_lock_of(manifest, governing, lock):
        return
    for row in product:
        if _is_local(row) or any(row.name in other.versions for other in governing):
            continue
        points.add("dependency.not-in-lock", row.path, row.line, name=row.name, lock=lock.path)


def _is_lock_of(manifest: Manifest, governing: list[LockFile], lock: LockFile) -> bool:
    """A lock beside its manifest that has most of it; a compiled list may be another one's."""
    if lock.folder != manifest.folder or ";" in "".join(
        row.specifier for row in manifest.dependencies
    ):
        return False
    rows = [row for row in manifest.dependencies if row.scope is DependencyScope.PRODUCT]
    held = [row for row in rows if any(row.name in other.versions for other in governing)]
    own = lock.path.endswith(
        (
            "poetry.lock",
            "uv.lock",
            "pdm.lock",
            "Pipfile.lock",
            ".json",
            "yarn.lock",
            "pnpm-lock.yaml",
            "Cargo.lock",
            "go.sum",
        )
    )
    if manifest.path.endswith((".txt", ".in", "setup.py", "setup.cfg")) and own:
        return False
    return len(held) * 2 >= len(rows) and bool(rows)


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
    for row in (row for manifest in declared for row in manifest.dependencies):
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
