"""A review whose critics object in the design's sections, and not in `findings`: no objection is lost for its form."""

from typing import Any

import pytest

from orchestrator.core.commands import Outcome
from orchestrator.workflows import start_workflow
from shared.models.findings import Severity
from shared.models.outcomes import Verdict
from shared.models.replies import REPLY_MODELS
from shared.models.run import ReviewOptions
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


def test_praise_and_small_doubts_of_who_approves_are_no_objections() -> None:
    said = {"points_of_agreement": ["It is short"], "missing_considerations": ["A changelog"]}
    outcome = reviewed("review", verdict="APPROVED", **said)
    assert (outcome.verdict, outcome.findings) == (Verdict.APPROVED, ())


def test_findings_stand_for_the_sections_beside_them() -> None:
    found = {"title": "Shell", "severity": "MAJOR"}
    said = {"verdict": "NEEDS_FIX", "findings": [found], "security_risks": [RISK]}
    parsed = REPLY_MODELS["critique.red-team"].model_validate(said)
    assert [one.title for one in parsed.raised()] == ["Shell"]  # type: ignore[attr-defined]
