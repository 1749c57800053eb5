"""Where packages of others are used: imports of Python, JavaScript, TypeScript and Go."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from workers.tools.agent.foreign_imports import JS_SUFFIXES, go_packages, javascript_packages
from workers.tools.agent.manifests import Ecosystem
from workers.tools.agent.python_imports import imported_modules
from workers.tools.agent.repository_files import RepositoryFiles, is_sample

_PROVIDED = frozenset({"setuptools", "pip", "wheel", "__main__", "_typeshed", "__future__"})


@dataclass(frozen=True)
class PackageUse:
    """An import of what is neither the project's own nor the language's. `guarded`: it may be missing."""

    name: str
    path: str
    line: int
    guarded: bool = False


def _python_imports(files: RepositoryFiles) -> Iterator[PackageUse]:
    local = {
        part
        for path in files.paths
        if path.endswith((".py", ".pyi", ".so", ".pyx"))
        for part in _parts(path)
    }
    for path in files.python():
        tree = files.tree(path)
        for module in imported_modules(tree) if tree else ():
            if module.top not in sys.stdlib_module_names | local | _PROVIDED:
                yield PackageUse(module.name, path, module.line, module.guarded)


def _parts(path: str) -> list[str]:
    return [part.partition(".")[0] for part in path.split("/")]


def _javascript_imports(files: RepositoryFiles) -> Iterator[PackageUse]:
    aliases = {
        alias.rstrip("/*")
        for path in files.named(
            "tsconfig.json",
            "jsconfig.json",
            "vite.config.ts",
            "vite.config.js",
            "package.json",
            "deno.json",
        )
        for alias in re.findall(r'"([@~#\w][\w@/-]*)(?:/\*)?"\s*:', files.texts[path])
        if not path.endswith("package.json")
    }
    folders = {
        part for path in files.paths if path.endswith(JS_SUFFIXES) for part in path.split("/")[:-1]
    }
    for path, text in files.texts.items():
        if path.endswith(JS_SUFFIXES) and not is_sample(path) and ".min." not in path:
            for name, line in javascript_packages(text):
                if name not in aliases and name.partition("/")[0] not in aliases | folders:
                    yield PackageUse(name, path, line)


def _go_imports(files: RepositoryFiles) -> Iterator[PackageUse]:
    for path, text in files.texts.items():
        if path.endswith(".go") and not is_sample(path):
            yield from (PackageUse(name, path, line) for name, line in go_packages(text))


PACKAGE_USES: Mapping[Ecosystem, Callable[[RepositoryFiles], Iterator[PackageUse]]] = {
    Ecosystem.PYTHON: _python_imports,
    Ecosystem.JAVASCRIPT: _javascript_imports,
    Ecosystem.GO: _go_imports,
}
