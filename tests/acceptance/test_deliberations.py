"""Deliberations through real workers: participants that agree, disagree, repeat themselves, oscillate, fall silent or
answer nonsense, and the right outcome each time."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import pytest

from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.outcomes import Ending, Verdict
from shared.models.run import Budget, DecisionPolicy
from tests.fixtures.instance import CommandLine
from tests.support import debates, question_panel
from tests.support.notices import all_words
from tests.support.review_panel import Submission, submission
from tests.support.scripted_casts import (
    ASK,
    DEBATE,
    FAIRNESS,
    FORUM,
    LENSES,
    LETTERS,
    PANEL,
    PLAN,
    REVIEW,
    SILENT_S,
    Cast,
)
from tests.support.submitted_runs import Ended, Submitter, with_script

pytestmark = [pytest.mark.acceptance, pytest.mark.timeout(300)]

YES, NO = 0, 3


class Row(NamedTuple):
    """How a run has to end; `missing` are those whom the warnings name."""

    ending: Ending | None
    verdict: Verdict
    code: int
    missing: tuple[str, ...] = ()


ANSWERED, INCONCLUSIVE, NEEDS_FIX = Verdict.ANSWERED, Verdict.INCONCLUSIVE, Verdict.NEEDS_FIX
EVERYBODY = {
    "ask": ("claude", "gemini", "codex"),
    "forum": ("claude", "gemini", "codex"),
    "plan": ("ada", "bob"),
    "panel": ("ada", "bob", "cyd"),
    "review": ("critic1", "critic2"),
}
TABLE: dict[str, dict[str, Row]] = {
    "ask": {
        "agree": Row(None, ANSWERED, YES),
        "disagree": Row(None, ANSWERED, YES),
        "silent": Row(None, ANSWERED, YES, ("codex",)),
        "all silent": Row(Ending.DEGRADED, INCONCLUSIVE, NO, EVERYBODY["ask"]),
        "nonsense": Row(None, ANSWERED, YES, ("claude", "gemini", "codex", "chair")),
    },
    "forum": {
        "agree": Row(Ending.CONVERGED, ANSWERED, YES),
        "disagree": Row(Ending.STALLED, INCONCLUSIVE, NO),
        "repeat": Row(Ending.LOOPING, INCONCLUSIVE, NO),
        "oscillate": Row(Ending.OSCILLATING, INCONCLUSIVE, NO),
        "silent": Row(Ending.DEGRADED, INCONCLUSIVE, NO, ("codex",)),
        "all silent": Row(Ending.DEGRADED, INCONCLUSIVE, NO, EVERYBODY["forum"]),
        "nonsense": Row(Ending.DEGRADED, INCONCLUSIVE, NO, EVERYBODY["forum"]),
    },
    "plan": {
        "agree": Row(Ending.CONVERGED, NEEDS_FIX, YES),
        "disagree": Row(Ending.STALLED, NEEDS_FIX, YES),
        "repeat": Row(Ending.LOOPING, INCONCLUSIVE, NO),
        "oscillate": Row(Ending.OSCILLATING, NEEDS_FIX, YES),
        "silent": Row(Ending.DEGRADED, INCONCLUSIVE, NO, ("bob",)),
        "all silent": Row(Ending.DEGRADED, INCONCLUSIVE, NO, EVERYBODY["plan"]),
        "nonsense": Row(Ending.DEGRADED, INCONCLUSIVE, NO, EVERYBODY["plan"]),
    },
    "panel": {
        "agree": Row(Ending.CONVERGED, ANSWERED, YES),
        "disagree": Row(Ending.STALLED, ANSWERED, YES),
        "repeat": Row(Ending.LOOPING, ANSWERED, YES),
        "oscillate": Row(Ending.OSCILLATING, ANSWERED, YES),
        "silent": Row(Ending.DEGRADED, INCONCLUSIVE, NO, ("cyd",)),
        "all silent": Row(Ending.DEGRADED, INCONCLUSIVE, NO, EVERYBODY["panel"]),
        "nonsense": Row(Ending.DEGRADED, INCONCLUSIVE, NO, EVERYBODY["panel"]),
    },
    "review": {
        "agree": Row(Ending.CONVERGED, NEEDS_FIX, YES),
        "disagree": Row(Ending.STALLED, NEEDS_FIX, YES),
        "repeat": Row(Ending.LOOPING, INCONCLUSIVE, NO),
        "oscillate": Row(Ending.OSCILLATING, NEEDS_FIX, YES),
        "silent": Row(Ending.DEGRADED, INCONCLUSIVE, NO, ("critic2",)),
        "all silent": Row(Ending.DEGRADED, INCONCLUSIVE, NO, EVERYBODY["review"]),
        "nonsense": Row(Ending.DEGRADED, INCONCLUSIVE, NO, EVERYBODY["review"]),
    },
}
PANEL_STRATEGIES = ("sequential", "parallel", "quick", "delphi")
CASTS: dict[str, dict[str, Cast]] = {
    "ask": ASK,
    "forum": FORUM,
    "plan": PLAN,
    "panel": PANEL,
    "review": REVIEW,
}
ROWS = [(workflow, kind) for workflow, rows in TABLE.items() for kind in rows]
IDS = [f"{workflow}, {kind}" for workflow, kind in ROWS]


def made(workflow: str) -> Submission:
    """A run of a workflow with its usual cast."""
    match workflow:
        case "ask":
            return question_panel.submitted("ask", AskOptions(ranking=True, synthesis=True))
        case "forum":
            return question_panel.submitted("forum", ForumOptions(max_rounds=8))
        case "plan":
            policy = DecisionPolicy(mode="accept")
            options = PlanOptions(rounds=7)
            return debates.submitted(options, names=EVERYBODY["plan"], decision=policy)
        case "review":
            return submission(options=ReviewOptions(rounds=7), decision=DecisionPolicy(mode="skip"))
    return debates.submitted(PanelOptions(strategy="parallel", max_rounds=4))


@pytest.fixture(scope="module")
def submitter(live: CommandLine) -> Iterator[Submitter]:
    """Runs for the session's instance."""
    made = Submitter(live.environ)
    yield made
    made.close()


