"""Scripts: files of ready replies for the scripted participant, in demonstrations, replays and tests.

A script is YAML (a list of entries, or a mapping with `replies`) or JSON lines (one entry a line).
The format is described in docs/design/providers.md. A script is read where it lies and travels
inline, in the participant's options, because a worker may run on another machine.
"""

from __future__ import annotations

from difflib import get_close_matches
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import yaml
from pydantic import Field, JsonValue, ValidationError, model_validator

from shared.errors import ConfigurationError
from shared.models.outcomes import FailureKind
from shared.models.panel import RoleName
from shared.models.steps import Usage
from shared.models.wire import Wire

MAX_SCRIPT_BYTES = 4 * 1024 * 1024


class Misbehaviour(StrEnum):
    """Faults beyond the failure kinds: answers that are no use, and silence."""

    GARBAGE = "garbage"
    UNPARSEABLE_ONCE = "unparseable_once"
    HANG = "hang"


_Words = str | tuple[str, ...]
_Numbers = int | tuple[int, ...]


class When(Wire):
    """What an entry answers; every condition that is given must hold, one value or any of several.

    `call` is 1 for a step's first call and 2 for its repair; `attempt` counts the step's attempts;
    `contains` is text that the prompt must contain (all of several).
    """

    participant: _Words | None = None
    role: RoleName | tuple[RoleName, ...] | None = None
    round: _Numbers | None = None
    call: _Numbers | None = None
    attempt: _Numbers | None = None
    contains: _Words | None = None


_Seconds = Annotated[float, Field(ge=0, le=86400)]


class ScriptedReply(Wire):
    """One entry: a reply (fields of the reply model, or a text as it is), a fault, or both.

    `latency_s` is a number of seconds or [least, most]. `retry_after_s` belongs to a fault that
    can pass.
    """

    when: When = Field(default_factory=When)
    reply: dict[str, JsonValue] | str | None = None
    latency_s: _Seconds | tuple[_Seconds, _Seconds] = 0.0
    fault: FailureKind | Misbehaviour | None = None
    retry_after_s: float | None = Field(default=None, ge=0)
    usage: Usage | None = None

    @model_validator(mode="after")
    def _says_something(self) -> ScriptedReply:
        if self.reply is None and self.fault in (None, Misbehaviour.UNPARSEABLE_ONCE):
            raise ValueError("an entry needs `reply`, or a `fault` that needs none")
        if isinstance(self.latency_s, tuple) and self.latency_s[0] > self.latency_s[1]:
            raise ValueError("`latency_s` is [least, most]")
        return self


def load_script(path: Path | str) -> list[dict[str, JsonValue]]:
    """The script's entries as JSON values for `options["replies"]`.

    Raises ConfigurationError with file, line and a suggestion.
    """
    file = Path(path)
    try:
        if file.stat().st_size > MAX_SCRIPT_BYTES:
            raise ConfigurationError(
                "{file} exceeds {limit} bytes: is it a script?",
                file=file,
                limit=MAX_SCRIPT_BYTES,
            )
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigurationError(
            "The script {file} cannot be read: {why}.", file=file, why=error.strerror
        ) from None
    except UnicodeError:
        raise ConfigurationError("The script {file} is not UTF-8 text.", file=file) from None
    entries = _json_lines(text, file) if file.suffix in (".jsonl", ".ndjson") else _yaml(text, file)
    if not entries:
        raise ConfigurationError("The script {file} holds no entry.", file=file)
    return [_checked(node, file).model_dump(mode="json", exclude_unset=True) for node in entries]


def parse_entries(entries: list[JsonValue], participant: str) -> tuple[ScriptedReply, ...]:
    """Entries that came inline. Raises ConfigurationError naming the entry."""
    checked = []
    for number, entry in enumerate(entries, 1):
        try:
            checked.append(ScriptedReply.model_validate(entry))
        except ValidationError as error:
            problem, _ = _first_problem(error)
            raise ConfigurationError(
                "Entry {number} of {participant}'s script: {problem}",
                number=number,
                participant=participant,
                problem=problem,
            ) from None
    return tuple(checked)


