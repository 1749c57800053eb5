"""Who takes part in a run, and in which part: the parts of its workflow's descriptor, filled.

docs/design/participants.md has the rules.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pydantic import JsonValue

from orchestrator.core.parts import (
    AUTHOR,
    CHAIR,
    CRITIC,
    CastReport,
    Overlap,
)
from orchestrator.participants.cast_report import HeldPart, how_to_add_models, left_out, report_of
from orchestrator.participants.catalogue import ANALYSERS_GROUP, MODELS_GROUP, Catalogue
from orchestrator.participants.holders import THE_RULES, Casting, is_nobody
from orchestrator.participants.model_choice import NOBODY, choose_models
from orchestrator.participants.persona_assignment import (
    PersonaAssignment,
    Speakers,
    find_speakers,
)
from orchestrator.participants.request import (
    ParticipantRequest,
    check_doubles,
    check_speakers,
    joining,
    participant_request,
    same_model,
    with_chosen_models,
    without_names,
)
from orchestrator.settings.loading import Configuration
from orchestrator.settings.options import workflow_options
from orchestrator.workflows.descriptor import WorkflowType
from orchestrator.workflows.registry import WORKFLOWS
from shared.errors import ConfigurationError, CredentialsRejected
from shared.models.notices import Notice, notice
from shared.models.panel import Panel, Participant
from shared.sentences import Sentence
from shared.tools.analyser_cards import ANALYSER_CARDS, REPORT
from shared.tools.commands import PROJECT_LINTERS, AnalyserCommand, ProjectLinter, ready_commands

NO_HOLDERS: Mapping[str, str] = {}


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


def build_cast(  # noqa: PLR0913 - what a cast depends on, most of it by name
    workflow: str,
    names: Sequence[str] | None,
    configuration: Configuration,
    environ: Mapping[str, str],
    directory: Path,
    *,
    tell: Callable[[Notice], str],
    holders: Mapping[str, str] = NO_HOLDERS,
    paths: Sequence[str] | None = None,
    handed: Sequence[Participant] = (),
) -> Cast:
    """The cast of a run: `names` are the command line's, else the file's, or all; files in names are in `directory`.

    `author=NAME` and `chair=NAME` among the names are for a part, and so are the `holders` by the part's name (`none`:
    nobody). `paths`, where they are known, are the files of the change: analysers that can read none of them take no
    part, because what has nothing to look at would be missing from every round; where rules alone look, those that the
    command line names are missed. Personas speak the configuration's language (`Configuration.in_language`), errors
    that of `tell`. Where names are of models for this run (`for_this_run`), no other model takes part unless it was
    typed. Linters whose reports were `handed` in take part always, and stand for a known program of their name that
    would take part by itself.

    Raises CredentialsRejected when nobody can answer or a key is missing, ConfigurationError for a cast that cannot
    work.
    """
    settings, described = configuration.settings, WORKFLOWS[workflow]
    rules, fewest = described.critics.rules, described.critics.fewest
    groups = (MODELS_GROUP, ANALYSERS_GROUP) if rules else (MODELS_GROUP,)
    request = participant_request(names, holders, settings, groups)
    catalogue = choose_models(
        Catalogue(settings, environ, directory, kept_by=configuration.kept_by), request.models
    )
    request = with_chosen_models(request, catalogue)
    options = workflow_options(workflow, settings)
    _check_needed(described, options, holders)
    computing = _computing(described)
    request = without_names(request, [computes.name for computes in computing])
    casting = Casting(described, options, request, configuration, catalogue, tell)
    speakers = _speakers(casting, request, without=_no_critics(casting))
    present, added = speakers.assignments, _added(casting, speakers.assignments)
    present = _with(present, computing, handed)
    if len(present) < fewest:
        present, added = (*present, *added), ()
    if not (present or rules):
        raise CredentialsRejected(_nobody(casting, speakers.silent))
    members = [speaker.participant for speaker in present]
    check_doubles(members)
    check_speakers(members)
    idle = _idle(members, request, paths)
    present = tuple(speaker for speaker in present if speaker.participant not in idle)
    casting = replace(casting, present=present, silent=speakers.silent, idle=idle)
    return _cast(casting, added, paths, handed)


def _with(
    present: Sequence[PersonaAssignment],
    computing: Sequence[Participant],
    handed: Sequence[Participant],
) -> tuple[PersonaAssignment, ...]:
    """Those who are present, and whoever takes part always.

    A known linter whose report was handed in has looked already; where it could read the whole project, it saw more.
    """
    known = {linter.name for linter in handed} & ready_commands().keys()
    rest = (each for each in present if each.name not in known or each.participant.tool is None)
    return (*rest, *(PersonaAssignment(each, each) for each in (*computing, *handed)))


def _computing(workflow: WorkflowType[Any]) -> tuple[Participant, ...]:
    """Whoever follows the workflow's own rules: it always takes part."""
    return tuple(
        Participant(name=part.computes, provider="analyser", family="rules")
        for part in workflow.parts
        if part.computes
    )


