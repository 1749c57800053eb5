"""Cases that tests make themselves, and a cast of tools and models who do as a test says."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any, ClassVar

from orchestrator.core.replay.commands import Outcome, ToolRun, Turn
from orchestrator.settings import builtin_prompts as prompts
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.case.records import ReflectionRecord, RoutingRecord
from orchestrator.workflows.case.result import CaseResult, RoutedTool
from orchestrator.workflows.registry import WORKFLOWS, start_workflow
from shared.models.case import Case, ChartSpan
from shared.models.panel import Panel, Participant
from shared.models.replies import REPLY_MODELS
from shared.models.run import NEWEST_RULES, DecisionPolicy, RunSpec
from shared.models.steps import StepResult
from tests.support.debates import Person, decides, fail
from tests.support.review_panel import Submission
from tests.support.simulator import Simulation, Step

CHART = """Subjective
Mrs. Kim, 72 years old, has had a fever for 3 days.
She is allergic to penicillin.
Objective
BP 80/40, HR 128, temperature 39.4 C.
Assessment and plan
Sepsis is suspected. Amoxicillin 500 mg three times a day.
"""
THE_LENSES = Participant(name="lenses", provider="analyser", family="rules")
Act = Callable[[Step], StepResult]


def span(words: str, identity: str = "", text: str = CHART) -> dict[str, Any]:
    """The place of these words in the chart."""
    start = text.index(words)
    made = ChartSpan(
        id=identity,
        start=start,
        end=start + len(words),
        line=text.count("\n", 0, start) + 1,
        text=words,
    )
    return made.model_dump(mode="json", exclude_defaults=True)


MENTIONS = [
    {"span": span(words), "kind": kind, "concept": words.lower(), "division": division}
    for words, kind, division in (
        ("fever", "symptom", "subjective"),
        ("penicillin", "allergy", "subjective"),
        ("Sepsis", "problem", "assessment_and_plan"),
        ("Amoxicillin", "drug", "assessment_and_plan"),
    )
]
MEASURED = [
    {"span": span("80/40"), "name": "systolic_pressure", "value": 80.0, "unit": "mmHg", "low": 90.0}
]


def lens_point(kind: str, words: str, severity: str = "MAJOR", **fields: Any) -> dict[str, Any]:
    """What a lens found at these words."""
    return {
        "kind": kind,
        "severity": severity,
        "category": "safety",
        "message": {"code": kind, "params": {}},
        "spans": [span(words)],
        **fields,
    }


def submitted_case(
    options: CaseOptions | None = None,
    *,
    critics: Sequence[Participant] = (THE_LENSES,),
    case: Mapping[str, Any] | None = None,
    texts: Sequence[str] = (),
    decision: DecisionPolicy | None = None,
    language: str = "en",
) -> Submission:
    """A run on `CHART`; `texts` are stored besides."""
    documents = {sha(text): text.encode() for text in (CHART, *texts)}
    subject = Case.model_validate(
        {"title": "a case", "chart": sha(CHART), **(case or {})}
    ).model_dump_json()
    templates = json.dumps(prompts.load("case", language), ensure_ascii=False)
    documents |= {sha(subject): subject.encode(), sha(templates): templates.encode()}
    spec = RunSpec(
        workflow="case",
        workflow_version=WORKFLOWS["case"].version,
        rules_version=NEWEST_RULES,
        language=language,
        subject=sha(subject),
        prompts=sha(templates),
        panel=Panel(critics=tuple(critics), author=critics[-1], chair=critics[-1]),
        options=(options or CaseOptions()).model_dump(mode="json"),
        decision=decision or DecisionPolicy(mode="accept"),
        seed="seed",
    )
    return Submission(spec, documents)


def sha(text: str) -> str:
    """The address of a text."""
    return hashlib.sha256(text.encode()).hexdigest()


def reply(step: Step, **fields: Any) -> StepResult:
    """What a worker records for these fields."""
    parsed = REPLY_MODELS[step.reply_model].model_validate(fields)
    return StepResult(reply=json.loads(parsed.model_dump_json(exclude_defaults=True)))


class CaseCast:
    """Tools that answer what is planted, models that say nothing special; a test overrides a method a role.

    `lenses` are the points of each tool of the critic, by its name.
    """

    lenses: ClassVar[Mapping[str, Sequence[dict[str, Any]]]] = {
        "lens_severity_risk": (lens_point("value_out_of_range", "BP 80/40", "CRITICAL"),),
        "lens_monitoring_response": (lens_point("allergy_conflict", "Amoxicillin 500 mg"),),
    }

    def __call__(self, step: Step) -> StepResult:
        if isinstance(step, ToolRun):
            return self.tool(step)
        assert isinstance(step, Turn)
        act: Callable[[Turn], StepResult] = getattr(self, step.role)
        return act(step)

    def tool(self, step: ToolRun) -> StepResult:
        match step.tool:
            case "chart.structure":
                return reply(step, language="en", mentions=MENTIONS, measurements=MEASURED)
            case "preprocess.evidence":
                spans = [
                    span("allergic to penicillin", "E1"),
                    span("BP 80/40, HR 128", "E2"),
                    span("Amoxicillin 500 mg", "E3"),
                ]
                return reply(step, spans=spans)
            case "evidence.retrieve":
                return self.evidence(step)
            case _ if step.role == "lens":
                return reply(step, points=list(self.lenses.get(step.tool, ())))
        return reply(step)

    def evidence(self, step: ToolRun) -> StepResult:
        inputs = step.inputs().model_dump(mode="json")
        earlier = inputs["earlier"]
        new = [{**query, "best": 0.9} for query in inputs["queries"]]
        return reply(step, **{**earlier, "queries": [*earlier["queries"], *new]})

    def diagnosis(self, step: Turn) -> StepResult:
        return reply(step, analysis="sepsis fits", queries=["sepsis bundle"])

    def treatment(self, step: Turn) -> StepResult:
        return reply(step, analysis="the antibiotic does not fit")

    def rewriting(self, step: Turn) -> StepResult:
        return reply(step)

    def routing(self, step: Turn) -> StepResult:
        return reply(step, tools=[{"tool": "lens_severity_risk", "reason": "the pressure is low"}])

    def critique(self, step: Turn) -> StepResult:
        return reply(step, analysis="nothing to add")

    def feedback(self, step: Turn) -> StepResult:
        return reply(step, ok=True)

    def verification(self, step: Turn) -> StepResult:
        return fail()


def hold_case(
    run: Submission, script: Act | None = None, person: Person | None = None, order: int = 0
) -> tuple[Outcome, Simulation]:
    """The run's outcome when its steps end as `script` says."""
    simulation = Simulation(
        start_workflow(run.spec, run.materials),
        script or CaseCast(),
        person or decides("accept"),
        Random(order),
    )
    return simulation.run(), simulation


def by_tool(run: Simulation, key: str = "router") -> dict[str, RoutedTool]:
    record = run.records[key]
    assert isinstance(record, RoutingRecord)
    return {choice.tool: choice for choice in record.routing.tools}


def reflection(run: Simulation, iteration: int) -> ReflectionRecord:
    key = "reflect" if iteration == 1 else f"iteration{iteration}/reflect"
    record = run.records[key]
    assert isinstance(record, ReflectionRecord)
    return record


def result_of(outcome: Any) -> CaseResult:
    assert isinstance(outcome.result, CaseResult)
    return outcome.result


def stances(position: str, *findings: str) -> list[dict[str, Any]]:
    return [{"finding": each, "position": position, "reason": "as charted"} for each in findings]


class Agreeing(CaseCast):
    """Every critic supports what the lenses found."""

    def critique(self, step: Turn) -> StepResult:
        return reply(step, analysis="as the lenses say", stances=stances("agree", "F1", "F2"))
