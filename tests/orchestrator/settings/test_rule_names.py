"""A slip in the name of an analyser's rule is told: it would switch nothing off."""

from __future__ import annotations

from typing import Any

import pytest

from orchestrator.presentation.locale.translator import Translator


@pytest.mark.parametrize(
    ("rules", "slips"),
    [
        ("ignore: [bandti/B101, bandit/B101]", [("bandti/B101", "bandit")]),
        ("select: [F401, '*', 'es*/no-eval', eslint/no-eval]", []),
        ("ignore: [no-eval, SC2086, DL3008, F4, PLW, ALL, 'E*', ruff/F401]", []),
        ("ignore: [E5O1, F999999]", [("E5O1", "E501"), ("F999999", None)]),
        (
            "ignore: [bandit/B9999, diffcheck/todos]",
            [("bandit/B9999", None), ("diffcheck/todos", "diffcheck/todo")],
        ),
        ("select: [no-eval]", [("no-eval", None)]),
        ("severity: {rufff/F401: major}", [("rufff/F401", "ruff")]),
        ("per_file: {'tests/*': [bandti/B101, bandti/B101]}", [("bandti/B101", "bandit")]),
        ("ignore: [nobody-like-it/X1]", [("nobody-like-it/X1", None)]),
        ("ignore: [mine/X1]", []),
    ],
)
def test_a_rule_of_an_analyser_that_nobody_knows_is_told(
    place: Any, rules: str, slips: list[tuple[str, str | None]]
) -> None:
    own = "mine: {type: analyser, command: [lint], files: ['*.c'], format: sarif}"
    place.user(f"rules: {{{rules}}}\nproviders: {{{own}}}")
    told = [notice for notice in place.load().notices if notice.code.startswith("rules_")]
    assert [(notice.params["rule"], notice.params.get("near")) for notice in told] == slips
    for notice in told:
        assert str(notice.params["rule"]) in Translator().translate(notice)
        assert str(notice.params["rule"]) in Translator("ko").translate(notice)
