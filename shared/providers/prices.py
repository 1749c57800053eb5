"""What tokens cost: the participant's own price, else the table of genai-prices (offline).

Unknown is None and never zero.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.locality import is_hosted

ADDRESSES: dict[str, str] = {
    "openai": "https://api.openai.com/v1",
    "openai-responses": "https://api.openai.com/v1",
    "anthropic": "https://api.anthropic.com",
    "gemini": "https://generativelanguage.googleapis.com",
}
"""By provider, where its own calls go: the table knows providers by their address."""

_AGENTS = {"claude": "anthropic", "codex": "openai", "gemini": "gemini"}
_FREE = frozenset({"scripted", "rules", "analyser", "human", "person"})
_OWN_MACHINE = frozenset({"", "127.0.0.1", "localhost", "::1"})


def exact_dollars(usd: float) -> str:
    """`$12.30`, `$0.00001`: an amount that somebody stated, to the last digit and without an exponent."""
    whole, _, part = f"{usd:.10f}".rstrip("0").partition(".")
    return f"${whole}.{part:0<2}"


def expected_usd(participant: Participant, input_tokens: int, output_tokens: int) -> float | None:
    """What a call of that size would cost in US dollars, None when its price is not known."""
    if participant.provider in _FREE:
        return 0.0
    usage = Usage(input_tokens=input_tokens, output_tokens=output_tokens)
    price = participant.options.get("price")
    if price is not None:
        return own_cost(usage, price)
    base_url = str(participant.options.get("base_url") or "")
    model = participant.model or ""
    if participant.provider == "ollama":
        host = urlsplit(base_url).hostname or ""
        return 0.0 if host in _OWN_MACHINE and not is_hosted(model) else None
    named = _AGENTS.get(str(participant.options.get("agent")), participant.provider)
    url = base_url or ADDRESSES.get(named, "")
    return table_cost(url, model, usage) if url and model else None


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
    # Who counts the cached ones beside the others is not paid for it.
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


def context_window(participant: Participant) -> int | None:
    """How many tokens the participant's model reads and writes in one call, by the table; None when it does not say.

    Ollama's is what it is asked for.
    """
    model = participant.model or ""
    if participant.provider == "ollama":
        asked = participant.options.get("num_ctx")
        return asked if isinstance(asked, int) else None
    named = _AGENTS.get(str(participant.options.get("agent")), participant.provider)
    url = str(participant.options.get("base_url") or "") or ADDRESSES.get(named, "")
    if not url or not model:
        return None
    try:
        _, found = _snapshot().find_provider_model(model, None, None, url)
    except LookupError:
        return None
    return int(found.context_window) if found.context_window else None


def _snapshot() -> Any:
    from genai_prices import data_snapshot  # noqa: PLC0415

    return data_snapshot.get_snapshot()


@functools.cache
def _table() -> Any:
    # Its data takes 0.06 s and 11 MB: loaded when something is priced.
    import genai_prices  # noqa: PLC0415

    return genai_prices
