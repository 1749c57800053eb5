"""A baseline: what an earlier result found is known, and no finding of later ones. It is that result as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from shared.errors import ConfigurationError
from shared.text.bounded_json import loads
from shared.tools.rules import KnownFinding, without_layout

MOST_BYTES = 16_000_000
MOST_KNOWN = 20_000


def known_findings(file: str) -> tuple[KnownFinding, ...]:
    """The findings with a rule that a result names. Raises ConfigurationError for a file that is no result."""
    try:
        with Path(file).open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(
            f"rules.baseline: {file} cannot be read: {error.strerror}."
        ) from None
    try:
        result = loads(content) if len(content) <= MOST_BYTES else None
    except ValueError:
        result = None
    findings = result.get("findings") if isinstance(result, dict) else None
    if not isinstance(findings, list):
        raise ConfigurationError(
            f"rules.baseline: {file} is no result as JSON. `quorate show last --json > {Path(file).name}` writes one."
        )
    known = (_known(finding) for finding in findings[:MOST_KNOWN] if isinstance(finding, dict))
    return tuple(finding for finding in known if finding is not None)


def _known(finding: Mapping[str, JsonValue]) -> KnownFinding | None:
    rule, place, quote = finding.get("rule"), finding.get("place"), finding.get("quote")
    path = place.get("path") if isinstance(place, dict) else None
    if not isinstance(rule, str) or not isinstance(path, str):
        return None
    text = without_layout(quote) if isinstance(quote, str) else ""
    return KnownFinding(rule=rule, path=path, text=text)
