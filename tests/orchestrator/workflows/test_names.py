"""Names of workflows stand in their folders and rows, words of decisions in their folders; the rest is derived."""

import ast
from collections.abc import Iterator
from pathlib import Path

from orchestrator.workflows import ROWS
from orchestrator.workflows.registry import WORKFLOWS, decision_choices

ROOT = Path(__file__).parents[3]
WORDS = {*WORKFLOWS, *decision_choices()}

# The same letters with another meaning.
HOMONYMS = {
    ("orchestrator/application/similar_cases.py", "case"),  # the workflow whose runs are looked at
    ("orchestrator/application/participants.py", "panel"),  # a key of JSON
    ("orchestrator/presentation/run_pages/talk.py", "plan"),  # a reply's field
    ("orchestrator/web/api/runs.py", "accept"),  # a header of HTTP
    ("orchestrator/web/problems.py", "accept"),
    # examples in the description of the API
    ("orchestrator/web/api/decisions.py", "skip"),
    ("orchestrator/web/api/shapes.py", "review"),
    ("orchestrator/web/api/schedules.py", "review"),
    ("orchestrator/web/api/submissions.py", "ask"),
    ("orchestrator/web/api/submissions.py", "review"),
    (
        "orchestrator/cli/default_command.py",
        "approve",
    ),  # what somebody types who means another command
    ("orchestrator/cli/work_options.py", "case"),  # an argument
    ("orchestrator/participants/discovery.py", "agent"),  # a coding CLI's option
    ("shared/providers/limits.py", "agent"),
    ("shared/providers/options.py", "agent"),
    ("shared/providers/prices.py", "agent"),
    ("workers/turns/allowance.py", "agent"),
    ("workers/tools/agent/runner_texts.py", "skip"),  # a runner's word for a test that it left out
    ("orchestrator/cli/submission.py", "panel"),  # a field of a request
    ("orchestrator/presentation/evaluation.py", "case"),  # a labelled change
    ("orchestrator/settings/trusted.py", "panel"),  # a section of the configuration
    ("orchestrator/whatif/changes.py", "panel"),  # a field of a run's specification
    ("orchestrator/whatif/comparing.py", "panel"),
    ("orchestrator/subjects/fhir_lines.py", "plan"),  # the intent of a FHIR resource
    ("orchestrator/workflows/descriptor.py", "case"),  # a kind of subject
    ("shared/models/run.py", "panel"),
    ("shared/models/run.py", "ask"),  # the policy that puts a decision to a person
    ("shared/models/planning.py", "plan"),  # a reply, and its field
    ("shared/text/unfinished.py", "plan"),
    ("workers/tools/clinical/checks/monitoring.py", "plan"),  # a category of findings
    ("shared/tools/catalogue.py", "undo"),  # a tool
    ("workers/tools/clinical/checks/monitoring.py", "plan"),  # a category of remarks
    ("workers/tools/agent/impact.py", "graph"),  # a field of a tool's inputs
    ("orchestrator/presentation/run_pages/code_page.py", "graph"),  # and of its reply
    ("orchestrator/cli/elsewhere.py", "agent"),  # commands that work on files of their own machine
    ("orchestrator/cli/elsewhere.py", "case"),
    ("workers/tools/sandbox/confine.py", "accept"),  # a system call
    ("orchestrator/core/timetable.py", "skip"),  # what becomes of times that were missed
    ("orchestrator/cli/commands/schedule/__init__.py", "skip"),
    ("orchestrator/cli/commands/ci.py", "review"),  # the workflow of a pipeline's change
    ("orchestrator/application/batch_from_git.py", "review"),  # the workflow of a batch of commits
}
# What people say in discussions is looked for there, in their words.
LEXICA = "orchestrator/core/consensus/detectors/"
# What version 0.1.0 stored is read there: a field a workflow, and silence as an answer.
EARLIER_FORMS = {
    ("shared/models/run.py", word) for word in ("ask", "forum", "plan", "review", "skip")
}


def words_in(path: Path) -> Iterator[str]:
    """The texts of a module that are exactly a workflow's name or a decision's word."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and node.value in WORDS:
            yield str(node.value)


def is_own(name: str) -> bool:
    parts = Path(name).with_suffix("").parts
    inside = parts[:2] == ("orchestrator", "workflows")
    return inside and (parts[2] in {row.name for row in ROWS} or parts[2] == "__init__")


def test_no_name_of_a_workflow_and_no_word_of_a_decision_stands_outside_its_folder_and_its_row():
    spelled = set()
    for folder in ("shared", "workers", "orchestrator"):
        for path in (ROOT / folder).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            if not is_own(name) and not name.startswith(LEXICA):
                spelled |= {(name, word) for word in words_in(path)}
    assert spelled - EARLIER_FORMS == HOMONYMS - EARLIER_FORMS
