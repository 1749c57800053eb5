"""What a person is told about a cast before it starts: who takes part as what, what is doubtful, who is missing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

from orchestrator.core.findings.verdict import effective_votes, voice_of
from orchestrator.core.parts import CHAIR, CastReport, Filling, Overlap, PartType
from orchestrator.participants.catalogue import BASE_URL, KEY, MODEL, MODELS_GROUP, Catalogue
from orchestrator.participants.request import ParticipantRequest
from orchestrator.settings.loading import user_file
from orchestrator.settings.schema import Settings
from shared.models.notices import Notice, notice
from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE, ProviderTypes, key_variables_of, services
from shared.providers.locality import leaves_machine, sends_key_in_clear
from shared.providers.sections import SpeakerSection

# People look at their inbox once a day.
PATIENT_S = 24 * 3600.0
_NAME = attrgetter("name")

HeldPart = tuple[PartType[Any], tuple[Participant, ...]]
"""A part, and who has it."""


def report_of(
    parts: Sequence[HeldPart],
    request: ParticipantRequest,
    catalogue: Catalogue,
    *,
    lasts_s: float | None = None,
    silent: Collection[str] = (),
    idle: Collection[str] = (),
    helpful: Collection[Notice] = (),
) -> CastReport:
    """What is to be said of a cast. `lasts_s` is how long its discussion may take before it concludes."""
    everybody = {member.name: member for _, holders in parts for member in holders}
    voices = next((part, holders) for part, holders in parts if part.many)
    advice = _advice(voices, request, catalogue)
    # Half a setting is a mistake, and said every time.
    begun = catalogue.environ.get(MODEL) or catalogue.environ.get(BASE_URL)
    return CastReport(
        tuple(_describe(member, parts) for member in everybody.values()),
        hints=(
            *_naming("cast_idle", idle),
            *helpful,
            *few_votes(voices),
            *_naming("cast_silent", silent),
            *(advice if begun else ()),
        ),
        warnings=(
            *_side_warnings(parts, voices),
            *_outlasting(lasts_s, catalogue.settings),
            *impatience(everybody.values(), catalogue.settings),
            *open_keys(everybody.values()),
            *left_out(request, catalogue),
        ),
        advice=() if begun else advice,
    )


def _advice(
    voices: HeldPart, request: ParticipantRequest, catalogue: Catalogue
) -> tuple[Notice, ...]:
    """How to have models, where nobody chose to have none."""
    needless = request.chosen or not all(critic.rule_based for critic in voices[1])
    return () if needless else (how_to_add_models(catalogue),)


def _naming(code: str, names: Collection[str]) -> tuple[Notice, ...]:
    """A notice about those who have the names; none about nobody."""
    return (notice(code, names=names),) if names else ()


def _describe(member: Participant, parts: Sequence[HeldPart]) -> Notice:
    titles = [part.title for part, holders in parts if member.name in map(_NAME, holders)]
    kind: Notice | str = member.family
    if not member.is_model:
        kind = notice("cast_rules" if member.rule_based else "cast_person")
    elif member.provider == "scripted":
        kind = notice("cast_scripted")
    if leaves_machine(member):
        kind = notice("cast_external", kind=kind)
    return notice("cast_participant", name=member.name, kind=kind, parts=titles)


def _side_warnings(parts: Sequence[HeldPart], voices: HeldPart) -> Iterator[Notice]:
    """What is doubtful about who speaks for which side."""
    critics = voices[1]
    answering = [
        holder for part, holders in parts if part.overlap is Overlap.AVOIDED for holder in holders
    ]
    if all(voice.rule_based for voice in (*critics, *answering)):
        yield _rules_alone(parts)
        return
    yield from one_family((*critics, *answering))
    for holder in answering:
        if holder in critics:
            yield notice("cast_both_sides", name=holder.name)
    for part, holders in parts:
        if part.filling is Filling.OUTSIDER:
            yield from _alike(part, holders, critics)


def _rules_alone(parts: Sequence[HeldPart]) -> Notice:
    """What is said where only rules criticise and answer."""
    for part, holders in parts:
        if part.name == CHAIR and not holders[0].rule_based:
            return notice("cast_rules_merged", name=holders[0].name)
    return notice("cast_rules_only", see=notice("cast_see_how"))


def _alike(
    part: PartType[Any], holders: Sequence[Participant], critics: Sequence[Participant]
) -> Iterator[Notice]:
    """Whose holder should be a stranger to the critics, and is not."""
    for holder in holders:
        others = [critic.name for critic in critics if voice_of(critic) == voice_of(holder)]
        if others:
            yield notice("cast_alike", part=part.title, name=holder.name, others=", ".join(others))


def one_family(members: Iterable[Participant]) -> tuple[Notice, ...]:
    """A warning when several models are of one origin."""
    models = {member.name: member for member in members if not member.rule_based}
    voices = {voice_of(member) for member in models.values()}
    if len(models) < 2 or len(voices) > 1:
        return ()
    return (notice("cast_one_family", family=voices.pop()),)


def few_votes(voices: HeldPart) -> tuple[Notice, ...]:
    """A hint when several voices are of one origin, but not all; findings are not counted by votes."""
    part, voters = voices
    votes = effective_votes(voters)
    if part.rules or part.computes or votes in (1, len(voters)):
        return ()
    return (notice("cast_few_votes", voices=len(voters), votes=votes),)


def _outlasting(lasts_s: float | None, settings: Settings) -> tuple[Notice, ...]:
    """A discussion that the run's own limit would cut off before its conclusion."""
    run_s = settings.budget.per_run_time
    if lasts_s is None or run_s is None or lasts_s < run_s:
        return ()
    return (notice("cast_no_time_left", discussion=f"{lasts_s:g}", run=f"{run_s:g}"),)


