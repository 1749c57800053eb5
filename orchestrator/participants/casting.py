"""Who takes part in a run, and in which part: the parts of its workflow's descriptor, filled.

docs/design/participants.md has the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from pathlib import Path
from typing import Any

from orchestrator.core.findings.verdict import voice_of
from orchestrator.core.parts import AUTHOR, CHAIR, PROJECT, CastReport, Filling, Overlap, PartType
from orchestrator.participants.cast_report import how_to_add_models, left_out, report_of
from orchestrator.participants.catalogue import ANALYSERS_GROUP, MODELS_GROUP, RULES, Catalogue
from orchestrator.participants.persona_assignment import (
    PersonaAssignment,
    Speakers,
    different_families_first,
    find_speakers,
    once_more,
)
from orchestrator.participants.request import (
    ParticipantRequest,
    check_doubles,
    joining,
    named_participant,
    participant_request,
    same_model,
)
from orchestrator.settings.loading import Configuration
from orchestrator.settings.options import workflow_options
from orchestrator.workflows.descriptor import WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import ConfigurationError, CredentialsRejected
from shared.models.notices import Notice
from shared.models.panel import Panel, Participant
from shared.tools.catalogue import find_card

NOBODY = "none"
NO_HOLDERS: Mapping[str, str] = {}
_RULES = Participant(name=RULES, provider="rules", family="rules")


@dataclass(frozen=True)
class Cast:
    """Who takes part: the panel, who has each part that one holds, and what a person should know of it."""

    panel: Panel
    holders: Mapping[str, Participant]
    report: CastReport

    @property
    def everybody(self) -> dict[str, Participant]:
        """Each participant once, by its name."""
        panel = self.panel
        members = (*panel.critics, panel.author, panel.chair, *self.holders.values())
        return {member.name: member for member in members}

    def changed(self, change: Callable[[Participant], Participant]) -> Cast:
        """The same with everybody changed."""
        panel = Panel(
            critics=tuple(map(change, self.panel.critics)),
            author=change(self.panel.author),
            chair=change(self.panel.chair),
        )
        holders = {part: change(holder) for part, holder in self.holders.items()}
        return replace(self, panel=panel, holders=holders)


def build_cast(
    workflow: str,
    names: Sequence[str] | None,
    configuration: Configuration,
    environ: Mapping[str, str],
    directory: Path,
    *,
    tell: Callable[[Notice], str],
    holders: Mapping[str, str] = NO_HOLDERS,
    paths: Sequence[str] | None = None,
) -> Cast:
    """The cast of a run: `names` are the command line's, else the file's, or all; files in names are in `directory`.

    `author=NAME` and `chair=NAME` among the names are for a part, and so are the `holders` by the part's name (`none`:
    nobody). `paths`, where they are known, are the files of the change: analysers that can read none of them take no
    part unless the command line names them; what has nothing to look at would be missing from every round. Personas
    speak the configuration's language (`Configuration.in_language`), errors that of `tell`. Raises CredentialsRejected
    when nobody can answer or a key is missing, ConfigurationError for a cast that cannot work.
    """
    settings, described = configuration.settings, WORKFLOWS[workflow]
    catalogue = Catalogue(settings, environ, directory)
    rules, fewest = described.critics.rules, described.critics.fewest
    groups = (MODELS_GROUP, ANALYSERS_GROUP) if rules else (MODELS_GROUP,)
    request = participant_request(names, holders, settings, groups)
    options = workflow_options(workflow, settings)
    _check_needed(described, options, holders)
    casting = _Casting(described, options, request, configuration, catalogue, tell)
    speakers = casting.speakers(request, without=casting.no_critics())
    present, added = speakers.assignments, casting.added(speakers.assignments)
    if len(present) < fewest:
        present, added = (*present, *added), ()
    if not (present or rules):
        raise CredentialsRejected(_nobody(casting, speakers.silent))
    members = [speaker.participant for speaker in present]
    check_doubles(members)
    idle = _idle(members, request, paths)
    present = tuple(speaker for speaker in present if speaker.participant not in idle)
    return replace(casting, present=present, silent=speakers.silent, idle=idle).cast(added)


@dataclass(frozen=True)
class _Casting:
    """What a cast is made from. `present` take part; the `silent` follow rules, the `idle` have nothing to read."""

    workflow: WorkflowType[Any]
    options: Any
    request: ParticipantRequest
    configuration: Configuration
    catalogue: Catalogue
    tell: Callable[[Notice], str]
    present: tuple[PersonaAssignment, ...] = ()
    silent: tuple[str, ...] = ()
    idle: tuple[Participant, ...] = ()

    @property
    def members(self) -> tuple[Participant, ...]:
        return tuple(speaker.participant for speaker in self.present)

    @property
    def models(self) -> tuple[PersonaAssignment, ...]:
        """Those that speak by themselves: no people, no rules."""
        return tuple(speaker for speaker in self.present if speaker.participant.is_model)

    @property
    def rules_were_typed(self) -> bool:
        """Who a file names for a part has none then: a panel of rules was typed, and stays one."""
        by_hand = self.present and self.request.is_by_hand(self.configuration)
        return bool(by_hand) and all(member.rule_based for member in self.members)

    # ---- who takes part ----------------------------------------------------------------------------

    def speakers(self, request: ParticipantRequest, *, without: Sequence[str] = ()) -> Speakers:
        """Who is meant by the entries."""
        if not self.workflow.critics.rules:
            return find_speakers(request, self.configuration, self.catalogue, without=without)
        meant = (one for entry in request.entries for one in self.catalogue.resolve(entry))
        return Speakers(tuple(PersonaAssignment(one, one) for one in meant))

    def no_critics(self) -> tuple[str, ...]:
        """Whoever is named for a part whose holder is no critic, under all names."""
        names: list[str] = []
        for part in self.workflow.parts:
            name = self.asked_for(part) if part.overlap is Overlap.NEVER else None
            if name is None or part.optional is not None:
                continue
            known = self.catalogue.discovery.named(name)
            models = self.catalogue.models() if known is not None else ()
            names += [name, *(one.name for one in models if known and same_model(one, known))]
        return tuple(names)

    def added(self, present: Sequence[PersonaAssignment]) -> tuple[PersonaAssignment, ...]:
        """Those whom the repository's own file adds; nobody, when who takes part was typed."""
        entries = self.configuration.joining
        if not entries or self.request.is_by_hand(self.configuration):
            return ()
        plain = replace(self, configuration=replace(self.configuration, preset=None))
        theirs = plain.speakers(ParticipantRequest(entries, {})).assignments
        bases, names = [one.base for one in present], [one.name for one in present]
        new = joining((speaker.participant for speaker in theirs), bases, names)
        return tuple({one.name: one for one in theirs if one.participant in new}.values())

    # ---- who has which part ------------------------------------------------------------------------

    def cast(self, added: Sequence[PersonaAssignment]) -> Cast:
        """Everybody in their parts, and those who join; who has a part of its own already has it alone."""
        self._check_number()
        held: dict[str, PersonaAssignment] = {}
        for part in self.workflow.parts:
            holder = None if part.many else self._holder(part, held)
            if holder is not None:
                held[part.name] = holder
        holders = {name: holder.participant for name, holder in held.items()}
        critics = self._critics(holders)
        self._check_quorum(critics)
        taken = [*critics, *holders.values()]
        new = joining((one.participant for one in added), taken, [one.name for one in taken])
        chair = holders.get(CHAIR) or (self.models or self.present)[-1].participant
        panel = Panel(critics=(*critics, *new), author=holders.get(AUTHOR, chair), chair=chair)
        report = report_of(
            [
                (part, panel.critics if part.many else (holders[part.name],))
                for part in self.workflow.parts
                if part.many or part.name in holders
            ],
            self.request,
            self.catalogue,
            lasts_s=self.workflow.lasts_s(self.options),
            silent=self.silent,
            idle=self.idle,
        )
        return Cast(panel, holders, replace(report, joined=tuple(one.name for one in new)))

    def asked_for(self, part: PartType[Any]) -> str | None:
        """Who is named for a part."""
        if (typed := self.request.holders.get(part.name)) or self.rules_were_typed:
            return typed
        names = (
            self._project_lead() if key == PROJECT else attrgetter(key)(self.configuration.settings)
            for key in part.keys
        )
        return next(filter(None, names), None)

    def _project_lead(self) -> str | None:
        """Whom the repository's own file names to lead, as long as the user would hear that one anyway."""
        name, _ = self.configuration.leads or (None, "")
        return name if name in [member.name for member in self.members] else None

    def _holder(
        self, part: PartType[Any], held: Mapping[str, PersonaAssignment]
    ) -> PersonaAssignment | None:
        name = self.asked_for(part)
        if part.optional is not None and not self._wants(part, part.optional, name):
            return None
        if not (part.needed(self.options) or part.name in self.request.holders):
            return None
        if name is None:
            return self._fill(part, held)
        named = named_participant(name, self.catalogue, self.members, part.task, rules=part.rules)
        if part.optional is not None and named.name in [holder.name for holder in held.values()]:
            return self._fill(part, held)
        bases = {speaker.name: speaker.base for speaker in self.present}
        if part.overlap is Overlap.NEVER and named.name in bases:
            return once_more(bases[named.name], part.title, bases)
        return PersonaAssignment(named, named)

    def _wants(self, part: PartType[Any], usual: Callable[[Any], bool], name: str | None) -> bool:
        """Whether somebody has a part that is optional."""
        if not part.needed(self.options) or _is_nobody(name):
            return False
        preset = self.configuration.preset
        by_preset = preset is not None and preset.workflow == self.workflow.name
        return name is not None or by_preset or usual(self.options)

    def _fill(
        self, part: PartType[Any], held: Mapping[str, PersonaAssignment]
    ) -> PersonaAssignment:
        """Who has a part that nobody is named for."""
        names = [speaker.name for speaker in self.present]
        if part.filling is Filling.CHAIRS_MODEL:
            return once_more(held[CHAIR].base, part.title, [*names, held[CHAIR].name])
        if part.filling is Filling.OUTSIDER and (outsider := self._left_over()) is not None:
            return outsider
        if not self.models:
            return self._without_models(part)
        first, last = self.models[0], self.models[-1]
        match part.filling:
            case Filling.PLANNER if all(model.participant.persona for model in self.models):
                return self._left_over() or once_more(first.base, part.title, names)
            case Filling.LAST_MODEL:
                return last if last.base.name in names else PersonaAssignment(last.base, last.base)
            case Filling.OUTSIDER:
                bases = [model.base for model in self.models]
                return once_more(min(reversed(bases), key=bases.count), part.title, names)
            case _:
                return first

    def _without_models(self, part: PartType[Any]) -> PersonaAssignment:
        if part.rules:
            return PersonaAssignment(_RULES, _RULES)
        option = f"{part.flag.spelling} NAME or " if part.flag is not None else ""
        raise ConfigurationError(
            f"No model is here that could {part.task}, and people do so only when they are named for it: "
            f"{option}{part.name}=NAME among the participants names one."
        )

    def _left_over(self) -> PersonaAssignment | None:
        """A model that takes no part, of a family that does not either if there is one."""
        bases = [speaker.base for speaker in self.present]
        families = {voice_of(base) for base in bases}
        models = self.catalogue.models()
        free = [model for model in models if not any(same_model(model, base) for base in bases)]
        ordered = different_families_first(free)
        strangers = (model for model in ordered if voice_of(model) not in families)
        model = next(strangers, next(iter(ordered), None))
        return None if model is None else PersonaAssignment(model, model)

    def _critics(self, holders: Mapping[str, Participant]) -> tuple[Participant, ...]:
        critics = [member for member in self.members if member.provider != _RULES.provider]
        for part in self.workflow.parts:
            holder = holders.get(part.name)
            if part.overlap is not Overlap.AVOIDED or len(critics) < 2:
                continue
            # Somebody else must judge what the holder says; a lone model has to do both.
            others = any(model.participant != holder for model in self.models)
            if others or self.asked_for(part) is not None:
                critics = [critic for critic in critics if critic != holder]
        return tuple(critics)

    def _check_number(self) -> None:
        part = self.workflow.critics
        critics = [member for member in self.members if member.provider != _RULES.provider]
        if len(critics) >= part.fewest:
            return
        ways = "" if part.rules else f" {self.tell(how_to_add_models(self.catalogue))}"
        name = critics[0].name if critics else ""
        raise ConfigurationError(part.shortage.format(name=name) + ways)

    def _check_quorum(self, critics: Sequence[Participant]) -> None:
        setting = self.workflow.quorum
        wanted = None if setting is None or not setting.own else self.options.quorum
        if setting is not None and wanted is not None and wanted > len(critics):
            raise ConfigurationError(
                f"{self.workflow.section}.{setting.key} is {wanted}, and {len(critics)} take part: "
                "nothing could ever be decided."
            )


