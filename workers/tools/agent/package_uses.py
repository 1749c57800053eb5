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
    ecosystem: Ecosystem
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
                yield PackageUse(module.name, path, module.line, Ecosystem.PYTHON, module.guarded)


def _parts(path: str) -> list[str]:
    return [part.partition(".")[0] for part in path.split("/")]


def _javascript_imports(files: RepositoryFiles) -> Iterator[PackageUse]:
    sources = [path for path in files.texts if path.endswith(JS_SUFFIXES) and not is_sample(path)]
    own = {part for path in sources for part in path.split("/")[:-1]} | set(_aliases(files))
    for path in sources:
        for name, line in javascript_packages(files.texts[path]) if ".min." not in path else ():
            if own.isdisjoint((name, name.partition("/")[0])):
                yield PackageUse(name, path, line, Ecosystem.JAVASCRIPT)


def _aliases(files: RepositoryFiles) -> Iterator[str]:
    """Names that a configuration gives to the project's own folders."""
    names = ("tsconfig.json", "jsconfig.json", "vite.config.ts", "vite.config.js", "deno.json")
    for path in files.named(*names):
        for alias in re.findall(r'"([@~#\w][\w@/-]*)(?:/\*)?"\s*:', files.texts[path]):
            yield alias.rstrip("/*")


def _go_imports(files: RepositoryFiles) -> Iterator[PackageUse]:
    for path, text in files.texts.items():
        if path.endswith(".go") and not is_sample(path):
            yield from (
                PackageUse(name, path, line, Ecosystem.GO) for name, line in go_packages(text)
            )


PACKAGE_USES: Mapping[Ecosystem, Callable[[RepositoryFiles], Iterator[PackageUse]]] = {
    Ecosystem.PYTHON: _python_imports,
    Ecosystem.JAVASCRIPT: _javascript_imports,
    Ecosystem.GO: _go_imports,
}
