"""Facts about providers that both sides need: prices, limits, locality, keys."""
