"""Labelled cases: a change, and what a reviewer should find in it. JSON Lines, validated before anything runs."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    StringConstraints,
    ValidationError,
    field_validator,
    model_validator,
)

from shared.errors import UserError
from shared.models.findings import Place, Severity
from shared.models.wire import Wire

CLEAN = "clean"
"""The label of a change in which there is nothing to find."""
MOST_SHOWN = 20
MOST_CASES = 100_000

CaseId = Annotated[
    str, StringConstraints(min_length=1, max_length=120, pattern=r"^[^\x00-\x20\x7f]+$")
]


class ExpectedFinding(Wire):
    """A defect that is in the change: where, how bad, and in which words people speak of it.

    `words` are terms and sentences by which it is recognised, in any language (`matching.py`). Lines count in the
    reviewed state.
    """

    path: str | None = Field(default=None, min_length=1)
    line: int | None = Field(default=None, ge=1)
    end_line: int | None = Field(default=None, ge=1)
    severity: Severity | None = None
    words: tuple[str, ...] = ()

    @field_validator("words", mode="before")
    @classmethod
    def _one_or_many(cls, value: object) -> object:
        return (value,) if isinstance(value, str) else value

    @field_validator("severity", mode="before")
    @classmethod
    def _any_case(cls, value: object) -> object:
        return value.strip().upper() if isinstance(value, str) else value

    @model_validator(mode="after")
    def _names_something(self) -> ExpectedFinding:
        if self.line is None and not any(text.strip() for text in self.words):
            raise ValueError("a label needs a line, or words to recognise the finding by")
        if self.line is not None and self.path is None:
            raise ValueError("a line needs its path")
        if self.end_line is not None and (self.line is None or self.end_line < self.line):
            raise ValueError("end_line must not stand before line")
        return self

    @property
    def place(self) -> Place | None:
        """Where it is; None where the label says only in which file, or nothing at all."""
        if self.path is None or self.line is None:
            return None
        return Place.over(self.path, self.line, self.end_line or self.line)


RepositoryName = Annotated[
    str, StringConstraints(min_length=1, max_length=255, pattern=r"^[^/\\\x00-\x1f\x7f]+$")
]
"""The name of a folder: no path and no address, which might hold the name of a user or a password."""

LinterName = Annotated[str, StringConstraints(pattern=r"^[\w.-]{1,48}$")]

Labels = tuple[ExpectedFinding, ...] | Literal["clean"]


class StatedChange(Wire):
    """A change: a diff (`diff`, `diff_file`), its files before and after, or a revision of a repository.

    `files` are the touched files before the change; without them a diff is reviewed without its surroundings.
    `after` has the files that the change leaves behind, null for one that it deletes; files that it does not name stay.
    `repository_name` is what lists call the repository of a change whose text is given. `reports` are what linters said
    of it (SARIF, or a linter's own JSON), by the names of these.
    """

    files: dict[str, str] = Field(default_factory=dict)
    diff: str | None = None
    diff_file: str | None = None
    after: dict[str, str | None] | None = None
    repository: str | None = None
    revision: str | None = Field(default=None, min_length=1)
    repository_name: RepositoryName | None = None
    reports: dict[LinterName, str] = Field(default_factory=dict)

    @model_validator(mode="after")
    def _has_one_change(self) -> StatedChange:
        forms = {
            "diff": self.diff,
            "diff_file": self.diff_file,
            "after": self.after,
            "revision": self.revision,
        }
        given = [name for name, value in forms.items() if value is not None]
        if len(given) != 1:
            named = " and ".join(given) or "none"
            raise ValueError(f"expected one of {', '.join(forms)}; here: {named}")
        self._check_form()
        return self

    def _check_form(self) -> None:
        """What goes with which form."""
        if self.revision is not None:
            self._check_revision()
        elif self.repository is not None:
            raise ValueError("repository goes with revision")
        if self.after is not None and not _differ(self.files, self.after):
            raise ValueError("after changes nothing of files")

    def _check_revision(self) -> None:
        if self.files:
            raise ValueError("files go with diff, diff_file or after; a revision has its own")
        if self.reports:
            raise ValueError("reports go with diff, diff_file or after")
        if self.repository_name is not None:
            raise ValueError("a revision's repository has its own name: leave repository_name out")


def checked_labels(value: object) -> object:
    """What can be read as labels. Raises ValueError for an empty list and for other words."""
    if isinstance(value, list) and not value:
        raise ValueError(f'nothing is labelled: write "{CLEAN}" where there is nothing to find')
    if not isinstance(value, list) and value != CLEAN:
        raise ValueError(f'expected a list of findings or "{CLEAN}"')
    return value


class EvalCase(StatedChange):
    """A change with its labels."""

    custom_id: CaseId
    labels: Annotated[Labels, BeforeValidator(checked_labels)]

    @property
    def expected(self) -> tuple[ExpectedFinding, ...]:
        """What is to be found; nothing in a clean change."""
        return () if isinstance(self.labels, str) else self.labels


@dataclass(frozen=True)
class NumberedCase:
    """A case and where it was read: the file's name, and its line from 1."""

    case: EvalCase
    source: str
    line: int

    @property
    def where(self) -> str:
        """For a person who has to mend it."""
        return f"{self.source} line {self.line}"


def read_cases(sources: Iterable[tuple[str, bytes]]) -> tuple[NumberedCase, ...]:
    """The cases of these files, by name. Raises UserError that names every line that is wrong, up to `MOST_SHOWN`."""
    cases: list[NumberedCase] = []
    faults: list[str] = []
    seen: dict[str, str] = {}
    for source, content in sources:
        for line, text in enumerate(content.removeprefix(b"\xef\xbb\xbf").split(b"\n"), start=1):
            if not text.strip():
                continue
            where = f"{source} line {line}"
            case, reasons = _read(text)
            faults += [f"{where}: {reason}" for reason in reasons]
            if case is None:
                continue
            if case.custom_id in seen:
                faults.append(
                    f"{where}: custom_id {case.custom_id!r} is that of {seen[case.custom_id]}, too"
                )
                continue
            seen[case.custom_id] = where
            cases.append(NumberedCase(case, source, line))
    if not cases and not faults:
        faults.append("there is no case in it: write one JSON object a line")
    if len(cases) > MOST_CASES:
        faults.append(f"{len(cases):,} cases are more than an evaluation takes ({MOST_CASES:,})")
    refuse(faults)
    return tuple(cases)


def refuse(faults: Sequence[str]) -> None:
    """Raise UserError with these faults, a line each; nothing where there are none."""
    if not faults:
        return
    more = [f"... and {len(faults) - MOST_SHOWN:,} more"] if len(faults) > MOST_SHOWN else []
    head = "the cases cannot be used; nothing was started (`quorate docs eval` has the format):"
    raise UserError("\n  ".join((head, *faults[:MOST_SHOWN], *more)))


def _read(text: bytes) -> tuple[EvalCase | None, tuple[str, ...]]:
    try:
        content = json.loads(text.decode("utf-8"))
    except UnicodeDecodeError:
        return None, ("it is not UTF-8",)
    except (ValueError, RecursionError) as error:
        reason = str(error) if isinstance(error, json.JSONDecodeError) else "too deeply nested"
        return None, (f"it is no JSON ({reason})",)
    if not isinstance(content, dict):
        return None, ("expected a JSON object",)
    if "question" in content:
        return None, ("questions with a known answer are not evaluated yet: only changes are",)
    try:
        return EvalCase.model_validate(content), ()
    except ValidationError as error:
        return None, reasons_of(error)


def reasons_of(error: ValidationError, *within: str) -> tuple[str, ...]:
    """What is wrong with a line, each with the field that it is about; `within` is where the model stands in it."""
    errors = [each for each in error.errors() if not _is_other_branch(each["loc"])]
    reasons = (_reason({**each, "loc": (*within, *each["loc"])}) for each in errors)
    return tuple(dict.fromkeys(reasons))


def _is_other_branch(place: Sequence[int | str]) -> bool:
    """A list of labels is not the word; what is wrong within the list is told."""
    return any(str(part).startswith("literal[") for part in place)


_PLAIN = {"string_pattern_mismatch": "blanks and control characters are not allowed"}
"""What a person reads instead of a regular expression; `CaseId` has the only one."""


def _reason(error: Any) -> str:
    # pydantic names the branch of a union, too; a reader knows the fields only.
    place = ".".join(str(part) for part in error["loc"] if not str(part).startswith("tuple["))
    text = _PLAIN.get(error["type"]) or str(error["msg"]).removeprefix("Value error, ")
    return f"{place}: {text}" if place else text


def _differ(files: Mapping[str, str], after: Mapping[str, str | None]) -> bool:
    return any(files.get(path) != text for path, text in after.items())


def change_between(files: Mapping[str, str], after: Mapping[str, str | None]) -> str:
    """The unified diff that leads from the one to the other."""
    parts: list[str] = []
    for path in sorted(after):
        old, new = files.get(path), after[path]
        if old == new:
            continue
        names = (
            "/dev/null" if old is None else f"a/{path}",
            "/dev/null" if new is None else f"b/{path}",
        )
        parts.append(f"diff --git a/{path} b/{path}\n")
        parts += ["new file mode 100644\n"] if old is None else []
        parts += ["deleted file mode 100644\n"] if new is None else []
        for row in difflib.unified_diff(_lines(old), _lines(new), *names):
            parts.append(row if row.endswith("\n") else f"{row}\n\\ No newline at end of file\n")
    return "".join(parts)


def _lines(text: str | None) -> list[str]:
    return [] if text is None else [f"{row}\n" for row in text.split("\n")[:-1]] + _last(text)


def _last(text: str) -> list[str]:
    end = text.rsplit("\n", maxsplit=1)[-1]
    return [end] if end else []
