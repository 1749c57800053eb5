"""Amounts of money as people read them."""

from __future__ import annotations


def exact_dollars(usd: float) -> str:
    """`$12.30`, `$0.00001`: an amount that somebody stated, to the last digit and without an exponent."""
    whole, _, part = f"{usd:.10f}".rstrip("0").partition(".")
    return f"${whole}.{part:0<2}"
