"""A workflow's name stands in its folder and in its row; what else is derived knows it from there."""

import ast
from collections import Counter
from pathlib import Path

from orchestrator.workflows import ROWS

ROOT = Path(__file__).parents[3]
NAMES = frozenset(row.name for row in ROWS)

# The word means something else there: a key of a captured run or of JSON, a role, a reply, a tool, a policy.
ANOTHER_MEANING = frozenset(
    {
        "orchestrator/application/fork.py",
        "orchestrator/application/participants.py",
        "orchestrator/cli/commands/participants/listing.py",
        "orchestrator/cli/options.py",
        "orchestrator/cli/slips.py",
        "orchestrator/presentation/live/progress_events.py",
        "orchestrator/whatif/changes.py",
        "orchestrator/whatif/comparing.py",
        "orchestrator/whatif/seats.py",
        "orchestrator/workflows/descriptor.py",
        "shared/models/panel.py",
        "shared/models/planning.py",
        "shared/text/unfinished.py",
        "shared/tools/catalogue.py",
    }
)
# What version 0.1.0 stored under these names is read there.
EARLIER_FORMS = frozenset({"shared/models/run.py"})
# How often a name may still stand elsewhere. These figures only become smaller.
LEFT = {
    "orchestrator/application/lifecycle.py": 2,
    "orchestrator/application/prepare.py": 2,
    "orchestrator/cli/commands/ask.py": 4,
    "orchestrator/cli/commands/doctor.py": 1,
    "orchestrator/cli/commands/fork.py": 2,
    "orchestrator/cli/commands/forum.py": 1,
    "orchestrator/cli/commands/panel.py": 2,
    "orchestrator/cli/commands/participants/trial.py": 3,
    "orchestrator/cli/commands/plan.py": 3,
    "orchestrator/cli/commands/review.py": 3,
    "orchestrator/cli/default_command.py": 1,
    "orchestrator/cli/registry.py": 1,
    "orchestrator/cli/submission.py": 3,
    "orchestrator/participants/casting.py": 14,
    "orchestrator/settings/schema.py": 2,
    "orchestrator/settings/trust.py": 6,
}


def names_in(path: Path) -> int:
    """How often a text of a module is exactly the name of a workflow."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return sum(isinstance(node, ast.Constant) and node.value in NAMES for node in ast.walk(tree))


def own(name: str) -> bool:
    parts = Path(name).with_suffix("").parts
    inside = parts[:2] == ("orchestrator", "workflows")
    return inside and (parts[2] in NAMES or parts[2] == "__init__")


def test_no_name_of_a_workflow_stands_outside_its_folder_and_its_row():
    found: Counter[str] = Counter()
    for folder in ("shared", "workers", "orchestrator"):
        for path in (ROOT / folder).rglob("*.py"):
            name = path.relative_to(ROOT).as_posix()
            if not own(name) and name not in ANOTHER_MEANING | EARLIER_FORMS:
                found[name] += names_in(path)
    grown = {name: count for name, count in found.items() if count > LEFT.get(name, 0)}
    assert grown == {}
