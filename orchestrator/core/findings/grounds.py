"""What code has checked of a finding, and what each of these checks is worth beside a voice.

A finding of one or two voices rises by what code could check of it and a crowd cannot fake: words that stand where
the finding says, a patch that applies, a test whose result changes. Nothing is taken away for a check that was not
made; a check that failed says so in the finding's caveat (`evidence`) or in the fixes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from orchestrator.core.findings.evidence import is_unproven
from shared.models.findings import Finding, Ground

VOTES: Mapping[Ground, float] = {
    Ground.QUOTATION: 0.5,
    Ground.RULE: 0.5,
    Ground.CALLERS: 0.5,
    Ground.PATCH: 0.5,
    Ground.REPRODUCED: 0.5,
    Ground.TESTS: 2.0,
}
"""In voices that raised it: less than one where somebody who errs can supply it, more where the program answers."""

Checks = Mapping[str, Collection[Ground]]
"""By finding, what was found out about it outside of the finding itself."""


def evidence(finding: Finding, checks: Checks) -> tuple[Ground, ...]:
    """What code could check of it; nothing of a claim that is not shown."""
    if is_unproven(finding):
        return ()
    own = {Ground.QUOTATION: bool(finding.quote), Ground.RULE: bool(finding.rule)}
    more = checks.get(finding.id, ())
    return tuple(kind for kind in Ground if own.get(kind) or kind in more)


def votes(checked: Collection[Ground]) -> float:
    """What the evidence is worth."""
    return sum(VOTES[kind] for kind in checked)
