"""Other rules for a recorded run: what was typed becomes a changed specification, or one clear sentence.

A rule is a short name for an option that several workflows have under their own names (one row each); any other
option is reached by its path in the specification (`review.thresholds.agreement`) or in the workflow's own section
(`thresholds.agreement`). A sweep, `agreement=0.5:0.9:0.1`, is a variant for each value, two are one for each pair.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from itertools import product
from typing import Any

from pydantic import JsonValue, ValidationError

from orchestrator.core.setting import settings_of
from orchestrator.workflows.registry import WORKFLOWS, checked, decision_choices
from shared.errors import UserError
from shared.models.run import ASK, RunSpec
from shared.sentences import Sentence

Path = tuple[str, ...]


@dataclass(frozen=True)
class Change:
    """One option with its new value; `name` is how it was typed."""

    name: str
    path: Path
    value: JsonValue

    @property
    def shown(self) -> str:
        """As it would be typed."""
        value = self.value if isinstance(self.value, str) else json.dumps(self.value)
        return f"{self.name}={value}"


OPTIONS = "options"
_EARLIER = "_options"
"""How a panel's options were written once: `panel_options.ballot`."""
_FIXED: dict[str, str] = {
    "workflow": "another workflow is another run",
    "workflow_version": "it belongs to the code",
    "subject": "what was said was said about the captured subject",
    "prompts": "prompts are chosen by language",
    "panel": "who spoke is recorded",
    "seed": "letters and fences of recorded turns follow from it",
    "labels": "they are no rules",
    "language": "it belongs to the prompts",
    "budget": "it limits calls, and none is made",
    "reuse": "it is about calls, and none is made",
    "allow_external": "it was captured at submission: submit the work again",
    "allow_models": "it was captured at submission: submit the work again",
}


def rules_of(workflow: str) -> dict[str, Path]:
    """The rules that a workflow has, and where in its options each one is."""
    return {
        rule.name: (field,) if len(setting.rules) == 1 else (field, rule.field)
        for field, setting in settings_of(WORKFLOWS[workflow].options)
        for rule in setting.rules
    }


def _words(workflow: str) -> dict[Path, tuple[str, ...]]:
    """What is known where an option takes any word."""
    described = WORKFLOWS[workflow]
    modes = (ASK, *decision_choices())
    words: dict[Path, tuple[str, ...]] = {
        ("decision", "mode"): modes,
        ("decision", "on_timeout"): modes[1:],
    }
    options = settings_of(described.options)
    return words | {(OPTIONS, field): setting.words for field, setting in options if setting.words}


def change_of(spec: RunSpec, name: str, text: str, *, open_fields: Iterable[str] = ()) -> Change:
    """The change that `name=text` asks for. `open_fields` may be changed although a replay could not.

    Raises UserError for a rule that the workflow has not, and for what cannot be changed.
    """
    if not WORKFLOWS[spec.workflow].options.model_fields:
        raise UserError(
            "a run of the workflow {workflow!r} has no rules that could differ",
            workflow=spec.workflow,
        )
    rules = rules_of(spec.workflow)
    if name in rules:
        return Change(name, (OPTIONS, *rules[name]), _value(name, text))
    if any(name in rules_of(other) for other in WORKFLOWS):
        known = ", ".join(rules)
        raise UserError(
            "{workflow} run has no {name}: its rules are {known} (any option: --set)",
            workflow=_a(spec.workflow),
            name=name,
            known=known,
        )
    path = _path(spec, name)
    if path[0] in _FIXED and path[0] not in set(open_fields):
        raise UserError("{name} cannot be changed here: {why}", name=name, why=_FIXED[path[0]])
    return Change(name, path, _value(path[-1], text))


def _path(spec: RunSpec, name: str) -> Path:
    parts = tuple(part.strip().replace("-", "_") for part in name.split("."))
    if not all(parts):
        raise UserError(
            "--set {name}: expected KEY=VALUE, as in rounds=5 or thresholds.agreement=0.6",
            name=name,
        )
    if parts[0] in WORKFLOWS[spec.workflow].options.model_fields:
        return (OPTIONS, *parts)
    if len(parts) > 1 and parts[0].removesuffix(_EARLIER) == spec.workflow:
        return (OPTIONS, *parts[1:])
    return parts


def _value(name: str, text: str) -> JsonValue:
    """A JSON value, or the text itself; `none` is no value, and severities are written in any case."""
    if text.strip().lower() in ("none", "null"):
        return None
    if name.replace("-", "_") == "fail_on":
        return text.strip().upper()
    try:
        value: JsonValue = json.loads(text)
    except ValueError:
        return text.strip()
    return value


def changed(spec: RunSpec, changes: Sequence[Change]) -> RunSpec:
    """The specification with the changes. Raises UserError: the option, what is wrong, what is known."""
    if not changes:
        return spec
    content: dict[str, Any] = spec.model_dump(mode="json")
    described = WORKFLOWS[spec.workflow]
    content[OPTIONS] = described.options_of(spec).model_dump(mode="json")
    for change in changes:
        _put(content, change)
    try:
        described.options.model_validate(content[OPTIONS])
        made = RunSpec.model_validate(content)
        made = checked(made)
        json.dumps(made.model_dump(), allow_nan=False, default=str)
    except ValidationError as error:
        raise UserError(_explained(error, changes)) from None
    except ValueError as error:
        names = ", ".join(change.shown for change in changes)
        infinite = "Out of range" in str(error)
        raise UserError(
            "{names}: {why}", names=names, why="a number must be finite" if infinite else error
        ) from None
    return made


