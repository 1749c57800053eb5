"""What a participant says to its provider, checked: its options and its model."""

from __future__ import annotations

from typing import TypeVar

from pydantic import ValidationError

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.options import ProviderOptions
from workers.providers.calls import ProviderCall

Options = TypeVar("Options", bound=ProviderOptions)


def options_of(participant: Participant, model: type[Options]) -> Options:
    """The participant's options as that model. ProviderError (bad_request) names a bad one."""
    try:
        return model.model_validate(participant.options)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        which = f"The option '{name}'" if name else "The options"
        raise ProviderError(
            FailureKind.BAD_REQUEST,
            f"{which} of {participant.name} ({participant.provider}): {first['msg']}.",
        ) from None


def model_of(call: ProviderCall) -> str:
    """The model's name. Raises ProviderError (bad_request) when the participant has none."""
    if call.participant.model:
        return call.participant.model
    raise ProviderError(
        FailureKind.BAD_REQUEST, f"{call.participant.name} names no model: set `model` for it."
    )
