"""A line of a batch: what a run is asked with, checked against what its workflow knows.

What a line may say follows from the workflow's descriptor: `input` from the kind of its subject, `options` from the
settings of its options model and the keys of the configuration.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    JsonValue,
    TypeAdapter,
    ValidationError,
    model_validator,
)

from orchestrator.application.capture import GivenCase
from orchestrator.application.prepare import SubmissionRequest
from orchestrator.application.stated_change import with_change
from orchestrator.application.subject_input import CaseSource, QuestionInput, TaskInput
from orchestrator.core.setting import settings_of
from orchestrator.evaluation.cases import (
    CaseId,
    Labels,
    StatedChange,
    checked_labels,
    reasons_of,
)
from orchestrator.presentation.locale.translator import ToldNotice
from orchestrator.settings.schema import KEYS
from orchestrator.subjects.case_files import read_cases
from orchestrator.subjects.case_texts import UnusableCaseError
from orchestrator.workflows import ROWS
from orchestrator.workflows.descriptor import SubjectKind
from orchestrator.workflows.registry import WORKFLOWS
from shared.configuration import did_you_mean
from shared.errors import SubjectError, UserError
from shared.models.outcomes import Verdict
from shared.models.wire import Wire


class StatedQuestion(Wire):
    """A question: its text or a file that holds it, and files that go along; `texts` are such files by name."""

    text: str | None = Field(default=None, min_length=1)
    file: str | None = Field(default=None, min_length=1)
    contexts: tuple[str, ...] = ()
    texts: dict[str, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_words(self) -> StatedQuestion:
        _require_one(text=self.text, file=self.file)
        return self


class StatedTask(Wire):
    """A coding task: its text or a file that holds it, and the repository."""

    text: str | None = Field(default=None, min_length=1)
    file: str | None = Field(default=None, min_length=1)
    repository: str = "."

    @model_validator(mode="after")
    def _has_words(self) -> StatedTask:
        _require_one(text=self.text, file=self.file)
        return self


class StatedRecord(Wire):
    """A clinical case: a file, the chart's text, or a record as JSON; similar cases and documents as files."""

    file: str | None = Field(default=None, min_length=1)
    text: str | None = Field(default=None, min_length=1)
    record: dict[str, JsonValue] | None = None
    similar: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _has_case(self) -> StatedRecord:
        _require_one(file=self.file, text=self.text, record=self.record)
        if self.file is None and (self.similar or self.documents):
            raise ValueError("similar and documents go with file")
        return self


def _require_one(**forms: object) -> None:
    given = [name for name, value in forms.items() if value is not None]
    if len(given) != 1:
        raise ValueError(
            f"expected one of {', '.join(forms)}; here: {' and '.join(given) or 'none'}"
        )


INPUTS: Mapping[SubjectKind, type[Wire]] = {
    SubjectKind.CHANGE: StatedChange,
    SubjectKind.QUESTION: StatedQuestion,
    SubjectKind.CASE: StatedRecord,
    SubjectKind.TASK: StatedTask,
}
"""What `input` is for each kind of subject."""
SUBMITTED = tuple(row.name for row in ROWS if row.summary)
"""The workflows that people start."""


def _as_several(value: object) -> object:
    return (value,) if isinstance(value, str) else value


class BatchLine(Wire):
    """A line as it is written; `input` and `options` are read by the rules of its workflow.

    `labels` are the findings that are expected, or "clean"; `expected_verdict` the verdict, or several of which any is
    right. `metadata` comes back with the results.
    """

    custom_id: CaseId
    workflow: str
    input: dict[str, JsonValue]
    options: dict[str, JsonValue] = Field(default_factory=dict)
    participants: tuple[str, ...] = ()
    models: tuple[str, ...] = ()
    parts: dict[str, str] = Field(default_factory=dict)
    labels: Annotated[Labels, BeforeValidator(checked_labels)] | None = None
    expected_verdict: Annotated[tuple[Verdict, ...], BeforeValidator(_as_several)] = ()
    metadata: dict[str, JsonValue] = Field(default_factory=dict)


@dataclass(frozen=True)
class BatchItem:
    """A line that was understood: where it stood, and what its workflow's input is."""

    number: int
    line: BatchLine
    stated: Wire

    @property
    def body(self) -> dict[str, JsonValue]:
        """What is kept of it besides the question."""
        kept = self.line.model_dump(
            mode="json", include={"labels", "expected_verdict", "metadata"}, exclude_none=True
        )
        return {name: value for name, value in kept.items() if value not in ({}, [])}


def read_line(number: int, text: bytes) -> tuple[BatchItem | None, tuple[str, ...]]:
    """The item of a line, or everything that is wrong with it."""
    try:
        content = json.loads(
            text.decode("utf-8"), parse_constant=_no_number, object_pairs_hook=_once_each
        )
    except UnicodeDecodeError:
        return None, ("it is not UTF-8",)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, ValueError) else "too deeply nested"
        return None, (f"it is no JSON ({reason})",)
    if not isinstance(content, dict):
        return None, ("expected a JSON object",)
    try:
        line = BatchLine.model_validate(content)
    except ValidationError as error:
        return None, reasons_of(error)
    if line.workflow not in SUBMITTED:
        near = did_you_mean(line.workflow, [*SUBMITTED])
        return None, (f"workflow: there is no workflow {line.workflow!r}{near}",)
    faults = [*_option_faults(line), *_part_faults(line)]
    try:
        stated = INPUTS[WORKFLOWS[line.workflow].subject].model_validate(line.input)
    except ValidationError as error:
        return None, (*reasons_of(error, "input"), *faults)
    if faults:
        return None, tuple(faults)
    return BatchItem(number, line, stated), ()


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a number")


