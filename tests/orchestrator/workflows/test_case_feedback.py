"""A critique is sent back, turned into solutions, decided on, and shown to others without identifiers."""

from typing import Any, ClassVar

import pytest

from orchestrator.core.replay.commands import ToolRun, Turn
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.registry import picking_words
from shared.models.outcomes import FailureKind
from shared.models.steps import StepResult
from tests.support.case_cast import (
    THE_LENSES,
    Agreeing,
    CaseCast,
    by_tool,
    hold_case,
    lens_point,
    reply,
    result_of,
    sha,
    submitted_case,
)
from tests.support.debates import decides, fail, member, shown

ADA, BOB, ANN = member("ada"), member("bob"), member("ann")
PAIR = (ADA, BOB, THE_LENSES)
SHOCK = "BP 80/40"


# ---- feedback -----------------------------------------------------------------------------------


class SendsBack(Agreeing):
    """The analyst asks for another tool and a better point, once."""

    def feedback(self, step: Turn) -> StepResult:
        if step.key.startswith("feedback/1"):
            return reply(
                step,
                ok=False,
                requested_tools=["lens_monitoring_response", "ct_scan"],
                patch_instructions=["name the antibiotic"],
            )
        return reply(step, ok=True)


def test_a_critique_that_is_sent_back_is_written_again_with_the_requested_tool():
    options = CaseOptions(router="llm", analyst=ANN, max_iterations=1)
    outcome, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), SendsBack())
    requested = by_tool(run, "router/1")
    assert list(requested) == ["lens_monitoring_response"]
    assert requested["lens_monitoring_response"].reason.params["who"] == "ann"
    assert "name the antibiotic" in shown(run.commands["critique/2/ada"])
    assert "feedback/2/ann" in run.steps
    assert [routing.feedback for routing in result_of(outcome).router] == [0, 1]
    assert len(result_of(outcome).iterations[0].feedback) == 1


@pytest.mark.parametrize("rounds", [0, 1, 2])
def test_a_critique_is_sent_back_no_more_often_than_the_rounds_allow(rounds: int):
    class NeverContent(Agreeing):
        def feedback(self, step: Turn) -> StepResult:
            return reply(step, ok=False, patch_instructions=[f"again, {step.key}"])

    options = CaseOptions(analyst=ANN, feedback_rounds=rounds, max_iterations=1)
    _, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), NeverContent())
    critiques = [key for key in run.steps if key.startswith("critique/")]
    assert len(critiques) == rounds + 1


def test_requested_tools_run_only_as_far_as_the_budget_goes():
    options = CaseOptions(router="llm", analyst=ANN, max_tools=1)
    _, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), SendsBack())
    assert not by_tool(run, "router/1")["lens_monitoring_response"].run
    assert "lens_monitoring_response" not in run.steps


def test_code_sends_back_what_shows_nothing_and_a_grave_point_without_a_position():
    class Careless(CaseCast):
        def critique(self, step: Turn) -> StepResult:
            if step.key == "critique/1/ada":
                point = {"point": "He is pregnant", "quote": "gravida 2"}
                return reply(step, critique_points=[point])
            return Agreeing.critique(Agreeing(), step)

    _, run = hold_case(submitted_case(critics=(ADA, THE_LENSES)), Careless())
    record = run.records["feedback/1"]
    codes = [each.code for each in record.patch_instructions]  # type: ignore[attr-defined]
    assert codes == ["case_issue_unshown", "case_issue_unheard"]
    assert "He is pregnant" in shown(run.commands["critique/2/ada"])


# ---- the verifier -------------------------------------------------------------------------------


class Verifying(Agreeing):
    """Solutions with citations that exist, that exist in part, and that do not."""

    lenses: ClassVar[Any] = {
        "lens_severity_risk": (
            lens_point("hypotension", SHOCK, "CRITICAL", advice={"code": "give_fluids"}),
        ),
        "lens_monitoring_response": (lens_point("allergy_conflict", "Amoxicillin 500 mg"),),
    }

    def verification(self, step: Turn) -> StepResult:
        def solution(point: str, *citations: str) -> dict[str, Any]:
            return {"point": point, "action": f"mend {point}", "citations": citations}

        return reply(
            step,
            solutions=[
                solution("F2", "E3", "documents/none.md"),
                solution("F1", "similar/9"),
                solution("F9", "E1"),
            ],
        )


def test_the_verifiers_citations_are_looked_up_and_what_cites_nothing_is_left_out():
    options = CaseOptions(verifier=ANN, solutions="verifier")
    outcome, _ = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), Verifying())
    result = result_of(outcome)
    assert [(each.finding, each.citation, each.by) for each in result.solutions] == [
        ("F2", "E3", "ann")
    ]
    assert result.verified_by == "A"
    codes = [each.code for each in outcome.warnings]
    assert {"case_citation_unknown", "case_solution_uncited", "case_solution_astray"} <= {*codes}


def test_the_critics_proposals_become_solutions_without_a_verifier():
    options = CaseOptions(verifier=ANN, solutions="critics")
    outcome, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), Verifying())
    result = result_of(outcome)
    assert [(each.finding, each.action.code, each.by) for each in result.solutions] == [
        ("F1", "give_fluids", "lenses")
    ]
    assert (result.verified_by, "verifier/ann" in run.steps) == ("B", False)


