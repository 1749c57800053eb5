"""What case says of itself; `logic.py` has the whole run."""

from __future__ import annotations

from orchestrator.core.findings.verdict import GateRule
from orchestrator.core.parts import CRITIC, Filling, PartType, embedder_part
from orchestrator.core.setting import Flag
from orchestrator.workflows.case.choices import DECISION
from orchestrator.workflows.case.options import CaseOptions
from orchestrator.workflows.case.roles import LENSES, CaseRole
from orchestrator.workflows.descriptor import SubjectKind, WorkflowType
from shared.models.notices import notice

VERSION = 1

HELP = """Put a clinical case before tools that compute and a panel that reads.

It says what is wrong with a chart, what is missing in it, and what should be looked at first. FILE is a text,
JSON or FHIR; JSON Lines, a table and a folder hold many cases, and - is standard input (`quorate docs case`).
It needs no model: what only a model could say is left out by name. A case leaves this machine only with
--allow-external. Nothing in a report is medical advice."""

WORKFLOW: WorkflowType[CaseOptions] = WorkflowType(
    name="case",
    version=VERSION,
    options=CaseOptions,
    logic="orchestrator.workflows.case.logic",
    display="orchestrator.workflows.case.view",
    section="case",
    subject=SubjectKind.CASE,
    parts=(
        PartType(CRITIC, "critic", (CaseRole.CRITIQUE,), many=True, computes=LENSES),
        PartType(
            "analyst",
            "analyst",
            (
                CaseRole.DIAGNOSIS,
                CaseRole.TREATMENT,
                CaseRole.REWRITING,
                CaseRole.ROUTING,
                CaseRole.FEEDBACK,
            ),
            in_options=True,
            flag=Flag("--analyst", "Who analyses the chart.", "NAME|none"),
            task="analyse a chart",
            filling=Filling.LOCAL_MODEL,
            optional=lambda _options: True,
            dispensable=True,
        ),
        PartType(
            "verifier",
            "verifier",
            (CaseRole.VERIFICATION,),
            in_options=True,
            flag=Flag("--verifier", "Who makes solutions of points.", "NAME|none"),
            task="verify a critique",
            filling=Filling.LOCAL_MODEL,
            optional=lambda _options: True,
            dispensable=True,
        ),
        embedder_part(CaseRole.EMBEDDING, "evidence", "a chart"),
    ),
    record_types="orchestrator.workflows.case.records",
    decisions=(DECISION,),
    finds=True,
    gate=lambda options: GateRule(fail_on=options.fail_on),
    round_roles=(CaseRole.CRITIQUE,),
    rounds=lambda options: options.max_iterations * (options.feedback_rounds + 1),
    disclaimers=(notice("no_medical_advice"),),
    help=HELP,
    examples=(
        "quorate case chart.txt",
        "quorate case chart.txt -p lenses            (no model is asked)",
        "quorate case chart.txt --fail-on major --json",
        "quorate case bundle.json --similar cohort.csv --documents guidelines",
        "quorate case cases.jsonl --no-wait",
    ),
)
