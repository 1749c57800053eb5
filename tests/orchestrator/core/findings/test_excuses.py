"""What is ignored is ignored by the state before the change, with a reason, and until a day."""

from datetime import date

import pytest

from orchestrator.core.findings.excuses import Ignore, excused, read_ignores
from orchestrator.core.findings.identity import fingerprints
from shared.errors import ConfigurationError
from shared.models.findings import Finding, Place
from tests.support.reports import make_finding

TODAY = date(2026, 11, 23)
CALL = "subprocess.run(command, shell=True)"
MARKED = f"{CALL}  # quorate: ignore[shell] only the build runs it"


def at(line: int, **changes: object) -> Finding:
    return make_finding(place=Place(path="app.py", line=line), **changes)


def reasons(finding: Finding, after: str, before: str = "", *ignores: Ignore) -> dict[str, str]:
    sources = {"app.py": after}
    marks = fingerprints([finding], sources)
    return excused([finding], marks, ignores, sources, {"app.py": before} if before else {})


def test_an_entry_has_a_rule_a_path_a_reason_and_perhaps_an_end():
    text = (
        "# why\n\nquorate/shell tools/*.py until 2026-11-23: the build\n"
        "bandit/B101 *: tests\nB602 * until 2026-11-22: over\n"
    )
    ignores, expired = read_ignores(text, "here", TODAY)
    assert ignores == [
        Ignore(rule="quorate/shell", path="tools/*.py", reason="the build"),
        Ignore(rule="bandit/B101", path="*", reason="tests"),
    ]
    assert expired == ["B602 * until 2026-11-22: over"]


@pytest.mark.parametrize(
    "line", ["quorate/shell *", "* *: all", "quorate/shell * until 2026-13-01: x", "shell *:", "x"]
)
def test_an_entry_without_a_reason_a_rule_or_a_real_day_is_refused(line: str) -> None:
    with pytest.raises(ConfigurationError, match=r"here:2: expected `RULE PATH"):
        read_ignores(f"\n{line}\n", "here", TODAY)


@pytest.mark.parametrize("rule", ["quorate/shell", "shell", "bandit/B602", "B602"])
def test_a_rule_is_named_by_the_catalogue_or_by_its_analyser(rule: str) -> None:
    assert reasons(at(1), CALL, "", Ignore(rule=rule, reason="known")) == {"F1": "known"}


@pytest.mark.parametrize("rule", ["quorate/eval", "bandit/B101", "0" * 32])
def test_another_rule_or_fingerprint_is_not_meant(rule: str) -> None:
    assert reasons(at(1), CALL, "", Ignore(rule=rule, reason="known")) == {}


def test_an_entry_for_a_path_means_no_other():
    entry = Ignore(rule="shell", path="tools/*.py", reason="known")
    assert reasons(at(1), CALL, "", entry) == {}


def test_a_comment_that_stood_there_before_counts():
    assert reasons(at(1), MARKED, MARKED) == {"F1": "only the build runs it"}
    above = f"# quorate: ignore[shell] the build\n{CALL}\n"
    assert reasons(at(3), f"\n{above}", f"x\n{above}") == {"F1": "the build"}


@pytest.mark.parametrize(
    "before",
    [
        CALL,  # the change adds the comment
        "",  # the change adds the file
        MARKED.replace("command", "other"),  # the change alters the line
        MARKED.replace("shell]", "eval]"),  # the change alters the comment
        f"# quorate: ignore[shell] the build\nother()\n{CALL}",  # the change moves the line below it
    ],
)
def test_a_comment_that_the_change_brings_or_touches_does_not_count_for_it(before: str) -> None:
    assert reasons(at(1), MARKED, before) == {}
    moved = f"# quorate: ignore[shell] the build\n{CALL}"
    assert reasons(at(2), moved, before) == {}


def test_a_comment_without_a_reason_or_for_another_rule_does_not_count():
    bare, other = f"{CALL}  # quorate: ignore[shell]", MARKED.replace("shell]", "eval]")
    assert reasons(at(1), bare, bare) == {}
    assert reasons(at(1), other, other) == {}
