"""The reviewed state as files: loading a subject, judging its paths, writing its post-images somewhere."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from pydantic import ValidationError

from shared.errors import ToolError
from shared.models.subject import Subject
from workers.tools.registry import Documents
from workers.tools.sandbox.sandbox import scratch

MAX_COMPONENT_BYTES = 255
MAX_PATH_BYTES = 4000
MAX_DEPTH = 100  # the deepest of any project that we know has a third of it
CONTROL = re.compile(r"[\x00-\x1f\x7f]")
# Names that some file system folds into `.git` (see `core.protectHFS` and `core.protectNTFS`).
GIT_NAMES = frozenset({".git", "git~1"})
HFS_IGNORED = dict.fromkeys(
    [*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF]
)


def load_subject(key: str, documents: Documents) -> Subject:
    """The subject that a document holds; raises `ToolError`."""
    try:
        return Subject.model_validate_json(documents.get(key))
    except ValidationError as error:
        raise ToolError("The document {document} is not a subject.", document=key[:12]) from error


def check_path(path: str) -> None:
    """Raise `ToolError` unless `path` is a plain relative path below a repository's root."""
    problem = path_problem(path)
    if problem:
        raise ToolError(
            "The path {path!r} is refused: {problem}.", path=path[:200], problem=problem
        )


def path_problem(path: str) -> str | None:
    """Why `path` must not be touched, or None."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return "it is not valid Unicode"
    parts = path.split("/")
    return next((problem for problem, holds in _PATH_RULES if holds(parts)), None)


def _is_too_long(parts: list[str]) -> bool:
    sizes = [len(part.encode("utf-8")) for part in parts]
    return max(sizes) > MAX_COMPONENT_BYTES or sum(sizes) + len(sizes) - 1 > MAX_PATH_BYTES


def _is_git_directory(part: str) -> bool:
    plain = part.translate(HFS_IGNORED).casefold().split(":")[0].rstrip(". ")
    return plain in GIT_NAMES


_PATH_RULES: tuple[tuple[str, Callable[[list[str]], bool]], ...] = (
    ("it is not a relative path", lambda parts: "" in parts),
    ("it leaves or walks around its directory", lambda parts: "." in parts or ".." in parts),
    ("it holds control characters", lambda parts: bool(CONTROL.search("/".join(parts)))),
    ("it is too long", _is_too_long),
    ("it lies too deep", lambda parts: len(parts) > MAX_DEPTH),
    ("it lies in a .git directory", lambda parts: any(map(_is_git_directory, parts))),
)


def post_images(subject: Subject, documents: Documents) -> dict[str, bytes]:
    """The reviewed contents of every file of the change that has any and whose path is a plain one; of no notebook."""
    return {
        file.path: documents.get(file.after)
        for file in subject.files
        if file.after is not None
        and file.skipped is None
        and file.status != "deleted"
        and path_problem(file.path) is None
        and not file.cells
    }


@contextmanager
def materialised(files: Mapping[str, bytes]) -> Iterator[Path]:
    """A new private directory that holds exactly `files`, removed afterwards.

    Raises `ToolError` for a path that is refused, and for one that is a file and a directory at once.
    """
    with scratch() as root:
        for path, data in files.items():
            check_path(path)
            try:
                _write_new(root / path, data)
            except OSError as error:
                raise ToolError(
                    "{path} cannot be written: {why}.", path=path, why=error.strerror
                ) from error
        yield root


def _write_new(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    with os.fdopen(os.open(target, flags, 0o600), "wb") as file:
        file.write(data)