# What ends a discussion from outside, and what code decides when the orchestrator cannot: cast, options, budget.
BOUNDS: dict[str, tuple[str, Cast, Any, int | None]] = {
    "forum, out of rounds": ("forum", FORUM["repeat"], ForumOptions(max_rounds=2), None),
    "plan, out of rounds": ("plan", PLAN["disagree"], PlanOptions(rounds=2), None),
    "panel, out of rounds": ("panel", PANEL["disagree"], PanelOptions(max_rounds=1), None),
    "review, out of rounds": ("review", REVIEW["disagree"], ReviewOptions(rounds=2), None),
    "forum, out of budget": ("forum", FORUM["agree"], ForumOptions(), 5),
    "plan, out of budget": ("plan", PLAN["disagree"], PlanOptions(), 3),
    "panel, out of budget": ("panel", PANEL["disagree"], PanelOptions(), 4),
    "review, out of budget": ("review", REVIEW["disagree"], ReviewOptions(), 2),
    "ask, out of budget": ("ask", ASK["agree"], AskOptions(), 1),
    **{
        f"forum, {kind}": ("forum", cast, ForumOptions(max_rounds=6), None)
        for kind, cast in FAIRNESS.items()
        if kind != "slow"
    },
    "forum, slow": ("forum", FAIRNESS["slow"], ForumOptions(timeout_s=9), None),
}


def bounded(name: str) -> Submission:
    """A row of the table above as a run."""
    workflow, cast, options, calls = BOUNDS[name]
    run = with_script(made(workflow), cast)
    update = {"options": options.model_dump(mode="json"), "budget": Budget(max_calls=calls)}
    return Submission(run.spec.model_copy(update=update), run.documents)


def strategies() -> dict[str, Submission]:
    """Every strategy of panel, the lenses of plan, and a forum of letters."""
    moderator = debates.member("mod")
    made = {
        name: debates.submitted(PanelOptions(strategy=name, moderator=moderator))
        for name in PANEL_STRATEGIES
    }
    runs = {name: with_script(run, DEBATE) for name, run in made.items()}
    lenses = debates.submitted(
        PlanOptions(strategy="perspectives"),
        names=EVERYBODY["plan"],
        decision=DecisionPolicy(mode="accept"),
    )
    letters = question_panel.submitted("forum", ForumOptions(anonymous=True))
    return {
        **runs,
        "perspectives": with_script(lenses, LENSES),
        "anonymous": with_script(letters, LETTERS),
    }


@pytest.fixture(scope="module")
def ended(submitter: Submitter) -> dict[tuple[str, str], Ended]:
    """All rows of both tables at once: what came of each."""
    runs = {}
    for workflow, kind in ROWS:
        limit_s = SILENT_S if "silent" in kind else 60.0
        run = with_script(made(workflow), CASTS[workflow][kind], limit_s)
        runs[workflow, kind] = submitter.submit(run, f"{workflow}: {kind}")
    for name in BOUNDS:
        runs["bounds", name] = submitter.submit(bounded(name), name)
    for name, run in strategies().items():
        runs["strategy", name] = submitter.submit(run, name)
    outcomes = submitter.ended(list(runs.values()))
    return {row: outcomes[run] for row, run in runs.items()}


@pytest.mark.parametrize(("workflow", "kind"), ROWS, ids=IDS)
def test_a_deliberation_ends_as_its_participants_behave(
    ended: dict[tuple[str, str], Ended], workflow: str, kind: str
) -> None:
    came, row = ended[workflow, kind], TABLE[workflow][kind]

    assert (came.ending, came.verdict, came.exit_code) == (row.ending, row.verdict, row.code), (
        came.warnings
    )
    named = {
        name
        for name in (*EVERYBODY[workflow], "chair", "author")
        if any(one.startswith(f"{name} ") for one in all_words(came.warnings))
    }
    assert named >= set(row.missing), came.warnings
    if not row.missing and kind in ("agree", "disagree"):
        assert not came.warnings


