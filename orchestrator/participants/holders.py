"""Who has a part of a workflow: whoever is named for it, else as its descriptor says."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from orchestrator.core.findings.verdict import voice_of
from orchestrator.core.parts import CHAIR, PROJECT, Filling, Overlap, PartType
from orchestrator.participants.catalogue import RULES, Catalogue
from orchestrator.participants.model_choice import NOBODY, is_replaced
from orchestrator.participants.persona_assignment import (
    PersonaAssignment,
    different_families_first,
    once_more,
)
from orchestrator.participants.request import ParticipantRequest, named_participant, same_model
from orchestrator.settings.loading import Configuration
from orchestrator.workflows.descriptor import WorkflowType
from shared.errors import ConfigurationError
from shared.models.notices import Notice
from shared.models.panel import Participant
from shared.providers.locality import leaves_machine

THE_RULES = Participant(name=RULES, provider="rules", family="rules")


@dataclass(frozen=True)
class Casting:
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
    def names(self) -> list[str]:
        return [speaker.name for speaker in self.present]

    @property
    def judges(self) -> tuple[Participant, ...]:
        """Those who can have an opinion."""
        return tuple(member for member in self.members if member.provider != THE_RULES.provider)

    @property
    def models(self) -> tuple[PersonaAssignment, ...]:
        """Those that speak by themselves: no people, no rules."""
        return tuple(speaker for speaker in self.present if speaker.participant.is_model)

    @property
    def rules_were_typed(self) -> bool:
        """Who a file names for a part has none then: a panel of rules was typed, and stays one."""
        by_hand = self.present and self.request.is_by_hand(self.configuration)
        return bool(by_hand) and all(member.rule_based for member in self.members)

    def asked_for(self, part: PartType[Any]) -> str | None:
        """Who is named for a part."""
        if (typed := self.request.holders.get(part.name)) or self.rules_were_typed:
            return typed
        names = (
            self._project_lead() if key == PROJECT else attrgetter(key)(self.configuration.settings)
            for key in part.keys
        )
        name = next(filter(None, names), None)
        return None if name is not None and is_replaced(name, self.catalogue) else name

    def _project_lead(self) -> str | None:
        """Whom the repository's own file names to lead, as long as the user would hear that one anyway."""
        name, _ = self.configuration.leads or (None, "")
        return name if name in self.names else None

    def left_over(self) -> PersonaAssignment | None:
        """A model that takes no part, of a family that does not either if there is one."""
        bases = [speaker.base for speaker in self.present]
        families = {voice_of(base) for base in bases}
        models = self.catalogue.models()
        free = [model for model in models if not any(same_model(model, base) for base in bases)]
        ordered = sorted(
            different_families_first(free), key=lambda model: voice_of(model) in families
        )
        return PersonaAssignment(ordered[0], ordered[0]) if ordered else None

    def holders(self) -> Mapping[str, PersonaAssignment]:
        """Who has each part that one holds, by the part's name."""
        holders: dict[str, PersonaAssignment] = {}
        for part in self.workflow.parts:
            holder = None if part.many else self._holder(part, holders)
            if holder is not None:
                holders[part.name] = holder
        return holders

    def _holder(
        self, part: PartType[Any], holders: Mapping[str, PersonaAssignment]
    ) -> PersonaAssignment | None:
        name = self.asked_for(part)
        if not self._is_held(part, name):
            return None
        if name is None:
            return self._fill(part, holders)
        named = named_participant(name, self.catalogue, self.members, part)
        if part.optional is not None and named.name in [holder.name for holder in holders.values()]:
            return self._fill(part, holders)
        bases = {speaker.name: speaker.base for speaker in self.present}
        if part.overlap is Overlap.NEVER and named.name in bases:
            return once_more(bases[named.name], part.title, bases)
        return PersonaAssignment(named, named)

    def _is_held(self, part: PartType[Any], name: str | None) -> bool:
        """Whether somebody has a part for which that one is named."""
        needed = part.needed(self.options)
        if part.optional is None:
            return needed or part.name in self.request.holders
        preset = self.configuration.preset
        by_preset = preset is not None and preset.workflow == self.workflow.name
        usual = name is not None or by_preset or part.optional(self.options)
        return needed and usual and not is_nobody(name)

    def _fill(
        self, part: PartType[Any], holders: Mapping[str, PersonaAssignment]
    ) -> PersonaAssignment | None:
        """Who has a part that nobody is named for; nobody where it can be done without."""
        holder = _FILLINGS[part.filling](self, part, holders)
        if holder is None and part.dispensable:
            return None
        if holder is None and part.rules:
            return PersonaAssignment(THE_RULES, THE_RULES)
        if holder is None:
            option = f"{part.flag.spelling} NAME or " if part.flag is not None else ""
            raise ConfigurationError(
                "No model is here that could {task}, and people do so only when they are named for it: "
                "{option}{name}=NAME among the participants names one.",
                task=part.task,
                option=option,
                name=part.name,
            )
        return holder


def is_nobody(name: str | None) -> bool:
    """Whether the name says that nobody has a part."""
    return (name or "").strip().lower() == NOBODY


# ---- who has a part that nobody is named for --------------------------------------------------------

_Holders = Mapping[str, PersonaAssignment]


def _first_model(
    casting: Casting, part: PartType[Any], _holders: _Holders
) -> PersonaAssignment | None:
    """Of several models that were named for this run each is a critic, so the first speaks once more here."""
    models = casting.models
    if len(models) > 1 and casting.request.models:
        return once_more(models[0].base, part.title, casting.names)
    return next(iter(models), None)


def _local_model(
    casting: Casting, _part: PartType[Any], _holders: _Holders
) -> PersonaAssignment | None:
    return min(casting.models, key=lambda model: leaves_machine(model.participant), default=None)


def _planner(casting: Casting, part: PartType[Any], _holders: _Holders) -> PersonaAssignment | None:
    models = casting.models
    if not models or not all(model.participant.persona for model in models):
        return next(iter(models), None)
    return casting.left_over() or once_more(models[0].base, part.title, casting.names)


def _last_model(
    casting: Casting, _part: PartType[Any], _holders: _Holders
) -> PersonaAssignment | None:
    if not casting.models:
        return None
    last = casting.models[-1]
    return last if last.base.name in casting.names else PersonaAssignment(last.base, last.base)


def _outsider(
    casting: Casting, part: PartType[Any], _holders: _Holders
) -> PersonaAssignment | None:
    bases = [model.base for model in casting.models]
    if (outsider := casting.left_over()) is not None or not bases:
        return outsider
    return once_more(min(reversed(bases), key=bases.count), part.title, casting.names)


def _chairs_model(
    casting: Casting, part: PartType[Any], holders: _Holders
) -> PersonaAssignment | None:
    chair = holders[CHAIR]
    return once_more(chair.base, part.title, [*casting.names, chair.name])


def _nobody(
    _casting: Casting, _part: PartType[Any], _holders: _Holders
) -> PersonaAssignment | None:
    return None


_FILLINGS = {
    Filling.NOBODY: _nobody,
    Filling.FIRST_MODEL: _first_model,
    Filling.LOCAL_MODEL: _local_model,
    Filling.PLANNER: _planner,
    Filling.LAST_MODEL: _last_model,
    Filling.OUTSIDER: _outsider,
    Filling.CHAIRS_MODEL: _chairs_model,
}
