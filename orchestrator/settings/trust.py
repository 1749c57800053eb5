"""What a repository's own file may set.

Such a file comes with the code under review, perhaps from somebody who wants it to pass. It adds and tightens: it may
name further participants and ask for more, and it never drops, replaces, instructs or hurries those who would read the
change without it. It does not say where code and keys go, what is run or written, or who decides. Every key of
the schema says by its `trust` which rule here is its own; what that does not let through is not used, and said: the
review goes on as it would without it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pydantic import JsonValue

from orchestrator.core.setting import Setting, Trust, settings_of
from orchestrator.settings.documents import Document
from orchestrator.settings.options import workflow_options
from orchestrator.settings.preset_files import is_file
from orchestrator.settings.schema import KEYS, SECTIONS, Settings
from orchestrator.settings.sections import ParticipantEntry
from orchestrator.settings.trees import (
    Position,
    Tree,
    dotted,
    leaves,
    overlaid,
    plant,
    texts,
)
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import ConfigurationError
from shared.models.findings import Severity
from shared.models.notices import Notice, notice
from shared.models.run import ASK, DecisionPolicy

SHORTEST_TIMEOUT_S = 10.0
LEADER = "orchestrator.ai"


@dataclass(frozen=True)
class Attempt:
    """What a repository's file would make of one key: the settings with it and those without it."""

    key: str
    setting: Setting
    after: Settings
    before: Settings

    @property
    def wanted(self) -> Any:
        """What the file says."""
        return self.after.value(self.key)

    @property
    def present(self) -> Any:
        """What holds without it."""
        return self.before.value(self.key)

    @property
    def differs(self) -> bool:
        """Whether the file changes anything."""
        return bool(self.wanted != self.present)


Check = Callable[[Attempt], str | None]
"""What is wrong with an attempt, None when nothing is."""


def _nothing(_attempt: Attempt) -> str | None:
    return None


@dataclass(frozen=True)
class TrustRule:
    """What becomes of a key in a repository's file.

    `kept_out` says why a value is not used; `joins` marks what names who takes part, which is no setting, `limits` what
    only tightens a budget, and is told.
    """

    kept_out: Check = _nothing
    joins: bool = False
    limits: bool = False


@dataclass(frozen=True)
class Admitted:
    """What a repository's file brings: its settings, who joins (`place` says where that is named), what is told.

    `leads` is whom it names as the orchestrator, and where: nobody is approved in a forum, so there it may.
    `names_preset`: it names one of ours.
    """

    document: Document
    joining: tuple[ParticipantEntry, ...] = ()
    place: str = ""
    forbids_external: str | None = None
    leads: tuple[str, str] | None = None
    notices: tuple[Notice, ...] = ()
    names_preset: bool = False


# ---- what is not used ---------------------------------------------------------------------------
# A check answers with the reason's code: kept_out_* in presentation/locale.


def _never(_attempt: Attempt) -> str | None:
    return "elsewhere"


def _preset_file(attempt: Attempt) -> str | None:
    return "file" if attempt.wanted and is_file(attempt.wanted) else None


def _is_foreign(name: str | None) -> bool:
    """Whether it is an address, a file of ready answers, or a model of its choice, for which you would pay."""
    name = (name or "").strip()
    return "@" in name or name.startswith(("scripted:", "openai:"))


def _foreign_part(attempt: Attempt) -> str | None:
    return "foreign" if _is_foreign(attempt.wanted) else None


def _foreign_participants(attempt: Attempt) -> str | None:
    return "foreign" if any(map(_is_foreign_participant, attempt.wanted or ())) else None


def _is_foreign_participant(entry: ParticipantEntry) -> bool:
    """A persona in its own words would instruct somebody, and nobody is left less time than an answer takes."""
    instructs = entry.persona is not None and any(letter.isspace() for letter in entry.persona)
    hurries = entry.timeout is not None and entry.timeout < SHORTEST_TIMEOUT_S
    return _is_foreign(entry.name) or instructs or hurries


def _weakens(attempt: Attempt) -> str | None:
    weakened = attempt.differs and attempt.wanted == attempt.setting.weakens
    return "easier" if weakened else None


