"""`quorate replay` as JSON (docs/json.md)."""

from __future__ import annotations

import dataclasses
from typing import Any

from orchestrator.core.findings.pairing import Pair
from orchestrator.presentation.json_rows import SCHEMA_VERSION, run_summary
from orchestrator.presentation.locale.translator import ENGLISH
from orchestrator.presentation.whatif import changed
from orchestrator.whatif.replaying import Check, Variant, WhatIf
from orchestrator.whatif.results import RunResult
from shared.models.findings import Finding
from shared.models.notices import Notice
from shared.models.rows import RunRow


def check_json(run: RunRow, check: Check, remark: Notice | None) -> dict[str, Any]:
    """The check as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run": run_summary(run),
        "same": check.same,
        "remark": None if remark is None else ENGLISH.translate(remark),
        "state": check.state,
        "differences": [
            ENGLISH.in_words(dataclasses.asdict(difference)) for difference in check.differences
        ],
        "stored": _result_json(check.stored),
        "now": _result_json(check.now),
    }


def what_if_json(run: RunRow, computed: WhatIf, remark: Notice | None) -> dict[str, Any]:
    """The variants as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run": run_summary(run),
        "remark": None if remark is None else ENGLISH.translate(remark),
        "stored": _result_json(computed.stored),
        "variants": [_variant_json(variant) for variant in computed.variants],
    }


def _variant_json(variant: Variant) -> dict[str, Any]:
    return {
        "options": {change.name: change.value for change in variant.changes},
        "state": variant.state,
        "would_be": _result_json(variant.result),
        "changed_findings": [
            {
                "title": _title(pair),
                "stored": finding_json(pair.first),
                "would_be": finding_json(pair.second),
            }
            for pair in variant.findings
            if changed(pair) is not None
        ],
        "needs": [dataclasses.asdict(need) for need in variant.needs],
        "not_needed": [dataclasses.asdict(spare) for spare in variant.not_needed],
        "not_reached": [dataclasses.asdict(spare) for spare in variant.not_reached],
        "saved_usd": variant.saved_usd,
        "saved_unknown": variant.saved_unknown,
        "shown_otherwise": list(variant.shown_otherwise),
    }


def _result_json(result: RunResult) -> dict[str, Any]:
    return {
        "rounds": {key: figures.model_dump(mode="json") for key, figures in result.rounds.items()},
        "findings": [finding_json(finding) for finding in result.findings],
        "standing": [finding.id for finding in result.standing],
        "ending": result.ending,
        "verdict": result.verdict,
        "gate": {"outcome": result.gate.outcome, "reason": ENGLISH.translate(result.gate.reason)},
        "votes": dict(result.votes),
        "so_far": result.so_far,
    }


def finding_json(finding: Finding | None) -> dict[str, Any] | None:
    """A finding in short."""
    if finding is None:
        return None
    return {
        "id": finding.id,
        "title": finding.title,
        "severity": finding.severity,
        "status": finding.status,
    }


def _title(pair: Pair) -> str:
    finding = pair.second or pair.first
    return "" if finding is None else finding.title
