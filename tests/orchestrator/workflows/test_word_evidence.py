"""Plan and panel bind claims to words that exist: an invented quotation costs the claim its weight, and says why."""

from typing import Any

from orchestrator.core.replay.commands import Outcome, Turn
from orchestrator.workflows.panel.options import PanelOptions
from orchestrator.workflows.plan.options import PlanOptions
from shared.models.findings import Severity
from shared.models.outcomes import Ending, Verdict
from shared.models.steps import StepResult
from tests.support.debates import decides, fail, give, hold, submitted
from tests.support.notices import words
from tests.support.panel_cast import QUESTION, PanelCast, stances
from tests.support.plan_cast import NO_WAY_BACK, PlanCast, stance

INVENTED = {**NO_WAY_BACK, "quote": "5. delete the backups first"}
UNPROVEN = "its quotation does not occur in anything that was given or said by others"

# ---- plan ---------------------------------------------------------------------------------------


def debated(script: Any, contexts: Any = (), **options: Any) -> Outcome:
    run = submitted(PlanOptions(**options), contexts=contexts)
    return hold(run, script, decides("accept"))[0]


class Raises(PlanCast):
    """All raise one objection, and nobody takes a position later."""

    def __init__(self, objection: dict[str, Any]) -> None:
        self.objection = objection

    def challenge(self, step: Turn) -> StepResult:
        if step.round == 1:
            return give(step, verdict="REVISE", findings=[self.objection])
        return give(step, verdict="REVISE", stances=stance("agree", "F1"))


def test_an_objection_with_an_invented_quotation_loses_its_severity_and_stops_no_plan():
    outcome = debated(Raises(INVENTED))

    (finding,) = outcome.findings
    assert finding.severity is Severity.INFO
    assert finding.quote is None
    assert finding.caveat is not None
    assert f"MAJOR by ada not counted: {UNPROVEN}" in words(finding.caveat)
    assert outcome.verdict is Verdict.APPROVED


def test_an_objection_to_what_is_missing_needs_no_quotation():
    missing = {**NO_WAY_BACK, "quote": None}
    outcome = debated(Raises(missing))

    assert outcome.findings[0].severity is Severity.MAJOR
    assert outcome.verdict is Verdict.NEEDS_FIX


def test_task_plan_and_files_may_be_quoted():
    contexts = [("servers.md", b"# Servers\nThe new server has one disk.")]
    for quote in ("without losing an order", "2. COPY the data", "the new server has one disk"):
        outcome = debated(Raises({**NO_WAY_BACK, "quote": quote}), contexts)
        assert outcome.findings[0].severity is Severity.MAJOR, quote


