"""From what was typed as the subject, a change or a question, to documents that need their origin no longer."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import assert_never

from pydantic import JsonValue

from orchestrator.cli.piped import MOMENT_S, PATIENCE_S, Piped, read_piped
from orchestrator.settings.options import screen
from orchestrator.settings.schema import Settings
from orchestrator.subjects.capture import capture
from orchestrator.subjects.change import Put
from orchestrator.subjects.question import QuestionLimits, QuestionRequest, capture_question
from orchestrator.subjects.repository_change import Located, locate
from orchestrator.subjects.request import ChangeRequest
from shared.errors import EnvironmentFault, SubjectError
from shared.models.subject import PYTHON_SUFFIXES, FileChange
from shared.text.masking.mask import count_secrets

MAX_DIFF_BYTES = 64_000_000
STDIN = "-"


@dataclass(frozen=True)
class ChangeInput:
    """Which change `quorate review` is for. None: what is there decides."""

    target: str | None = None
    staged: bool = False
    base: str | None = None
    diff: str | None = None


@dataclass(frozen=True)
class QuestionInput:
    """What a panel is asked. A word `-`, or `-` as the file, is standard input; `given`: it is the plan itself."""

    words: tuple[str, ...] = ()
    file: str | None = None
    contexts: tuple[str, ...] = ()
    no_stdin: bool = False
    given: bool = False


@dataclass(frozen=True)
class Captured:
    """A subject in the store's words: its document, what it is called, and its prose, which shows its language.

    `paths` are the files that a change leaves behind, a script by the suffix of its language; None for everything else.
    `notes` are words of presentation/locale/words.py with their values: what the person should know about it.
    """

    document: str
    title: str
    prose: str = ""
    labels: Mapping[str, JsonValue] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    paths: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Note:
    """A sentence of presentation/locale/words.py, and how many it speaks of. `loud`: not even `--quiet` hides it."""

    word: str
    count: int = 0
    loud: bool = False


def capture_subject(
    typed: ChangeInput | QuestionInput,
    directory: Path,
    settings: Settings,
    put: Put,
    environ: Mapping[str, str],
    located: Located | None = None,
) -> Captured:
    """Read the subject and store its parts. Raises UserError or EnvironmentFault with what is wrong with it."""
    match typed:
        case ChangeInput():
            return _change(typed, directory, settings, put, environ, located)
        case QuestionInput():
            return _question(typed, directory, settings, put)
        case _:
            assert_never(typed)


# ---- a change -----------------------------------------------------------------------------------


def locate_change(
    typed: ChangeInput | QuestionInput, directory: Path, environ: Mapping[str, str]
) -> Located | None:
    """Where a change of a repository is, before anything is read; None for a question and for a bare diff."""
    if not isinstance(typed, ChangeInput) or typed.diff is not None:
        return None
    return locate(_request(typed, directory, environ))


def _request(typed: ChangeInput, directory: Path, environ: Mapping[str, str]) -> ChangeRequest:
    return ChangeRequest(
        path=directory,
        target=typed.target,
        staged=typed.staged,
        base=typed.base,
        environ=dict(environ),
    )


def _change(
    typed: ChangeInput,
    directory: Path,
    settings: Settings,
    put: Put,
    environ: Mapping[str, str],
    located: Located | None,
) -> Captured:
    request = replace(
        _request(typed, directory, environ),
        diff=None if typed.diff is None else _read_diff(directory, typed.diff),
        screen=screen(settings),
    )
    subject = capture(request, put, count_secrets, located)
    # Code is no prose: a change is reviewed in the language that was chosen.
    return Captured(
        document=put(subject.model_dump_json().encode()),
        title=subject.title,
        labels={"files": len(subject.files), "added_lines": subject.added_lines},
        paths=tuple(_by_language(file) for file in subject.files if file.status != "deleted"),
    )


def _by_language(file: FileChange) -> str:
    named = file.path.endswith(PYTHON_SUFFIXES) or not file.is_python
    return file.path if named else file.path + PYTHON_SUFFIXES[0]


def _read_diff(directory: Path, name: str) -> bytes:
    """The bytes of `--diff FILE`, or of standard input for `-`."""
    if name == STDIN:
        return sys.stdin.buffer.read(MAX_DIFF_BYTES + 1)
    try:
        with (directory / name).open("rb") as stream:
            return stream.read(MAX_DIFF_BYTES + 1)
    except PermissionError as error:
        raise EnvironmentFault(f"no permission to read the diff {name}") from error
    except OSError as error:
        raise SubjectError(f"the diff {name} cannot be read: {error.strerror}") from error


# ---- a question ---------------------------------------------------------------------------------


def _question(typed: QuestionInput, directory: Path, settings: Settings, put: Put) -> Captured:
    words = [word for word in typed.words if word != STDIN]
    _check_no_file(typed, directory)
    limits = QuestionLimits()
    named = STDIN in typed.words or typed.file == STDIN
    file = None if typed.file == STDIN else typed.file
    has_words = bool(" ".join(words).strip()) or file is not None
    piped = _read_stdin(typed, limits, named=named, has_words=has_words)
    is_question = named or not has_words
    captured = capture_question(
        QuestionRequest(
            path=directory,
            words=" ".join(words),
            file=file,
            contexts=typed.contexts,
            piped_words=piped.content if is_question else None,
            piped_context=None if is_question else piped.content,
            limits=limits,
            screen=screen(settings),
        ),
        put,
        count_secrets,
    )
    question = captured.question
    return Captured(
        document=put(question.model_dump_json().encode()),
        title=question.title,
        prose=question.text,
        labels={"contexts": len(question.contexts)},
        notes=tuple(_notes(piped, captured.secrets)),
    )


def _read_stdin(
    typed: QuestionInput, limits: QuestionLimits, *, named: bool, has_words: bool
) -> Piped:
    if named:
        return read_piped(limits.words_bytes, None)
    if typed.no_stdin:
        return Piped()
    piped = read_piped(limits.words_bytes, MOMENT_S if has_words else PATIENCE_S)
    if piped.silent and not has_words:
        raise SubjectError(
            f"Nothing was asked: nothing came on standard input in {PATIENCE_S:g} s. Give the text behind the command "
            "or with --file PATH; `-` waits for standard input as long as it takes."
        )
    return piped


def _notes(piped: Piped, secrets: int) -> list[Note]:
    notes = []
    if piped.silent:
        notes.append(Note("stdin_silent", loud=True))
    if piped.empty:
        notes.append(Note("stdin_empty"))
    if secrets:
        notes.append(Note("secrets_seen", secrets))
    return notes


def _check_no_file(typed: QuestionInput, directory: Path) -> None:
    """A file's name alone is no question, and one behind `--context a.py b.py` was meant to go along."""
    words = [word for word in typed.words if word != STDIN]
    if len(words) == 1 and _is_file(words[0], directory):
        name = words[0]
        raise SubjectError(
            f"{name} is a file: `--file {name}` asks what is written in it, "
            f'`--context {name} "..."` asks about it.'
        )
    stray = [
        word
        for word in words
        if typed.contexts and {".", "/"} & {*word} and word not in typed.contexts
    ]
    for word in stray:
        if _is_file(word, directory):
            raise SubjectError(
                f"{word} is a file, and --context takes one: write `--context {word}` to give it along, or put the "
                "question in quotation marks to speak of it."
            )


def _is_file(word: str, directory: Path) -> bool:
    if any(letter.isspace() for letter in word):
        return False
    try:
        return (directory / word).is_file()
    except (OSError, ValueError):
        return False
