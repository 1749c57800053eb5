"""The parts of a workflow: what its participants do, and who gets a part that nobody was named for."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from typing import Any, Generic, TypeVar

from pydantic import BaseModel

from orchestrator.core.setting import Flag
from shared.models.notices import Notice
from shared.models.panel import Panel, Participant

OptionsT = TypeVar("OptionsT", bound=BaseModel)

CRITIC, AUTHOR, CHAIR = "critic", "author", "chair"
"""The parts of a panel, by their names; several are critics."""
CHAIR_KEYS = ("panel.chair", "orchestrator.ai")
"""Where the configuration names who merges or leads."""
PROJECT = "project"
"""For keys where a repository's own file may name somebody who takes part anyway."""


def split_names(typed: Iterable[str]) -> list[str]:
    """The names in texts that separate them with commas."""
    return [name.strip() for text in typed for name in text.split(",") if name.strip()]


class Filling(Enum):
    """Who gets a part that nobody was named for."""

    FIRST_MODEL = "the first model; once more where several were named for the run"
    PLANNER = "the first model; where all have personas, one that is left over, else it once more"
    LAST_MODEL = "the last model, without its persona"
    LOCAL_MODEL = "the first model on this machine, else the first"
    OUTSIDER = "a model that is left over, else the one that takes part least, once more"
    CHAIRS_MODEL = "the chair's model once more"
    NOBODY = "nobody"


class Overlap(Enum):
    """Whether whoever has a part is a critic as well."""

    ALLOWED = "it may be"
    AVOIDED = "not while another critic is there"
    NEVER = "it is asked once more, under another name"


def _always(_options: BaseModel) -> bool:
    return True


@dataclass(frozen=True)
class PartType(Generic[OptionsT]):
    """A part that participants take, and the roles in which they speak then.

    `name` is where a run keeps its holder: a field of the panel or, with `in_options`, of the options; `title` is what
    the workflow calls it. `leads`: whose word the others wait for, shown at the head of a live view. `many`: several
    hold it, `fewest` at least, and `shortage` says so of a `{name}` that is alone. With `rules` analysers and rules may
    hold it: they take part then, and every model speaks with each persona instead of one persona each.

    Of a part that one holds: `keys` of the configuration name its holder, and so does the command's `flag`; `task` says
    what it does, after "cannot". Who holds it else is its `filling`, and `overlap` says whether that is a critic as
    well. It is only held where it is `needed`; `needless` says why naming somebody is a mistake elsewhere. One that is
    `optional` is only held when somebody is named for it, in a preset of its workflow, or where `optional` says so.
    One that is `dispensable` nobody holds where no model is there. `silent`: it takes one that makes vectors and does
    not speak, and nobody else. `computes` is a participant that follows the
    workflow's own rules and always takes part.
    """

    name: str
    title: str
    roles: tuple[str, ...]
    in_options: bool = False
    leads: bool = False
    many: bool = False
    fewest: int = 1
    shortage: str = ""
    rules: bool = False
    keys: tuple[str, ...] = ()
    flag: Flag | None = None
    task: str = ""
    filling: Filling = Filling.LAST_MODEL
    overlap: Overlap = Overlap.ALLOWED
    needed: Callable[[OptionsT], bool] = _always
    needless: str = ""
    optional: Callable[[OptionsT], bool] | None = None
    dispensable: bool = False
    silent: bool = False
    computes: str = ""

    def holders(self, panel: Panel, options: OptionsT) -> tuple[Participant, ...]:
        """Who has the part in a run; a holder among its options was named for it."""
        if self.many:
            return panel.critics
        holder = getattr(options if self.in_options else panel, self.name)
        has_part = holder is not None and (self.in_options or self.needed(options))
        return (holder,) if has_part else ()


TOOLS_ONLY: tuple[PartType[Any], ...] = (
    PartType(CRITIC, "critic", (), many=True),
    PartType(AUTHOR, "author", ()),
    PartType(CHAIR, "chair", ()),
)
"""The parts of a workflow in which only tools run: nobody has a role, and its panel is a formality."""


def embedder_part(role: str, found: str, source: str, keys: tuple[str, ...] = ()) -> PartType[Any]:
    """Who makes vectors of a `source`, by which something is `found`: only where one is named."""
    return PartType(
        "embedder",
        "embedder",
        (role,),
        in_options=True,
        keys=keys,
        flag=Flag("--embedder", f"Whose vectors find {found}, besides words.", "NAME|none"),
        task=f"make vectors of {source}",
        filling=Filling.NOBODY,
        optional=lambda _options: False,
        dispensable=True,
        silent=True,
    )


@dataclass(frozen=True)
class CastReport:
    """What a person should know about a cast: a notice for each of `participants`, `hints` for more, `warnings`.

    `advice` is long and the same every time: how a machine without models comes to have some. `joined` are those whom
    the repository's own file adds.
    """

    participants: tuple[Notice, ...]
    hints: tuple[Notice, ...] = ()
    warnings: tuple[Notice, ...] = ()
    advice: tuple[Notice, ...] = ()
    joined: tuple[str, ...] = ()
