"""The codes of our own analysers' rules: a table beside this file, which a test compares with the programs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from shared.tools.rules import matches

TABLE = "rule_codes.json"


@cache
def rule_codes() -> Mapping[str, tuple[str, ...]]:
    """Every rule of each of our own analysers."""
    table = json.loads(files(__package__).joinpath(TABLE).read_text(encoding="utf-8"))
    return {analyser: tuple(codes) for analyser, codes in table.items()}


def means_a_rule(name: str, analyser: str) -> bool:
    """Whether a name means at least one rule of that analyser; anything may be a rule of one that is not ours."""
    codes = rule_codes().get(analyser)
    return codes is None or any(matches(name, f"{analyser}/{code}") for code in codes)