def impatience(members: Iterable[Participant], settings: Settings) -> tuple[Notice, ...]:
    """A run that may end before its people have looked."""
    people = [
        member.name
        for member in members
        if member.is_person and "answer_within_s" not in member.options
    ]
    limit_s = settings.budget.per_run_time
    if not people or limit_s is None or limit_s >= PATIENT_S:
        return ()
    return (notice("cast_impatience", names=", ".join(people), hours=f"{limit_s / 3600:g}"),)


def open_keys(members: Iterable[Participant]) -> tuple[Notice, ...]:
    """A warning for every address to which a key would go unencrypted."""
    return tuple(
        notice("cast_open_key", name=member.name, url=str(member.options["base_url"]))
        for member in members
        if sends_key_in_clear(member)
    )


def left_out(request: ParticipantRequest, catalogue: Catalogue) -> tuple[Notice, ...]:
    """Configured models that a group would have brought."""
    if not any(entry.name == MODELS_GROUP for entry in request.entries):
        return ()
    obstacles = (
        catalogue.obstacle(name, provider)
        for name, provider in catalogue.settings.providers.items()
        if isinstance(provider, SpeakerSection)
    )
    return tuple(notice("cast_left_out", reason=lacking.reason) for lacking in obstacles if lacking)


def how_to_add_models(catalogue: Catalogue) -> Notice:
    """What to set, install or start: a sentence, or a line for each way."""
    environ, names = catalogue.environ, {"key": KEY, "model": MODEL, "url": BASE_URL}
    if environ.get(MODEL):
        return notice("cast_model_alone", **names)
    if environ.get(BASE_URL):
        return notice("cast_endpoint_alone", model=MODEL)
    file = user_file(environ) or Path("~/.config/quorate/config.yaml")
    ways = {what: _either(known) for what, known in ways_to_models().items()}
    see = notice("cast_see_missing")
    return notice("cast_add_models", see=see, file=str(file), model=MODEL, url=BASE_URL, **ways)


def ways_to_models(catalogue: ProviderTypes = CATALOGUE) -> dict[str, tuple[str, ...]]:
    """The keys, programs and servers that bring a model. Services with another's protocol are found, too."""
    keys = dict.fromkeys(
        key_variables_of(row, service)[0]
        for row, service in services(catalogue)
        if service.routed or not service.key_variables
    )
    programs: list[str] = []
    servers: list[str] = []
    for row in catalogue.values():
        programs += [f"`{cli.name}`" for cli in row.coding_clis]
        servers += [row.local_server.name] if row.local_server is not None else []
    return {"keys": tuple(keys), "programs": tuple(programs), "servers": tuple(servers)}


def _either(names: Sequence[str]) -> Notice | str:
    """`A, B or C`; Korean says after the list that one of it is enough."""
    *others, last = names
    return notice("cast_either", names=others, last=last) if others else last
