"""What tokens cost: the participant's own price, else the table of genai-prices (offline).

Unknown is None and never zero.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.catalogue import CATALOGUE, Billing, ProviderType, ProviderTypes
from shared.providers.locality import is_hosted, is_loopback

BATCH_SHARE = 0.5
"""What a call through a batch API costs of its usual price: so at OpenAI, Anthropic and Gemini."""


def expected_usd(
    participant: Participant,
    input_tokens: int,
    output_tokens: int,
    catalogue: ProviderTypes = CATALOGUE,
) -> float | None:
    """What a call of that size would cost in US dollars, None when its price is not known."""
    row = catalogue.get(participant.provider)
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    if row is not None and not row.billable:
        return 0.0
    return cost_usd(usage, participant, participant.model or "", row, catalogue=catalogue)


def priced(
    usage: Usage,
    participant: Participant,
    model: str,
    row: ProviderType,
    cache_write_tokens: int | None = None,
    charged_usd: float | None = None,
) -> Usage:
    """The usage with its cost in US dollars.

    `options["price"]` ({"in": ..., "out": ..., "cached": ...}, dollars per million tokens) overrides the table, and
    what the service says that it charged.
    """
    cost = cost_usd(usage, participant, model, row, cache_write_tokens)
    if charged_usd is not None and participant.options.get("price") is None:
        cost = charged_usd
    return usage.model_copy(update={"cost_usd": cost})


def cost_usd(
    usage: Usage,
    participant: Participant,
    model: str,
    row: ProviderType | None,
    cache_write_tokens: int | None = None,
    catalogue: ProviderTypes = CATALOGUE,
) -> float | None:
    """The cost in US dollars, None when the usage or the price is not known.

    The table knows a provider by the address that is called, so that a model of the same name elsewhere is not given
    its price. One's own machine sends no bill; a hosted model has a price or an unknown one.
    """
    own, url = participant.options.get("price"), _address(participant, row, catalogue)
    if own is None and _sends_no_bill(row, url, model):
        return 0.0
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    if own is not None:
        whole = own_cost(usage, own)
    else:
        whole = table_cost(url, model, usage, cache_write_tokens) if url and model else None
    return whole if whole is None or not is_batched(participant) else whole * BATCH_SHARE


def is_batched(participant: Participant) -> bool:
    """Whether the participant's calls go through its provider's batch API."""
    return participant.options.get("batch") is True


def _sends_no_bill(row: ProviderType | None, url: str, model: str) -> bool:
    own_machine = row is not None and row.billing is Billing.OWN_MACHINE
    return own_machine and is_loopback(url) and not is_hosted(model)


def _address(participant: Participant, row: ProviderType | None, catalogue: ProviderTypes) -> str:
    """What the table knows the participant's provider by; empty for nobody's."""
    stated = participant.options.get("base_url")
    if stated or row is None:
        return str(stated or "")
    agent = participant.options.get("agent")
    cli = next((cli for cli in row.coding_clis if cli.name == agent), None)
    known = row if cli is None else catalogue.get(cli.price_of)
    return (known.address if known is not None else None) or ""


def own_cost(usage: Usage, price: Any) -> float | None:
    """By `{"in": ..., "out": ..., "cached": ...}`, dollars per million tokens; None when it is not such a price.

    Without `cached` a cached token costs what a fresh one does.
    """
    if not isinstance(price, Mapping):
        return None
    try:
        per_input, per_output = float(price["in"]), float(price["out"])
        per_cached = float(price.get("cached", per_input))
    except (KeyError, TypeError, ValueError):
        return None
    cached = usage.cached_tokens or 0
    # Anyone who counts the cached ones beside the others is not paid for it.
    fresh = max((usage.input_tokens or 0) - cached, 0)
    return (fresh * per_input + cached * per_cached + (usage.output_tokens or 0) * per_output) / 1e6


def table_cost(
    url: str, model: str, usage: Usage, cache_write_tokens: int | None = None
) -> float | None:
    """By the table, for the provider at that address; None when it does not hold the model."""
    prices = _table()
    counted = prices.Usage(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        cache_read_tokens=usage.cached_tokens,
        cache_write_tokens=cache_write_tokens,
    )
    try:
        return float(prices.calc_price(counted, model, provider_api_url=url).total_price)
    except (LookupError, ValueError):
        return None


def context_window(participant: Participant, catalogue: ProviderTypes = CATALOGUE) -> int | None:
    """How many tokens the participant's model reads and writes in one call, by the table; None when it does not say.

    Where it is asked for (`num_ctx`), it is that.
    """
    model, row = participant.model or "", catalogue.get(participant.provider)
    if row is not None and "num_ctx" in row.options.model_fields:
        asked = participant.options.get("num_ctx")
        return asked if isinstance(asked, int) else None
    listed = _listed(model, _address(participant, row, catalogue))
    return int(listed.context_window) if listed is not None and listed.context_window else None


def is_listed(participant: Participant, catalogue: ProviderTypes = CATALOGUE) -> bool:
    """Whether the table has the participant's model at its address."""
    url = _address(participant, catalogue.get(participant.provider), catalogue)
    return _listed(participant.model or "", url) is not None


def listed_models(
    participant: Participant, catalogue: ProviderTypes = CATALOGUE
) -> tuple[str, ...]:
    """The names of the models that the table has at the participant's address; none where it has none."""
    url = _address(participant, catalogue.get(participant.provider), catalogue)
    try:
        provider = _snapshot().find_provider(None, None, url)
    except LookupError:
        return ()
    return tuple(str(model.id) for model in provider.models)


def _listed(model: str, url: str) -> Any:
    """What the table knows of a model at an address; None when it does not hold it."""
    if not url or not model:
        return None
    try:
        return _snapshot().find_provider_model(model, None, None, url)[1]
    except LookupError:
        return None


def _snapshot() -> Any:
    from genai_prices import data_snapshot  # noqa: PLC0415

    return data_snapshot.get_snapshot()


@functools.cache
def _table() -> Any:
    # Its data takes 0.06 s and 11 MB: loaded when something is priced.
    import genai_prices  # noqa: PLC0415

    return genai_prices
