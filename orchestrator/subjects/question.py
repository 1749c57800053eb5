"""Capture a question: its words, and the files that were given along, each read once and stored.

The words are their author's own and stand in prompts as they are. Files are material: a prompt shows them between
fences, so what is written in them instructs nobody.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.subjects.change import Mask, Put, mask_nothing
from orchestrator.subjects.named_files import read_named
from orchestrator.subjects.request import Screen
from orchestrator.subjects.screening import megabytes, screen_content
from shared.errors import SubjectError
from shared.models.deliberation import Context, Question

PIPED = "stdin"


@dataclass(frozen=True)
class QuestionLimits:
    """What a question may hold, in bytes: its own words, one file, all files together; and how many files."""

    words_bytes: int = 1_000_000
    file_bytes: int = 1_000_000
    files_bytes: int = 8_000_000
    files: int = 100


@dataclass(frozen=True)
class QuestionRequest:
    """What is asked, as it was typed. File names are relative to `path`.

    `words`, then the text of `file`, then `piped_words` are the question; `contexts`, `piped_context` and what is
    `given` by name go along.
    """

    path: Path
    words: str = ""
    file: str | None = None
    contexts: tuple[str, ...] = ()
    piped_words: bytes | None = None
    piped_context: bytes | None = None
    given: Mapping[str, bytes] = field(default_factory=dict)
    limits: QuestionLimits = field(default_factory=QuestionLimits)
    screen: Screen = field(default_factory=Screen)


@dataclass(frozen=True)
class CapturedQuestion:
    """A question whose contexts are stored, and how many different secrets were seen in all of its texts."""

    question: Question
    secrets: int


def capture_question(
    request: QuestionRequest, put: Put, mask: Mask = mask_nothing
) -> CapturedQuestion:
    """The question with its files. Raises SubjectError that says which part cannot be used and what to do instead,
    EnvironmentFault for a missing permission; nothing is stored then.
    """
    words = _words(request)
    contexts = list(_contexts(request))
    _check_size(contexts, request.limits)
    together = b"\n".join((words.encode(), *(content for _, content in contexts)))
    stored = (Context(path=name, document=put(mask(text)[0])) for name, text in contexts)
    question = Question(text=words, contexts=tuple(stored))
    return CapturedQuestion(question, secrets=mask(together)[1])


# ---- the words ----------------------------------------------------------------------------------


def _words(request: QuestionRequest) -> str:
    parts = [_encodable(request.words)]
    if request.file is not None:
        parts.append(_read(request, request.file, "--file", request.limits.words_bytes).decode())
    if request.piped_words is not None:
        parts.append(as_text(request.piped_words, "standard input").decode())
    words = "\n\n".join(part.strip() for part in parts if part.strip())
    if not words:
        raise SubjectError(
            "Nothing was asked. Give the text after the command, with --file PATH, or on standard input."
        )
    limit = request.limits.words_bytes
    if len(words.encode()) > limit:
        raise SubjectError(
            "the question is too long ({size}; the limit is {limit}): pass what it is "
            "about with --context FILE",
            size=megabytes(len(words.encode())),
            limit=megabytes(limit),
        )
    return words


def _encodable(words: str) -> str:
    try:
        words.encode()
    except UnicodeEncodeError:
        raise SubjectError(
            "the question is not UTF-8 text: write it into a file and use --file"
        ) from None
    if "\0" in words:
        raise SubjectError("the question holds a NUL character, so it is not text")
    return words


# ---- the files ----------------------------------------------------------------------------------


def _contexts(request: QuestionRequest) -> Iterable[tuple[str, bytes]]:
    names = list(dict.fromkeys(request.contexts))
    if len(names) + len(request.given) > request.limits.files:
        raise SubjectError(
            "{count} files are too many (the limit is {files}): name those that the question needs",
            count=len(names),
            files=request.limits.files,
        )
    for name in names:
        yield name, _read(request, name, "--context", request.limits.file_bytes)
    for name, content in request.given.items():
        if len(content) > request.limits.file_bytes:
            raise SubjectError(
                "{name} is too large ({size})", name=name, size=megabytes(len(content))
            )
        yield name, as_text(content, name)
    if request.piped_context is not None:
        yield PIPED, as_text(request.piped_context, "standard input")


def _check_size(contexts: list[tuple[str, bytes]], limits: QuestionLimits) -> None:
    together = sum(len(content) for _, content in contexts)
    if together > limits.files_bytes:
        raise SubjectError(
            "the files are too large together ({size}; the limit is {limit}): name those "
            "that the question needs",
            size=megabytes(together),
            limit=megabytes(limits.files_bytes),
        )


def _read(request: QuestionRequest, name: str, option: str, limit: int) -> bytes:
    """The text of a file that was named."""
    typed = f"{option} {name}"
    return as_text(read_named(request.path, name, typed, limit, request.screen), typed)


def as_text(content: bytes, typed: str) -> bytes:
    """The bytes without a mark of their order. Raises SubjectError for what is no UTF-8 text, or is nothing."""
    if (unread := screen_content(content)) is not None:
        raise SubjectError(
            "{typed}: {reason}, and only text can be asked about", typed=typed, reason=unread.reason
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SubjectError(
            "{typed}: it is not UTF-8 text (byte {start}). Convert it, for example with `iconv -t "
            "UTF-8`",
            typed=typed,
            start=error.start,
        ) from None
    if "\0" in text:
        raise SubjectError("{typed}: it is binary, and only text can be asked about", typed=typed)
    if not text.strip():
        raise SubjectError("{typed}: it is empty", typed=typed)
    return text.encode()
