"""The base of everything that is stored or sent as JSON. What is wrong with a record is said without its texts."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, StringConstraints


class Wire(BaseModel):
    """A frozen record of our own making: an unknown field is an error."""

    model_config = ConfigDict(
        frozen=True, extra="forbid", ser_json_inf_nan="constants", hide_input_in_errors=True
    )


class ForeignWire(BaseModel):
    """A frozen record that somebody else wrote (a model's reply): unknown fields are dropped."""

    model_config = ConfigDict(
        frozen=True, extra="ignore", str_strip_whitespace=True, hide_input_in_errors=True
    )


# Text in which white space at the ends has a meaning, such as a patch.
Verbatim = Annotated[str, StringConstraints(strip_whitespace=False)]
