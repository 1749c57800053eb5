"""A review whose critics object in the design's sections, and not in `findings`: no objection is lost for its form."""

from typing import Any

import pytest

from orchestrator.core.replay.commands import Outcome
from orchestrator.workflows.registry import start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from shared.models.findings import Severity
from shared.models.outcomes import Verdict
from shared.models.replies import REPLY_MODELS
from shared.models.sections import Disagreement, says_nothing
from shared.models.steps import StepResult
from tests.support.review_panel import submission
from tests.support.review_replies import Step, finished, reply, stances
from tests.support.simulator import Simulation

RISK = {"description": "A name reaches a shell", "severity": "CRITICAL"}


def reviewed(strategy: str, **said: Any) -> Outcome:
    """Every critic says the same in the first round; the author concedes, and the critics stay with it."""

    def act(step: Step) -> StepResult:
        match step.reply_model.split(".")[0], step.round:
            case "critique", 1:
                return reply(step.reply_model, **said)
            case "critique", _:
                # Sections of a later round are about what is known: they raise nothing.
                fields = {**said, "stances": stances("agree", "F1")}
                return reply(step.reply_model, **fields)
            case "rebuttal", _:
                return reply(step.reply_model, stances=stances("agree", "F1"))
            case "fix", _:
                return reply("fix", fixes=[])
        return finished(step)

    run = submission(options=ReviewOptions(strategy=strategy))
    return Simulation(start_workflow(run.spec, run.materials), act, nobody).run()


def nobody(ask: object) -> Any:
    raise AssertionError(f"there is no fix to decide on: {ask}")


@pytest.mark.parametrize(
    ("strategy", "said", "title"),
    [
        ("review", {"points_of_disagreement": [{"claim": "It is fast"}]}, "It is fast"),
        ("review", {"missing_considerations": ["What if it is empty?"]}, "What if it is empty?"),
        ("review", {"summary": "The shell gets what a caller sends"}, "The shell gets"),
        ("review", {}, "It says NEEDS_FIX, and not why"),
        ("red-team", {"security_risks": [RISK]}, "A name reaches a shell"),
        ("red-team", {"issue_summary": [RISK]}, "A name reaches a shell"),
        ("red-team", {"verdict": "APPROVED", "security_risks": [RISK]}, "A name reaches a shell"),
    ],
)
def test_what_is_objected_in_a_section_needs_a_fix(
    strategy: str, said: dict[str, Any], title: str
) -> None:
    outcome = reviewed(strategy, **{"verdict": "NEEDS_FIX", **said})
    (found,) = outcome.findings
    assert outcome.verdict is Verdict.NEEDS_FIX
    assert found.title.startswith(title)
    assert found.severity is Severity.MINOR  # it points at nothing in the change


def test_objections_outside_of_findings_are_numbered_after_the_findings():
    """Recorded positions name findings by number: of a run stored earlier they still mean the same."""
    run = submission(options=ReviewOptions(rounds=1))
    first, *_ = (critic.name for critic in run.spec.panel.critics)

    def act(step: Step) -> StepResult:
        if not step.reply_model.startswith("critique"):
            return reply("fix", fixes=[]) if step.reply_model == "fix" else finished(step)
        name = step.participant if isinstance(step.participant, str) else step.participant.name
        if name == first:
            return reply(step.reply_model, verdict="NEEDS_FIX", missing_considerations=["Why so?"])
        found = {"title": "A name reaches a shell", "severity": "MAJOR"}
        return reply(step.reply_model, verdict="NEEDS_FIX", findings=[found])

    outcome = Simulation(start_workflow(run.spec, run.materials), act, nobody).run()
    titles = [one.title for one in outcome.findings]
    assert titles == ["A name reaches a shell", "Why so?"]


def test_praise_and_small_doubts_of_who_approves_are_no_objections() -> None:
    said = {"points_of_agreement": ["It is short"], "missing_considerations": ["A changelog"]}
    outcome = reviewed("review", verdict="APPROVED", **said)
    assert (outcome.verdict, outcome.findings) == (Verdict.APPROVED, ())


@pytest.mark.parametrize(
    ("text", "says_something"),
    [
        ("None.", False),
        ("- N/A", False),
        ("", False),
        ("No major issues found", False),
        ("해당 없음", False),
        ("별다른 문제는 없습니다.", False),
        ("None of the inputs is checked", True),
        ("No validation", True),
        ("검증 없음", True),
        ("Nothing is written back", True),
    ],
)
def test_a_section_that_says_there_is_nothing_objects_to_nothing(text: str, says_something: bool):
    sections = {"points_of_disagreement": [{"claim": text}], "missing_considerations": [text]}
    said = {"verdict": "NEEDS_FIX", "summary": "Why", **sections}
    titles = [one.title for one in REPLY_MODELS["critique.review"].model_validate(said).raised()]  # type: ignore[attr-defined]
    assert titles == ([text, text] if says_something else ["Why"])
    assert says_nothing(Disagreement(claim="-", explanation="The cache is stale")) is False


def test_a_plan_is_not_challenged_by_sections_that_say_nothing():
    parse = REPLY_MODELS["challenge"].model_validate
    accepted = parse({"verdict": "ACCEPT", "edge_cases": ["None"]})
    stored = parse({"verdict": "REVISE", "summary": "Too dear", "edge_cases": ["None"]})
    assert accepted.raised() == ()  # type: ignore[attr-defined]
    assert [one.title for one in stored.raised()] == ["Too dear"]  # type: ignore[attr-defined]


def test_one_risk_in_two_sections_of_who_approves_is_one_objection():
    said = {"verdict": "APPROVED", "security_risks": [RISK]}
    said["issue_summary"] = [{**RISK, "severity": "MAJOR"}]
    parsed = REPLY_MODELS["critique.red-team"].model_validate(said)
    assert [one.title for one in parsed.raised()] == [RISK["description"]]  # type: ignore[attr-defined]


def test_findings_stand_for_the_sections_beside_them() -> None:
    found = {"title": "Shell", "severity": "MAJOR"}
    said = {"verdict": "NEEDS_FIX", "findings": [found], "security_risks": [RISK]}
    parsed = REPLY_MODELS["critique.red-team"].model_validate(said)
    assert [one.title for one in parsed.raised()] == ["Shell"]  # type: ignore[attr-defined]


def test_what_the_sections_say_is_merged_each_entry_once() -> None:
    said = {"points_of_agreement": ["It is short"], "missing_considerations": ["An empty list"]}
    feedback = reviewed("review", verdict="NEEDS_FIX", **said).detail["feedback"]
    assert feedback["points_of_agreement"] == ["It is short"]  # of two critics and two rounds
    assert feedback["missing_considerations"] == ["An empty list"]
    assert feedback["security_risks"] == []
    assert feedback["revised_solution"] is None
    risks = reviewed("red-team", verdict="APPROVED", security_risks=[RISK]).detail["feedback"]
    assert risks["security_risks"] == [RISK]
    assert risks.keys() == feedback.keys()
