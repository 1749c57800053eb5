"""Two runs side by side: what was asked, how it went, what they came to."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from orchestrator.whatif.comparing import Comparison, Side, compare
from orchestrator.whatif.recording import Recording
from orchestrator.workflows.ask.options import AskOptions
from orchestrator.workflows.forum.options import ForumOptions
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.decision import DecisionAnswer
from shared.models.rows import UsageRow
from tests.support import debates, question_panel
from tests.support.forum_cast import Cast, ends_in, votes
from tests.support.notices import words
from tests.support.panel_cast import PanelCast, sides
from tests.support.recordings import recorded
from tests.support.review_panel import submission
from tests.support.review_replies import Step, critique, finding, finished, reply, stances
from tests.support.simulator import Simulation


def review(*findings: dict[str, Any], denied: tuple[str, ...] = (), **options: Any) -> Recording:
    """A review in which critic1 raises the findings, the author denies some and all stay with their word."""

    def act(step: Step) -> Any:
        name = step.participant if isinstance(step.participant, str) else step.participant.name
        match step.reply_model.split(".")[0]:
            case "critique":
                own = findings if name == "critic1" and step.round == 1 else ()
                known = [f"F{n}" for n in range(1, len(findings) + 1)] if step.round > 1 else []
                return critique(step, own, stances("agree", *known, reason=f"{name}{step.round}"))
            case "rebuttal":
                said = [
                    *stances("disagree", *denied, reason="it is checked", quote="return eval(x)"),
                    *stances(
                        "agree",
                        *(f"F{n}" for n in range(1, len(findings) + 1) if f"F{n}" not in denied),
                    ),
                ]
                return reply(step.reply_model, stances=said)
        return finished(step)

    run = submission(options=ReviewOptions(**options))
    simulation = Simulation(
        start_workflow(run.spec, run.materials),
        act,
        lambda _: DecisionAnswer(choice="skip", actor="me", channel="cli"),
    )
    outcome = simulation.run()
    return recorded(run, simulation, outcome)


def side(recording: Recording, name: str = "r1", **usage: Any) -> Side:
    row = {"calls": 1, "input_tokens": 10, "output_tokens": 5, "cached_tokens": 0}
    spent = UsageRow(**{**row, "cost_usd": 0.5, "unknown_costs": 0, **usage})
    return Side(replace(recording, run=replace(recording.run, id=name)), spent)


def differ(first: Recording, second: Recording) -> Comparison:
    return compare(side(first), side(second, "r2"))


EVAL, NAME = finding(), finding("the name shadows a builtin", 1, severity="MINOR")


def test_a_run_and_itself_differ_in_nothing():
    found = differ(review(EVAL), review(EVAL))

    assert found.same
    assert (found.options, found.participants, found.rounds, found.positions) == ((), (), (), ())
    assert words(found.relation) == "the same subject"


def test_one_defect_in_other_words_is_one_row_and_what_only_one_has_is_another():
    words = {**EVAL, "title": "input goes to eval", "detail": "anybody can run code by eval"}

    found = differ(review(EVAL, NAME), review(words))

    assert not found.same
    assert [(p.first and p.first.id, p.second and p.second.id) for p in found.findings] == [
        ("F1", "F1"),
        ("F2", None),
    ]
    assert [found.changed(pair) for pair in found.findings] == [False, True]


def test_a_severity_or_a_status_that_differs_is_named_with_who_stands_elsewhere():
    worse = differ(review(EVAL), review({**EVAL, "severity": "CRITICAL"}))
    denied = differ(review(EVAL), review(EVAL, denied=("F1",)))

    assert not worse.same
    assert not denied.same
    (change,) = denied.positions
    assert (change.participant, change.first, change.second) == ("author", "agree", "disagree")


def test_options_rounds_and_endings_are_beside_each_other():
    found = differ(review(EVAL), review(EVAL, rounds=1))

    options = {both.name: (both.first, both.second) for both in found.options}
    assert options["review.rounds"] == (3, 1)
    assert [both.name for both in found.rounds] == ["round/1", "round/2", "round/3"]
    conclusion = {both.name: (both.first, both.second) for both in found.conclusion}
    assert conclusion["ending"] == ("converged", "exhausted")


def test_a_mended_finding_stands_otherwise_than_one_that_was_left():
    first = review(EVAL)
    outcome = dict(first.run.outcome or {})
    outcome["detail"] = {**outcome["detail"], "standing": []}
    mended = replace(first, run=replace(first.run, outcome=outcome))

    assert not differ(first, mended).same


def test_a_fork_and_its_origin_know_each_other():
    first = review(EVAL)
    spec = {**first.run.spec, "labels": {"forked_from": "r1", "forked_at": "round:2"}}
    fork = replace(first, run=replace(first.run, spec=spec))

    assert words(differ(first, fork).relation) == "r2 is a fork of r1 from round:2"
    related = compare(side(fork, "r2"), side(first)).relation
    assert words(related) == "r2 is a fork of r1 from round:2"
    assert words(compare(side(fork, "r7"), side(fork, "r8")).relation) == "both are forks of r1"


def test_who_took_part_is_compared_by_seat_and_model():
    first = review(EVAL)
    panel = first.spec.panel
    other = panel.critics[0].model_copy(update={"model": "another"})
    changed = first.spec.model_copy(
        update={"panel": panel.model_copy(update={"critics": (other, panel.critics[1])})}
    )
    second = replace(first, run=replace(first.run, spec=changed.model_dump(mode="json")))

    (both,) = differ(first, second).participants
    assert (both.name, both.first, both.second) == (
        "critic critic1",
        "scripted:stub",
        "scripted:another",
    )


def test_money_and_time_are_beside_each_other():
    first = review(EVAL)
    found = compare(side(first), side(first, "r2", calls=9, cost_usd=None, unknown_costs=2))

    usage = {both.name: (both.first, both.second) for both in found.usage}
    assert usage["calls"] == (1, 9)
    assert usage["tokens"] == (15, 15)
    assert usage["cost_usd"] == (0.5, None)


# ---- the deliberating workflows -----------------------------------------------------------------


def panel(script: Any, **options: Any) -> Recording:
    run = debates.submitted(PanelOptions(**options))
    outcome, simulation = debates.hold(run, script)
    return recorded(run, simulation, outcome)


def test_debates_that_chose_otherwise_differ_although_both_were_answered():
    yes, no = (
        panel(sides(ballots=dict.fromkeys(("ada", "bob", "cyd"), "P1"))),
        panel(
            sides(
                judgement=lambda step: debates.give(
                    step, verdict="No.", choice="P2", confidence=0.8, reasoning="cost"
                )
            )
        ),
    )

    found = differ(yes, no)

    assert not found.same
    assert {both.name for both in found.votes} == {"bob", "cyd"}
    assert {both.second for both in found.votes} == {"No"}
    assert differ(panel(PanelCast()), panel(PanelCast())).same


def test_ballots_on_a_conclusion_are_compared_by_voter():
    def forum(script: Any) -> Recording:
        run = question_panel.submitted("forum", ForumOptions(max_rounds=4))
        outcome, simulation = question_panel.hold(run, script)
        return recorded(run, simulation, outcome)

    found = differ(
        forum(Cast(selection=ends_in(3))),
        forum(Cast(selection=ends_in(3), ballot=votes(codex="disagree"))),
    )

    (both,) = found.votes
    assert (both.name, both.first, both.second) == ("codex", "agree", "disagree")


def answers(text: str) -> Recording:
    def act(step: Any) -> Any:
        own = text if step.participant.name == "codex" else "A monolith for three people."
        return question_panel.give(step, answer=own)

    run = question_panel.submitted("ask", AskOptions())
    outcome, simulation = question_panel.hold(run, act)
    return recorded(run, simulation, outcome)


def test_answers_are_compared_with_one_another_and_within_each_run():
    same = "A monolith for three people."
    found = differ(
        answers(same), answers("Queues and services, one for each team, from the start.")
    )

    assert found.answers is not None
    assert found.answers.likeness["claude"] == 1.0
    assert found.answers.likeness["codex"] == pytest.approx(0.0, abs=0.2)
    assert found.answers.within[0] == 1.0
    second = found.answers.within[1]
    assert second is not None
    assert second < 0.5
    assert found.same


def test_a_question_and_a_review_have_nothing_in_common_but_are_compared():
    found = differ(answers("One process."), review(EVAL))

    assert not found.same
    assert found.answers is None
    assert words(found.relation) == "one is a run of ask, the other of review"
