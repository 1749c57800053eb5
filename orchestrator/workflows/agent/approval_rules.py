"""The rules by which approvals are asked, given or refused: by the path of a changed file, and by command.

They stand in the user's own configuration, never in that of the repository under work, and above the approval level.
Of several rules that mean the same path or command the strictest counts, and so it does of the files of a patch.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import StrEnum
from fnmatch import fnmatchcase

from orchestrator.workflows.agent.mode_context import ApprovalLevel
from shared.tools.rules import covers_path


class ApprovalRule(StrEnum):
    """What a rule says; the strictest first."""

    REFUSE = "refuse"
    """It is not done, whoever asks for it."""
    ASK = "ask"
    """A person is asked."""
    APPROVE = "approve"
    """Nobody is asked."""


PathRules = Mapping[str, ApprovalRule]
_ORDER = tuple(ApprovalRule)


def strictest(answers: Iterable[ApprovalRule]) -> ApprovalRule | None:
    """The one that counts; None without any."""
    return min(answers, key=_ORDER.index, default=None)


def rule_for_path(rules: PathRules, path: str) -> ApprovalRule | None:
    """What the rules say of a file; None where none of them means it."""
    return strictest(rule for glob, rule in rules.items() if covers_path(glob, path))


def rule_for_patch(rules: PathRules, paths: Iterable[str], level: ApprovalLevel) -> ApprovalRule:
    """What is to be done with a patch of these files; those that no rule means are the level's."""
    usual = ApprovalRule.APPROVE if level is ApprovalLevel.LOW else ApprovalRule.ASK
    return strictest(rule_for_path(rules, path) or usual for path in paths) or usual


def refused_paths(rules: PathRules, paths: Iterable[str]) -> tuple[str, ...]:
    """Those that nobody may change."""
    return tuple(path for path in paths if rule_for_path(rules, path) is ApprovalRule.REFUSE)


def rule_for_command(rules: PathRules, command: str) -> ApprovalRule:
    """What is to be done with a command that was entered: without a rule it is run. Blanks count once."""
    words = " ".join(command.split())
    means = (rule for glob, rule in rules.items() if fnmatchcase(words, " ".join(glob.split())))
    return strictest(means) or ApprovalRule.APPROVE
