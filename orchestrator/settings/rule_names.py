"""Names under `rules:` that cannot mean any rule: a slip there would switch nothing off, and nobody would notice."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from itertools import chain

from orchestrator.settings.schema import Settings
from shared.models.notices import Notice, notice
from shared.patterns import regex
from shared.providers.sections import AnalyserSection
from shared.tools.analyser_cards import ANALYSERS
from shared.tools.commands import ready_commands
from shared.tools.rule_codes import means_a_rule, rule_codes

_LIKE_OURS = regex(r"(?!SC|DL)[A-Z]{1,4}[0-9O]{3,}")
"""As ruff and bandit spell their codes, a letter O for a zero included; shellcheck's and hadolint's are alike."""


def unknown_rules(settings: Settings) -> tuple[Notice, ...]:
    """Each name that means no rule: of an analyser which nobody knows (`bandti/B101`), or of no rule of ours.

    A code alone may be any linter's, unless it is selected, which only ours can do, or is spelled like one of ours.
    """
    own = (n for n, entry in settings.providers.items() if isinstance(entry, AnalyserSection))
    known = (*ANALYSERS, *ready_commands(), *own)
    notices: dict[str, Notice] = {}
    for name in _names(settings):
        analyser = _analyser(name)
        if analyser not in ("", *known):
            notices[name] = _unknown_rule(name, get_close_matches(analyser, known, n=1))
        elif not _means_something(name, analyser, selected=name in settings.rules.select):
            notices[name] = _no_rule(name, analyser)
    return tuple(notices.values())


def _means_something(name: str, analyser: str, *, selected: bool) -> bool:
    if "/" in name:
        return means_a_rule(name, analyser)
    ours = any(means_a_rule(name, each) for each in rule_codes())
    return ours or not (selected or _LIKE_OURS.fullmatch(name))


def _no_rule(name: str, analyser: str) -> Notice:
    codes = rule_codes()
    listed = codes.get(analyser) or tuple(chain.from_iterable(codes.values()))
    code = name.partition("/")[2] if analyser else name
    near = get_close_matches(code, listed, n=1, cutoff=0.7)
    if not near:
        return notice("rules_no_rule", rule=name)
    return notice(
        "rules_no_rule_near", rule=name, near=f"{analyser}/{near[0]}" if analyser else near[0]
    )


def _unknown_rule(name: str, near: list[str]) -> Notice:
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
