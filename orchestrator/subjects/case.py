"""Capture a clinical case: the chart as one document, what it is compared with, and what supports it.

With `mask_identifiers` the case holds its chart a second time without what identifies the patient, and the mapping
that leads back as a document of its own. Similar cases and documents, which may be about other people, are stored
masked only, and the way back to those is not kept.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.subjects.case_files import FILE_BYTES, folder_files, read_cases, read_folder
from orchestrator.subjects.case_texts import (
    VARIANT,
    CasesRead,
    StatedCase,
    UnusableCaseError,
    chart_text,
    decoded,
)
from orchestrator.subjects.change import Put
from orchestrator.subjects.named_files import check_name, read_named
from orchestrator.subjects.request import Screen
from shared.errors import EnvironmentFault
from shared.models.case import Case, SourceText
from shared.models.notices import Notice, notice
from shared.patterns import regex
from shared.text.masking.identifiers import mask_identifiers

PIPED = "stdin"
_JOINTS = regex(r"[_-]+")
MOST_SIMILAR, MOST_DOCUMENTS = 1_000, 200
MOST_REMARKS = 20
SIMILAR, DOCUMENTS = "similar", "documents"
"""The first part of what citations call a similar case, and a document."""


@dataclass(frozen=True)
class StatedDocument:
    """A document that evidence is looked for in, under its path below the folder."""

    name: str
    text: str
    origin: str


def read_named_cases(folder: Path, name: str, screen: Screen) -> CasesRead:
    """The cases of a file or of a folder that was named, relative to `folder`.

    Raises UnusableCaseError where there is none, SubjectError and EnvironmentFault for what cannot be read at all.
    """
    where = folder / name
    if where.is_dir():
        check_name(name, where, name, screen)
        try:
            return read_folder(where, name, screen)
        except PermissionError as error:
            raise EnvironmentFault(
                "{name}: there is no permission to read it", name=name
            ) from error
    content = read_named(folder, name, name, FILE_BYTES, screen)
    return read_cases(content, name)


def read_similar(folder: Path, names: Iterable[str], screen: Screen) -> CasesRead:
    """The similar cases of files and folders; a name of which nothing can be used is told. Raises as it is read."""
    cases: list[StatedCase] = []
    remarks: list[Notice] = []
    for name in dict.fromkeys(names):
        try:
            read = read_named_cases(folder, name, screen)
        except UnusableCaseError as error:
            remarks.append(notice("case_skipped", where=name, why=error.notice))
            continue
        cases += read.cases
        remarks += read.remarks
    return CasesRead(tuple(cases), tuple(remarks))


def read_documents(
    folder: Path, names: Iterable[str], screen: Screen
) -> tuple[tuple[StatedDocument, ...], tuple[Notice, ...]]:
    """The texts of folders and files in which evidence is looked for, and which of them cannot be used."""
    documents: list[StatedDocument] = []
    remarks: list[Notice] = []
    for where, name, content in _files(folder, dict.fromkeys(names), screen):
        try:
            if isinstance(content, Notice):
                raise UnusableCaseError(content)
            documents.append(StatedDocument(name, chart_text(decoded(content)), where))
        except UnusableCaseError as error:
            remarks.append(notice("case_skipped", where=where, why=error.notice))
    if len(documents) > MOST_DOCUMENTS:
        remarks.append(notice("case_documents_left", n=len(documents), limit=MOST_DOCUMENTS))
    return tuple(documents[:MOST_DOCUMENTS]), tuple(remarks)


def _files(
    folder: Path, names: Iterable[str], screen: Screen
) -> Iterator[tuple[str, str, bytes | Notice]]:
    """Each file with where it was read and what it is called."""
    for name in names:
        if not (folder / name).is_dir():
            content = read_named(folder, name, f"--documents {name}", FILE_BYTES, screen)
            yield name, os.path.basename(name), content
            continue
        check_name(name, folder / name, name, screen)
        for path, read in folder_files(folder / name, screen):
            yield f"{name.rstrip('/')}/{path}", path, read


# ---- what is stored -----------------------------------------------------------------------------


def store_case(
    case: StatedCase,
    similar: Iterable[StatedCase],
    documents: Iterable[StatedDocument],
    put: Put,
    *,
    masks: bool = False,
) -> Case:
    """The case as a run captures it, with every text as a document."""
    others, remarks = _distinct(case, (*case.similar, *similar))
    masking = _Masking(case) if masks else None
    if masking is not None:
        remarks = (*remarks, notice("case_masked", n=len(masking.identifiers)))
    hidden = _unmasked if masking is None else masking.masked
    sources = [
        SourceText(
            name=f"{SIMILAR}/{number}",
            text=put(hidden(other.text, _stated(other)).encode()),
            origin=other.origin,
            similarity=other.similarity,
        )
        for number, other in enumerate(others, start=1)
    ]
    title = Path(case.origin).name or case.origin  # lists are seen by others
    return Case(
        title=title if masking is None else masking.title(title),
        chart=put(case.text.encode()),
        patient=case.patient,
        sex=case.sex,
        birth_date=case.birth_date,
        similar=tuple(sources),
        documents=tuple(_stored(documents, put, masking)),
        masked=None if masking is None else put(masking.chart.encode()),
        identifiers=None if masking is None else put(_as_json(masking.identifiers)),
        remarks=shortened((*case.remarks, *remarks)),
    )


class _Masking:
    """A chart without what identifies the patient, and any other text of the case in the same way.

    `identifiers` leads back from the chart's placeholders only: nobody needs the way back to other people.
    """

    def __init__(self, case: StatedCase) -> None:
        self.chart, self.identifiers = mask_identifiers(case.text, stated=_stated(case))
        self._known = (*_stated(case), *self.identifiers.values())
        self._given_out = self.identifiers

    def masked(self, text: str, stated: Sequence[str] = ()) -> str:
        """The text with placeholders, the chart's where it names the same."""
        text, self._given_out = mask_identifiers(text, self._given_out, (*self._known, *stated))
        return text

    def title(self, name: str) -> str:
        """A file's name, whose words are often joined by underscores or hyphens."""
        plain = " ".join(_JOINTS.sub(" ", name).split())
        return name if (masked := self.masked(plain)) == plain else masked


