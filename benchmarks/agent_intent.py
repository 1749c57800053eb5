"""How often the rules of `agent` read a request rightly: 716 requests of our own.

    python -m benchmarks.agent_intent [develop|held_out|first|second|third|fourth|fifth ...] [--misses]

`held_out` was written with `develop`, by whoever wrote the rules; `first` to `third` later, each before anything was
mended for it (docs/design/agent-examiners.md has what they came to on their first run). Those have been looked at. No
rule was mended for `fourth` and `fifth`, but the bound above which the rules are `sure` was chosen on them: they are
not held out. Where the rules are not `sure` a participant is asked: how often that is, and how often they are right.
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
PARTS = ("develop", "held_out", "first", "second", "third", "fourth", "fifth")


def requests(part: str) -> list[dict[str, Any]]:
    """The labelled requests of a part."""
    rows = (json.loads(line) for line in REQUESTS.read_text(encoding="utf-8").splitlines())
    return [row for row in rows if row["part"] == part]


def share(hits: Iterable[bool]) -> str:
    """Hits of all, and their proportion."""
    counted = list(hits)
    return f"{sum(counted)}/{len(counted)} = {sum(counted) / max(1, len(counted)):.3f}"


def main() -> None:
    """Print the figures of the parts that were named."""
    for part in [word for word in sys.argv[1:] if word in PARTS] or PARTS:
        measure(part, misses="--misses" in sys.argv)


def measure(part: str, *, misses: bool) -> None:
    """Print the figures of one part."""
    rows = [(row, read_intent(row["request"])) for row in requests(part)]
    print(f"{part}: mode {share(row['mode'] == intent.mode for row, intent in rows)}")
    for language in ("en", "ko"):
        own = [(row, intent) for row, intent in rows if row["language"] == language]
        print(f"  {language}: mode {share(row['mode'] == intent.mode for row, intent in own)}")
    for name, sure in (("sure", True), ("not sure", False)):
        own = [(row, intent) for row, intent in rows if intent.sure is sure]
        print(f"  {name}: mode {share(row['mode'] == intent.mode for row, intent in own)}")
    named = [(row, intent) for row, intent in rows if row["target"]]
    if named:
        print(
            f"  target, where one is named {share(row['target'] == i.target for row, i in named)}"
        )
    searches = [(row, i) for row, i in rows if row.get("navigation") and _is_search(row)]
    if searches:
        print(f"  navigation {share(row['navigation'] == i.navigation for row, i in searches)}")
    by_mode: dict[str, list[bool]] = defaultdict(list)
    for row, intent in rows:
        by_mode[row["mode"]].append(row["mode"] == intent.mode)
    for mode, hits in sorted(by_mode.items()):
        print(f"    {mode:26} {share(hits)}")
    if misses:
        for row, intent in rows:
            if row["mode"] != intent.mode or (row["target"] and row["target"] != intent.target):
                print(f"{row['mode']} {row['target']} | {intent} | {row['request']!r}")


def _is_search(row: dict[str, Any]) -> bool:
    return bool(row["mode"] == AgentMode.CONTEXT_NAV)


if __name__ == "__main__":
    main()
