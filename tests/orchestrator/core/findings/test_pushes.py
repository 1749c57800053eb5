"""A finding is followed over the pushes of a branch: new, still there, back again, resolved, or not looked at."""

from dataclasses import replace

from orchestrator.core.findings.identity import fingerprints
from orchestrator.core.findings.pushes import Persistence, PushHistory, RunFindings, compare_pushes
from shared.models.findings import Finding, Place
from tests.support.linear import processor_s
from tests.support.reports import make_finding

CALL, EVAL = "subprocess.run(name, shell=True)", "eval(name)"
SHELL = {"title": "Shell injection", "rule": "bandit/B602"}
RULES = {CALL: SHELL, EVAL: {"title": "Use of eval", "rule": "bandit/B307"}}


def pushed(run: str, *lines: str, conclusive: bool = True) -> RunFindings:
    """A run whose file has these lines, each with a finding."""
    findings = [_finding(n, line) for n, line in enumerate(lines, 1)]
    marks = fingerprints(findings, {"app.py": "\n".join(lines)})
    return RunFindings(run, {marks[each.id]: each for each in findings}, conclusive)


def _finding(number: int, line: str) -> Finding:
    known = RULES.get(line, SHELL)
    return make_finding(f"F{number}", place=Place(path="app.py", line=number), **known)


def states(history: PushHistory) -> list[str]:
    return [each.value for each in history.states.values()]


def test_the_first_push_has_new_findings_only():
    assert states(compare_pushes(pushed("r1", CALL, EVAL), [])) == ["new", "new"]


def test_what_stays_is_unchanged_and_what_is_gone_is_resolved():
    history = compare_pushes(pushed("r2", EVAL), [pushed("r1", CALL, EVAL)])
    assert states(history) == ["unchanged"]
    assert [each.title for each in history.resolved] == ["Shell injection"]
    assert list(history.earlier.values()) == ["r1"]


def test_what_comes_back_is_reopened_and_keeps_its_first_run():
    before = [pushed("r1", CALL), pushed("r2", EVAL)]
    history = compare_pushes(pushed("r3", CALL, EVAL), before)
    assert states(history) == ["reopened", "unchanged"]
    assert list(history.earlier.values()) == ["r1", "r2"]


def test_a_line_that_was_edited_without_mending_it_is_the_same_finding():
    edited = CALL.replace("name", "line")
    assert states(compare_pushes(pushed("r2", edited), [pushed("r1", CALL)])) == ["unchanged"]


def test_a_run_without_a_conclusion_resolves_nothing():
    history = compare_pushes(pushed("r2", conclusive=False), [pushed("r1", CALL)])
    assert history.resolved == ()
    assert len(history.unknown) == 1
    between = [pushed("r1", CALL), pushed("r2", conclusive=False)]
    assert states(compare_pushes(pushed("r3", CALL), between)) == [Persistence.UNCHANGED]


def test_a_run_that_lists_a_part_of_what_it_found_resolves_nothing_and_is_named():
    cut = replace(pushed("r2", EVAL), cut=True)
    history = compare_pushes(cut, [pushed("r1", CALL, EVAL)])
    assert history.resolved == ()
    assert len(history.unknown) == 1
    assert history.cut == ("r2",)
    # What it did not list may have been there.
    later = compare_pushes(pushed("r3", CALL, EVAL), [pushed("r1", CALL), cut])
    assert states(later) == ["unchanged", "unchanged"]
    assert later.cut == ("r2",)


def test_hundreds_of_lines_with_one_weakness_are_followed_in_seconds():
    lines = [f"{EVAL}  # {number}" for number in range(900)]
    moved = ["x = 1", *lines[300:]]
    before, after = pushed("r1", *lines), pushed("r2", *moved)
    assert processor_s(lambda: compare_pushes(after, [before])) < 10
    assert len(compare_pushes(after, [before]).resolved) == 299  # as one line more is there