def _stated(case: StatedCase) -> tuple[str, ...]:
    """What the input says of who it is, beside the text."""
    known = (case.patient, case.birth_date or "", *case.identifiers)
    return tuple(filter(None, map(str.strip, known)))


def _unmasked(text: str, _stated: Sequence[str] = ()) -> str:
    return text


def shortened(remarks: tuple[Notice, ...]) -> tuple[Notice, ...]:
    """The first of many remarks, and how many more there are."""
    if len(remarks) <= MOST_REMARKS:
        return remarks
    return (*remarks[:MOST_REMARKS], notice("case_more_remarks", n=len(remarks) - MOST_REMARKS))


def _as_json(identifiers: dict[str, str]) -> bytes:
    return json.dumps(identifiers, ensure_ascii=False, sort_keys=True).encode()


def _stored(
    documents: Iterable[StatedDocument], put: Put, masking: _Masking | None
) -> Iterator[SourceText]:
    """Each under a name of its own: two folders may have files of one name.

    Masked ones are numbered, for citations say their names, and a file is often called after a patient.
    """
    if masking is not None:
        for number, document in enumerate(documents, start=1):
            text = put(masking.masked(document.text).encode())
            yield SourceText(name=f"{DOCUMENTS}/{number}", text=text, origin=document.origin)
        return
    taken: set[str] = set()
    for document in documents:
        name, number = f"{DOCUMENTS}/{document.name}", 2
        while name in taken:
            name, number = f"{DOCUMENTS}/{number}-{document.name}", number + 1
        taken.add(name)
        yield SourceText(name=name, text=put(document.text.encode()), origin=document.origin)


def _distinct(
    case: StatedCase, similar: Iterable[StatedCase]
) -> tuple[list[StatedCase], tuple[Notice, ...]]:
    """The similar cases without the case itself and without those that are there twice, whatever their blanks."""
    seen = {_plain(case.text)}
    others: list[StatedCase] = []
    remarks: list[Notice] = []
    twice = 0
    for other in similar:
        kept = (remark for remark in other.remarks if remark.code != VARIANT)
        remarks += (remark for remark in kept if remark not in remarks)
        if (plain := _plain(other.text)) in seen:
            twice += 1
            continue
        seen.add(plain)
        others.append(other)
    if twice:
        remarks.append(notice("case_similar_twice", n=twice))
    if len(others) > MOST_SIMILAR:
        remarks.append(notice("case_similar_left", n=len(others), limit=MOST_SIMILAR))
    return others[:MOST_SIMILAR], tuple(remarks)


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()
