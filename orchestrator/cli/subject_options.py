"""What the command of a workflow is given, by the kind of its subject, and the workflow that a flag chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from orchestrator.application.subject_input import CaseSource, ChangeInput, QuestionInput, TaskInput
from orchestrator.cli.options import Decorator
from orchestrator.cli.work_options import (
    case_options,
    change_options,
    question_options,
    task_options,
)
from orchestrator.workflows import ROWS, WorkflowRow
from orchestrator.workflows.descriptor import SubjectKind

TypedSubject = ChangeInput | QuestionInput | CaseSource | TaskInput
SUBJECTS: Mapping[SubjectKind, tuple[type[Any], Decorator]] = {
    SubjectKind.CHANGE: (ChangeInput, change_options),
    SubjectKind.QUESTION: (QuestionInput, question_options),
    SubjectKind.CASE: (CaseSource, case_options),
    SubjectKind.TASK: (TaskInput, task_options),
}
"""What a command is given for each kind of subject, and the options that it is typed with."""
OTHER: WorkflowRow | None = next((row for row in ROWS if row.flags), None)
"""The workflow that takes over a question for the default one when its flag is typed."""