def _once_each(pairs: Sequence[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    """The object; a name that stands twice in it would silently lose one of its values."""
    content = dict(pairs)
    if len(content) < len(pairs):
        names = [name for name, _ in pairs]
        doubled = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"{doubled!r} stands twice in one object")
    return content


# ---- options ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class KnownOption:
    """An option of a workflow: under which key of the configuration it is, if any, and what it takes."""

    key: str | None
    values: TypeAdapter[Any]


@cache
def known_options(workflow: str) -> Mapping[str, KnownOption]:
    """What `options` may say: the names of the workflow's settings, and every key of the configuration."""
    described = WORKFLOWS[workflow]
    known = {key: KnownOption(key, _adapter(row.field)) for key, row in KEYS.items()}
    for name, setting in settings_of(described.options):
        if setting.key is None:
            field = described.options.model_fields[name]
            known[name] = KnownOption(None, _adapter(field))
        elif (path := setting.path(described.section)) in KEYS:
            known[name] = KnownOption(path, known[path].values)
    return known


def own_options(workflow: str) -> list[str]:
    """The names of the workflow's own settings among them."""
    known = known_options(workflow)
    return [name for name, _ in settings_of(WORKFLOWS[workflow].options) if name in known]


def _adapter(field: Any) -> TypeAdapter[Any]:
    if not field.metadata:
        return TypeAdapter(field.annotation)
    return TypeAdapter(Annotated[(field.annotation, *field.metadata)])


def _option_faults(line: BatchLine) -> Iterator[str]:
    known = known_options(line.workflow)
    for name, value in line.options.items():
        option = known.get(name)
        if option is None:
            near = did_you_mean(name, own_options(line.workflow))
            yield f"options: {line.workflow} has no option {name!r}{near}"
            continue
        try:
            option.values.validate_python(value)
        except ValidationError as error:
            yield from (f"options.{name}: {each['msg']}" for each in error.errors())


def _part_faults(line: BatchLine) -> Iterator[str]:
    parts = [part.name for part in WORKFLOWS[line.workflow].parts if part.flag is not None]
    for name in line.parts:
        if name not in parts:
            yield f"parts: {line.workflow} has no part {name!r}{did_you_mean(name, parts)}"


# ---- what is submitted --------------------------------------------------------------------------


def request_of(item: BatchItem, common: SubmissionRequest, folder: Path) -> SubmissionRequest:
    """The request of an item: what it says outranks what is asked for all of them; paths begin at `folder`.

    Raises SubjectError for what cannot be read.
    """
    line, settings, options = item.line, dict(common.settings), dict(common.options)
    known = known_options(line.workflow)
    for name, value in line.options.items():
        key = known[name].key
        (options if key is None else settings)[key or name] = value
    request = replace(
        common,
        workflow=line.workflow,
        panel=line.participants or common.panel,
        models=line.models or common.models,
        holders={**common.holders, **line.parts},
        settings=settings,
        options=options,
    )
    return _about(request, item, folder)


def _about(request: SubmissionRequest, item: BatchItem, folder: Path) -> SubmissionRequest:
    stated = item.stated
    match stated:
        case StatedChange():
            return with_change(request, stated, folder)
        case StatedQuestion():
            words = () if stated.text is None else (stated.text,)
            given = {name: text.encode() for name, text in stated.texts.items()}
            question = QuestionInput(
                words, stated.file, stated.contexts, no_stdin=True, attached=given
            )
            return replace(request, directory=folder, subject=question)
        case StatedTask():
            words = () if stated.text is None else (stated.text,)
            task = TaskInput(words, stated.file, stated.repository)
            return replace(request, directory=folder, subject=task)
        case StatedRecord():
            subject = _case(stated, item.line.custom_id)
            return replace(request, directory=folder, subject=subject)
        case _:
            raise AssertionError(f"no run is about {type(stated).__name__}")


def _case(stated: StatedRecord, custom_id: str) -> CaseSource | GivenCase:
    if stated.file is not None:
        return CaseSource(stated.file, stated.similar, stated.documents)
    name = custom_id if stated.record is None else f"{custom_id}.json"
    content = stated.text if stated.record is None else json.dumps(stated.record)
    try:
        read = read_cases(str(content).encode(), name)
    except UnusableCaseError as error:
        raise SubjectError("input: {why}", why=ToldNotice(error.notice)) from None
    if len(read.cases) != 1:
        raise SubjectError("input: {count} cases; an item is about one", count=len(read.cases))
    return GivenCase(read.cases[0], remarks=read.remarks)


# ---- the schema ---------------------------------------------------------------------------------


def item_schema(workflow: str) -> dict[str, Any]:
    """The JSON schema of a line of that workflow. Raises UserError where there is none of that name."""
    if workflow not in SUBMITTED:
        near = did_you_mean(workflow, [*SUBMITTED])
        raise UserError("there is no workflow {workflow!r}{near}", workflow=workflow, near=near)
    schema = BatchLine.model_json_schema()
    stated: type[BaseModel] = INPUTS[WORKFLOWS[workflow].subject]
    inner = stated.model_json_schema()
    schema.setdefault("$defs", {}).update(inner.pop("$defs", {}))
    options = {
        name: known_options(workflow)[name].values.json_schema() for name in own_options(workflow)
    }
    schema["properties"]["workflow"] = {"const": workflow}
    schema["properties"]["input"] = inner
    schema["properties"]["options"] = {"type": "object", "properties": options}
    return schema
