"""What a repository's own file may set.

Such a file comes with the code under review, perhaps from somebody who wants it to pass. It may choose and
tighten; it may not say where code and keys go, what is run or written, and it may not make passing easier.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from orchestrator.configuration.documents import Document, Position, Tree
from orchestrator.configuration.presets import is_file
from orchestrator.configuration.schema import Settings
from shared.errors import ConfigurationError
from shared.models.findings import Severity
from shared.prices import exact_dollars

SHORTEST_TIMEOUT_S = 10.0

Check = Callable[[Settings, Settings], str | None]
"""Given the project's settings and those it would change: what is wrong, None when nothing is."""


@dataclass(frozen=True)
class _Permission:
    """A key that a project may set, as far as `check` agrees."""

    key: str
    check: Check | None = None


def _no_looser_gate(project: Settings, user: Settings) -> str | None:
    wanted, present = project.gate.fail_on, user.gate.fail_on
    if wanted is None:
        return None if present is None else f"it would erase the gate (yours: {present})"
    if wanted == "NONE" or (isinstance(present, Severity) and wanted.rank < present.rank):
        return f"it would loosen the gate (yours: {present or 'none'})"
    return None


def _no_smaller_quorum(section: str) -> Check:
    def check(project: Settings, user: Settings) -> str | None:
        wanted, present = _value(project, section, "quorum"), _value(user, section, "quorum")
        if present is None:
            # Any number allows absences, which the default (more than half, nobody's silence is approval) does not.
            return None if wanted is None else "it would allow participants to be absent"
        if wanted is None or wanted < present:
            return f"it would lower the quorum (yours: {present})"
        return None

    return check


def _no_hurry(section: str, key: str) -> Check:
    def check(project: Settings, _user: Settings) -> str | None:
        timeout_s = _value(project, section, key)
        if timeout_s is not None and timeout_s < SHORTEST_TIMEOUT_S:
            return f"it would leave participants less than {SHORTEST_TIMEOUT_S:g} s"
        return None

    return check


def _no_lower(section: str, key: str) -> Check:
    def check(project: Settings, user: Settings) -> str | None:
        mine = _value(user, section, key)
        lower = _value(project, section, key) < mine
        return f"it would make agreement easier (yours: {mine})" if lower else None

    return check


def _no_switch_off(section: str, key: str) -> Check:
    def check(project: Settings, user: Settings) -> str | None:
        dropped = _value(user, section, key) and not _value(project, section, key)
        return "it would switch off what keeps agreement honest" if dropped else None

    return check


def _value(settings: Settings, section: str, key: str) -> Any:
    return getattr(getattr(settings, section), key)


def _no_skipped_votes(project: Settings, user: Settings) -> str | None:
    dropped = project.debate.strategy == "quick" and user.debate.strategy != "quick"
    return "it would let agreement pass without a vote" if dropped else None


def _no_preset_file(project: Settings, _user: Settings) -> str | None:
    name = project.preset
    return "it would set whatever that file says" if name and is_file(name) else None


def _no_higher(key: str) -> Check:
    def check(project: Settings, user: Settings) -> str | None:
        wanted, mine = getattr(project.budget, key), getattr(user.budget, key)
        raised = mine is not None and (wanted is None or wanted > mine)
        shown = exact_dollars(mine) if raised and key.endswith("_usd") else mine
        return f"it would raise a limit of yours ({shown})" if raised else None

    return check


def _no_approval(project: Settings, _user: Settings) -> str | None:
    asks = project.decision.mode in ("ask", "skip")
    return None if asks else "it would decide in your place"


def _no_release(project: Settings, user: Settings) -> str | None:
    released = project.privacy.allow_external and not user.privacy.allow_external
    return "it would let code leave this machine" if released else None


def _foreign_name(name: str | None) -> str | None:
    name = None if name is None else name.strip()
    if name is not None and name.startswith("scripted:"):
        return f"'{name}' would read a file of ready answers"
    if name is not None and "@" in name:
        return f"'{name}' would send code to an address of its choice"
    return None


def _known_participants(project: Settings, user: Settings) -> str | None:
    if user.participants:
        return "it would replace the panel that you chose"
    for entry in project.participants or ():
        if reason := _foreign_name(entry.name):
            return reason
        if entry.persona is not None and any(letter.isspace() for letter in entry.persona):
            return f"a persona in its own words would instruct '{entry.name}'"
        if entry.timeout is not None and entry.timeout < SHORTEST_TIMEOUT_S:
            return f"it would leave '{entry.name}' less than {SHORTEST_TIMEOUT_S:g} s"
    return None


