"""How often the rules of `agent` read a request rightly: 200 requests of our own, 140 of them held out.

    python -m benchmarks.agent_intent [--held-out] [--misses]

The held-out part was written and committed before the rules; its misses are not shown unless asked for.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from orchestrator.workflows.agent.intent import read_intent
from orchestrator.workflows.agent.modes import AgentMode

REQUESTS = Path(__file__).parents[1] / "tests/orchestrator/workflows/agent_requests.jsonl"


def requests(part: str) -> list[dict[str, Any]]:
    """The labelled requests of `develop` or `held_out`."""
    rows = (json.loads(line) for line in REQUESTS.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["part"] == part]


def share(hits: Iterable[bool]) -> str:
    """Hits of all, and their proportion."""
    counted = list(hits)
    return f"{sum(counted)}/{len(counted)} = {sum(counted) / max(1, len(counted)):.3f}"


def main() -> None:
    """Print the figures of one part."""
    part = "held_out" if "--held-out" in sys.argv else "develop"
    rows = [(row, read_intent(row["request"])) for row in requests(part)]
    print(f"{part}: mode {share(row['mode'] == intent.mode for row, intent in rows)}")
    for language in ("en", "ko"):
        own = [(row, intent) for row, intent in rows if row["language"] == language]
        print(f"  {language}: mode {share(row['mode'] == intent.mode for row, intent in own)}")
    print(f"  target {share(row['target'] == intent.target for row, intent in rows)}")
    searches = [(row, intent) for row, intent in rows if row["mode"] == AgentMode.CONTEXT_NAV]
    print(
        f"  navigation {share(row['navigation'] == intent.navigation for row, intent in searches)}"
    )
    by_mode: dict[str, list[bool]] = defaultdict(list)
    for row, intent in rows:
        by_mode[row["mode"]].append(row["mode"] == intent.mode)
    for mode, hits in sorted(by_mode.items()):
        print(f"    {mode:26} {share(hits)}")
    if "--misses" in sys.argv:
        for row, intent in rows:
            if (row["mode"], row["target"]) != (intent.mode, intent.target):
                print(f"{row['mode']} {row['target']} | {intent} | {row['request']!r}")


if __name__ == "__main__":
    main()