def _lower(attempt: Attempt) -> str | None:
    return "easier" if attempt.wanted < attempt.present else None


def _switched_off(attempt: Attempt) -> str | None:
    return "easier" if attempt.present and not attempt.wanted else None


def _smaller_quorum(attempt: Attempt) -> str | None:
    wanted, present = attempt.wanted, attempt.present
    if present is None:
        # Any number allows absences, which the default (more than half, nobody's silence is approval) does not.
        return None if wanted is None else "easier"
    return "easier" if wanted is None or wanted < present else None


def _looser_gate(attempt: Attempt) -> str | None:
    wanted, present = attempt.wanted, attempt.present
    if wanted is None:
        return None if present is None else "gate"
    loosens = wanted == "NONE" or (isinstance(present, Severity) and wanted.rank < present.rank)
    return "gate" if loosens else None


def _higher(attempt: Attempt) -> str | None:
    wanted, mine = attempt.wanted, attempt.present
    return "raises" if mine is not None and (wanted is None or wanted > mine) else None


def _approval(attempt: Attempt) -> str | None:
    asks = attempt.wanted in (ASK, DecisionPolicy().on_timeout)
    return None if asks else "decides"


def _release(attempt: Attempt) -> str | None:
    return "leaves" if attempt.wanted and not attempt.present else None


def _other_models(attempt: Attempt) -> str | None:
    return "models" if attempt.differs else None


def _first(*checks: Check) -> Check:
    return lambda attempt: next(filter(None, (check(attempt) for check in checks)), None)


def _differs(why: str) -> Check:
    return lambda attempt: why if attempt.differs else None


def _not_the_one_that_tightens(attempt: Attempt) -> str | None:
    tightens = attempt.wanted == attempt.setting.tightens
    return "course" if attempt.differs and not tightens else None


def _does_not_ask(attempt: Attempt) -> str | None:
    return "decides" if attempt.differs and attempt.wanted != ASK else None


def _switches_off(attempt: Attempt) -> str | None:
    """More names than without it, also in a mapping by file."""
    if isinstance(attempt.wanted, Mapping):
        adds = any(
            set(names) - set(attempt.present.get(glob, ()))
            for glob, names in attempt.wanted.items()
        )
    else:
        adds = bool(set(attempt.wanted) - set(attempt.present))
    return "loosens" if adds else None


def _drops(attempt: Attempt) -> str | None:
    return "loosens" if set(attempt.present) - set(attempt.wanted) else None


def _eases(attempt: Attempt) -> str | None:
    """A weight that is another one than yours, and not the gravest."""
    kept = {name: attempt.wanted.get(name) for name in attempt.present}
    added = {name: weight for name, weight in attempt.wanted.items() if name not in attempt.present}
    eased = kept != attempt.present or set(added.values()) - {Severity.CRITICAL}
    return "loosens" if eased else None


def _allows_more(attempt: Attempt) -> str | None:
    return "loosens" if attempt.wanted > attempt.present else None


def _hurries(attempt: Attempt) -> str | None:
    """Whatever a key is called: nothing that takes time or turns becomes less than it was."""
    pairs = zip(_patience(attempt.after), _patience(attempt.before), strict=True)
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
    yield settings.settings.turn_s
    yield settings.budget.per_run_time or endless


RULES: Mapping[Trust, TrustRule] = {
    Trust.NEVER: TrustRule(_never),
    Trust.FREE: TrustRule(),
    Trust.BUILT_IN: TrustRule(
        _preset_file, joins=True
    ),  # the keys of one of ours are judged one by one
    Trust.JOINS: TrustRule(_foreign_participants, joins=True),
    Trust.PART: TrustRule(_first(_foreign_part, _differs("roles"))),
    Trust.UNHURRIED: TrustRule(_hurries),
    Trust.DEADLINE: TrustRule(_first(_higher, _hurries)),
    Trust.SAME: TrustRule(_first(_weakens, _differs("course"))),
    Trust.TIGHTENS: TrustRule(_not_the_one_that_tightens),
    Trust.NO_LOWER: TrustRule(_lower),
    Trust.KEPT_ON: TrustRule(_switched_off),
    Trust.QUORUM: TrustRule(_smaller_quorum),
    Trust.GATE: TrustRule(_looser_gate),
    Trust.NO_HIGHER: TrustRule(_higher, limits=True),
    Trust.NO_MORE: TrustRule(_switches_off),
    Trust.NO_FEWER: TrustRule(_drops),
    Trust.AT_WORST: TrustRule(_eases),
    Trust.LIMIT: TrustRule(_allows_more),
    Trust.ASKS: TrustRule(_first(_approval, _does_not_ask)),
    Trust.STAYS_HERE: TrustRule(_release),
    Trust.SAME_MODELS: TrustRule(_other_models),
}
_UNDECLARED = Setting()


