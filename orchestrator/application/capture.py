"""Capture a subject, a change or a question: documents that need their origin no longer."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import assert_never

from pydantic import JsonValue

from orchestrator.application.subject_input import (
    STDIN,
    STORED,
    CaseSource,
    ChangeInput,
    GivenChange,
    Piped,
    QuestionInput,
    StandardInput,
    TaskInput,
)
from orchestrator.presentation.locale.translator import ToldNotice
from orchestrator.settings.options import screen
from orchestrator.settings.schema import Settings
from orchestrator.subjects.case import (
    PIPED as PIPED_CASE,
)
from orchestrator.subjects.case import (
    StatedDocument,
    read_documents,
    read_named_cases,
    read_similar,
    shortened,
    store_case,
)
from orchestrator.subjects.case_files import FILE_BYTES, read_cases
from orchestrator.subjects.case_texts import StatedCase, UnusableCaseError
from orchestrator.subjects.change import Put
from orchestrator.subjects.linter_reports import report_files
from orchestrator.subjects.location import Located, locate
from orchestrator.subjects.publication import published
from orchestrator.subjects.question import QuestionLimits, QuestionRequest, capture_question
from orchestrator.subjects.repository_change import capture
from orchestrator.subjects.request import ChangeRequest
from orchestrator.subjects.task import capture_own_change, capture_task
from shared.errors import EnvironmentFault, SubjectError
from shared.models.notices import Notice, notice
from shared.models.rows import PUBLISHED, REPOSITORY
from shared.models.workspace import OwnChangeUse
from shared.sentences import Sentence
from shared.text.masking.mask import count_secrets

MAX_DIFF_BYTES = 64_000_000


@dataclass(frozen=True)
class GivenCase:
    """A case that was read, with everything that goes with it; `remarks` are what is to be told of the reading."""

    case: StatedCase
    similar: tuple[StatedCase, ...] = ()
    documents: tuple[StatedDocument, ...] = ()
    remarks: tuple[Notice, ...] = ()


SubjectInput = ChangeInput | GivenChange | QuestionInput | CaseSource | GivenCase | TaskInput
"""What a run can be about."""


@dataclass(frozen=True)
class Captured:
    """A subject in the store's words: its document, what it is called, and its prose, which shows its language.

    `paths` are the files that a change leaves behind, a script by the suffix of its language; None for everything else.
    `notices` are what the person should know about it; `nothing` says why a change has no file at all.
    """

    document: str
    title: str
    prose: str = ""
    labels: Mapping[str, JsonValue] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    paths: tuple[str, ...] | None = None
    nothing: Notice | None = None


def _never(_words: str) -> OwnChangeUse:
    return OwnChangeUse.NO


def capture_subject(
    subject: SubjectInput,
    directory: Path,
    settings: Settings,
    put: Put,
    environ: Mapping[str, str],
    *,
    located: Located | None = None,
    stdin: StandardInput,
    takes_own_change: Callable[[str], OwnChangeUse] = _never,
) -> Captured:
    """Read the subject and store its parts. Raises UserError or EnvironmentFault with what is wrong with it.

    `takes_own_change` says of a task's words whether what its author has changed belongs to it.
    """
    match subject:
        case ChangeInput():
            request = replace(_request(subject, directory, environ), screen=screen(settings))
            if subject.diff is not None:
                request = replace(request, diff=_diff(directory, subject, subject.diff, stdin))
            return _change(request, put, located)
        case GivenChange():
            given = ChangeRequest(
                path=directory, diff=subject.diff, files=subject.files, screen=screen(settings)
            )
            return _change(given, put, None)
        case QuestionInput():
            return _question(subject, directory, settings, put, stdin)
        case CaseSource():
            cases, _ = read_given_cases(subject, directory, settings, stdin)
            if len(cases) > 1:
                raise SubjectError(
                    "{case} holds {count} cases; a run is about one",
                    case=subject.case,
                    count=len(cases),
                )
            return _case(cases[0], settings, put)
        case GivenCase():
            return _case(subject, settings, put)
        case TaskInput():
            return _task(subject, directory, settings, put, environ, stdin, takes_own_change)
        case _:
            assert_never(subject)


# ---- a change -----------------------------------------------------------------------------------


def locate_change(
    subject: SubjectInput, directory: Path, environ: Mapping[str, str]
) -> Located | None:
    """Where a change of a repository is, before anything is read; None for a question and for a bare diff."""
    if not isinstance(subject, ChangeInput) or subject.diff is not None:
        return None
    return locate(_request(subject, directory, environ))


def _request(change: ChangeInput, directory: Path, environ: Mapping[str, str]) -> ChangeRequest:
    return ChangeRequest(
        path=directory,
        target=next(iter(change.targets), None),
        paths=change.targets[1:],
        staged=change.staged,
        base=change.base,
        without=report_files(change.linter_reports, directory),
        environ=dict(environ),
    )


def _change(request: ChangeRequest, put: Put, located: Located | None) -> Captured:
    if located is None and request.diff is None:
        located = locate(request)
    subject = capture(request, put, count_secrets, located)
    seen = published(located.repository.git, subject.origin.reviewed) if located else None
    # Code is no prose: a change is reviewed in the language that was chosen.
    return Captured(
        document=put(subject.model_dump_json().encode()),
        title=subject.title,
        labels={
            "files": len(subject.files),
            "added_lines": subject.added_lines,
            **({} if located is None else {REPOSITORY: repository_name(located.repository.place)}),
            **({} if seen is None else {PUBLISHED: seen.model_dump()}),
        },
        paths=tuple(file.as_named for file in subject.files if file.status != "deleted"),
        nothing=_nothing(located) if not subject.files else None,
    )


def repository_name(place: Path) -> str:
    """What lists call a repository: the name of its folder, without the rest of its path."""
    return os.fsencode(place.name).decode("utf-8", "replace")


def _nothing(located: Located | None) -> Notice:
    given = notice("nothing_in_diff")
    return given if located is None else located.nothing or given


def _diff(directory: Path, subject: ChangeInput, name: str, stdin: StandardInput) -> bytes:
    content = _diff_bytes(directory, name, stdin)
    if content.strip() or subject.allow_empty:
        return content
    came = (
        "nothing came on standard input"
        if name == STDIN
        else Sentence("{name} is empty", name=name)
    )
    raise SubjectError(
        "there is no diff: {came}. If the command that should have written it failed, `set -o "
        "pipefail` ends a pipeline there; where an empty diff is fine, say so with --allow-empty.",
        came=came,
    )


def _diff_bytes(directory: Path, name: str, stdin: StandardInput) -> bytes:
    if name == STDIN:
        return stdin.diff(MAX_DIFF_BYTES + 1)
    try:
        with (directory / name).open("rb") as stream:
            return stream.read(MAX_DIFF_BYTES + 1)
    except PermissionError as error:
        raise EnvironmentFault("no permission to read the diff {name}", name=name) from error
    except OSError as error:
        raise SubjectError(
            "the diff {name} cannot be read: {why}", name=name, why=error.strerror
        ) from error


# ---- a question ---------------------------------------------------------------------------------


def _question(
    asked: QuestionInput, directory: Path, settings: Settings, put: Put, stdin: StandardInput
) -> Captured:
    text = " ".join(asked.own_words)
    _check_no_file(asked, directory)
    limits = QuestionLimits()
    file = None if asked.file == STDIN else asked.file
    has_words = bool(text.strip()) or file is not None
    piped = Piped()
    if asked.names_stdin or not asked.no_stdin:
        piped = stdin.text(limits.words_bytes, named=asked.names_stdin, has_words=has_words)
    is_question = asked.names_stdin or not has_words
    captured = capture_question(
        QuestionRequest(
            path=directory,
            words=text,
            file=file,
            contexts=asked.contexts,
            piped_words=piped.content if is_question else None,
            piped_context=None if is_question else piped.content,
            given=asked.attached,
            limits=limits,
            screen=screen(settings),
        ),
        put,
        count_secrets,
    )
    question = captured.question
    seen = notice("secrets_seen", n=captured.secrets)
    return Captured(
        document=put(question.model_dump_json().encode()),
        title=question.title,
        prose=question.text,
        labels={"contexts": len(question.contexts)},
        notices=(*piped.notices, *((seen,) if captured.secrets else ())),
    )


def _check_no_file(asked: QuestionInput, directory: Path) -> None:
    """A file's name alone is not a question, and a second one after `--context a.py b.py` was meant to go along."""
    words = asked.own_words
    if len(words) == 1 and _is_file(words[0], directory):
        name = words[0]
        raise SubjectError(
            '{name} is a file: `--file {name}` asks what is written in it, `--context {name} "..."` '
            "asks about it.",
            name=name,
        )
    if not asked.contexts:
        return
    for word in words:
        looks_like_one = {".", "/"} & {*word} and word not in asked.contexts
        if looks_like_one and _is_file(word, directory):
            raise SubjectError(
                "{word} is a file, and --context takes one: write `--context {word}` to pass it along, "
                "or put the question in quotation marks to mention it.",
                word=word,
            )


