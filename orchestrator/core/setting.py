"""What a setting says of itself besides its type, range and default; it is declared with its field.

From it are derived: the key of the configuration, the variable of the environment, the flag of the command, what a
repository's own file may do to it, the rule of a replay, and the row in docs/configuration.md.
"""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum, unique
from typing import Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel, JsonValue
from pydantic.fields import FieldInfo


@unique
class Trust(StrEnum):
    """What a repository's own file may do to a setting: "as long as ...", as docs/configuration.md says it.

    orchestrator/settings/trust.py holds each of them.
    """

    NEVER = "never"
    FREE = "always"
    BUILT_IN = "it is a built-in one: its participants join, its keys are judged like the file's"
    JOINS = (
        'they are names, and join those who take part without it (a `quorum` grows by as many, also the "more than '
        'half" of those that only count answers); not when you typed the panel. No `scripted:FILE`, no '
        "`openai:MODEL`, no address, no persona in its own words, no less than 10 s for one"
    )
    PART = "`orchestrator.ai` leads a forum, where you named nobody; no other part is used"
    UNHURRIED = "nobody has fewer rounds, tries or seconds than without it"
    DEADLINE = "it is not higher than yours, and nobody has fewer seconds than without it"
    SAME = "how the discussion is held stays yours"
    TIGHTENS = "it is that value, or the same as yours"
    NO_LOWER = "agreement is no easier"
    KEPT_ON = "nothing is switched off that keeps agreement honest"
    QUORUM = "it is at least as strict as yours, and you set one"
    GATE = "it is at least as strict as yours"
    NO_HIGHER = "it is not higher than yours; a tighter one applies, and a line says so"
    NO_MORE = "it switches off nothing that counts without it"
    NO_FEWER = "it has all of yours"
    AT_WORST = "each that it adds is `critical`"
    LIMIT = "it is not higher than yours"
    ASKS = "it is `ask`"
    STAYS_HERE = (
        "it is `false`; where that leaves out participants of yours, the command ends with exit code 2 until you type "
        "`--no-external`"
    )
    SAME_MODELS = "it is the same as yours"


TIMEOUT = "--timeout"
"""The flag that bounds how long a run is watched."""


@dataclass(frozen=True)
class Flag:
    """A command's flag: how it is spelled, what stands for its value, and its help.

    `open_ended`: help shows no upper limit; the configuration's is said when it is exceeded. `also`: another spelling;
    `formerly`: one that still works, is not in the help, and is answered with the new one.
    """

    spelling: str
    help: str
    metavar: str | None = None
    open_ended: bool = False
    also: str | None = None
    formerly: str | None = None


@dataclass(frozen=True)
class ReplayRule:
    """A short name under which replays and forks change a setting; with `help` it has a flag of its own there."""

    name: str
    help: str = ""
    metavar: str | None = None

    @property
    def field(self) -> str:
        """What it changes of a setting that is a model."""
        return self.name.replace("-", "_")


@dataclass(frozen=True)
class Setting:
    """In the annotation of a field, of a workflow's options or of a section of the configuration.

    `help` is its row in docs/configuration.md, `shown` the default there where the field's own does not say it; help
    texts have blanks for what the field says, see `blanks_of`. `key` is where the configuration has an option, if not
    under the field's name: in the workflow's own section or, with a dot, in one that several share; None: nowhere.
    `falls_back` is a shared key that counts where the own one is not set, as far as the range allows. `words` are those
    that are known where the type takes any, `nothing` the one that stands for no value; `seconds` makes it a duration.
    `variable` of the environment sets it, too. `tightens` and `weakens` are values that `trust` lets a repository set,
    or never; with `less_is_more` a lower figure gives people more time. A replay changes it by its `rules` (of a model:
    its fields).
    """

    help: str = ""
    key: str | None = ""
    shown: str | None = None
    falls_back: str | None = None
    words: tuple[str, ...] = ()
    nothing: str | None = None
    seconds: bool = False
    variable: str | None = None
    trust: Trust = Trust.NEVER
    tightens: JsonValue = None
    weakens: JsonValue = None
    less_is_more: bool = False
    rules: tuple[ReplayRule, ...] = ()
    flag: Flag | None = None

    def path(self, section: str) -> str:
        """The whole key, of a workflow with that section."""
        return f"{section}.{self.key}" if self.own else str(self.key)

    @property
    def own(self) -> bool:
        """Whether its key is in the workflow's own section."""
        return self.key is not None and "." not in self.key


def settings_of(model: type[BaseModel]) -> Iterator[tuple[str, Setting]]:
    """The fields of a model that are settings, in their order."""
    for name, field in model.model_fields.items():
        for fact in field.metadata:
            if isinstance(fact, Setting):
                yield name, replace(fact, key=name) if fact.key == "" else fact


def bound(field: FieldInfo, *names: str) -> Any:
    """The first of these bounds (`ge`, `gt`, `le`) that a field has; None without any."""
    bounds = (getattr(fact, name, None) for name in names for fact in field.metadata)
    return next((value for value in bounds if value is not None), None)


def plain_type(annotation: Any) -> Any:
    """The type without `| None`."""
    if get_origin(annotation) in (types.UnionType, Union):
        return next(kind for kind in get_args(annotation) if kind is not type(None))
    return annotation


def either(*words: str) -> str:
    """The words as a sentence offers them: "a, b or c"."""
    *others, last = words or ("",)
    return f"{', '.join(others)} or {last}" if others else last


def blanks_of(setting: Setting, field: FieldInfo) -> dict[str, Any]:
    """What the blanks of its help texts stand for: `{default}`, `{least}`, `{most}`, `{words}`, `{choices}`,
    `{falls_back}`."""
    literal = get_args(field.annotation) if get_origin(field.annotation) is Literal else ()
    names = setting.words or literal
    return {
        "default": field.default,
        "least": bound(field, "ge", "gt"),
        "most": bound(field, "le"),
        "choices": ", ".join(map(str, names)),
        "words": either(*(f"`{name}`" for name in names)),
        "falls_back": f"`{setting.falls_back}`",
    }
