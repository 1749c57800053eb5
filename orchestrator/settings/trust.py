"""What a repository's own file may set.

Such a file comes with the code under review, perhaps from somebody who wants it to pass. It adds and tightens: it may
name further participants and ask for more, and it never drops, replaces, instructs or hurries those who would read the
change without it. It does not say where code and keys go, what is run or written, or who decides. Every key of the
schema has a rule here; what a rule does not let through is either an error (it could do harm) or not used, and said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, assert_never

from orchestrator.core.setting import Setting, Trust, settings_of
from orchestrator.settings.documents import Document
from orchestrator.settings.options import DEFAULT_TURN_S, workflow_options
from orchestrator.settings.preset_files import is_file
from orchestrator.settings.schema import SECTIONS, ParticipantEntry, Settings
from orchestrator.settings.trees import Position, Tree, one_line
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import ConfigurationError
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from shared.providers.prices import exact_dollars

SHORTEST_TIMEOUT_S = 10.0
PANEL_KEYS = frozenset({"participants", "preset"})
"""The keys that name who takes part: they join the panel, and are no setting."""

Check = Callable[[Settings, Settings], str | None]
"""Given the settings with the project's key and those without it: what is wrong, None when nothing is."""


@dataclass(frozen=True)
class TrustRule:
    """What becomes of a key in a repository's file.

    `refused` says why a value is an error, `kept_out` why one is not used (a reason of views/notices.py); `limits`
    marks what only tightens a budget, and is told.
    """

    refused: Check | None = None
    kept_out: Check | None = None
    limits: bool = False


@dataclass(frozen=True)
class Admitted:
    """What a repository's file brings: its settings, who joins (`place` says where that is named), what is told.

    `leads` is whom it names as the orchestrator, and where: nobody is approved in a forum, so there it may.
    """

    document: Document
    joining: tuple[ParticipantEntry, ...] = ()
    place: str = ""
    forbids_external: str | None = None
    leads: tuple[str, str] | None = None
    notices: tuple[Notice, ...] = ()


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


def _not_weaker(section: str, key: str, weakest: object) -> Check:
    def check(project: Settings, user: Settings) -> str | None:
        dropped = _value(project, section, key) == weakest != _value(user, section, key)
        return "it would let agreement pass without a vote" if dropped else None

    return check


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


def _no_ban(project: Settings, user: Settings) -> str | None:
    banned = user.privacy.allow_models and not project.privacy.allow_models
    released = project.privacy.allow_models and not user.privacy.allow_models
    if banned:
        return "it would drop the models of your panel"
    return "it would ask models that you forbid" if released else None


def _foreign_name(name: str | None) -> str | None:
    name = None if name is None else name.strip()
    if name is not None and name.startswith("scripted:"):
        return f"'{one_line(name)}' would read a file of ready answers"
    if name is not None and name.startswith("openai:") and "@" not in name:
        return f"'{one_line(name)}' is a model of its choice, and you would pay for it"
    if name is not None and "@" in name:
        return f"'{one_line(name)}' would send code to an address of its choice"
    return None


def _known_participants(project: Settings, _user: Settings) -> str | None:
    for entry in project.participants or ():
        if reason := _foreign_name(entry.name):
            return reason
        if entry.persona is not None and any(letter.isspace() for letter in entry.persona):
            return f"a persona in its own words would instruct '{one_line(entry.name)}'"
        if entry.timeout is not None and entry.timeout < SHORTEST_TIMEOUT_S:
            return f"it would leave '{one_line(entry.name)}' less than {SHORTEST_TIMEOUT_S:g} s"
    return None


def _known_name(section: str, key: str) -> Check:
    def check(project: Settings, _user: Settings) -> str | None:
        return _foreign_name(getattr(getattr(project, section), key))

    return check


def _unless_same(section: str, key: str, why: str) -> Check:
    def check(project: Settings, user: Settings) -> str | None:
        return None if _value(project, section, key) == _value(user, section, key) else why

    return check


def _unless(section: str, key: str, wanted: object, why: str) -> Check:
    """Only one value tightens."""

    def check(project: Settings, user: Settings) -> str | None:
        value = _value(project, section, key)
        return None if value in (wanted, _value(user, section, key)) else why

    return check