def _check_needed(workflow: WorkflowType[Any], options: Any, holders: Mapping[str, str]) -> None:
    for part in workflow.parts:
        if not (part.needed(options) or _is_nobody(holders.get(part.name, NOBODY))):
            option = part.name if part.flag is None else part.flag.spelling
            raise ConfigurationError(f"{option}: {part.needless}")


def _is_nobody(name: str | None) -> bool:
    return (name or "").strip().lower() == NOBODY


def _idle(
    members: Sequence[Participant], request: ParticipantRequest, paths: Sequence[str] | None
) -> tuple[Participant, ...]:
    """The analysers that can read none of the change's files. Nobody, when nobody else would criticise."""
    if paths is None:
        return ()
    typed = {entry.name.strip() for entry in request.entries} if request.typed else frozenset()
    unused = [member for member in members if member.tool and member.name not in typed]
    idle = tuple(one for one in unused if not find_card(one.tool or "").scope.reads_any(paths))
    others = [one for one in members if one not in idle and one.provider != _RULES.provider]
    return idle if others else ()


def _nobody(casting: _Casting, silent: Sequence[str]) -> str:
    present = "nobody is here"
    if silent:
        present = f"{', '.join(silent)} follow rules, and nobody else is here"
    reasons = left_out(casting.request, casting.catalogue)
    ways = map(casting.tell, (*reasons, how_to_add_models(casting.catalogue)))
    return " ".join((f"No model can answer: {present}.", *ways))