def test_both_keeps_the_proposals_for_points_that_the_verifier_did_not_answer():
    options = CaseOptions(verifier=ANN)
    outcome, run = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), Verifying())
    result = result_of(outcome)
    assert [(each.finding, each.by) for each in result.solutions] == [
        ("F2", "ann"),
        ("F1", "lenses"),
    ]
    assert result.verified_by == "C"
    assert "give_fluids" in shown(run.commands["verifier/ann"])


def test_a_verifier_that_fails_leaves_the_proposals_and_is_told():
    options = CaseOptions(verifier=ANN)

    class Mute(Verifying):
        def verification(self, step: Turn) -> StepResult:
            return fail(FailureKind.UNPARSEABLE)

    outcome, _ = hold_case(submitted_case(options, critics=(ADA, THE_LENSES)), Mute())
    assert result_of(outcome).verified_by == "B"
    assert "case_turn_missing" in {each.code for each in outcome.warnings}


# ---- a person decides ---------------------------------------------------------------------------


def test_a_person_can_have_picked_points_revised():
    asked = submitted_case(
        critics=(ADA, THE_LENSES),
        decision=submitted_case().spec.decision.model_copy(update={"mode": "ask"}),
    )
    answers = iter(
        [
            decides("revise", message="look at the dose")(None).model_copy(  # type: ignore[arg-type]
                update={"only": ("F2",)}
            ),
            decides("accept")(None),  # type: ignore[arg-type]
        ]
    )
    outcome, run = hold_case(asked, Agreeing(), lambda _: next(answers))
    assert run.questions["decision"].question.selectable == ("F1", "F2")
    text = shown(run.commands["iteration2/critique/1/ada"])
    assert "look at the dose" in text
    assert "F2: the person who decides" in text
    assert "F1: the person who decides" not in text
    assert result_of(outcome).decision is not None
    assert outcome.result.decision.choice == "accept"  # type: ignore[attr-defined]


def test_what_no_model_wrote_and_every_tool_has_looked_at_is_not_revised_and_that_is_told():
    asked = submitted_case(
        decision=submitted_case().spec.decision.model_copy(update={"mode": "ask"})
    )
    outcome, _ = hold_case(asked, None, decides("revise"))
    assert "case_nothing_to_redo" in {each.code for each in outcome.warnings}


@pytest.mark.parametrize("fails", [False, True])
def test_without_a_model_a_revision_runs_the_tools_that_were_left_or_failed(fails: bool):
    asked = submitted_case(
        CaseOptions(max_tools=3 if fails else 1, max_iterations=1),
        decision=submitted_case().spec.decision.model_copy(update={"mode": "ask"}),
    )
    seen: list[str] = []

    class Once(CaseCast):
        def tool(self, step: ToolRun) -> StepResult:
            first = step.tool not in seen
            seen.append(step.tool)
            failing = fails and first and step.tool == "lens_monitoring_response"
            return fail() if failing else super().tool(step)

    outcome, run = hold_case(asked, Once(), decides("revise", "accept"))
    codes = {each.code for each in outcome.warnings}
    assert "case_revised_by_tools" in codes
    assert "case_nothing_to_redo" not in codes
    assert by_tool(run, "iteration2/router")["lens_monitoring_response"].run
    assert len(result_of(outcome).iterations) == 2


# ---- who may see what ---------------------------------------------------------------------------

MASKED = "[NAME-1] has had a fever."


def test_whoever_is_elsewhere_sees_placeholders_and_its_quotations_are_put_back():
    far = member("far").model_copy(update={"provider": "openai"})
    identifiers = '{"[NAME-1]": "Mrs. Kim"}'
    run = submitted_case(
        CaseOptions(max_iterations=1),
        critics=(far, ADA, THE_LENSES),
        case={"masked": sha(MASKED), "identifiers": sha(identifiers)},
        texts=(MASKED, identifiers),
    )

    class Quoting(CaseCast):
        lenses: ClassVar[Any] = {
            "lens_severity_risk": (lens_point("named", "Mrs. Kim, 72 years old"),),
        }

        def critique(self, step: Turn) -> StepResult:
            name = "[NAME-1]" if step.participant.name == "far" else "Mrs. Kim"
            point = {"point": f"{step.participant.name} asks", "quote": f"{name}, 72 years old"}
            return reply(step, critique_points=[point])

    outcome, simulated = hold_case(run, Quoting())
    elsewhere, here = (shown(simulated.commands[f"critique/1/{who}"]) for who in ("far", "ada"))
    assert "Kim" not in elsewhere
    assert sha(MASKED) in elsewhere
    assert "Mrs. Kim" in here
    quotes = {each.quote for each in outcome.findings}
    assert quotes == {"Mrs. Kim, 72 years old"}


def test_points_can_be_picked_for_a_revision_and_not_for_an_acceptance():
    assert "revise" in picking_words()
    assert "accept" not in picking_words()
    assert "skip" not in picking_words()
