"""The table of rule codes is that of the installed programs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.resources import files
from pathlib import Path

from shared.tools.rule_codes import TABLE, means_a_rule
from workers.tools.analysers import complexity, diffcheck, ruffrules

BANDIT = (
    "from bandit.core.extension_loader import MANAGER as m; "
    "print(*m.plugins_by_id, *m.blacklist_by_id)"
)


def installed() -> dict[str, list[str]]:
    ruff = Path(sys.executable).with_name("ruff")
    listed = subprocess.run(
        [ruff, "rule", "--all", "--output-format", "json"],
        capture_output=True,
        check=True,
    ).stdout
    bandit = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BANDIT], capture_output=True, check=True, text=True
    ).stdout
    return {
        "bandit": sorted(bandit.split()),
        "complexity": [complexity.RULE.partition("/")[2]],
        "diffcheck": sorted(diffcheck.RULES),
        "ruff": sorted(
            {ruffrules.UNPARSED, *(rule["code"] for rule in json.loads(listed) if rule["code"])}
        ),
    }


def test_the_table_holds_every_rule_of_our_own_analysers() -> None:
    place = Path(str(files("shared.tools").joinpath(TABLE)))
    if os.environ.get("QUORATE_TEST_UPDATE_SNAPSHOTS"):
        lines = (
            f"  {json.dumps(name)}: {json.dumps(codes)}" for name, codes in installed().items()
        )
        place.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    assert json.loads(place.read_text()) == installed()


def test_a_family_a_pattern_and_everything_mean_rules_and_a_slip_means_none() -> None:
    named = ("F4", "ruff/F401", "PLW", "E*", "ALL")
    assert all(means_a_rule(name, "ruff") for name in named)
    assert not any(means_a_rule(name, "ruff") for name in ("F999999", "E5O1", "B404", "XYZ"))
    assert means_a_rule("bandit/B404", "bandit")
    assert means_a_rule("anything", "eslint")
