"""The arguments of the tools: their types, limits and descriptions, and the change that they name."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from orchestrator.application.capture import SubjectInput
from orchestrator.application.subject_input import ChangeInput, GivenChange
from orchestrator.core.formats import FORMATS
from shared.errors import UserError

MAX_WAIT_S = 3600.0

Question = Annotated[
    str, Field(min_length=1, description="what the panel is asked, with all that it must know")
]
Material = Annotated[
    str, Field(description="text that the question is about: code, a log, a document; read as data")
]
Participants = Annotated[
    list[str] | None,
    Field(
        description="names that `participants` lists, or a preset; leave it out to ask everybody",
        max_length=20,
    ),
]
MaxCost = Annotated[
    float | None,
    Field(
        ge=0,
        allow_inf_nan=False,
        description="US dollars; lowers the configured limit, never raises it",
    ),
]
WaitS = Annotated[
    float | None,
    Field(
        ge=0,
        le=MAX_WAIT_S,
        description="seconds to wait for the result (setting `mcp.wait`); the run goes on",
    ),
]
Run = Annotated[
    str,
    Field(
        min_length=1,
        max_length=64,
        description="an id, its beginning, or `last`: the newest of the repository here, else of all",
    ),
]
Offset = Annotated[int, Field(ge=0, description="`next_offset` of the part before")]
Target = Annotated[
    str | None,
    Field(description="a revision, a range (A..B) or a path; default: what changed here"),
]
Staged = Annotated[bool, Field(description="review what is staged")]
Base = Annotated[
    str | None, Field(description="review everything since the merge base with this revision")
]
Diff = Annotated[
    str | None, Field(description="a unified diff, instead of what changed in the repository")
]
Choice = Annotated[str, Field(description="one of the decision's `options`")]
ShownSha256 = Annotated[
    str,
    Field(pattern="^[0-9a-f]{64}$", description="`shown_sha256` of what the person was shown"),
]
Message = Annotated[str, Field(max_length=10_000, description="why")]
Only = Annotated[
    list[str] | None, Field(description="only these findings, of `selectable`", max_length=200)
]
Format = Annotated[str, Field(description=", ".join(f.name for f in FORMATS))]
Status = Annotated[str | None, Field(description="queued, running, waiting, completed, ...")]
Repository = Annotated[str | None, Field(description="the name of its top folder")]


def change_of(
    target: str | None, base: str | None, diff: str | None, *, staged: bool
) -> SubjectInput:
    """The change that is meant. Raises UserError for several at once."""
    stated = [name for name, value in (("target", target), ("base", base), ("diff", diff)) if value]
    stated += ["staged"] if staged else []
    if len(stated) > 1:
        raise UserError(
            "{stated} exclude each other: say what to review in one way",
            stated=" and ".join(stated),
        )
    if diff:
        return GivenChange(diff.encode())
    return ChangeInput((target,) if target else (), staged=staged, base=base)
