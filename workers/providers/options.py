"""What a participant says to its provider, checked: its options and its model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TypeVar, cast

from pydantic import JsonValue, ValidationError

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.options import ProviderOptions
from shared.text.bounded_cache import BoundedCache
from workers.providers.calls import ProviderCall

Options = TypeVar("Options", bound=ProviderOptions)


def options_of(participant: Participant, model: type[Options]) -> Options:
    """The participant's options as that model. ProviderError (bad_request) names a bad one."""
    try:
        return cast(Options, _checked(model, participant.options))
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False)[0]
        name = ".".join(str(part) for part in first["loc"])
        which = f"The option '{name}'" if name else "The options"
        raise ProviderError(
            FailureKind.BAD_REQUEST,
            f"{which} of {participant.name} ({participant.provider}): {first['msg']}.",
        ) from None


# Every turn of a participant brings the same ones; checking them takes pages of a thread's stack, which stay with it
# while it waits for the answer.
_CHECKED: BoundedCache[tuple[type[ProviderOptions], str], ProviderOptions] = BoundedCache(8_000_000)


def _checked(model: type[ProviderOptions], stated: Mapping[str, JsonValue]) -> ProviderOptions:
    key = (model, json.dumps(stated))
    checked = _CHECKED.get(key)
    if checked is not None:
        return checked
    return _CHECKED.keep(key, model.model_validate(stated), 2_000 + 8 * len(key[1]))


def model_of(call: ProviderCall) -> str:
    """The model's name. Raises ProviderError (bad_request) when the participant has none."""
    if call.participant.model:
        return call.participant.model
    raise ProviderError(
        FailureKind.BAD_REQUEST, f"{call.participant.name} names no model: set `model` for it."
    )
