"""`quorate show RUN --schema` describes what `--json` prints, for every workflow."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from orchestrator.presentation.formats.json import as_json, workflow_schema
from orchestrator.presentation.json_rows import dumps
from orchestrator.presentation.report import RunReport
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.graph.workflow import WORKFLOW as GRAPH
from orchestrator.workflows.registry import WORKFLOWS, start_workflow
from orchestrator.workflows.review.options import ReviewOptions
from orchestrator.workflows.undo import WORKFLOW as UNDO
from shared.models.notices import notice
from tests.support import debates
from tests.support.agent_cast import hold_task, submitted_task
from tests.support.case_cast import THE_LENSES, CaseCast, hold_case, submitted_case
from tests.support.case_reports import case_report
from tests.support.finished_runs import HELD
from tests.support.json_schema import misfits
from tests.support.review_panel import submission
from tests.support.review_replies import finished, reply, stances
from tests.support.seen_runs import report_of
from tests.support.simulator import Simulation


def reviewed() -> RunReport:
    """Every critic objects, and no fix is found."""

    def act(step: Any) -> Any:
        if step.reply_model.startswith("critique"):
            return reply(step.reply_model, verdict="NEEDS_FIX", missing_considerations=["Is it?"])
        if step.reply_model.startswith("rebuttal"):
            return reply(step.reply_model, stances=stances("agree", "F1"))
        return reply("fix", fixes=[]) if step.reply_model == "fix" else finished(step)

    run = submission(options=ReviewOptions(strategy="review"))
    simulation = Simulation(start_workflow(run.spec, run.materials), act, debates.decides("skip"))
    return report_of(run, simulation, simulation.run())


def cased() -> RunReport:
    """Two models, of whom one fails; rules, remarks on the input, an analyst as the router."""

    class Failing(CaseCast):
        def diagnosis(self, step: Any) -> Any:
            return debates.fail()

    ann = debates.member("ann")
    remark = notice("case_skipped", where="x", why=notice("case_empty"))
    case = {"remarks": [remark.model_dump(mode="json")]}
    options = CaseOptions(analyst=ann, router="llm", max_tools=1)
    run = submitted_case(options, critics=(ann, THE_LENSES), case=case)
    outcome, simulation = hold_case(run, Failing())
    return report_of(run, simulation, outcome)


def done() -> RunReport:
    """A task whose change is approved."""
    run = submitted_task("add a class body to shop/user.py")
    outcome, simulation = hold_task(run)
    return report_of(run, simulation, outcome)


def held(name: str) -> Callable[[], RunReport]:
    def report() -> RunReport:
        run = HELD[name]()
        return report_of(run.run, run.simulation, run.outcome)

    return report


REPORTS: dict[str, list[Callable[[], RunReport]]] = {
    **{name: [held(name)] for name in HELD},
    "review": [reviewed],
    "case": [cased, case_report],
    "agent": [done],
}


def test_there_is_a_result_of_every_workflow_that_has_one():
    assert REPORTS.keys() == WORKFLOWS.keys() - {UNDO.name, GRAPH.name}


@pytest.mark.parametrize(
    ("name", "report"), [(name, each) for name, rows in REPORTS.items() for each in rows]
)
def test_what_is_printed_fits_its_schema(name: str, report: Callable[[], RunReport]):
    schema = json.loads(json.dumps(workflow_schema(WORKFLOWS[name])))
    printed = json.loads(dumps(as_json(report())))
    assert printed["detail"]
    assert misfits(printed["detail"], schema) == []


def test_a_misfit_is_noticed():
    schema = workflow_schema(WORKFLOWS["case"])
    detail = json.loads(dumps(as_json(case_report())))["detail"]
    detail["trace"][0]["took"] = 3
    detail["router"] = None
    assert set(misfits(detail, schema)) == {
        "$.trace[0]: took is unknown",
        "$.router: None is no array",
    }
