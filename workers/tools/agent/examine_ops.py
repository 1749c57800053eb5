"""Images, services, pipelines and infrastructure: files of operation, read and checked."""

from __future__ import annotations

from collections import Counter

from shared.models.agent import RepositoryExamination
from shared.models.notices import notice
from shared.tools.agent_inputs import ExaminationInput
from workers.tools.agent import dockerfiles, pipelines, services
from workers.tools.agent.examination import Points, run_apart
from workers.tools.agent.repository_files import RepositoryFiles, is_sample
from workers.tools.registry import ToolContext

RULES = dockerfiles.RULES | pipelines.RULES | services.RULES
_KINDS = (
    ("dockerfile", dockerfiles.is_dockerfile, dockerfiles.check_dockerfile),
    ("compose", services.is_compose, services.check_compose),
    ("workflow", pipelines.is_workflow, pipelines.check_workflow),
    ("gitlab", pipelines.is_gitlab, pipelines.check_gitlab),
    ("kubernetes", lambda path: path.endswith((".yml", ".yaml")), services.check_kubernetes),
    ("terraform", lambda path: path.endswith(".tf"), services.check_terraform),
)


def wanted(path: str) -> bool:
    """Every file of operation."""
    return any(is_kind(path) for _, is_kind, _ in _KINDS)


def run(inputs: ExaminationInput, context: ToolContext) -> RepositoryExamination:
    """Points on files of operation. Raises `ToolError`."""
    return run_apart(__name__, inputs, context)


def examine(files: RepositoryFiles) -> RepositoryExamination:
    """Check each file by its kind, the first that fits."""
    points = Points(RULES)
    counts: Counter[str] = Counter()
    for path, text in files.texts.items():
        if is_sample(path):
            continue
        kind, _, check = next(row for row in _KINDS if row[1](path))
        if kind != "kubernetes" or ("apiVersion" in text and "kind:" in text):
            counts[kind] += 1
            check(points, path, text)
    facts = [notice("exam_ops_files", kind=kind, n=n) for kind, n in sorted(counts.items())]
    return points.examination(facts or [notice("exam_ops_none")])
