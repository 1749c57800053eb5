"""Under which names the Python files of a repository import one another: by what its own imports say.

A folder is a root when a name directly in it is imported as a top-level one. Of the roots above a file the outermost
counts; a file that nobody imports is named from its outermost package, or from the repository.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable


def python_modules(paths: Iterable[str], imported: Collection[str]) -> dict[str, str]:
    """The module of each file. `imported` are the first parts of the names that the repository imports absolutely."""
    listed = [path for path in paths if path.endswith((".py", ".pyi"))]
    packages = {
        path.rpartition("/")[0]
        for path in listed
        if path.endswith(("/__init__.py", "/__init__.pyi"))
    }
    present = {path.rpartition(".")[0] for path in listed}
    present |= {
        "/".join(folders[:n])
        for folders in map(_folders, listed)
        for n in range(1, len(folders) + 1)
    }
    return {path: _module(path, packages, present, imported) for path in listed}


def module_names(paths: Iterable[str], imported: Collection[str]) -> dict[str, str]:
    """The module of each file of code: Python's as above, others by path, with the suffix where that is needed."""
    listed = sorted(paths)
    names = python_modules(listed, imported)
    taken = set(names.values())
    for path in listed:
        if path not in names:
            short = path.rpartition(".")[0].replace("/", ".")
            names[path] = path.replace("/", ".") if short in taken else short
            taken.add(names[path])
    return names


def _folders(path: str) -> list[str]:
    return path.split("/")[:-1]


def _module(
    path: str, packages: Collection[str], present: Collection[str], imported: Collection[str]
) -> str:
    folders = _folders(path)
    parts = path.rpartition(".")[0].split("/")
    if parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    roots = (
        n for n, part in enumerate(parts) if part in imported and not _shadowed(parts, n, present)
    )
    start = next(roots, None)
    if start is None:
        start = _outermost_package(folders, packages)
    return ".".join(parts[start:])


def _shadowed(parts: list[str], n: int, present: Collection[str]) -> bool:
    """Whether a folder further out has a module of the name as well, which is then the one that is imported."""
    return any("/".join((*parts[:k], parts[n])) in present for k in range(n))


def _outermost_package(folders: list[str], packages: Collection[str]) -> int:
    """Where the name of a file in these folders begins: at the outermost of its packages without a gap, or at 0."""
    start = len(folders)
    while start and "/".join(folders[:start]) in packages:
        start -= 1
    return start if start < len(folders) else 0