def _speakers(
    casting: Casting, request: ParticipantRequest, *, without: Sequence[str] = ()
) -> Speakers:
    """Who is meant by the entries."""
    if not casting.workflow.critics.rules:
        return find_speakers(request, casting.configuration, casting.catalogue, without=without)
    meant: list[Participant] = []
    for entry in request.entries:
        # What computes says the same twice: `analysers,ruff` means ruff once.
        meant += [
            participant
            for participant in casting.catalogue.resolve(entry)
            if not (participant.tool and participant in meant)
        ]
    return Speakers(tuple(map(PersonaAssignment, meant, meant)))


def _no_critics(casting: Casting) -> tuple[str, ...]:
    """Whoever is named for a part whose holder is no critic, under all names."""
    parts = [part for part in casting.workflow.parts if part.overlap is Overlap.NEVER]
    named = [casting.asked_for(part) for part in parts if part.optional is None]
    return tuple(alias for name in filter(None, named) for alias in _aliases(casting, name))


def _aliases(casting: Casting, name: str) -> tuple[str, ...]:
    known = casting.catalogue.discovery.named(name)
    models = () if known is None else casting.catalogue.models()
    return (
        name,
        *(model.name for model in models if known is not None and same_model(model, known)),
    )


def _added(casting: Casting, present: Sequence[PersonaAssignment]) -> tuple[PersonaAssignment, ...]:
    """Those whom the repository's own file adds; nobody, when who takes part was typed."""
    entries = casting.configuration.joining
    if not entries or casting.request.is_by_hand(casting.configuration):
        return ()
    plain = replace(casting, configuration=replace(casting.configuration, preset=None))
    theirs = _speakers(plain, ParticipantRequest(entries, {})).assignments
    bases, names = [old.base for old in present], [old.name for old in present]
    new = joining((speaker.participant for speaker in theirs), bases, names)
    return tuple(
        {speaker.name: speaker for speaker in theirs if speaker.participant in new}.values()
    )


def _cast(
    casting: Casting,
    added: Sequence[PersonaAssignment],
    paths: Sequence[str] | None,
    handed: Sequence[Participant],
) -> Cast:
    """Everybody in their parts, and those who join; a participant with a part of its own has only that one."""
    _check_number(casting)
    holders = {name: holder.participant for name, holder in casting.holders().items()}
    critics = _critics(casting, holders)
    _check_quorum(casting, critics)
    taken = {member.name: member for member in (*critics, *holders.values())}
    new = joining((speaker.participant for speaker in added), taken.values(), taken)
    chair = holders.get(CHAIR) or (casting.models or casting.present)[-1].participant
    panel = Panel(critics=(*critics, *new), author=holders.get(AUTHOR, chair), chair=chair)
    report = report_of(
        _held_parts(casting, panel, holders),
        casting.request,
        casting.catalogue,
        lasts_s=casting.workflow.lasts_s(casting.options),
        silent=casting.silent,
        idle=_reported_idle(casting),
        helpful=_helpful(casting, paths, handed),
    )
    return Cast(panel, holders, replace(report, joined=tuple(member.name for member in new)))


def _held_parts(
    casting: Casting, panel: Panel, holders: Mapping[str, Participant]
) -> list[HeldPart]:
    by_part = {**{name: (holder,) for name, holder in holders.items()}, CRITIC: panel.critics}
    return [(part, by_part[part.name]) for part in casting.workflow.parts if part.name in by_part]


def _critics(casting: Casting, holders: Mapping[str, Participant]) -> tuple[Participant, ...]:
    """Whoever may judge; not who answers, while there is somebody else: a lone model has to do both."""
    critics = casting.judges
    for part in casting.workflow.parts:
        holder = holders.get(part.name)
        named = casting.asked_for(part) is not None
        others = [model for model in casting.models if model.participant != holder]
        if part.overlap is Overlap.AVOIDED and (named or others) and len(critics) > 1:
            critics = tuple(critic for critic in critics if critic != holder)
    return critics


