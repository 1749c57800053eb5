"""`quorate replay` as JSON (docs/json.md)."""

from __future__ import annotations

import dataclasses
from typing import Any

from orchestrator.core.findings.pairing import Pair
from orchestrator.presentation.formats.json import SCHEMA_VERSION, run_summary
from orchestrator.presentation.locale.translator import ENGLISH, Translator
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
            Translator().in_words(dataclasses.asdict(one)) for one in check.differences
        ],
        "stored": _picture_json(check.stored),
        "now": _picture_json(check.now),
    }


def what_if_json(run: RunRow, found: WhatIf, remark: Notice | None) -> dict[str, Any]:
    """The variants as data."""
    return {
        "schema_version": SCHEMA_VERSION,
        "run": run_summary(run),
        "remark": None if remark is None else ENGLISH.translate(remark),
        "stored": _picture_json(found.stored),
        "variants": [_variant_json(one) for one in found.variants],
    }


def _variant_json(one: Variant) -> dict[str, Any]:
    return {
        "options": {change.name: change.value for change in one.changes},
        "state": one.state,
        "would_be": _picture_json(one.picture),
        "changed_findings": [
            {
                "title": _title(pair),
                "stored": _finding_json(pair.first),
                "would_be": _finding_json(pair.second),
            }
            for pair in one.findings
            if changed(pair) is not None
        ],
        "needs": [dataclasses.asdict(need) for need in one.needs],
        "not_needed": [dataclasses.asdict(spare) for spare in one.not_needed],
        "not_reached": [dataclasses.asdict(spare) for spare in one.not_reached],
        "saved_usd": one.saved_usd,
        "saved_unknown": one.saved_unknown,
        "shown_otherwise": list(one.shown_otherwise),
    }


def _picture_json(picture: RunResult) -> dict[str, Any]:
    return {
        "rounds": {key: one.model_dump(mode="json") for key, one in picture.rounds.items()},
        "findings": [_finding_json(one) for one in picture.findings],
        "standing": [one.id for one in picture.standing],
        "ending": picture.ending,
        "verdict": picture.verdict,
        "gate": {"outcome": picture.gate.outcome, "reason": ENGLISH.translate(picture.gate.reason)},
        "votes": dict(picture.votes),
        "so_far": picture.so_far,
    }


def _finding_json(one: Finding | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {"id": one.id, "title": one.title, "severity": one.severity, "status": one.status}


def _title(pair: Pair) -> str:
    one = pair.second or pair.first
    return "" if one is None else one.title
