"""A run without its texts, for a bug report: every text has other words, and the run replays to the same steps.

What stays: the shape of the run (keys of steps, who took part under which name, providers and models, roles, verdicts,
figures, moments) and the words of our own records (names of fields, alternatives). Everything else that is text is
replaced word by word: questions, code, replies, reasons, personas, titles, paths, addresses, names of machines.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from operator import itemgetter
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel, ValidationError

from orchestrator.core.replay.materials import Materials
from orchestrator.core.replay.recomputation import recompute
from orchestrator.engine.recorded import journal_of
from orchestrator.settings import builtin_prompts
from orchestrator.settings.languages import LANGUAGES
from orchestrator.whatif.recording import starter
from orchestrator.workflows.registry import WORKFLOWS, load_all
from shared.errors import QuorateError
from shared.models.notices import is_notice
from shared.models.outcomes import StepStatus
from shared.models.run import RunSpec
from shared.models.wire import ForeignWire, Wire
from shared.patterns import regex
from shared.store.documents import address
from shared.store.journal import JournalRow, StoredJournal, StoredRecord
from shared.text.pseudonyms import Pseudonyms

KEPT_COLUMNS = frozenset(
    "id run_id key kind participant role task queue fingerprint status phase workflow verdict ending provider model "
    "severity position finding type state on_timeout record step parent_run parent_step root_run root_task attempt "
    "failure_kind category strategy detector language mode preset lens reply_model tool choice by".split()
)
"""Columns and fields that say what something is; others that hold text are replaced."""
_JOURNAL = tuple(name for name in JournalRow.__dataclass_fields__ if name != "elapsed_s")
_NAME = regex(r"[0-9a-f]{64}")
_MOMENT = regex(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?([+-]\d\d:?\d\d|Z)?")
_FIELD = regex(r"[a-z][a-z0-9_]{0,39}")
_TOKEN = regex(r"[\w./:#@+-]{1,200}")


class Redaction:
    """Replaces the texts of one export."""

    def __init__(self, specs: list[Any], pseudonyms: Pseudonyms | None = None) -> None:
        """`specs` are those of the runs: participants keep their names."""
        self._pseudonyms = pseudonyms or Pseudonyms()
        self._named = frozenset(_names_in(specs))
        self._renamed: dict[str, str] = {}
        self._contents: Mapping[str, bytes] = {}

    def documents(self, contents: Mapping[str, bytes]) -> Iterator[tuple[str, bytes]]:
        """The documents under their new names, each once; to be called before rows are replaced."""
        self._contents = contents
        made: dict[str, bytes] = {}
        for name in contents:
            self._name(name, made)
        yield from sorted(made.items())

    def row(self, row: Mapping[str, Any]) -> dict[str, Any]:
        """A row of a table without its texts."""
        return {name: self._field(name, value) for name, value in row.items()}

    def value(self, value: Any) -> Any:
        """A value of JSON without its texts."""
        match value:
            case str():
                return self._text(value)
            case list():
                return [self.value(inner) for inner in value]
            case dict():
                code = value["code"] if is_notice(value) else None
                made = {self._key(name): self._field(name, inner) for name, inner in value.items()}
                return made if code is None else {**made, "code": code}
            case _:
                return value

    def _field(self, name: str, value: Any) -> Any:
        if isinstance(value, str) and name in KEPT_COLUMNS and _TOKEN.fullmatch(value):
            return value
        return self.value(value)

    def _key(self, name: str) -> str:
        """The name of a field stays; what else stands before a value, as a path does, is a text."""
        return name if _FIELD.fullmatch(name) else self._text(name)

    def _text(self, text: str) -> str:
        if text in _our_words() or text in self._named or _MOMENT.fullmatch(text):
            return text
        if _NAME.fullmatch(text):
            return self._renamed.get(text) or self._pseudonyms.digest(text)
        if text.startswith(("{", "[")) and (inner := _json(text)) is not None:
            return json.dumps(self.value(inner), ensure_ascii=False)
        return self._pseudonyms.text(text, self._named if _TOKEN.fullmatch(text) else ())

    def _name(self, name: str, made: dict[str, bytes]) -> str:
        """The new name of a document, whose content is replaced first; content never names itself."""
        if name not in self._renamed:
            content = self._contents[name]
            for inner in _NAME.findall(content.decode(errors="replace")):
                if inner in self._contents and inner != name:
                    self._name(inner, made)
            replaced = self._content(content)
            self._renamed[name] = address(replaced)
            made[self._renamed[name]] = replaced
        return self._renamed[name]

    def _content(self, content: bytes) -> bytes:
        try:
            text = content.decode()
        except UnicodeDecodeError:
            return b"\x00" * len(content)
        value = _json(text)
        if value is None:
            return self._text(text).encode()
        if isinstance(value, dict) and all(name in _our_prompts() for name in value):
            own = {n: t if t == _our_prompts()[n] else self._text(str(t)) for n, t in value.items()}
            return json.dumps(own, ensure_ascii=False, sort_keys=True).encode()
        return json.dumps(self.value(value), ensure_ascii=False).encode()


@dataclass(frozen=True)
class RedactedRun:
    """The rows by table and the documents of an export, and whether they replay as the run itself was recorded."""

    rows: tuple[tuple[str, dict[str, Any]], ...]
    documents: Mapping[str, bytes]
    replays: bool


def redacted(
    rows: Iterable[tuple[str, dict[str, Any]]],
    contents: Mapping[str, bytes],
    pseudonyms: Pseudonyms | None = None,
) -> RedactedRun:
    """The same without texts."""
    given = tuple(rows)
    specs = [row["spec"] for table, row in given if table == "specs"]
    redaction = Redaction(specs, pseudonyms)
    documents = dict(redaction.documents(contents))
    made = tuple((table, redaction.row(row)) for table, row in given)
    return RedactedRun(made, documents, replays(made, documents))


def _specs(rows: Iterable[tuple[str, dict[str, Any]]]) -> list[dict[str, Any]]:
    return [row for table, row in rows if table == "specs"]


def replays(rows: Sequence[tuple[str, dict[str, Any]]], documents: Mapping[str, bytes]) -> bool:
    """Whether the workflow of each run asks for exactly what is recorded of it."""
    return all(
        _leads_on(row["spec"], _Tables(rows, row["run_id"]), documents) for row in _specs(rows)
    )


def _leads_on(stored: Any, tables: _Tables, documents: Mapping[str, bytes]) -> bool:
    try:
        spec = RunSpec.model_validate(stored)
        journal = journal_of(tables.journal(), WORKFLOWS[spec.workflow].records)
        now = recompute(starter(spec, Materials(documents.__getitem__, tables.run)), journal)
    except (ValidationError, QuorateError, LookupError, ValueError):
        return False
    return not any((now.misfits, now.missing, now.unneeded, now.undecided))


@dataclass(frozen=True)
class _Tables:
    """A run's rows among those of an export."""

    rows: Sequence[tuple[str, dict[str, Any]]]
    run: str

    def of(self, table: str) -> list[dict[str, Any]]:
        return [row for name, row in self.rows if name == table and row["run_id"] == self.run]

    def journal(self) -> StoredJournal:
        """As the store gives it."""
        steps = [row for row in self.of("steps") if row["status"] != StepStatus.CANCELLED]
        return StoredJournal(
            steps=tuple(map(_journal_row, sorted(steps, key=itemgetter("position")))),
            records=tuple(
                StoredRecord(row["key"], row["kind"], row["body"]) for row in self.of("records")
            ),
            decisions={row["key"]: row["answer"] for row in self.of("decisions")},
        )


