"""The base of everything that is stored or sent as JSON. What is wrong with a record is said without its texts.

How a model is validated is worked out when that model is first used: a command uses a few of those that it imports. A
service works it out for all of them when it starts (`build_all`).
"""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints


class Wire(BaseModel):
    """A frozen record of our own making: an unknown field is an error."""

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        ser_json_inf_nan="constants",
        hide_input_in_errors=True,
        defer_build=True,
    )


class ForeignWire(BaseModel):
    """A frozen record that somebody else wrote (a model's reply): unknown fields are dropped."""

    model_config = ConfigDict(
        frozen=True,
        extra="ignore",
        str_strip_whitespace=True,
        hide_input_in_errors=True,
        defer_build=True,
    )


def build_all() -> None:
    """Work out how every model that is imported by now is validated and written."""
    # In the order of their definition: what a model refers to comes before it, and is not worked out twice.
    waiting: list[type[BaseModel]] = [ForeignWire, Wire]
    while waiting:
        model = waiting.pop()
        model.model_rebuild()
        waiting += reversed(model.__subclasses__())


# Text in which white space at the ends has a meaning, such as a patch.
Verbatim = Annotated[str, StringConstraints(strip_whitespace=False)]