def test_a_quotation_from_a_file_is_evidence_in_the_receipt():
    class Swayed(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            if step.round == 1:
                return give(step, verdict="REVISE", findings=[NO_WAY_BACK])
            said = stance("withdraw", "F1")
            return give(step, verdict="ACCEPT", stances=[{**said[0], "quote": "one disk"}])

    contexts = [("servers.md", b"The new server has one disk.")]
    receipt: Any = debated(Swayed(), contexts).detail["receipt"]
    assert {one["evidence"] for one in receipt["changes"]} == {"quoted"}


def test_a_claim_that_somebody_proves_has_its_weight():
    class OneProves(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            if step.round == 1:
                objection = NO_WAY_BACK if step.participant.name == "bob" else INVENTED
                return give(step, verdict="REVISE", findings=[objection])
            return super().challenge(step)

    outcome = debated(OneProves())
    assert outcome.findings[0].severity is Severity.MAJOR
    assert outcome.verdict is Verdict.NEEDS_FIX


def test_a_denial_with_an_invented_quotation_is_no_position():
    class Denies(PlanCast):
        def defense(self, step: Turn) -> StepResult:
            said = {**stance("disagree", "F1")[0], "quote": "step 9 describes the way back"}
            return give(step, stances=[said])

    outcome = debated(Denies(), rounds=3)
    assert "author" not in {
        name for name, position in outcome.findings[0].stances.items() if position == "disagree"
    }
    assert outcome.ending is Ending.CONVERGED


# ---- panel --------------------------------------------------------------------------------------


def pointing(quote: str | None, later: str | None = None) -> Any:
    """All say yes; ada rests it on a claim with a quotation, which bob repeats with another in round 2."""

    def argument(step: Turn) -> StepResult:
        name, number = step.participant.name, step.round
        claim = {"claim": "Orders are lost every month", "evidence": "as is known"}
        points = [{**claim, "quote": quote}] if (name, number) == ("ada", 1) else []
        if later is not None and (name, number) == ("bob", 2):
            points = [{**claim, "quote": later}]
        said = stances("agree", "P1", *(["P2"] if number > 1 else [])) if number > 1 else []
        return give(
            step, position="Yes", argument=f"{name} in {number}", points=points, stances=said
        )

    return argument


def discussed(argument: Any) -> Outcome:
    run = submitted(PanelOptions(strategy="parallel", max_rounds=3), text=QUESTION)
    return hold(run, PanelCast(argument=argument))[0]


def point(outcome: Outcome) -> Any:
    points: Any = outcome.detail["points"]
    return next(one for one in points if one["category"] == "point")


def test_a_point_with_an_invented_quotation_has_no_weight_and_is_no_consensus():
    outcome = discussed(pointing("orders were lost in April"))

    assert point(outcome)["severity"] == "INFO"
    assert f"MINOR by ada not counted: {UNPROVEN}" in words(point(outcome)["caveat"])
    agreed: Any = outcome.detail["consensus_points"]
    assert [one["id"] for one in agreed] == ["P1"]


def test_a_point_with_a_real_quotation_or_none_has_its_weight():
    for quote in ("Orders were lost in March", None):
        outcome = discussed(pointing(quote))
        assert point(outcome)["severity"] == "MINOR", quote
        assert point(outcome)["caveat"] is None


def test_a_point_is_restored_by_whoever_shows_a_real_quotation():
    outcome = discussed(pointing("orders were lost in April", later="Orders were lost in March"))

    assert point(outcome)["severity"] == "MINOR"
    assert point(outcome)["quote"] == "Orders were lost in March"


def test_nobody_proves_a_point_by_quoting_themselves():
    outcome = discussed(pointing("ada in 1"))
    assert point(outcome)["severity"] == "INFO"


def test_nobody_takes_the_weight_from_anothers_point_with_an_invented_quotation():
    for quote in ("Orders were lost in March", None):
        outcome = discussed(pointing(quote, later="orders were lost in April"))
        assert point(outcome)["severity"] == "MINOR", quote
        assert point(outcome)["quote"] == quote


def test_a_real_quotation_counts_beside_an_invented_one_in_the_same_round():
    def argument(step: Turn) -> StepResult:
        invented = step.participant.name == "ada"
        quote = "orders were lost in April" if invented else "Orders were lost in March"
        said = stances("agree", "P1", "P2") if step.round > 1 else []
        points = [{"claim": "Orders are lost every month", "quote": quote}]
        return give(step, position="Yes", argument="so", points=points, stances=said)

    outcome = discussed(argument)
    assert point(outcome)["severity"] == "MINOR"
    assert point(outcome)["quote"] == "Orders were lost in March"


def test_a_quotation_that_may_be_from_a_missing_turn_says_so_and_no_debate_converges_on_it():
    class Quotes(PlanCast):
        def challenge(self, step: Turn) -> StepResult:
            name, number = step.participant.name, step.round
            if (name, number) == ("bob", 1):
                return fail()
            if (name, number) == ("ada", 1):
                mine = {**NO_WAY_BACK, "quote": "bob says that the copy takes a day"}
                return give(step, verdict="REVISE", findings=[mine])
            return give(step, verdict="ACCEPT")

        def defense(self, step: Turn) -> StepResult:
            return give(step, conceded_points=["everything"])

    outcome = debated(Quotes(), rounds=5)
    assert "may be from a turn that is missing" in words(outcome.findings[0].caveat)
    assert outcome.ending is not Ending.CONVERGED