@dataclass
class _Admission:
    """A repository's document, judged key by key on top of the keys before, so that no two of them do together what
    none may do alone. `project` are its settings by themselves."""

    document: Document
    project: Settings
    without: Tree
    before: Settings
    admitted: Tree = field(default_factory=dict)
    kept_out: set[str] = field(default_factory=set)
    notices: list[Notice] = field(default_factory=list)
    limits: list[str] = field(default_factory=list)
    leads: tuple[str, str] | None = None

    def judge(self, position: Position, value: JsonValue) -> None:
        """Take the key over, or keep it out and say so."""
        key = dotted(position)
        setting = KEYS[key].setting if key in KEYS else _UNDECLARED
        rule, where = RULES[setting.trust], self.document.where(position)
        tried = dict(self.admitted)
        plant(tried, position, value)
        after = self.project
        if not rule.joins:
            after = Settings.model_validate(overlaid(self.without, tried))
        attempt = Attempt(key, setting, after, self.before)
        if (why := self._reason(rule, attempt)) is not None:
            self._keep_out(attempt, where, why)
        elif not rule.joins:
            self.admitted = tried
            self.limits += [key] if rule.limits else []

    def _reason(self, rule: TrustRule, attempt: Attempt) -> str | None:
        ours = not self.document.project and attempt.key == "participants"
        return None if ours else rule.kept_out(attempt)  # our own presets may describe personas

    def _keep_out(self, attempt: Attempt, where: str, why: str) -> None:
        if attempt.key == LEADER and why == "roles" and attempt.wanted is not None:
            self.leads = (attempt.wanted, where)
        else:
            self.kept_out.add(attempt.key)
            self.notices.append(notice("project_kept_out", where=where, key=attempt.key, why=why))

    @property
    def joining(self) -> tuple[ParticipantEntry, ...]:
        """Whom the file names, but for those that only its own `providers` describe."""
        if "participants" in self.kept_out:
            return ()
        theirs = {name for name in self.project.providers if name not in self.before.providers}
        return tuple(e for e in self.project.participants or () if e.name not in theirs)


def admit(document: Document, project: Settings, without: Tree) -> Admitted:
    """What the repository's `document` brings to what holds `without` it; `project` are its settings by themselves."""
    before = Settings.model_validate(without)
    admission = _Admission(document, project, without, before)
    for position, value in leaves(document.tree):
        admission.judge(position, value)
    notices = admission.notices
    if admission.limits:
        notices.append(notice("project_limits", where=document.place, keys=admission.limits))
    forbids = before.privacy.allow_external and not project.privacy.allow_external
    return Admitted(
        document=replace(document, tree=admission.admitted, project=True, typed=False),
        joining=admission.joining,
        place=document.where(("participants",)),
        forbids_external=document.where(("privacy", "allow_external")) if forbids else None,
        leads=admission.leads,
        notices=tuple(notices),
        names_preset=project.preset is not None and "preset" not in admission.kept_out,
    )


def check_plain(document: Document) -> None:
    """Raise ConfigurationError for a value that could forge a line of ours: names need no control characters."""
    for position, text in texts(document.tree):
        if not text.isprintable():
            place = f"{document.where(position)}: {dotted(position)}"
            raise ConfigurationError(
                "{place}: a repository's own file may hold only plain words on one line.",
                place=place,
            )
