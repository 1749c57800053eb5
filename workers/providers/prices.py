"""What a call cost, by the participant's own price or the table; unknown is None and never zero."""

from __future__ import annotations

from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.prices import own_cost, table_cost


def priced(
    usage: Usage,
    participant: Participant,
    model: str,
    default_url: str,
    cache_write_tokens: int | None = None,
    charged_usd: float | None = None,
) -> Usage:
    """The usage with its cost in US dollars.

    The provider is known by the address that is called, so that a model of the same name elsewhere
    is not given OpenAI's price. `options["price"]` ({"in": ..., "out": ..., "cached": ...},
    dollars per million tokens) overrides the table, and what the service says that it charged.
    """
    cost = cost_usd(usage, participant, model, default_url, cache_write_tokens)
    if charged_usd is not None and participant.options.get("price") is None:
        cost = charged_usd
    return usage.model_copy(update={"cost_usd": cost})


def cost_usd(
    usage: Usage,
    participant: Participant,
    model: str,
    default_url: str,
    cache_write_tokens: int | None = None,
) -> float | None:
    """The cost in US dollars, None when the usage or the price is not known."""
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    own = participant.options.get("price")
    if own is not None:
        return own_cost(usage, own)
    url = str(participant.options.get("base_url") or default_url)
    return table_cost(url, model, usage, cache_write_tokens)
