"""Names under `rules:` that cannot mean any rule: a slip there would switch nothing off, and nobody would notice."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import chain

from orchestrator.settings.schema import Settings
from shared.models.notices import Notice, notice
from shared.providers.sections import ANALYSERS, AnalyserSection
from shared.tools.commands import ready_commands


def unknown_analysers(settings: Settings) -> tuple[Notice, ...]:
    """Each name that begins with an analyser which nobody knows: `bandti/B101`. Codes alone may be any linter's."""
    own = (n for n, entry in settings.providers.items() if isinstance(entry, AnalyserSection))
    known = (*ANALYSERS, *ready_commands(), *own)
    slips = dict.fromkeys(name for name in _names(settings) if _analyser(name) not in ("", *known))
    return tuple(_told(name, get_close_matches(_analyser(name), known, n=1)) for name in slips)


def _told(name: str, near: list[str]) -> Notice:
    if not near:
        return notice("rules_unknown", rule=name, analyser=_analyser(name))
    return notice("rules_unknown_near", rule=name, analyser=_analyser(name), near=near[0])


def _analyser(name: str) -> str:
    """What stands before the code; nothing where that is left open."""
    analyser, slash, _ = name.partition("/")
    return analyser if slash and "*" not in analyser else ""


def _names(settings: Settings) -> Iterator[str]:
    rules = settings.rules
    return chain(rules.ignore, rules.select, rules.severity, *rules.per_file.values())
