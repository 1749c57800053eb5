"""What requests are made of."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path
from pydantic import BaseModel, ConfigDict, StringConstraints

Text = Annotated[str, StringConstraints(pattern=r"^[^\x00]*$", strip_whitespace=False)]
"""Postgres stores no NUL, neither in text nor in jsonb."""
RunName = Annotated[
    str,
    Path(
        description="an id, its unambiguous beginning, `last`, or `last@NAME` for the newest run of a repository",
        examples=["last"],
        pattern=r"^([A-Za-z0-9@]{1,64}|last@[^\x00-\x1f\x7f]+)$",
        max_length=300,
    ),
]
Name = Annotated[str, Path(pattern=r"^[\w .@+=,:()-]+$", max_length=200)]
Key = Annotated[
    str,
    Path(
        description="as the run names it", pattern=r"^[\w.:@#+=,-][\w .:@#+=,/-]*$", max_length=300
    ),
]


class Body(BaseModel):
    """A body: an unknown field is an error, and what is wrong is said without its texts.

    Not `Wire`: FastAPI wants its models built when they are declared.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)
