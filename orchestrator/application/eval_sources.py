"""Where labelled cases come from: a file, a folder of files, standard input, or a set that ships with the product."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

from orchestrator.application.subject_input import STDIN, StandardInput
from orchestrator.evaluation.cases import NumberedCase, read_cases
from shared.errors import EnvironmentFault, UserError

SUFFIX = ".jsonl"
MOST_BYTES = 512_000_000
BUILTIN = "small"
"""The set that is meant where none is named."""


def builtin_sets() -> tuple[str, ...]:
    """The names of the sets that ship with the product."""
    folder = resources.files("orchestrator.evaluation") / "sets"
    return tuple(
        sorted(
            entry.name.removesuffix(SUFFIX)
            for entry in folder.iterdir()
            if entry.name.endswith(SUFFIX)
        )
    )


def builtin_cases(name: str) -> tuple[NumberedCase, ...]:
    """The cases of a set that ships with the product. Raises UserError where there is none of that name."""
    if name not in builtin_sets():
        known = ", ".join(builtin_sets())
        raise UserError(
            "there is no built-in set {name!r}; there is: {known}", name=name, known=known
        )
    file = resources.files("orchestrator.evaluation") / "sets" / f"{name}{SUFFIX}"
    return read_cases([(file.name, file.read_bytes())])


def cases_of(source: str, directory: Path, stdin: StandardInput) -> tuple[NumberedCase, ...]:
    """The cases of a file, of every `*.jsonl` below a folder, or of standard input (`-`).

    Raises UserError with every line that is wrong, or EnvironmentFault where nothing may be read.
    """
    if source == STDIN:
        return read_cases([("standard input", stdin.diff(MOST_BYTES + 1))])
    place = directory / source
    if not place.is_dir():
        return read_cases([(source, _content(place, source))])
    files = sorted(place.rglob(f"*{SUFFIX}"))
    if not files:
        raise UserError("there is no *{suffix} file below {source}", suffix=SUFFIX, source=source)
    return read_cases(
        (
            str(file.relative_to(directory)) if file.is_relative_to(directory) else str(file),
            _content(file, str(file)),
        )
        for file in files
    )


def folder_of(source: str, directory: Path) -> Path:
    """Where paths within the cases begin."""
    if source == STDIN:
        return directory
    place = directory / source
    return place if place.is_dir() else place.parent


def _content(file: Path, name: str) -> bytes:
    try:
        with file.open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except PermissionError as error:
        raise EnvironmentFault("no permission to read {name}", name=name) from error
    except OSError as error:
        raise UserError("{name} cannot be read: {why}", name=name, why=error.strerror) from error
    if len(content) > MOST_BYTES:
        raise UserError(
            "{name} is larger than {megabytes} MB: split it",
            name=name,
            megabytes=MOST_BYTES // 1_000_000,
        )
    return content