def _is_file(word: str, directory: Path) -> bool:
    if any(letter.isspace() for letter in word):
        return False
    try:
        return (directory / word).is_file()
    except (OSError, ValueError):
        return False


# ---- a task -------------------------------------------------------------------------------------


def _task(
    asked: TaskInput,
    directory: Path,
    settings: Settings,
    put: Put,
    environ: Mapping[str, str],
    stdin: StandardInput,
    takes_own_change: Callable[[str], OwnChangeUse],
) -> Captured:
    """The words as a question's are read, and the repository as it stands at its last commit."""
    request = QuestionInput(asked.words, asked.file)
    words = _question(request, directory, settings, lambda _content: "", stdin)
    place = directory / asked.repository if asked.repository else directory
    task = capture_task(words.prose, place, environ, screen=screen(settings))
    use = takes_own_change(words.prose)
    if use is not OwnChangeUse.NO:
        changed = ChangeRequest(path=place, environ=dict(environ), screen=screen(settings))
        try:
            own = capture_own_change(changed, put, count_secrets)
        except SubjectError:
            if use is OwnChangeUse.NEEDED:
                raise
            own = None
        task = task.model_copy(update={"own_change": own})
    return Captured(
        document=put(task.model_dump_json().encode()),
        title=words.title,
        prose=words.prose,
        labels={REPOSITORY: repository_name(Path(task.workspace.repository))},
        notices=words.notices,
    )


