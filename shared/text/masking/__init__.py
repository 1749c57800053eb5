"""Secrets of a text, hidden before the text leaves this machine.

`mask.mask` replaces a secret by `«masked:<kind>:<number>»`, the same secret by the same number, so that
a reader can still say where it stands and that two places share it. Lines stay lines. The kinds stand
in `patterns.py`; how they were chosen and what they miss, in docs/design/privacy.md.
"""