def _check_number(casting: Casting) -> None:
    part, judges = casting.workflow.critics, casting.judges
    if len(judges) >= part.fewest:
        return
    ways: str = ""
    if not part.rules:
        ways = Sentence(" {ways}", ways=casting.tell(how_to_add_models(casting.catalogue)))
    name = judges[0].name if judges else ""
    raise ConfigurationError(part.shortage + "{ways}", name=name, ways=ways)


def _check_quorum(casting: Casting, critics: Sequence[Participant]) -> None:
    setting = casting.workflow.quorum
    if setting is None or not setting.own:
        return
    wanted = casting.options.quorum or 0
    if wanted > len(critics):
        raise ConfigurationError(
            "{section}.{key} is {wanted}, and {critics} take part: nothing could ever be decided.",
            section=casting.workflow.section,
            key=setting.key,
            wanted=wanted,
            critics=len(critics),
        )


def _check_needed(workflow: WorkflowType[Any], options: Any, holders: Mapping[str, str]) -> None:
    for part in workflow.parts:
        if not (part.needed(options) or is_nobody(holders.get(part.name, NOBODY))):
            option = part.name if part.flag is None else part.flag.spelling
            raise ConfigurationError("{option}: {needless}", option=option, needless=part.needless)


def _idle(
    members: Sequence[Participant], request: ParticipantRequest, paths: Sequence[str] | None
) -> tuple[Participant, ...]:
    """The analysers that can read none of the change's files. Nobody, when nobody else would criticise.

    Those that were typed are missed where rules alone look: their silence would pass for a look at the change.
    """
    others = any(not member.tool and member.provider != THE_RULES.provider for member in members)
    missed = request.typed and not others
    typed = {entry.name.strip() for entry in request.entries} if missed else frozenset()

    def is_idle(member: Participant) -> bool:
        if paths is None or not member.tool or member.name in typed:
            return False
        return not _reads_any(member, paths)

    idle = tuple(filter(is_idle, members))
    rest = {member.provider for member in members if member not in idle}
    return idle if rest - {THE_RULES.provider} else ()


def _reported_idle(casting: Casting) -> list[str]:
    """Who has nothing to read, and was to be expected: known linters come and go without a word."""
    named = {entry.name.strip() for entry in casting.request.entries}
    names = [member.name for member in casting.idle]
    return [name for name in names if name in named or name not in ready_commands()]


def _helpful(
    casting: Casting, paths: Sequence[str] | None, handed: Sequence[Participant]
) -> tuple[Notice, ...]:
    """The linters that would help, where all analysers take part."""
    everybody = any(entry.name.strip() == ANALYSERS_GROUP for entry in casting.request.entries)
    if not (everybody and casting.workflow.critics.rules):
        return ()
    catalogue, changed = casting.catalogue, paths or ()
    names = {linter.name for linter in handed}
    forms = {linter.options["format"] for linter in handed}
    return (
        *(
            notice("cast_would_help", tool=tool, language=language, n=count)
            for tool, language, count in catalogue.missing_linters(changed)
            if tool not in names
        ),
        *(
            notice(
                "cast_whole_project",
                language=linter.language,
                command=linter.command,
                report=linter.report,
                file=linter.file,
                n=count,
            )
            for linter, count in _project_linters(catalogue.own_commands, changed, forms)
        ),
    )


def _project_linters(
    own: Sequence[AnalyserCommand], paths: Sequence[str], forms: set[JsonValue]
) -> Iterator[tuple[ProjectLinter, int]]:
    """Linters that need the whole project, and how many files no command of one's own reads, and no report's linter."""
    unread = [path for path in paths if not any(row.reads_file(path) for row in own)]
    for linter in PROJECT_LINTERS:
        count = sum(path.endswith(linter.suffix) for path in unread)
        if count and not forms & {*linter.formats}:
            yield linter, count


def _reads_any(member: Participant, paths: Sequence[str]) -> bool:
    """Whether an analyser can read one of the files."""
    if not member.options or member.tool == REPORT:
        return ANALYSER_CARDS[member.tool or ""].scope.reads_any(paths)
    return any(map(AnalyserCommand.model_validate(member.options).reads_file, paths))


def _nobody(casting: Casting, silent: Sequence[str]) -> str:
    present: str = "No model can answer: nobody is here."
    if silent:
        present = Sentence(
            "No model can answer: {names} follow rules, and nobody else is here.",
            names=", ".join(silent),
        )
    reasons = left_out(casting.request, casting.catalogue)
    ways = map(casting.tell, (*reasons, how_to_add_models(casting.catalogue)))
    return Sentence.joined(" ", (present, *ways))