def _journal_row(row: Mapping[str, Any]) -> JournalRow:
    return JournalRow(**{name: row[name] for name in _JOURNAL}, elapsed_s=0.0)


def _json(text: str) -> Any:
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except ValueError:
        return None


def _names_in(value: Any) -> Iterator[str]:
    """How participants, providers and models are called, anywhere in a specification."""
    if isinstance(value, dict):
        for name in ("name", "provider", "model"):
            if "provider" in value and isinstance(value.get(name), str):
                yield value[name]
        for inner in value.values():
            yield from _names_in(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _names_in(inner)


@cache
def _our_words() -> frozenset[str]:
    """Names of fields and alternatives of every record of ours."""
    load_all()
    words: set[str] = {"", *WORKFLOWS}
    kinds: list[type[StrEnum]] = [StrEnum]
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        words.update(member.value for member in kind)
    waiting: list[type[BaseModel]] = [Wire, ForeignWire]
    while waiting:
        model = waiting.pop()
        waiting += model.__subclasses__()
        for name, field in model.model_fields.items():
            words.add(name)
            words.update(_alternatives(field.annotation))
    return frozenset(words)


def _alternatives(kind: Any) -> Iterator[str]:
    if get_origin(kind) is Literal:
        yield from (str(word) for word in get_args(kind))
    else:
        for inner in get_args(kind):
            yield from _alternatives(inner)


@cache
def _our_prompts() -> Mapping[str, str]:
    """Our templates by name, those of child runs as `workflow/name`."""
    texts: dict[str, str] = {}
    for workflow in builtin_prompts.workflows():
        for language in LANGUAGES:
            for name, text in builtin_prompts.load(workflow, language).items():
                texts |= {name: text, f"{workflow}/{name}": text}
    return texts
