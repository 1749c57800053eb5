"""Reports as linters write them."""

from __future__ import annotations

import json


def sarif_report(path: str, line: int, message: str) -> str:
    """A SARIF log with one result."""
    place = {"artifactLocation": {"uri": path}, "region": {"startLine": line}}
    result = {
        "ruleId": "X1",
        "level": "error",
        "message": {"text": message},
        "locations": [{"physicalLocation": place}],
    }
    run = {"tool": {"driver": {"name": "Lint"}}, "results": [result]}
    return json.dumps({"version": "2.1.0", "runs": [run]})
