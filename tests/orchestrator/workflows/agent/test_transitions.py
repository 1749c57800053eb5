"""The machine: every transition of the design, the choice among several, and what holds of the table as a whole."""

from collections import defaultdict
from dataclasses import replace
from itertools import combinations, product
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.workflows.agent.modes import INTENTS, AgentMode
from orchestrator.workflows.agent.transitions import (
    CONDITIONS,
    LARGE_CHANGE_FILES,
    TRANSITIONS,
    ContextFacts,
    available,
    diagram,
    suggest,
    transition,
)

# As the design writes them (seed 004): from, to, trigger, priority.
DESIGN = """
idle context_navigation search_intent 10
idle implementation code_intent 10
idle debug error_intent 10
idle design design_intent 10
context_navigation implementation target_found 9
context_navigation debug bug_located 9
context_navigation design architecture_needed 8
design implementation design_approved 9
design multi_file_editing large_change_planned 9
implementation test code_complete 9
implementation debug error_occurred 10
implementation documentation doc_needed 7
implementation qa review_needed 8
implementation context_navigation rejected 10
debug implementation fix_identified 9
debug test reproduce_needed 8
debug impact_analysis impact_check_needed 8
test implementation test_failed 10
test qa tests_passed 9
qa refactor improvement_needed 8
qa implementation issues_found 9
qa git_workflow approved 9
refactor test refactor_complete 9
refactor multi_file_editing large_refactor 8
multi_file_editing impact_analysis impact_check 9
multi_file_editing test changes_ready 9
multi_file_editing git_workflow commit_ready 8
impact_analysis test affected_tests 9
impact_analysis implementation additional_fixes 8
git_workflow idle committed 9
agent_planning implementation plan_ready 9
agent_planning multi_file_editing complex_plan 9
agent_planning migration migration_plan 8
"""
FACTS = st.builds(
    ContextFacts,
    has_pending_changes=st.booleans(),
    has_errors=st.booleans(),
    test_passed=st.booleans(),
    num_files=st.integers(0, 20),
)
EVERY_FACTS = [
    ContextFacts(pending, errors, passed, files)
    for pending, errors, passed in product((False, True), repeat=3)
    for files in (0, LARGE_CHANGE_FILES, LARGE_CHANGE_FILES + 1)
]
"""Every state that a condition can tell from another."""


def reached(edges):
    """The modes that ways lead to from idle."""
    modes, waiting = {AgentMode.IDLE}, [AgentMode.IDLE]
    while waiting:
        here = waiting.pop()
        further = {target for origin, target in edges if origin is here} - modes
        modes |= further
        waiting += further
    return modes


def undecided(rows):
    """Pairs of which some state of the context says not which is taken."""
    by_trigger = defaultdict(list)
    for row in rows:
        by_trigger[row.from_mode, row.trigger].append(row)
    return {
        (first, second)
        for same in by_trigger.values()
        for first, second in combinations(same, 2)
        if first.rank == second.rank
        and any(first.applies(facts) and second.applies(facts) for facts in EVERY_FACTS)
    }


@pytest.mark.parametrize("row", DESIGN.split("\n")[1:-1])
def test_every_transition_of_the_design_is_taken_by_its_trigger(row):
    origin, target, trigger, priority = row.split()
    taken = transition(AgentMode(origin), trigger, ContextFacts())
    assert taken is not None
    assert (taken.to_mode, taken.priority) == (AgentMode(target), int(priority))


def test_there_are_the_twenty_three_modes_of_the_design():
    assert len(AgentMode) == 23
    assert {mode for mode in AgentMode if mode is not AgentMode.IDLE} == set(INTENTS)


def test_a_large_change_is_complete_in_the_mode_for_large_ones():
    large, small = (
        transition(AgentMode.IMPLEMENTATION, "code_complete", ContextFacts(num_files=files))
        for files in (LARGE_CHANGE_FILES + 1, LARGE_CHANGE_FILES)
    )
    assert large is not None
    assert small is not None
    assert (large.to_mode, small.to_mode) == (AgentMode.MULTI_FILE, AgentMode.TEST)


def test_every_mode_can_be_reached_and_left():
    assert reached([(row.from_mode, row.to_mode) for row in TRANSITIONS]) == set(AgentMode)
    assert reached([(row.to_mode, row.from_mode) for row in TRANSITIONS]) == set(AgentMode)


def test_no_state_of_the_context_leaves_a_trigger_undecided():
    assert undecided(TRANSITIONS) == set()
    (tests,) = (row for row in TRANSITIONS if row.trigger == "tests_passed")
    assert undecided([*TRANSITIONS, replace(tests, to_mode=AgentMode.GIT)])


def test_every_condition_is_one_that_is_known_and_used():
    used = {row.condition for row in TRANSITIONS if row.condition}
    assert used <= set(CONDITIONS)
    for holds in CONDITIONS.values():
        assert {holds(facts) for facts in EVERY_FACTS} == {False, True}


@given(st.sampled_from(list(AgentMode)), st.text(max_size=12), FACTS)
def test_a_trigger_that_nobody_knows_is_refused(mode, trigger, facts):
    known = {row.trigger for row in available(mode)}
    assert trigger in known or transition(mode, trigger, facts) is None


@given(st.sampled_from(list(AgentMode)), FACTS)
def test_what_is_available_is_what_would_be_taken_the_first_choice_first(mode, facts):
    rows = available(mode, facts)
    assert list(rows) == sorted(rows, key=lambda row: row.rank, reverse=True)
    assert all(transition(mode, row.trigger, facts) == row for row in rows)
    assert {row.trigger for row in rows} <= {row.trigger for row in available(mode)}


@given(st.sampled_from(list(AgentMode)), FACTS)
def test_a_suggestion_leads_on_and_is_available(mode, facts):
    suggested = suggest(mode, facts)
    if mode is AgentMode.IDLE:
        assert suggested is None
    elif suggested is not None:
        assert suggested in available(mode, facts)
        assert suggested.to_mode is not AgentMode.IDLE


def test_the_picture_has_every_transition_that_not_every_mode_has():
    picture = diagram()
    shared = {"done", *INTENTS.values()}
    for row in TRANSITIONS:
        assert (f": {row.trigger}" in picture) or row.trigger in shared


def test_the_page_has_the_picture_of_the_table():
    page = (Path(__file__).parents[4] / "docs/design/agent.md").read_text(encoding="utf-8")
    assert diagram() in page, "quorate agent modes --diagram"