def test_every_cast_has_its_row() -> None:
    assert {name: set(casts) for name, casts in CASTS.items()} == {
        name: set(rows) for name, rows in TABLE.items()
    }


@pytest.mark.parametrize("workflow", ["forum", "plan", "panel", "review"])
def test_every_ending_is_reached_through_real_workers(
    ended: dict[tuple[str, str], Ended], workflow: str
) -> None:
    reached = {
        came.ending
        for (kind, name), came in ended.items()
        if kind == workflow or (kind == "bounds" and name.startswith(workflow))
    }
    assert reached >= set(Ending)


@pytest.mark.parametrize("name", [name for name in BOUNDS if "out of" in name])
def test_a_bound_ends_a_discussion_and_approves_nothing(
    ended: dict[tuple[str, str], Ended], name: str
) -> None:
    came = ended["bounds", name]
    rounds = "rounds" in name
    assert came.ending is (Ending.EXHAUSTED if rounds else Ending.OVER_BUDGET)
    assert came.verdict not in (Verdict.APPROVED, ANSWERED) or name.startswith("panel")
    if not rounds:
        assert came.exit_code == NO
        assert "over_budget" in came.steps.values()


STOPS = {
    "dead orchestrator": ("max_rounds", Ending.EXHAUSTED, {"no_selection"}),
    "unknown name": ("concluded", Ending.CONVERGED, {"unknown_name"}),
    "a favourite": ("concluded", Ending.CONVERGED, {"wished", "twice_in_a_row"}),
    "all pass": ("all_passed", Ending.CONVERGED, {"no_selection"}),
    "no end": ("max_rounds", Ending.CONVERGED, {"no_selection"}),
    "slow": ("timeout", Ending.CONVERGED, {"no_selection"}),
}


@pytest.mark.parametrize("kind", STOPS)
def test_what_an_orchestrator_cannot_decide_code_does(
    ended: dict[tuple[str, str], Ended], kind: str
) -> None:
    came, (stopped_by, ending, why) = ended["bounds", f"forum, {kind}"], STOPS[kind]
    assert (came.detail["stopped_by"], came.ending) == (stopped_by, ending)
    given = [one for one in came.detail["rounds"] if one["selected"] is not None]
    assert {one["why"] for one in given} == why
    speakers = [one["selected"] for one in given]
    assert all(one != other for one, other in pairwise(speakers)), "nobody twice in a row"


def test_the_receipt_of_a_forum_names_who_was_persuaded(
    ended: dict[tuple[str, str], Ended],
) -> None:
    receipt = ended["forum", "agree"].detail["receipt"]
    assert receipt["first_votes"]["codex"]["position"] == "Microservices."
    assert receipt["helped"] == "settled"
    (changed,) = receipt["changed_votes"]
    assert (changed["participant"], changed["evidence"]) == ("codex", "quoted")


@pytest.mark.parametrize("strategy", PANEL_STRATEGIES)
def test_every_strategy_of_a_panel_ends_in_agreement(
    ended: dict[tuple[str, str], Ended], strategy: str
) -> None:
    came = ended["strategy", strategy]
    assert (came.ending, came.verdict, came.exit_code) == (Ending.CONVERGED, ANSWERED, YES)
    assert not came.warnings
    heard = [one["heard"] for one in came.detail["rounds"][0]["statements"]]
    one_after_another = [[], ["ada"], ["ada", "bob"]]
    assert heard == (one_after_another if strategy == "sequential" else [[], [], []])
    assert ("moderation/1/mod" in came.steps) == (strategy != "quick")
    assert ("opening/ada" in came.steps) == (strategy == "sequential")


def test_the_lenses_of_a_plan_look_at_once_and_review_each_other(
    ended: dict[tuple[str, str], Ended],
) -> None:
    came = ended["strategy", "perspectives"]
    assert (came.ending, came.verdict) == (Ending.CONVERGED, NEEDS_FIX)
    assert {"risk-analysis/1/ada", "innovation-analysis/1/bob"} <= came.steps.keys()
    assert {"cross-review/2/ada", "cross-review/2/bob"} <= came.steps.keys()
    assert came.detail["accepted"] is True


def test_in_an_anonymous_forum_nobody_reads_a_name(
    ended: dict[tuple[str, str], Ended], live: CommandLine
) -> None:
    came = ended["strategy", "anonymous"]
    labels = came.detail["labels"]
    assert came.ending is Ending.CONVERGED
    assert sorted(labels.values()) == sorted(EVERYBODY["forum"])
    given = [one["selected"] for one in came.detail["rounds"][:2]]
    assert given == [labels["A"], labels["C"]]
    text = live("show", came.run, "--prompt", f"bid/3/{labels['B']}").stdout
    assert "speech 1 by A" in text
    others = [labels["A"], labels["C"]]  # whose prompt it is stands above it
    assert not [name for name in others if name in text]
