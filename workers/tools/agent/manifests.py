"""What a repository says that it depends on: the manifests of Python, JavaScript, Go and Rust, read by one record."""

from __future__ import annotations

import ast
import configparser
import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from shared.text.bounded_json import loads
from shared.text.toml_bounds import check_toml
from workers.tools.agent.distribution_names import normalised
from workers.tools.agent.repository_files import RepositoryFiles, is_sample, line_of, parent_of


class DependencyScope(StrEnum):
    """What a dependency is for."""

    PRODUCT = "product"
    OPTIONAL = "optional"
    DEVELOPMENT = "dev"


class Ecosystem(StrEnum):
    """Whose packages."""

    PYTHON = "python"
    JAVASCRIPT = "javascript"
    GO = "go"
    RUST = "rust"


@dataclass(frozen=True)
class DeclaredDependency:
    """A line of a manifest. `name` is as it is compared; `specifier` is empty where any version will do."""

    ecosystem: Ecosystem
    name: str
    specifier: str
    scope: DependencyScope
    path: str
    line: int


@dataclass(frozen=True)
class Manifest:
    """One manifest. `folder` is what it counts for; `whole` is false where a program works out the dependencies."""

    ecosystem: Ecosystem
    path: str
    folder: str
    dependencies: tuple[DeclaredDependency, ...]
    whole: bool = True
    name: str = ""


_REQUIREMENT = re.compile(r"^([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?([^;#)]*)")
_REQUIREMENTS_FILE = re.compile(
    r"(?:.*[-_.])?requirements?(?:[-_.].*)?\.(?:txt|in)$|.*/requirements/[^/]+\.(?:txt|in)$"
)
_DEVELOPMENT = re.compile(
    r"(?:^|[-_./])(?:dev|devel|develop|development|tests?|testing|lint|linting|docs?|ci|build|bench|benchmarks?|typing|types|"
    r"mypy|style|format|release|local|debug|check|checks|qa|coverage|examples?)(?:[-_./]|\d*$)"
)


def is_manifest(path: str) -> bool:
    """Whether the file is read as a manifest."""
    return path.rsplit("/", 1)[-1] in _READERS or bool(_REQUIREMENTS_FILE.match(path))


def manifests(files: RepositoryFiles) -> list[Manifest]:
    """Every manifest that can be read."""
    read = []
    for path, text in files.texts.items():
        name = path.rsplit("/", 1)[-1]
        reader = _READERS.get(name) or (_requirements if is_manifest(path) else None)
        if reader is not None and not is_sample(path):
            try:
                read.append(reader(path, text))
            except (
                ValueError,
                TypeError,
                AttributeError,
                KeyError,
                SyntaxError,
                configparser.Error,
            ):
                continue
    return read


def toml_table(text: str) -> dict[str, Any]:
    """A TOML text; raises ValueError."""
    check_toml(text)
    return tomllib.loads(text)


def json_table(text: str) -> dict[str, Any]:
    """A JSON object; raises ValueError."""
    content = loads(text)
    if not isinstance(content, dict):
        raise ValueError("no JSON object")
    return content


def _declared(
    path: str,
    text: str,
    rows: Iterable[tuple[str, DependencyScope]],
    lines: Mapping[str, int] | None = None,
) -> Iterator[DeclaredDependency]:
    """Requirements as PEP 508 writes them."""
    for requirement, scope in rows:
        match = _REQUIREMENT.match(requirement.strip())
        if match:
            name = match.group(1)
            line = (lines or {}).get(requirement) or line_of(text, name)
            specifier = match.group(2).strip()
            yield DeclaredDependency(
                Ecosystem.PYTHON, normalised(name), specifier, scope, path, line
            )


def _group_scope(group: str) -> DependencyScope:
    return (
        DependencyScope.DEVELOPMENT
        if _DEVELOPMENT.search(group.lower())
        else DependencyScope.OPTIONAL
    )


def _python(
    path: str, dependencies: Iterable[DeclaredDependency], whole: bool = True, name: str = ""
) -> Manifest:
    folder = parent_of(path)
    if folder.rsplit("/", 1)[-1] in ("requirements", "reqs"):
        folder = parent_of(folder)
    return Manifest(Ecosystem.PYTHON, path, folder, tuple(dependencies), whole, normalised(name))


