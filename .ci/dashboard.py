"""Read the Grafana dashboard by Grafana's own model of it, in the interpreter that has it (see .ci/run).

python dashboard.py < dashboard, as JSON > what the model does not know or would change, a JSON list
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.cog.plugins import register_default_plugins
from grafana_foundation_sdk.models.dashboard import Dashboard


def differences(given: Any, known: Any, place: str = "") -> Iterator[str]:
    """Everything of the first that is not in the second as it was."""
    if isinstance(given, dict) and isinstance(known, dict):
        for name, value in given.items():
            if name not in known:
                yield f"{place}/{name} is not known"
            else:
                yield from differences(value, known[name], f"{place}/{name}")
    elif isinstance(given, list) and isinstance(known, list) and len(given) == len(known):
        for number, pair in enumerate(zip(given, known, strict=True)):
            yield from differences(*pair, f"{place}/{number}")
    elif given != known:
        yield f"{place} becomes {known!r}"


def main() -> None:
    """Between standard input and output."""
    register_default_plugins()
    given = json.load(sys.stdin)
    known = json.loads(JSONEncoder().encode(Dashboard.from_json(given)))
    json.dump(list(differences(given, known)), sys.stdout)


main()