def check_quorum(made: RunSpec, changes: Sequence[Change]) -> None:
    """Raise UserError for a quorum above the number of voices: rounds would read it as `everybody`."""
    voices = len(made.panel.critics)
    for change in changes:
        if change.path[-1] == "quorum" and isinstance(change.value, int) and change.value > voices:
            raise UserError(
                "{change}: {voices} take part, so nothing could ever be decided",
                change=change.shown,
                voices=voices,
            )


def _put(content: dict[str, Any], change: Change) -> None:
    where: Any = content
    for part in change.path[:-1]:
        where = where.get(part) if isinstance(where, dict) and part in where else None
        if not isinstance(where, dict):
            raise UserError(_unknown(change, content))
    last = change.path[-1]
    if last not in where or isinstance(where[last], dict):
        raise UserError(_unknown(change, content))
    known = _words(str(content["workflow"])).get(change.path)
    if known is not None and change.value not in known:
        raise UserError(
            "{change}: there is no such {last} (known: {known})",
            change=change.shown,
            last=last,
            known=", ".join(known),
        )
    where[last] = change.value


def _unknown(change: Change, content: Mapping[str, Any]) -> str:
    workflow = str(content["workflow"])
    paths = _leaves(content)
    # As it would be typed: a workflow's own options go without their section.
    known = [*rules_of(workflow), *(path.removeprefix(f"{OPTIONS}.") for path in paths)]
    near = get_close_matches(change.name.replace("-", "_"), known, n=3, cutoff=0.5)
    names = " or ".join(dict.fromkeys(near))
    return Sentence(
        "{workflow} run has no option {name!r}{hint}",
        workflow=_a(workflow),
        name=change.name,
        hint=Sentence("; did you mean {names}?", names=names) if near else "",
    )


def _leaves(content: Mapping[str, Any], prefix: str = "") -> Iterable[str]:
    for key, value in content.items():
        if not prefix and key in _FIXED:
            continue
        if isinstance(value, dict):
            yield from _leaves(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}"


def _explained(error: ValidationError, changes: Sequence[Change]) -> str:
    first = error.errors(include_input=False, include_url=False)[0]
    where = tuple(str(part) for part in first["loc"])
    paths = {change: (change.path, change.path[1:]) for change in changes}
    change = next(
        (
            change
            for change, tried in paths.items()
            if any(path == where[: len(path)] for path in tried if path)
        ),
        None,
    )
    name = change.shown if change is not None else ".".join(where) or "the options"
    message = first["msg"]
    return f"{name}: {message[:1].lower()}{message[1:]}"


def _a(workflow: str) -> str:
    return f"{'an' if workflow[0] in 'aeiou' else 'a'} {workflow}"


# ---- several variants at once -------------------------------------------------------------------

MOST_VARIANTS = 200
LARGEST = Decimal(1_000_000)


def sweep_of(spec: RunSpec, text: str) -> tuple[Change, ...]:
    """The changes of one `NAME=START:STOP:STEP` or `NAME=VALUE,VALUE,...`. Raises UserError."""
    name, separator, values = text.partition("=")
    if not separator or not name.strip() or not values.strip():
        raise UserError(
            "--sweep {text}: expected NAME=START:STOP:STEP or NAME=VALUE,VALUE, as in "
            "agreement=0.5:0.9:0.1 or detector=stance,lexical",
            text=text,
        )
    listed = (
        _range(text, values) if ":" in values else [value.strip() for value in values.split(",")]
    )
    if not all(listed):
        raise UserError("--sweep {text}: a value is missing between two commas", text=text)
    return tuple(change_of(spec, name.strip(), value) for value in dict.fromkeys(listed))


def _range(text: str, values: str) -> list[str]:
    """Decimal steps, so that 0.5:0.9:0.1 ends at 0.9 and shows 0.7 as 0.7."""
    try:
        start, stop, step = (Decimal(part.strip()) for part in values.split(":"))
        if not all(part.is_finite() and abs(part) < LARGEST for part in (start, stop, step)):
            raise ValueError
        if step < 1 / LARGEST or stop < start:
            raise ValueError
    except (ValueError, InvalidOperation):
        raise UserError(
            "--sweep {text}: a range is START:STOP:STEP, three numbers, upwards, as in 0.5:0.9:0.1",
            text=text,
        ) from None
    if (stop - start) / step >= MOST_VARIANTS:
        raise UserError(
            "--sweep {text}: that is more than {most} values",
            text=text,
            most=MOST_VARIANTS,
        )
    steps = []
    while start <= stop:
        steps.append(f"{start.normalize():f}")
        start += step
    return steps


def variants(sweeps: list[tuple[Change, ...]], always: list[Change]) -> list[tuple[Change, ...]]:
    """One combination a variant, `always` in each. Raises UserError for too many, or an option that is given twice."""
    paths = [sweep[0].path for sweep in sweeps] + [change.path for change in always]
    twice = sorted(
        {".".join(path).removeprefix(f"{OPTIONS}.") for path in paths if paths.count(path) > 1}
    )
    if twice:
        raise UserError("{names} is given twice", names=", ".join(twice))
    total = 1
    for sweep in sweeps:
        total *= len(sweep)
    if total > MOST_VARIANTS:
        raise UserError(
            "that makes {total} variants: at most {most} are computed",
            total=total,
            most=MOST_VARIANTS,
        )
    return [(*combined, *always) for combined in product(*sweeps)]
