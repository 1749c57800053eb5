"""Other rules as they are typed: found by their names, validated, refused with the known ones."""

from typing import Any

import pytest

from orchestrator.whatif.changes import (
    MOST_VARIANTS,
    change_of,
    changed,
    check_quorum,
    rules_of,
    sweep_of,
    variants,
)
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import UserError
from shared.models.findings import Severity
from shared.models.run import NEWEST_RULES, RulesVersion, RunSpec
from tests.support import debates, question_panel
from tests.support.review_panel import submission

SPECS: dict[str, RunSpec] = {
    "review": submission().spec,
    "plan": debates.submitted(PlanOptions()).spec,
    "panel": debates.submitted(PanelOptions()).spec,
    "forum": question_panel.submitted("forum", ForumOptions()).spec,
    "ask": question_panel.submitted("ask", AskOptions()).spec,
}


def after(workflow: str, name: str, text: str) -> Any:
    spec = SPECS[workflow]
    made = changed(spec, [change_of(spec, name, text)])
    return WORKFLOWS[workflow].options_of(made)


@pytest.mark.parametrize("workflow", SPECS)
def test_every_rule_of_a_workflow_is_an_option_that_it_has(workflow: str):
    values = {"detector": "stance", "quorum": "1", "rounds": "2", "fail-on": "major"}
    for name in rules_of(workflow):
        assert after(workflow, name, values.get(name, "0.9")) is not None


@pytest.mark.parametrize(
    ("workflow", "name", "text", "attribute", "value"),
    [
        ("review", "rounds", "5", "rounds", 5),
        ("forum", "rounds", "5", "max_rounds", 5),
        ("panel", "consensus", "0.9", "consensus_threshold", 0.9),
        ("review", "fail-on", "major", "fail_on", Severity.MAJOR),
        ("review", "fail-on", "none", "fail_on", None),
        ("ask", "quorum", "2", "quorum", 2),
        ("forum", "patience", "3", "patience", 3),
        ("panel", "panel.ballot", "false", "ballot", False),
        ("review", "review.strategy", "red-team", "strategy", "red-team"),
        ("review", "max-reviews", "3", "max_reviews", 3),
    ],
)
def test_an_option_is_found_by_its_short_name_or_its_path(
    workflow: str, name: str, text: str, attribute: str, value: object
):
    assert getattr(after(workflow, name, text), attribute) == value


def test_thresholds_are_reached_by_path_and_by_name():
    assert (
        after("review", "thresholds.stalled_stability", "0.1").thresholds.stalled_stability == 0.1
    )
    assert after("plan", "agreement", "0.6").thresholds.agreement == 0.6


@pytest.mark.parametrize(
    ("workflow", "name", "text", "said"),
    [
        ("forum", "detector", "lexical", "a forum run has no detector: its rules are rounds, con"),
        ("ask", "rounds", "3", "an ask run has no rounds: its rules are quorum"),
        ("review", "agreement", "1.5", "agreement=1.5: input should be less than or equal to 1"),
        ("review", "agreement", "much", "agreement=much: input should be a valid number"),
        ("review", "agreement", "NaN", "agreement=NaN: input should be"),
        ("review", "rounds", "0", "rounds=0: input should be greater than or equal to 1"),
        ("review", "rounds", "2.5", "rounds=2.5"),
        ("review", "detector", "vibes", "no such detector .known: stance, "),
        ("review", "strategy", "nice", "no such strategy .known: review, red-team"),
        ("plan", "strategy", "nice", "no such strategy .known: debate, perspectives"),
        ("review", "fail-on", "terrible", "fail-on=TERRIBLE"),
        ("review", "decision.mode", "maybe", "no such mode .known: ask, "),
        ("review", "thresholds.agrement", "0.5", "did you mean thresholds.agreement"),
        ("review", "thresholds", "0.5", "has no option 'thresholds'"),
        ("review", "thresholds.agreement.more", "0.5", "has no option"),
        ("review", "gibberish", "1", "a review run has no option 'gibberish'$"),
        ("review", "agrement", "1", "did you mean agreement"),
        ("review", "review..rounds", "1", "expected KEY=VALUE"),
        ("forum", "timeout_s", "Infinity", "a number must be finite"),
        ("forum", "timeout_s", "NaN", "timeout_s=NaN"),
        ("review", "seed", "1", "seed cannot be changed here"),
        ("review", "panel.critics", "[]", "panel.critics cannot be changed here: who spoke"),
        ("review", "budget.max_usd", "1", "budget.max_usd cannot be changed here"),
        ("review", "workflow", "ask", "another workflow is another run"),
    ],
)
def test_what_cannot_be_says_what_is_wrong(workflow: str, name: str, text: str, said: str):
    with pytest.raises(UserError, match=said):
        after(workflow, name, text)


