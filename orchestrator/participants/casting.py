"""Who takes part in ask, forum, plan and panel, and in which part. docs/design/participants.md has the rules.

`panels.py` builds the panel of a review. What both share is in `members.py` and `panel_report.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from orchestrator.core.findings.verdict import voice_of
from orchestrator.participants.catalogue import Catalogue
from orchestrator.participants.members import (
    SPEAKERS,
    Wanted,
    check_doubles,
    joining,
    joining_entries,
    role_of,
    same_model,
    wanted_members,
)
from orchestrator.participants.panel_report import (
    PanelReport,
    Part,
    described,
    few_votes,
    how_to_add_models,
    impatience,
    left_out,
    one_family,
    open_keys,
)
from orchestrator.participants.panels import split_roles
from orchestrator.participants.phrases import phrase
from orchestrator.participants.seats import (
    Seat,
    Seating,
    different_families_first,
    further_seat,
    seated,
)
from orchestrator.settings.loading import Configuration
from orchestrator.settings.options import workflow_options
from orchestrator.settings.schema import SECTIONS, Settings
from shared.errors import ConfigurationError, CredentialsRejected
from shared.models.panel import Panel, Participant

NOBODY = "none"
UNMODERATED = frozenset({"quick"})
"""The strategies of a panel in which a moderator has nothing to do (orchestrator/workflows/panel/strategies.py)."""


@dataclass(frozen=True)
class Cast:
    """Who takes part: the panel, a panel's moderator, and what a person should know of it."""

    panel: Panel
    moderator: Participant | None
    report: PanelReport


@dataclass(frozen=True)
class _Call:
    """What a cast is made from. `judge`, `orchestrator` and `moderator` are names that were typed."""

    wanted: Wanted
    configuration: Configuration
    catalogue: Catalogue
    seating: Seating
    judge: str | None = None
    orchestrator: str | None = None
    moderator: str | None = None

    @property
    def settings(self) -> Settings:
        return self.configuration.settings

    @property
    def members(self) -> tuple[Participant, ...]:
        return tuple(seat.participant for seat in self.seating.seats)

    @property
    def models(self) -> tuple[Seat, ...]:
        return tuple(seat for seat in self.seating.seats if seat.is_model)

    def named(self, name: str | None, part: str) -> Participant | None:
        return role_of(name, self.catalogue, self.members, part)

    def last_model(self, part: str) -> Participant:
        """The last model, without the persona that it speaks with."""
        if not self.models:
            raise ConfigurationError(
                f"No model is here that could {part}, and people do so only when they are named for it: "
                "chair=NAME among the participants names one."
            )
        seat = self.models[-1]
        names = [member.name for member in self.members]
        if seat.base.name == seat.participant.name:
            return seat.participant
        return seat.base if seat.base.name not in names else seat.participant


def build_cast(
    workflow: str,
    names: Sequence[str] | None,
    configuration: Configuration,
    environ: Mapping[str, str],
    directory: Path,
    *,
    judge: str | None = None,
    orchestrator: str | None = None,
    moderator: str | None = None,
) -> Cast:
    """The cast of an `ask`, `forum`, `plan` or `panel`: `names` are the command line's, else the file's, or all.

    `author=NAME` and `chair=NAME` among the names give a part; `judge`, `orchestrator` and `moderator` (`none`: nobody)
    are options of their own. Personas speak the configuration's language (`Configuration.in_language`). Raises
    CredentialsRejected when nobody can answer or a key is missing, ConfigurationError for a cast that cannot work.
    """
    settings = configuration.settings
    catalogue = Catalogue(settings, environ, directory)
    wanted = wanted_members(names, settings, SPEAKERS)
    outside = _outside(workflow, wanted, catalogue, judge)
    seating = seated(wanted, configuration, catalogue, without=outside)
    added = _added(wanted, configuration, catalogue, seating)
    if len(seating.seats) < _FEWEST.get(workflow, 1):
        seating, added = replace(seating, seats=(*seating.seats, *added)), ()
    if not seating.seats:
        raise CredentialsRejected(_nobody(wanted, seating, catalogue))
    call = _Call(wanted, configuration, catalogue, seating, judge, orchestrator, moderator)
    check_doubles(call.members)
    panel, moderated_by, parts = _CASTINGS.get(workflow, _plain)(call)
    _check_quorum(workflow, panel, settings)
    return _with(added, call, panel, moderated_by, parts)


_FEWEST = {"forum": 2, "panel": 2}


def _added(
    wanted: Wanted, configuration: Configuration, catalogue: Catalogue, seating: Seating
) -> tuple[Seat, ...]:
    """The seats that the repository's own file adds."""
    entries = joining_entries(wanted, configuration)
    if not entries:
        return ()
    theirs = Wanted(entries, None, None, chosen=True)
    seats = seated(theirs, replace(configuration, preset=None), catalogue).seats
    present = [seat.base for seat in seating.seats]
    names = [seat.participant.name for seat in seating.seats]
    new = {one.name for one in joining((seat.participant for seat in seats), present, names)}
    return tuple({s.participant.name: s for s in seats if s.participant.name in new}.values())


