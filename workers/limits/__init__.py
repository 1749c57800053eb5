"""Limits, breakers and budgets around a provider's calls (docs/design/limits.md, docs/design/money.md)."""