@pytest.mark.parametrize("workflow", SPECS)
def test_a_quorum_above_the_number_of_voices_is_refused(workflow: str):
    spec = SPECS[workflow]
    voices = len(spec.panel.critics)
    for wanted, fits in ((voices, True), (voices + 1, False)):
        change = change_of(spec, "quorum", str(wanted))
        made = changed(spec, [change])
        if fits:
            check_quorum(made, [change])
        else:
            with pytest.raises(UserError, match=f"quorum={wanted}: {voices} take part"):
                check_quorum(made, [change])


def test_a_fork_may_have_a_budget_of_its_own():
    spec = SPECS["review"]
    change = change_of(spec, "budget.max_usd", "0.5", open_fields=("budget",))
    assert changed(spec, [change]).budget.max_usd == 0.5


def test_an_undo_has_no_rules():
    spec = SPECS["review"].model_copy(update={"workflow": "undo"})
    with pytest.raises(UserError, match="no rules that could differ"):
        change_of(spec, "rounds", "2")


# ---- sweeps -------------------------------------------------------------------------------------


def values(text: str) -> list[Any]:
    return [change.value for change in sweep_of(SPECS["review"], text)]


def test_a_range_ends_where_it_says_in_decimal_steps():
    assert values("agreement=0.5:0.9:0.1") == [0.5, 0.6, 0.7, 0.8, 0.9]
    assert values("rounds=1:3:1") == [1, 2, 3]
    assert values("agreement=0.5:0.8:0.2") == [0.5, 0.7]


def test_a_list_is_taken_in_its_order_and_each_value_once():
    assert values("detector=lexical,stance,lexical") == ["lexical", "stance"]


def test_two_sweeps_make_every_pair_and_options_go_with_each():
    spec = SPECS["review"]
    sweeps = [sweep_of(spec, "agreement=0.5:0.6:0.1"), sweep_of(spec, "detector=stance,lexical")]
    found = variants(sweeps, [change_of(spec, "rounds", "2")])
    assert [" ".join(change.shown for change in one) for one in found] == [
        "agreement=0.5 detector=stance rounds=2",
        "agreement=0.5 detector=lexical rounds=2",
        "agreement=0.6 detector=stance rounds=2",
        "agreement=0.6 detector=lexical rounds=2",
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "agreement",
        "agreement=",
        "=0.5",
        "agreement=0.5:0.9",
        "agreement=0.9:0.5:0.1",
        "agreement=0.5:0.9:0",
        "agreement=0.5:0.9:-0.1",
        "agreement=a:b:c",
        "agreement=nan:1:0.1",
        "agreement=0:inf:0.1",
        "agreement=1e999999:1e999999:1",
        "agreement=0:1:0.000001",
        "detector=stance,,lexical",
        "nonsense.option=1,2,",
    ],
)
def test_a_malformed_sweep_is_refused(text: str):
    with pytest.raises(UserError, match="sweep"):
        sweep_of(SPECS["review"], text)


def test_one_option_twice_and_too_many_variants_are_refused():
    spec = SPECS["review"]
    sweep = sweep_of(spec, "agreement=0:1:0.01")
    with pytest.raises(UserError, match=r"thresholds.agreement is given twice"):
        variants([sweep], [change_of(spec, "agreement", "0.5")])
    with pytest.raises(UserError, match=f"at most {MOST_VARIANTS}"):
        variants([sweep, sweep_of(spec, "stability=0:1:0.1")], [])


def test_the_rules_that_judge_a_run_may_differ_in_a_what_if() -> None:
    spec = SPECS["review"]
    first = changed(spec, [change_of(spec, "rules_version", "1")])

    assert (spec.rules_version, first.rules_version) == (NEWEST_RULES, RulesVersion.ORIGINAL)
    with pytest.raises(UserError):
        changed(spec, [change_of(spec, "rules_version", "99")])