def _with(
    added: Sequence[Seat],
    call: _Call,
    panel: Panel,
    moderator: Participant | None,
    parts: tuple[Part, ...],
) -> Cast:
    """The cast with those who join it; who has another part already has it alone."""
    taken = [one for part in parts for one in part.holders]
    found = (seat.participant for seat in added)
    new = joining(found, taken, [one.name for one in taken])
    critics = (*panel.critics, *new)
    shown = tuple(
        replace(part, holders=critics) if part.holders == panel.critics else part for part in parts
    )
    panel = panel.model_copy(update={"critics": critics})
    report = _report(call, panel, shown)
    return Cast(panel, moderator, replace(report, joined=tuple(one.name for one in new)))


_Casting = Callable[[_Call], tuple[Panel, Participant | None, tuple[Part, ...]]]


def _ask(call: _Call) -> tuple[Panel, Participant | None, tuple[Part, ...]]:
    """Everybody answers; the chair is asked only when there is a synthesis."""
    members = call.members
    if not (workflow_options("ask", call.settings).synthesis or call.wanted.typed_chair):
        last = call.models[-1].participant if call.models else members[-1]
        return Panel(critics=members, author=last, chair=last), None, (Part("answers", members),)
    chair = call.named(call.wanted.chair, "merge answers") or call.last_model("merge answers")
    parts = (Part("answers", members), Part("merges", (chair,)))
    return Panel(critics=members, author=chair, chair=chair), None, parts


def _forum(call: _Call) -> tuple[Panel, Participant | None, tuple[Part, ...]]:
    """The orchestrator: named, else `orchestrator.ai`, else `panel.chair`, else the last model; it may take part."""
    members = call.members
    if len(members) < 2:
        raise ConfigurationError(
            f"A forum takes two participants at least, and only {members[0].name} is here. "
            + how_to_add_models(call.catalogue)
        )
    settings = call.settings
    name = (
        call.orchestrator
        or call.wanted.typed_chair
        or settings.orchestrator.ai
        or settings.panel.chair
        or _led_by_project(call)
    )
    part = "lead a discussion"
    chair = call.named(name, part) or call.last_model(part)
    parts = (Part("participant", members), Part("orchestrator", (chair,)))
    return Panel(critics=members, author=chair, chair=chair), None, parts


def _plain(call: _Call) -> tuple[Panel, Participant | None, tuple[Part, ...]]:
    """Everybody takes part; the author and the chair are those that were named, else the last model."""
    members, wanted = call.members, call.wanted
    chair = call.named(wanted.chair, "merge answers") or call.last_model("merge answers")
    author = call.named(wanted.author, "speak for what is judged") or chair
    parts = (Part("answers", members), Part("merges", (chair,)))
    return Panel(critics=members, author=author, chair=chair), None, parts


def _led_by_project(call: _Call) -> str | None:
    """Whom the repository's own file names to lead, as long as the user would hear that one anyway."""
    name, _ = call.configuration.leads or (None, "")
    return name if name in [member.name for member in call.members] else None


def _plan(call: _Call) -> tuple[Panel, Participant | None, tuple[Part, ...]]:
    """The first model plans and defends, the others challenge, the last one merges; personas challenge only."""
    members, named = call.members, call.named(call.wanted.author, "plan")
    models = tuple(seat.participant for seat in call.models)
    author = named
    if named is None and models and all(seat.participant.persona for seat in call.models):
        author = _left_over(call) or further_seat(
            call.models[0].base, "planner", [member.name for member in members]
        )
    author, critics = split_roles(members, models, author, named=author is not None)
    if author is None:
        raise ConfigurationError(
            "No model is here that could plan, and people do so only when they are named for it: "
            "author=NAME among the participants names one."
        )
    chair = call.named(call.wanted.chair, "merge objections") or call.last_model("merge objections")
    parts = (Part("planner", (author,)), Part("challenger", critics), Part("chair", (chair,)))
    return Panel(critics=critics, author=author, chair=chair), None, parts


def _panel(call: _Call) -> tuple[Panel, Participant | None, tuple[Part, ...]]:
    """Debaters, a judge that is none of them, and a moderator where one was asked for or a preset brings one."""
    members = call.members
    if len(members) < 2:
        raise ConfigurationError(
            f"A debate takes two, and only {members[0].name} is here: a preset with perspectives, like "
            "`--preset decision`, lets one model take several sides. "
            + how_to_add_models(call.catalogue)
        )
    judge = _judge(call)
    moderator = _moderator(call, judge)
    panel = Panel(critics=members, author=judge.participant, chair=judge.participant)
    parts = (Part("debater", members), Part("judge", (judge.participant,)))
    if moderator is None:
        return panel, None, parts
    return panel, moderator, (*parts, Part("moderator", (moderator,)))


_CASTINGS: dict[str, _Casting] = {"ask": _ask, "forum": _forum, "plan": _plan, "panel": _panel}