def _yaml(text: str, file: Path) -> list[yaml.Node]:
    try:
        root = yaml.compose(text, Loader=yaml.SafeLoader)
    except (yaml.YAMLError, RecursionError) as error:
        raise _syntax_error(error, file, 0) from None
    if isinstance(root, yaml.MappingNode):
        inner = {key.value: value for key, value in root.value}
        unknown = [key for key in inner if key != "replies"]
        if unknown:
            raise ConfigurationError(
                "{file}:{line}: unknown key '{unknown}'; a script is a list of entries, or a mapping "
                "with the one key `replies`.",
                file=file,
                line=root.start_mark.line + 1,
                unknown=unknown[0],
            )
        root = inner.get("replies")
    if not isinstance(root, yaml.SequenceNode):
        raise ConfigurationError(
            "{file}:1: a script is a list of entries, each with `reply`.", file=file
        )
    return list(root.value)


def _json_lines(text: str, file: Path) -> list[yaml.Node]:
    # JSON is YAML; composing it keeps the positions of its parts.
    nodes = []
    for number, line in enumerate(text.splitlines()):
        if not line.strip():
            continue
        try:
            node = yaml.compose(line.replace("\t", " "), Loader=yaml.SafeLoader)
        except (yaml.YAMLError, RecursionError) as error:
            raise _syntax_error(error, file, number) from None
        if node is not None:
            _shift(node, number)
            nodes.append(node)
    return nodes


def _shift(node: yaml.Node, lines: int) -> None:
    node.start_mark.line += lines
    for child in node.value if isinstance(node.value, list) else ():
        for part in child if isinstance(child, tuple) else (child,):
            _shift(part, lines)


def _syntax_error(error: Exception, file: Path, lines: int) -> ConfigurationError:
    mark = getattr(error, "problem_mark", None)
    line = lines + (mark.line if mark else 0) + 1
    problem = getattr(error, "problem", None) or "this is not YAML"
    return ConfigurationError("{file}:{line}: {problem}.", file=file, line=line, problem=problem)


def _checked(node: yaml.Node, file: Path) -> ScriptedReply:
    constructor = yaml.SafeLoader("")
    try:
        value = constructor.construct_document(node)
        return ScriptedReply.model_validate(value)
    except (yaml.YAMLError, RecursionError) as error:
        raise _syntax_error(error, file, 0) from None
    except ValidationError as error:
        problem, place = _first_problem(error)
        raise ConfigurationError(
            "{file}:{line}: {problem}", file=file, line=_line_of(node, place), problem=problem
        ) from None
    finally:
        constructor.dispose()


def _first_problem(error: ValidationError) -> tuple[str, tuple[int | str, ...]]:
    """A sentence about the first error, and where in the entry it is."""
    problems = error.errors(include_input=False, include_url=False)
    extra = next((item for item in problems if item["type"] == "extra_forbidden"), None)
    if extra is not None:
        return _unknown_key(extra["loc"]), extra["loc"]
    first = max(problems, key=lambda problem: len(problem["loc"]))  # of a list, which entry
    name = ".".join(str(part) for part in first["loc"] if part in _NAMES)
    words = first["msg"].removeprefix("Value error, ")
    if first["type"] == "enum" and name == "fault":
        words = f"known faults are {', '.join((*FailureKind, *Misbehaviour))}"
    return f"{f'`{name}`: ' if name else ''}{words}.", first["loc"]


def _unknown_key(place: tuple[int | str, ...]) -> str:
    name, inside = str(place[-1]), When if "when" in place else ScriptedReply
    near = get_close_matches(name, inside.model_fields, n=1)
    hint = f"did you mean `{near[0]}`?" if near else f"known: {', '.join(inside.model_fields)}."
    return f"unknown key `{name}`; {hint}"


_NAMES = frozenset((*When.model_fields, *ScriptedReply.model_fields))


def _line_of(node: yaml.Node, place: tuple[int | str, ...]) -> int:
    """The line (from 1) of the deepest part of `place` that the node has."""
    line = int(node.start_mark.line)
    for part in place:
        if not isinstance(node, yaml.MappingNode):
            break
        pair = next(((k, v) for k, v in node.value if k.value == part), None)
        if pair is None:
            break
        line, node = int(pair[0].start_mark.line), pair[1]
    return line + 1