def _known_name(section: str, key: str) -> Check:
    def check(project: Settings, _user: Settings) -> str | None:
        return _foreign_name(getattr(getattr(project, section), key))

    return check


PROJECT_MAY_SET: tuple[_Permission, ...] = (
    _Permission("version"),
    _Permission("language"),
    _Permission("preset", _no_preset_file),
    _Permission("orchestrator.ai", _known_name("orchestrator", "ai")),
    _Permission("participants", _known_participants),
    _Permission("settings.max_rounds"),
    _Permission("settings.timeout", _no_hurry("settings", "timeout")),
    _Permission("panel.author", _known_name("panel", "author")),
    _Permission("panel.chair", _known_name("panel", "chair")),
    _Permission("panel.judge", _known_name("panel", "judge")),
    _Permission("panel.moderator", _known_name("panel", "moderator")),
    _Permission("review.strategy"),
    _Permission("review.max_rounds"),
    _Permission("ask.ranking"),
    _Permission("ask.synthesis"),
    _Permission("ask.quorum", _no_smaller_quorum("ask")),
    _Permission("forum.max_rounds"),
    _Permission("forum.timeout", _no_hurry("forum", "timeout")),
    _Permission("forum.bid_timeout", _no_hurry("forum", "bid_timeout")),
    _Permission("forum.patience"),
    _Permission("forum.blind_opening", _no_switch_off("forum", "blind_opening")),
    _Permission("forum.anonymous", _no_switch_off("forum", "anonymous")),
    _Permission("forum.ballot", _no_switch_off("forum", "ballot")),
    _Permission("forum.consensus", _no_lower("forum", "consensus")),
    _Permission("forum.quorum", _no_smaller_quorum("forum")),
    _Permission("plan.strategy"),
    _Permission("plan.max_rounds"),
    _Permission("plan.max_revisions"),
    _Permission("plan.quorum", _no_smaller_quorum("plan")),
    _Permission("debate.strategy", _no_skipped_votes),
    _Permission("debate.max_rounds"),
    _Permission("debate.consensus_threshold", _no_lower("debate", "consensus_threshold")),
    _Permission("debate.opening_vote", _no_switch_off("debate", "opening_vote")),
    _Permission("debate.ballot", _no_switch_off("debate", "ballot")),
    _Permission("debate.quorum", _no_smaller_quorum("debate")),
    _Permission("debate.require_consensus", _no_switch_off("debate", "require_consensus")),
    _Permission("convergence.agreement", _no_lower("convergence", "agreement")),
    _Permission("convergence.stability", _no_lower("convergence", "stability")),
    _Permission("gate.fail_on", _no_looser_gate),
    _Permission("gate.quorum", _no_smaller_quorum("gate")),
    _Permission("decision.mode", _no_approval),
    _Permission("budget.per_run_usd", _no_higher("per_run_usd")),
    _Permission("budget.per_run_calls", _no_higher("per_run_calls")),
    _Permission("budget.per_run_tokens", _no_higher("per_run_tokens")),
    _Permission("budget.per_run_time", _no_higher("per_run_time")),
    _Permission("privacy.allow_external", _no_release),
)


def check_project(document: Document, project: Settings, user: Settings) -> None:
    """Raise ConfigurationError for every key that a repository's file may not set, or not so."""
    allowed = {permission.key: permission for permission in PROJECT_MAY_SET}
    refused = []
    for position in _leaves(document.tree):
        key = ".".join(str(part) for part in position)
        permission = allowed.get(key)
        if permission is None:
            reason: str | None = (
                "it could send code or keys elsewhere, write files or loosen a check"
            )
        else:
            reason = permission.check(project, user) if permission.check else None
        if reason is not None:
            refused.append(
                f"{document.where(position)}: '{key}' may not be set so by a repository's own file: {reason}."
            )
    if refused:
        refused.append(
            "Put it into your own configuration (`~/.config/quorate/config.yaml`), or pass --trust-project "
            "if you trust this repository."
        )
        raise ConfigurationError("\n".join(refused))


def _leaves(tree: Tree) -> Iterator[Position]:
    """The keys that are set: of a section each one, else the key itself."""
    for section, value in tree.items():
        if isinstance(value, dict):
            yield from ((section, key) for key in value)
        else:
            yield (section,)