def _judge(call: _Call) -> Seat:
    """Who was named; else a model that is left over; else the last model once more."""
    named = call.named(_judge_of(call.wanted, call.settings, call.judge), "judge")
    if named is not None:
        return _outsider(call, named, "judge")
    if (free := _left_over(call)) is not None:
        return Seat(free, free)
    if not call.models:
        raise ConfigurationError(
            "No model is here that could judge, and people do so only when they are named for it: --judge NAME."
        )
    bases = [seat.base for seat in call.models]
    base = min(reversed(bases), key=bases.count)
    return Seat(further_seat(base, "judge", [member.name for member in call.members]), base)


def _judge_of(wanted: Wanted, settings: Settings, typed: str | None) -> str | None:
    return typed or wanted.typed_chair or settings.panel.judge or wanted.chair


def _outside(
    workflow: str, wanted: Wanted, catalogue: Catalogue, judge: str | None
) -> tuple[str, ...]:
    """Who judges does not debate, as long as others are there: its names."""
    name = _judge_of(wanted, catalogue.settings, judge) if workflow == "panel" else None
    if name is None:
        return ()
    known = catalogue.discovery.named(name)
    models = catalogue.models() if known is not None else ()
    return (name, *(one.name for one in models if known is not None and same_model(one, known)))


def _outsider(call: _Call, named: Participant, part: str) -> Seat:
    """Who was named, in a seat of its own when it debates as well."""
    debating = {seat.participant.name: seat.base for seat in call.seating.seats}
    base = debating.get(named.name)
    return Seat(named, named) if base is None else Seat(further_seat(base, part, debating), base)


def _left_over(call: _Call) -> Participant | None:
    """A model that takes no part, of a family that does not either if there is one."""
    bases = [seat.base for seat in call.seating.seats]
    families = {voice_of(base) for base in bases}
    models = call.catalogue.models()
    free = [one for one in models if not any(same_model(one, base) for base in bases)]
    ordered = different_families_first(free)
    return next(
        (one for one in ordered if voice_of(one) not in families), next(iter(ordered), None)
    )


def _moderator(call: _Call, judge: Seat) -> Participant | None:
    """Code sees consensus without one; a preset's moderated debate has one: the judge's model in another seat."""
    settings = call.settings
    name = call.moderator or settings.panel.moderator
    strategy = workflow_options("panel", settings).strategy
    if strategy in UNMODERATED or (name or "").strip().lower() == NOBODY:
        return None
    taken = [*(member.name for member in call.members), judge.participant.name]
    named = call.named(name, "moderate")
    if named is not None and named.name != judge.participant.name:
        return _outsider(call, named, "moderator").participant
    preset = call.configuration.preset
    by_preset = preset is not None and preset.workflow == "panel"
    if named is None and strategy != "delphi" and not by_preset:
        return None
    return further_seat(judge.base, "moderator", taken)


def _nobody(wanted: Wanted, seating: Seating, catalogue: Catalogue) -> str:
    if seating.silent:
        who = f"{', '.join(seating.silent)} follow rules, and nobody else is here"
    else:
        who = "nobody is here"
    reasons = " ".join(left_out(wanted, catalogue))
    return " ".join(
        filter(None, (f"No model can answer: {who}.", reasons, how_to_add_models(catalogue)))
    )


def _check_quorum(workflow: str, panel: Panel, settings: Settings) -> None:
    wanted = getattr(workflow_options(workflow, settings), "quorum", None)
    if wanted is not None and wanted > len(panel.critics):
        raise ConfigurationError(
            f"{SECTIONS[workflow]}.quorum is {wanted}, and {len(panel.critics)} take part: "
            "nothing could ever be decided."
        )


def _report(call: _Call, panel: Panel, parts: tuple[Part, ...]) -> PanelReport:
    language, voices = call.catalogue.language, panel.critics
    everybody = {member.name: member for part in parts for member in part.holders}
    titles = {part.title: part.holders for part in parts}
    planner, judge = titles.get("planner", ()), titles.get("judge", ())
    warnings = [*one_family((*voices, *planner), language)]
    warnings += [phrase("both_sides", language, name=one.name) for one in planner if one in voices]
    for one in judge:
        alike = ", ".join(voice.name for voice in voices if voice_of(voice) == voice_of(one))
        if alike:
            warnings.append(phrase("alike_judge", language, name=one.name, others=alike))
    warnings += _no_time_left(call.settings, language) if "orchestrator" in titles else ()
    warnings += impatience(everybody.values(), call.settings, language)
    warnings += open_keys(everybody.values(), language)
    warnings += left_out(call.wanted, call.catalogue)
    hints = [*few_votes(voices, language)]
    if call.seating.silent:
        hints.append(phrase("silent", language, names=", ".join(call.seating.silent)))
    return PanelReport(described(parts, language), tuple(hints), tuple(warnings), language)


def _no_time_left(settings: Settings, language: str) -> tuple[str, ...]:
    """A forum that the run's own limit would cut off before its conclusion."""
    forum_s, run_s = workflow_options("forum", settings).timeout_s, settings.budget.per_run_time
    if forum_s is None or run_s is None or forum_s < run_s:
        return ()
    return (phrase("no_time_left", language, forum=f"{forum_s:g}", run=f"{run_s:g}"),)
