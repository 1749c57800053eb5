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
        "orchestrator/cli/commands/participants/listing.py",
        "orchestrator/presentation/live/progress_events.py",
        "orchestrator/whatif/changes.py",
        "orchestrator/whatif/comparing.py",
        "shared/models/panel.py",
        "shared/models/planning.py",
        "shared/text/unfinished.py",
        "shared/tools/catalogue.py",
    }
)
# What version 0.1.0 stored under these names is read there.
EARLIER_FORMS = frozenset({"shared/models/run.py"})


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
    assert +found == Counter()