def _no_hurry(project: Settings, user: Settings) -> str | None:
    """Whatever a key is called: nothing that takes time or turns becomes less than it was."""
    pairs = zip(_patience(project), _patience(user), strict=True)
    return "hurries" if any(less < more for less, more in pairs) else None


def _patience(settings: Settings) -> Iterator[float]:
    """Every figure that bounds how long and how often participants are heard; more is more."""
    endless = float("inf")
    for workflow in SECTIONS:
        described, options = WORKFLOWS[workflow], workflow_options(workflow, settings)
        for name, setting in settings_of(described.options):
            if setting.trust is Trust.UNHURRIED:
                value = getattr(options, name)
                more = endless if value is None else value
                yield -more if setting.less_is_more else more
    yield settings.settings.timeout or DEFAULT_TURN_S
    yield settings.budget.per_run_time or endless


def _never(_project: Settings, _user: Settings) -> str | None:
    return "it could send code or keys elsewhere, write files or loosen a check"


_FREE = TrustRule()
_NEVER = TrustRule(refused=_never)
_UNHURRIED = TrustRule(kept_out=_no_hurry)


def _part(section: str, key: str) -> TrustRule:
    return TrustRule(_known_name(section, key), _unless_same(section, key, "roles"))


def _rule(setting: Setting, section: str) -> TrustRule:
    """What becomes of a workflow's setting in a repository's file."""
    key = str(setting.key)
    match setting.trust:
        case Trust.NEVER:
            return _NEVER
        case Trust.UNHURRIED:
            return _UNHURRIED
        case Trust.SAME:
            weakened = (
                None if setting.weakens is None else _not_weaker(section, key, setting.weakens)
            )
            return TrustRule(weakened, _unless_same(section, key, "course"))
        case Trust.TIGHTENS:
            return TrustRule(kept_out=_unless(section, key, setting.tightens, "course"))
        case Trust.NO_LOWER:
            return TrustRule(_no_lower(section, key))
        case Trust.KEPT_ON:
            return TrustRule(_no_switch_off(section, key))
        case Trust.QUORUM:
            return TrustRule(_no_smaller_quorum(section))
        case _:
            assert_never(setting.trust)


RULES: Mapping[str, TrustRule] = {
    **{
        f"{section}.{setting.key}": _rule(setting, section)
        for workflow, section in SECTIONS.items()
        for _, setting in settings_of(WORKFLOWS[workflow].options)
        if setting.own
    },
    "version": _FREE,
    "language": _FREE,
    "preset": TrustRule(refused=_no_preset_file),  # the keys of one of ours are judged one by one
    "prompts": _NEVER,
    "orchestrator.ai": _part("orchestrator", "ai"),
    "participants": TrustRule(refused=_known_participants),
    "settings.max_rounds": _UNHURRIED,
    "settings.timeout": _UNHURRIED,
    "providers": _NEVER,
    "panel.author": _part("panel", "author"),
    "panel.chair": _part("panel", "chair"),
    "panel.judge": _part("panel", "judge"),
    "panel.moderator": _part("panel", "moderator"),
    "convergence.detector": _NEVER,
    "convergence.agreement": TrustRule(_no_lower("convergence", "agreement")),
    "convergence.stability": TrustRule(_no_lower("convergence", "stability")),
    "convergence.stalled_stability": _NEVER,
    "convergence.weights": _NEVER,
    "gate.fail_on": TrustRule(_no_looser_gate),
    "gate.quorum": TrustRule(_no_smaller_quorum("gate")),
    "decision.mode": TrustRule(_no_approval, _unless("decision", "mode", "ask", "decides")),
    "decision.timeout": _NEVER,
    "decision.on_timeout": _NEVER,
    "budget.per_run_usd": TrustRule(_no_higher("per_run_usd"), limits=True),
    "budget.per_run_calls": TrustRule(_no_higher("per_run_calls"), limits=True),
    "budget.per_run_tokens": TrustRule(_no_higher("per_run_tokens"), limits=True),
    "budget.per_run_time": TrustRule(_no_higher("per_run_time"), _no_hurry),
    "privacy.never_send": _NEVER,
    "privacy.may_send": _NEVER,
    "privacy.allow_external": TrustRule(_no_release),
    "privacy.allow_models": TrustRule(_no_ban),
    "output": _NEVER,
}


