"""What a setting says of itself beside its type, range and default; it stands with its field.

From it are derived: the key of the configuration, the flag of the command, what a repository's own file may do to it,
the rule of a replay, and the row in docs/configuration.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from pydantic import BaseModel, JsonValue


class Trust(StrEnum):
    """What a repository's own file may do to a setting; orchestrator/settings/trust.py holds each of them."""

    NEVER = "never"
    UNHURRIED = "nobody has fewer rounds, tries or seconds"
    SAME = "not used unless it is the user's own"
    TIGHTENS = "not used unless it is the one value that tightens, or the user's own"
    NO_LOWER = "agreement is no easier"
    KEPT_ON = "nothing is switched off that keeps agreement honest"
    QUORUM = "no absence is allowed that was not"


@dataclass(frozen=True)
class Flag:
    """A command's flag: how it is spelled, what stands for its value, and its help.

    `open_ended`: help shows no upper limit; the configuration's is said when it is exceeded.
    """

    spelling: str
    help: str
    metavar: str | None = None
    open_ended: bool = False


@dataclass(frozen=True)
class Setting:
    """Stands in the annotation of an option's field.

    `key` is where the configuration has it: in the workflow's own section or, with a dot, in one that several share.
    `falls_back` is a shared key that counts where the own one is not set, as far as the range allows. `words` are those
    that are known where the type takes any, `nothing` the one that stands for no value; `seconds` makes it a duration.
    `help` is its row in docs/configuration.md, `shown` the default there where the field's own does not say it.
    `tightens` and `weakens` are values that `trust` lets a repository set, or never; with `less_is_more` a lower
    figure gives people more time. `rules` are the short names under
    which a replay changes it (of a model: its fields).
    """

    key: str | None = None
    help: str = ""
    shown: str | None = None
    falls_back: str | None = None
    words: tuple[str, ...] = ()
    nothing: str | None = None
    seconds: bool = False
    trust: Trust = Trust.NEVER
    tightens: JsonValue = None
    weakens: JsonValue = None
    less_is_more: bool = False
    rules: tuple[str, ...] = ()
    flag: Flag | None = None

    @property
    def own(self) -> bool:
        """Whether its key stands in the workflow's own section."""
        return self.key is not None and "." not in self.key


THRESHOLDS = ("agreement", "stability", "agreement-weight", "stability-weight")
"""The rules of the field that holds the convergence rule's numbers."""


def settings_of(model: type[BaseModel]) -> Iterator[tuple[str, Setting]]:
    """The fields of a model that are settings, in their order."""
    for name, field in model.model_fields.items():
        for fact in field.metadata:
            if isinstance(fact, Setting):
                yield name, fact
