"""A baseline: what an earlier result found is known, and no finding of later ones. It is that result as JSON.

One that lies in the repository is read as it was before the change that is looked at, whoever names it: a change could
otherwise bring the file that excuses its own weaknesses.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue

from orchestrator.settings.projects import Reviewed, committed_files
from shared.errors import ConfigurationError
from shared.text.bounded_json import loads
from shared.tools.rules import KnownFinding, without_layout

MOST_BYTES = 64_000_000  # a run with as many findings as there can be
MOST_KNOWN = 20_000


@dataclass(frozen=True)
class Baseline:
    """The findings with a rule that a result names; `cut`: there were more that it does not name."""

    known: tuple[KnownFinding, ...]
    cut: bool = False


def known_findings(file: str, reviewed: Reviewed | None = None) -> tuple[KnownFinding, ...]:
    """The findings with a rule that a result names. Raises ConfigurationError for a file that is no result."""
    return read_baseline(file, reviewed).known


def read_baseline(file: str, reviewed: Reviewed | None = None) -> Baseline:
    """The same, and whether its run found more than it says."""
    content = _content(file, reviewed)
    try:
        result = loads(content) if len(content) <= MOST_BYTES else None
    except ValueError:
        result = None
    findings = result.get("findings") if isinstance(result, dict) else None
    if not isinstance(findings, list):
        raise ConfigurationError(
            "rules.baseline: {file} is no result as JSON. `quorate show last --json > {name}` writes "
            "one.",
            file=file,
            name=Path(file).name,
        )
    known = (_known(finding) for finding in findings[:MOST_KNOWN] if isinstance(finding, dict))
    cut = _lists_a_part(result) or len(findings) > MOST_KNOWN
    return Baseline(tuple(finding for finding in known if finding is not None), cut)


def _lists_a_part(result: JsonValue) -> bool:
    detail = result.get("detail") if isinstance(result, dict) else None
    return isinstance(detail, dict) and bool(detail.get("unlisted"))


def _content(file: str, reviewed: Reviewed | None) -> bytes:
    """What the file holds, up to a byte more than `MOST_BYTES`; of one in the repository before the change."""
    name = None if reviewed is None else _name_inside(file, reviewed.repository.place)
    return _on_disk(file) if reviewed is None or name is None else _committed(name, reviewed)


def _name_inside(file: str, repository: Path) -> str | None:
    """The file from the repository's top; None for one outside, also by way of links."""
    top, stated = Path(os.path.realpath(repository)), Path(os.path.abspath(file))
    for place in (stated, stated.parent.resolve() / stated.name, stated.resolve()):
        if place.is_relative_to(top):
            return place.relative_to(top).as_posix()
    return None


def _on_disk(file: str) -> bytes:
    try:
        with Path(file).open("rb") as stream:
            return stream.read(MOST_BYTES + 1)
    except OSError as error:
        raise ConfigurationError(
            "rules.baseline: {file} cannot be read: {why}.", file=file, why=error.strerror
        ) from None


def _committed(name: str, reviewed: Reviewed) -> bytes:
    content = committed_files(reviewed, [name], MOST_BYTES).get(name)
    if content is None:
        raise ConfigurationError(
            "rules.baseline: {name} lies in the repository, so it is read as it was before this "
            "change, and there was no such file then. Commit it first, or keep it outside of the "
            "repository.",
            name=name,
        )
    return content


def _known(finding: Mapping[str, JsonValue]) -> KnownFinding | None:
    rule, place, quote = finding.get("rule"), finding.get("place"), finding.get("quote")
    path = place.get("path") if isinstance(place, dict) else None
    if not isinstance(rule, str) or not isinstance(path, str):
        return None
    text = without_layout(quote) if isinstance(quote, str) else ""
    return KnownFinding(rule=rule, path=path, text=text)
