"""The files of a repository as examiners see them: names of all, texts of those that were asked for."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath

_FOREIGN_FOLDERS = frozenset(
    "node_modules vendor vendored _vendor _vendored third_party thirdparty site-packages dist-packages .venv venv .git "
    "bower_components .tox .nox .mypy_cache __pycache__ .yarn external extern".split()
)
_SAMPLE_FOLDERS = frozenset(
    "testdata test_data fixtures __fixtures__ snapshots __snapshots__ cassettes golden goldens corpus".split()
)
_TEST_FOLDERS = frozenset("test tests testing __tests__ spec specs e2e".split())
_AUXILIARY_FOLDERS = frozenset(
    "doc docs example examples sample samples demo demos script scripts tool tools bench benchmark benchmarks tutorial "
    "tutorials .github .ci ci notebooks tasks maint".split()
)
_TEST_FILE = re.compile(
    r"^(?:test_.*|.*_tests?|tests?|conftest)\.py$|.*\.(?:test|spec)\.[cm]?[jt]sx?$|.*_test\.go$"
)
_AUXILIARY_FILE = re.compile(
    r"^(?:setup|noxfile|tasks|fabfile|dodo|conf)\.py$|.*\.config\.[cm]?[jt]s$|(?:gulp|Grunt)file\.js$"
)


@dataclass(frozen=True)
class RepositoryFiles:
    """`paths` are all files in order, `texts` those that an examiner reads; `task` is what it was asked.

    `documents` are texts that were given with the task.
    """

    paths: tuple[str, ...]
    texts: Mapping[str, str]
    task: str = ""
    documents: tuple[str, ...] = ()
    _trees: dict[str, ast.Module | None] = field(default_factory=dict, repr=False)

    @cached_property
    def known(self) -> frozenset[str]:
        """Every file and every folder."""
        folders = {str(parent) for path in self.paths for parent in PurePosixPath(path).parents}
        return frozenset(self.paths) | folders

    def named(self, *names: str) -> Iterator[str]:
        """The read files with one of these names, in any folder, foreign ones left out."""
        for path in self.texts:
            if path.rsplit("/", 1)[-1] in names and not is_foreign(path):
                yield path

    def python(self) -> Iterator[str]:
        """The read Python files of the project itself."""
        for path in self.texts:
            if path.endswith(".py") and not is_foreign(path) and not is_sample(path):
                yield path

    def tree(self, path: str) -> ast.Module | None:
        """A Python file parsed; None where it is none that this interpreter reads."""
        if path not in self._trees:
            self._trees[path] = parsed(self.texts[path])
        return self._trees[path]


def parsed(text: str) -> ast.Module | None:
    """A Python text as its tree; None where it is none that this interpreter reads."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def line_of(text: str, *needles: str) -> int:
    """The first line that holds one of the texts as a word, 1 where none does."""
    for needle in needles:
        match = re.search(rf"(?<![\w-]){re.escape(needle)}(?![\w-])", text, re.IGNORECASE)
        if match:
            return text.count("\n", 0, match.start()) + 1
    return 1


def parent_of(path: str) -> str:
    """The folder of a path, empty for the root."""
    return path.rsplit("/", 1)[0] if "/" in path else ""


def is_below(path: str, folder: str) -> bool:
    """Whether a path is in a folder or its subfolders; everything is below the root."""
    return not folder or path.startswith(f"{folder}/")


def is_foreign(path: str) -> bool:
    """In a folder of code that others wrote, or that a program made."""
    return not _FOREIGN_FOLDERS.isdisjoint(path.split("/")[:-1])


def is_sample(path: str) -> bool:
    """Data of tests: what is wrong there is wrong on purpose."""
    folders = path.split("/")[:-1]
    in_tests = not _TEST_FOLDERS.isdisjoint(folders)
    return not _SAMPLE_FOLDERS.isdisjoint(folders) or (in_tests and "data" in folders)


def is_test(path: str) -> bool:
    """A test, or what only tests use."""
    *folders, name = path.split("/")
    return not _TEST_FOLDERS.isdisjoint(folders) or bool(_TEST_FILE.match(name))


def is_product(path: str) -> bool:
    """What the project ships or runs: no test, no example, no script around it."""
    *folders, name = path.split("/")
    auxiliary = bool(folders) and folders[0].lower() in _AUXILIARY_FOLDERS
    return not (is_test(path) or is_sample(path) or auxiliary or _AUXILIARY_FILE.match(name))