def admit(document: Document, project: Settings, without: Tree) -> Admitted:
    """What the repository's `document` brings to what holds `without` it. Raises ConfigurationError.

    `project` are its settings by themselves. Each key is judged on top of those before it, so that no two of them do
    together what none may do alone.
    """
    before = Settings.model_validate(without)
    refused, notices, limits = [], [], []
    leads: tuple[str, str] | None = None
    admitted: Tree = {}
    for position in _leaves(document.tree):
        key = ".".join(str(part) for part in position)
        rule, where = RULES.get(key, _NEVER), document.where(position)
        tried = _planted(admitted, position, document.tree)
        # A list of participants is compared by itself: it joins others.
        alone = key in PANEL_KEYS
        after = project if alone else _merged(without, tried)
        checked = document.project or key != "participants"  # our own presets may describe personas
        if (
            checked
            and rule.refused is not None
            and (reason := rule.refused(after, before)) is not None
        ):
            refused.append(
                f"{where}: '{key}' may not be set so by a repository's own file: {reason}."
            )
        elif rule.kept_out is not None and (why := rule.kept_out(after, before)) is not None:
            if key == "orchestrator.ai" and project.orchestrator.ai is not None:
                leads = (project.orchestrator.ai, where)
                continue
            notices.append(notice("project_kept_out", where=where, key=key, why=why))
        elif not alone:
            admitted = tried
            limits += [key] if rule.limits else []
    if refused:
        refused.append(
            "Put it into your own configuration (`~/.config/quorate/config.yaml`), or pass --trust-project "
            "if you trust this repository."
        )
        raise ConfigurationError("\n".join(refused))
    if limits:
        notices.append(notice("project_limits", where=document.place, keys=limits))
    forbids = before.privacy.allow_external and not project.privacy.allow_external
    return Admitted(
        document=Document(document.place, admitted, document.lines, document.folder, project=True),
        joining=project.participants or (),
        place=document.where(("participants",)),
        forbids_external=document.where(("privacy", "allow_external")) if forbids else None,
        leads=leads,
        notices=tuple(notices),
    )


def check_plain(document: Document) -> None:
    """Raise ConfigurationError for a value that could forge a line of ours: names need no control characters."""
    for position, text in _texts(document.tree, ()):
        if not text.isprintable():
            key = ".".join(str(part) for part in position)
            raise ConfigurationError(
                f"{document.where(position)}: {key}: a repository's own file holds plain words in one line."
            )


def _texts(value: object, position: Position) -> Iterator[tuple[Position, str]]:
    match value:
        case str():
            yield position, value
        case dict():
            for key, inner in value.items():
                yield from _texts(inner, (*position, key))
        case list():
            for number, inner in enumerate(value):
                yield from _texts(inner, (*position, number))


def _merged(below: Tree, above: Tree) -> Settings:
    tree: dict[str, Any] = {**below}
    for section, value in above.items():
        present = tree.get(section)
        if isinstance(value, dict) and isinstance(present, dict):
            branch: dict[str, Any] = {**present}
            branch.update(value)
            tree[section] = branch
        else:
            tree[section] = value
    return Settings.model_validate(tree)


def _planted(tree: Tree, position: Position, source: Tree) -> Tree:
    """The tree with that key of another one as well."""
    section, *inner = position
    value: Any = source[str(section)]
    if not inner:
        return {**tree, str(section): value}
    present = tree.get(str(section))
    branch: dict[str, Any] = {**present} if isinstance(present, dict) else {}
    branch[str(inner[0])] = value[inner[0]]
    return {**tree, str(section): branch}


def _leaves(tree: Tree) -> Iterator[Position]:
    """The keys that are set: of a section each one, else the key itself."""
    for section, value in tree.items():
        if isinstance(value, dict):
            yield from ((section, key) for key in value)
        else:
            yield (section,)