def _requirements(path: str, text: str) -> Manifest:
    development = _DEVELOPMENT.search(path.rsplit(".", 1)[0].lower())
    scope = DependencyScope.DEVELOPMENT if development else DependencyScope.PRODUCT
    rows: list[tuple[str, DependencyScope]] = []
    lines: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.split(" #")[0].strip().rstrip("\\").strip()
        if entry and not entry.startswith(("#", "-", "git+", "http", ".", "/")):
            rows.append((entry, scope))
            lines.setdefault(entry, number)
    return _python(path, _declared(path, text, rows, lines))


def _pyproject(path: str, text: str) -> Manifest:
    table = toml_table(text)
    project, tool = table.get("project", {}), table.get("tool", {})
    poetry = tool.get("poetry", {})
    rows = [*_project_rows(project), *_development_rows(table, tool)]
    dependencies = [*_declared(path, text, rows), *_poetry(path, text, poetry)]
    whole = "dependencies" not in project.get("dynamic", ()) and bool(project or poetry)
    return _python(path, dependencies, whole, project.get("name") or poetry.get("name", ""))


def _project_rows(project: Mapping[str, Any]) -> Iterator[tuple[str, DependencyScope]]:
    for row in project.get("dependencies", ()):
        yield row, DependencyScope.PRODUCT
    for group, entries in project.get("optional-dependencies", {}).items():
        for row in entries:
            yield row, _group_scope(group)


def _development_rows(
    table: Mapping[str, Any], tool: Mapping[str, Any]
) -> list[tuple[str, DependencyScope]]:
    lists = [
        *table.get("dependency-groups", {}).values(),
        tool.get("uv", {}).get("dev-dependencies", ()),
        table.get("build-system", {}).get("requires", ()),
    ]
    rows = [
        (row, DependencyScope.DEVELOPMENT)
        for entries in lists
        for row in entries
        if isinstance(row, str)
    ]
    return rows + _hatch_rows(tool.get("hatch", {}))


def _hatch_rows(hatch: Mapping[str, Any]) -> list[tuple[str, DependencyScope]]:
    return [
        (row, DependencyScope.DEVELOPMENT)
        for environment in hatch.get("envs", {}).values()
        for key in ("dependencies", "extra-dependencies")
        for row in environment.get(key, ())
    ]


def _poetry(path: str, text: str, poetry: Mapping[str, Any]) -> Iterator[DeclaredDependency]:
    groups = [(poetry.get("dependencies", {}), DependencyScope.PRODUCT)]
    groups.append((poetry.get("dev-dependencies", {}), DependencyScope.DEVELOPMENT))
    for group, content in poetry.get("group", {}).items():
        main = group in ("main", "default")
        scope = DependencyScope.PRODUCT if main else DependencyScope.DEVELOPMENT
        groups.append((content.get("dependencies", {}), scope))
    for entries, scope in groups:
        for name, row in entries.items():
            if name == "python":
                continue
            optional = isinstance(row, dict) and row.get("optional")
            specifier = row if isinstance(row, str) else _specifier(row)
            yield DeclaredDependency(
                Ecosystem.PYTHON,
                normalised(name),
                "" if specifier == "*" else specifier,
                DependencyScope.OPTIONAL if optional else scope,
                path,
                line_of(text, name),
            )


def _specifier(row: Any) -> str:
    """The version of a table, or where else it comes from."""
    if not isinstance(row, dict):
        return ""
    return str(
        next((row[key] for key in ("version", "git", "path", "url", "file") if key in row), "")
    )


def _setup_cfg(path: str, text: str) -> Manifest:
    parser = configparser.RawConfigParser(strict=False)
    parser.read_string(text)
    rows = [
        (row.strip(), DependencyScope.PRODUCT)
        for row in parser.get("options", "install_requires", fallback="").splitlines()
    ]
    if parser.has_section("options.extras_require"):
        for group, value in parser.items("options.extras_require"):
            rows += [(row.strip(), _group_scope(group)) for row in value.splitlines()]
    whole = parser.has_option("options", "install_requires")
    name = parser.get("metadata", "name", fallback="")
    return _python(path, _declared(path, text, (row for row in rows if row[0])), whole, name)


