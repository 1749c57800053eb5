"""Amounts of money as people read them."""

from __future__ import annotations


def exact_dollars(usd: float) -> str:
    """`$12.30`, `$0.00001`: an amount that somebody stated, to the last digit and without an exponent."""
    whole, _, part = f"{usd:.10f}".rstrip("0").partition(".")
    return f"${whole}.{part:0<2}"


_LEAST_SHOWN = 0.0001


def dollars(usd: float) -> str:
    """`$0.0123`, `$12.30`; something that small is not nothing: `<$0.0001`."""
    if 0 < usd < _LEAST_SHOWN:
        return f"<${_LEAST_SHOWN}"
    return f"${usd:,.2f}" if usd >= 1 or usd == 0 else f"${usd:.4f}"