# ---- a case -------------------------------------------------------------------------------------


def read_given_cases(
    subject: CaseSource, directory: Path, settings: Settings, stdin: StandardInput
) -> tuple[tuple[GivenCase, ...], tuple[Notice, ...]]:
    """Every case of the input, and what of it was left out; of a single case that is among its own remarks.

    Raises SubjectError where nothing can be used, EnvironmentFault for a missing permission.
    """
    files = screen(settings)
    try:
        if subject.case == STDIN:
            read = read_cases(_piped_case(stdin), PIPED_CASE)
        else:
            read = read_named_cases(directory, subject.case, files)
    except UnusableCaseError as error:
        name = "standard input" if subject.case == STDIN else subject.case
        raise SubjectError("{name}: {why}", name=name, why=ToldNotice(error.notice)) from None
    named = [name for name in subject.similar if name != STORED]
    similar = read_similar(directory, named, files)
    documents, unread = read_documents(directory, subject.documents, files)
    remarks = (*similar.remarks, *unread)
    single = len(read.cases) == 1
    given = (
        GivenCase(case, similar.cases, documents, (*(read.remarks if single else ()), *remarks))
        for case in read.cases
    )
    return tuple(given), shortened(() if single else read.remarks)


def _piped_case(stdin: StandardInput) -> bytes:
    piped = stdin.text(FILE_BYTES, named=True, has_words=False)
    if piped.content is None:
        raise SubjectError(
            "nothing came on standard input: pipe a case into `quorate case -`, or name a file or a folder"
        )
    return piped.content


def _case(given: GivenCase, settings: Settings, put: Put) -> Captured:
    masks = bool(settings.value("case.mask_identifiers"))
    stored = store_case(given.case, given.similar, given.documents, put, masks=masks)
    remarks = shortened((*given.remarks, *stored.remarks))
    stored = stored.model_copy(update={"remarks": remarks})
    return Captured(
        document=put(stored.model_dump_json().encode()),
        title=stored.title,
        prose=given.case.text,
        labels={"similar": len(stored.similar), "documents": len(stored.documents)},
        notices=remarks,
    )