def _setup_py(path: str, text: str) -> Manifest:
    """Its literals; what it computes is not known."""
    keywords = _setup_keywords(ast.parse(text))
    required = _literal(keywords.get("install_requires"))
    extras = _literal(keywords.get("extras_require"))
    rows = [(row, DependencyScope.PRODUCT) for row in required or ()]
    for group, entries in extras.items() if isinstance(extras, dict) else ():
        rows += [(row, _group_scope(group)) for row in entries]
    whole = bool(required) and None not in keywords
    return _python(
        path, _declared(path, text, rows), whole, str(_literal(keywords.get("name")) or "")
    )


def _setup_keywords(tree: ast.Module) -> dict[str | None, ast.expr]:
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {
        keyword.arg: keyword.value
        for call in calls
        if ast.unparse(call.func).rpartition(".")[2] == "setup"
        for keyword in call.keywords
    }


def _literal(node: ast.expr | None) -> Any:
    """The value of a literal, None for what is computed."""
    try:
        return None if node is None else ast.literal_eval(node)
    except (ValueError, TypeError):
        return None


def _pipfile(path: str, text: str) -> Manifest:
    table = toml_table(text)
    sections = {"packages": DependencyScope.PRODUCT, "dev-packages": DependencyScope.DEVELOPMENT}
    dependencies = []
    for section, scope in sections.items():
        for name, row in table.get(section, {}).items():
            specifier = row if isinstance(row, str) else _specifier(row)
            specifier = "" if specifier == "*" else specifier
            dependencies.append(
                DeclaredDependency(
                    Ecosystem.PYTHON, normalised(name), specifier, scope, path, line_of(text, name)
                )
            )
    return _python(path, dependencies)


def _package_json(path: str, text: str) -> Manifest:
    content = json_table(text)
    sections = {
        "dependencies": DependencyScope.PRODUCT,
        "peerDependencies": DependencyScope.OPTIONAL,
        "optionalDependencies": DependencyScope.OPTIONAL,
        "devDependencies": DependencyScope.DEVELOPMENT,
    }
    dependencies = [
        DeclaredDependency(
            Ecosystem.JAVASCRIPT,
            name,
            str(specifier),
            scope,
            path,
            line_of(text, f'"{name}"', name),
        )
        for section, scope in sections.items()
        for name, specifier in (content.get(section) or {}).items()
    ]
    return Manifest(
        Ecosystem.JAVASCRIPT,
        path,
        parent_of(path),
        tuple(dependencies),
        name=str(content.get("name") or ""),
    )


def _go_mod(path: str, text: str) -> Manifest:
    module = re.search(r"^module\s+(\S+)", text, re.M)
    rows = re.finditer(r"^(?:require\s+|\t|\s+)([\w.-]+\.[\w./~-]+)\s+(v[\w.+-]+)", text, re.M)
    dependencies = tuple(
        DeclaredDependency(
            Ecosystem.GO,
            row.group(1),
            row.group(2),
            DependencyScope.PRODUCT,
            path,
            text.count("\n", 0, row.start(1)) + 1,
        )
        for row in rows
    )
    name = module.group(1) if module else ""
    return Manifest(Ecosystem.GO, path, parent_of(path), dependencies, name=name)


def _cargo_toml(path: str, text: str) -> Manifest:
    table = toml_table(text)
    sections = {
        "dependencies": DependencyScope.PRODUCT,
        "dev-dependencies": DependencyScope.DEVELOPMENT,
        "build-dependencies": DependencyScope.DEVELOPMENT,
    }
    dependencies = []
    for section, scope in sections.items():
        for name, row in table.get(section, {}).items():
            if isinstance(row, dict) and (row.get("workspace") or row.get("path")):
                continue
            real = row.get("package", name) if isinstance(row, dict) else name
            specifier = row if isinstance(row, str) else _specifier(row)
            dependencies.append(
                DeclaredDependency(
                    Ecosystem.RUST, real, specifier, scope, path, line_of(text, name)
                )
            )
    name = str(table.get("package", {}).get("name", ""))
    return Manifest(Ecosystem.RUST, path, parent_of(path), tuple(dependencies), name=name)


_READERS: Mapping[str, Callable[[str, str], Manifest]] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "setup.py": _setup_py,
    "Pipfile": _pipfile,
    "package.json": _package_json,
    "go.mod": _go_mod,
    "Cargo.toml": _cargo_toml,
}
