"""Any command as an analyser: how it is called, what it reads, and how its report is read. Some rows are ready.

A command gets copies of the changed files under numbered names, in a sandbox without network and without the rest of
the project, so no configuration that the change brings is found by it. A ready row is used where its program is
installed; a person's own stands under `providers:`, and a worker runs it only when somebody entered it there.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Collection, Mapping
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import Field, JsonValue, StringConstraints, field_validator, model_validator
from pydantic_core import PydanticCustomError

from shared.models.findings import Severity
from shared.models.wire import Wire
from shared.programs import find_program
from shared.sentences import Sentence
from shared.tools.rules import GivenSeverity, Glob, covers_path

FILES = "{files}"
ReportFormat = Literal[
    "sarif", "rdjson", "checkstyle", "eslint", "pyright", "regex", "cargo", "golangci", "govet"
]
REPORT_FORMATS: tuple[str, ...] = get_args(ReportFormat)
GROUPS = ("file", "line", "message")
MORE_GROUPS = ("column", "end_line", "severity", "code")
LEVELS: Mapping[str, Severity] = {
    "fatal": Severity.CRITICAL,
    "critical": Severity.CRITICAL,
    "error": Severity.MAJOR,
    "high": Severity.MAJOR,
    "warning": Severity.MINOR,
    "medium": Severity.MINOR,
    "": Severity.MINOR,
}
"""What a program calls its findings -> ours, also where it calls them nothing; everything else is said, and no more."""
Level = Annotated[str, StringConstraints(to_lower=True, max_length=40)]


class AnalyserCommand(Wire):
    """A command that looks at files, and the form of its report; `exit_codes` are those with which that is whole.

    `{files}` stands for the files, which come last otherwise. `pattern` is for `regex`: its groups are `file`, `line`
    and `message`, and perhaps `column`, `end_line`, `severity` and `code`.
    """

    command: tuple[Annotated[str, StringConstraints(min_length=1, max_length=4000)], ...] = Field(
        min_length=1, max_length=200
    )
    files: tuple[Glob, ...] = Field(min_length=1)
    format: ReportFormat = "sarif"
    pattern: str | None = Field(default=None, max_length=2000)
    exit_codes: tuple[int, ...] = (0, 1)
    severity: dict[Level, GivenSeverity] = Field(default_factory=dict)
    reads: tuple[str, ...] = ()
    env: dict[Annotated[str, StringConstraints(pattern=r"^[A-Za-z_]\w*$", max_length=100)], str] = (
        Field(default_factory=dict)
    )

    @field_validator("command")
    @classmethod
    def _names_a_program(cls, command: tuple[str, ...]) -> tuple[str, ...]:
        if "/" in command[0] and not command[0].startswith("/"):
            raise PydanticCustomError(
                "program", "the program is a name that is looked for on PATH, or an absolute path"
            )
        return command

    @field_validator("reads")
    @classmethod
    def _are_absolute(cls, places: tuple[str, ...]) -> tuple[str, ...]:
        if not all(place.startswith("/") for place in places):
            raise PydanticCustomError("reads", "name absolute paths")
        return places

    @model_validator(mode="after")
    def _has_the_pattern_of_its_format(self) -> AnalyserCommand:
        if (self.format == "regex") != (self.pattern is not None):
            raise PydanticCustomError("pattern", "`pattern` belongs to `format: regex`")
        if self.pattern is not None:
            _check_pattern(self.pattern)
        return self

    @property
    def program(self) -> str:
        """What has to be installed."""
        return self.command[0]

    def reads_file(self, path: str) -> bool:
        """True for a file that it is given."""
        return any(covers_path(glob, path) for glob in self.files)

    def arguments(self, files: Collection[str]) -> list[str]:
        """The command line after the program."""
        words = [*self.command[1:]]
        at = words.index(FILES) if FILES in words else len(words)
        return [*words[:at], *files, *words[at + 1 :]]

    def weight(self, level: str) -> Severity:
        """How bad a finding is that the program calls so."""
        word = level.strip().lower()
        return self.severity.get(word) or LEVELS.get(word, Severity.INFO)


def _check_pattern(pattern: str) -> None:
    try:
        groups = re.compile(pattern).groupindex
    except (re.error, RecursionError, OverflowError) as error:
        raise PydanticCustomError(
            "pattern", "the pattern is no regular expression: {why}", {"why": str(error)}
        ) from None
    lacking = [name for name in GROUPS if name not in groups]
    strange = [name for name in groups if name not in (*GROUPS, *MORE_GROUPS)]
    if lacking or strange:
        raise PydanticCustomError(
            "pattern",
            "the pattern needs the groups (?P<file>...), (?P<line>...), (?P<message>...), and may have {more}",
            {"more": ", ".join(MORE_GROUPS)},
        )


class ReadyCommand(Wire):
    """A program that is known here. `language` is what it reads, as people call it.

    `joins`: it takes part by itself where it is installed. The others need more of a project than the changed files,
    or judge a language that our own analysers read: they take part by name.
    """

    language: str
    joins: bool
    row: AnalyserCommand
    offered: bool = True


class ProjectLinter(NamedTuple):
    """What reads a language by the whole project only: it builds that, so people run it (`--tests`, `--report`).

    `report` is a command that writes what it finds to `file`, in one of `formats`; `manifest` lies where a project
    begins.
    """

    names: tuple[str, ...]
    language: str
    suffix: str
    command: str
    report: str
    file: str
    formats: tuple[ReportFormat, ...]
    manifest: str

    @property
    def advice(self) -> str:
        """How it takes part."""
        return Sentence(
            "it builds the project, so run it there: `{command}`, and `--report {file}` here",
            command=self.report,
            file=self.file,
        )


PROJECT_LINTERS = (
    ProjectLinter(
        ("go vet", "govet", "golangci-lint"),
        "Go",
        ".go",
        command="go vet ./...",
        report="go vet -json ./... > vet.txt 2>&1",
        file="vet.txt",
        formats=("govet", "golangci"),
        manifest="go.mod",
    ),
    ProjectLinter(
        ("clippy", "cargo", "cargo clippy"),
        "Rust",
        ".rs",
        command="cargo clippy --offline -- -D warnings",
        report="cargo clippy --message-format=json > clippy.json",
        file="clippy.json",
        formats=("cargo",),
        manifest="Cargo.toml",
    ),
)


def reporting_linter(name: str) -> str | None:
    """How a linter of that name takes part, where its report is all that does; None for any other name."""
    return next((linter.advice for linter in PROJECT_LINTERS if name in linter.names), None)


_JS_RULES = (
    "constructor-super for-direction getter-return no-async-promise-executor no-class-assign "
    "no-compare-neg-zero no-const-assign no-constant-binary-expression no-debugger no-delete-var "
    "no-dupe-args no-dupe-class-members no-dupe-else-if no-dupe-keys no-duplicate-case no-eval "
    "no-ex-assign no-func-assign no-global-assign no-implied-eval no-import-assign "
    "no-invalid-regexp no-loss-of-precision no-misleading-character-class no-new-func "
    "no-obj-calls no-self-assign no-setter-return no-shadow-restricted-names no-sparse-arrays "
    "no-this-before-super no-unreachable no-unsafe-finally no-unsafe-negation "
    "no-unsafe-optional-chaining no-unused-labels no-with use-isnan valid-typeof"
).split()
_NOTED = {"error": Severity.MINOR, "warning": Severity.MINOR, "note": Severity.INFO}


def _eslint() -> tuple[str, ...]:
    rules = (word for rule in _JS_RULES for word in ("--rule", f"{rule}: error"))
    return (
        *("eslint", "--no-config-lookup", "--no-inline-config", "--format", "json"),
        *("--parser-options", "ecmaFeatures:{jsx:true}"),
        *rules,
        "--",
    )


@functools.cache
def ready_commands() -> Mapping[str, ReadyCommand]:
    """The rows that are ready, by name; built when somebody asks."""
    return {**_joining_commands(), **_named_commands()}


def _joining_commands() -> Mapping[str, ReadyCommand]:
    """Those that take part wherever they are installed."""
    return {
        "eslint": ReadyCommand(
            language="JavaScript",
            joins=True,
            row=AnalyserCommand(
                command=_eslint(), files=("*.js", "*.mjs", "*.cjs", "*.jsx"), format="eslint"
            ),
        ),
        "shellcheck": ReadyCommand(
            language="shell",
            joins=True,
            row=AnalyserCommand(
                # It is given no other files, so that it cannot follow `source` says nothing of the change.
                command=(
                    *("shellcheck", "--norc", "--exclude=SC1090,SC1091"),
                    *("--format=checkstyle", "--"),
                ),
                files=("*.sh", "*.bash", "*.ksh"),
                format="checkstyle",
            ),
        ),
        "hadolint": ReadyCommand(
            language="Docker",
            joins=True,
            row=AnalyserCommand(
                command=("hadolint", "--no-color", "--format", "checkstyle", "--"),
                files=("Dockerfile", "Dockerfile.*", "*.dockerfile", "Containerfile"),
                format="checkstyle",
                severity=_NOTED,
            ),
        ),
        "gofmt": ReadyCommand(
            language="Go",
            joins=True,
            row=AnalyserCommand(
                command=("gofmt", "-e", "-l"),
                files=("*.go",),
                format="regex",
                pattern=r"^(?P<file>[^:\s]+\.go):(?P<line>\d+):(?P<column>\d+): (?P<message>.+)$",
                exit_codes=(0, 2),
                severity={"": Severity.MAJOR},
            ),
            offered=False,
        ),
    }


def _named_commands() -> Mapping[str, ReadyCommand]:
    """Those that take part only where they are named."""
    return {
        "mypy": ReadyCommand(
            language="Python",
            joins=False,
            offered=False,
            row=AnalyserCommand(
                command=(
                    *("mypy", "--config-file=", "--ignore-missing-imports"),
                    *("--follow-imports=silent", "--show-column-numbers", "--no-error-summary"),
                    *("--no-pretty", "--no-color-output"),
                    *("--cache-dir=.cache", "--scripts-are-modules", "--"),
                ),
                files=("*.py", "*.pyi"),
                format="regex",
                pattern=(
                    r"^(?P<file>[^:]+):(?P<line>\d+):(?P<column>\d+): (?P<severity>error|note): "
                    r"(?P<message>.*?)(?:  \[(?P<code>[\w-]+)\])?$"
                ),
                severity=_NOTED,
            ),
        ),
        "pyright": ReadyCommand(
            language="Python",
            joins=False,
            offered=False,
            row=AnalyserCommand(
                command=("pyright", "--outputjson"),
                files=("*.py", "*.pyi"),
                format="pyright",
                severity=_NOTED,
            ),
        ),
    }


def row_of(program: AnalyserCommand) -> dict[str, JsonValue]:
    """The row as data, without what is as always: as a participant carries it, and as it is entered."""
    return dict(program.model_dump(mode="json", exclude_defaults=True))


def is_ready(program: AnalyserCommand) -> bool:
    """True for a row that is our own, to the letter."""
    return any(program == ready.row for ready in ready_commands().values())


def is_known(program: AnalyserCommand) -> bool:
    """True for such a row, also where its program is named by its place."""
    name = program.program.rpartition("/")[2]
    return is_ready(program.model_copy(update={"command": (name, *program.command[1:])}))


def installed(path: str) -> tuple[str, ...]:
    """The ready rows whose programs are in the folders of that PATH."""
    return tuple(
        name for name, ready in ready_commands().items() if find_program(ready.row.program, path)
    )
