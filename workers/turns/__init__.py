"""The life of a turn: claim, prompt, call, parse, store, finish."""
