"""What somebody may ask for who is not the person at the terminal: over HTTP, or through an assistant.

They name participants that the configuration knows, lower limits but never raise them, keep texts here but never
release them, and leave decisions to people. They name no commands, addresses, keys, and no files but those below the
folders that the operator opened. A setting says by its `trust` whether it is among them: one that a repository's own
file may not touch is not, unless it is listed here.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pydantic import JsonValue

from orchestrator.application.batch_input import (
    BatchItem,
    StatedQuestion,
    StatedRecord,
    StatedTask,
    known_options,
    read_line,
    request_of,
)
from orchestrator.application.capture import SubjectInput
from orchestrator.application.prepare import ALLOW_EXTERNAL, SubmissionRequest, configuration_of
from orchestrator.application.subject_input import (
    STDIN,
    STORED,
    CaseSource,
    ChangeInput,
    QuestionInput,
    TaskInput,
)
from orchestrator.core.parts import split_names
from orchestrator.core.setting import Trust, settings_of
from orchestrator.evaluation.cases import StatedChange
from orchestrator.settings.loading import load_configuration
from orchestrator.settings.preset_files import is_file
from orchestrator.settings.schema import KEYS, Settings
from orchestrator.workflows.registry import WORKFLOWS, decision_choices
from shared.errors import NotAllowed, UserError
from shared.models.run import ASK
from shared.patterns import regex
from shared.sentences import Sentence

PLAIN_NAME = regex(r"[\w.+-]{1,64}(?:@[\w.+-]{1,64})?")
_MODEL = regex(r"[\w.+-]{1,64}(?:[/:][\w.+:-]{1,100})?")
OPEN = frozenset(
    {
        *("detector", "fail_on", "quorum", "require_reviewer", "max_reviews", "callers", "exclude"),
        *("first_reviewer", "risky", "given", "mode", "repeats", "attempts", "max_modes"),
        *("convergence.detector", "convergence.stalled_stability", "convergence.weights"),
        "decision.timeout",
    }
)
"""Settings that only steer the run that is asked for, though a repository's own file may not touch them."""
_LIMITS = (Trust.NO_HIGHER, Trust.DEADLINE)
_KEPT = (Trust.STAYS_HERE, Trust.SAME_MODELS)
_NAMED_ELSEWHERE = (Trust.JOINS, Trust.PART)


@dataclass(frozen=True)
class RemoteReach:
    """Where configuration is looked for, and below which folders files and repositories may be named."""

    directory: Path = field(default_factory=Path.cwd)
    roots: tuple[Path, ...] = ()
    config: Path | None = None

    def allows(self, path: Path) -> bool:
        """Whether a file or repository may be named, wherever its links lead."""
        place = path.resolve()
        return any(place.is_relative_to(root.resolve()) for root in self.roots)


def plain_names(names: Sequence[str]) -> tuple[str, ...]:
    """The names of participants. Raises NotAllowed for what names a file, an address or a part instead."""
    for name in names:
        if not PLAIN_NAME.fullmatch(name):
            raise NotAllowed(
                "{name!r} is no participant's name: take names that the list of participants has",
                name=name,
            )
    return tuple(names)


def with_cost_limit(
    request: SubmissionRequest, environ: Mapping[str, str], usd: float
) -> SubmissionRequest:
    """The request with that limit, or with the configured one where that is lower."""
    own = configuration_of(request, environ).settings.budget.per_run_usd
    limit: JsonValue = usd if own is None else min(own, usd)
    return replace(request, settings={**request.settings, "budget.per_run_usd": limit})


def stays_here(workflow: str) -> bool:
    """Whether the texts of a workflow leave this machine only when a person types so: an assistant reads none."""
    return ALLOW_EXTERNAL in dict(settings_of(WORKFLOWS[workflow].options))


def stated_request(
    stated: Mapping[str, JsonValue], reach: RemoteReach, environ: Mapping[str, str]
) -> SubmissionRequest:
    """The request that is stated as a line of a batch is, without `custom_id`.

    Raises UserError for what cannot be read, NotAllowed for what only a person at the terminal may ask for.
    """
    text = json.dumps({"custom_id": "request", **stated}).encode()
    item, reasons = read_line(1, text)
    if item is None:
        raise UserError(Sentence.joined("; ", reasons))
    settings = load_configuration(reach.directory, environ, explicit=reach.config).settings
    if faults := list(faults_of(item, reach, settings)):
        raise NotAllowed(Sentence.joined("; ", faults))
    common = SubmissionRequest(directory=reach.directory, config=reach.config)
    return request_of(item, common, reach.directory)


def faults_of(item: BatchItem, reach: RemoteReach, settings: Settings) -> Iterator[str]:
    """Everything in an item that only a person at the terminal may ask for."""
    line = item.line
    names, options = (*line.participants, *line.parts.values()), line.options
    yield from _asked_faults(line.workflow, names, line.models, options, settings)
    yield from _path_faults(_paths(item), reach.directory, reach)


def request_faults(
    request: SubmissionRequest, reach: RemoteReach, settings: Settings
) -> Iterator[str]:
    """The same of a command that was read: it may name what a submission may, in a folder of its own."""
    if request.config is not None or request.trust_project:
        yield "--config and --trust-project: only a person at the terminal types them"
    names = (*split_names(request.panel), *request.holders.values())
    options = {**request.settings, **request.options}
    yield from _asked_faults(request.workflow, names, request.models, options, settings)
    yield from _path_faults(_typed_paths(request.subject), request.directory, reach)


def _asked_faults(
    workflow: str,
    names: Sequence[str],
    models: Sequence[str],
    options: Mapping[str, JsonValue],
    settings: Settings,
) -> Iterator[str]:
    for name in names:
        if not PLAIN_NAME.fullmatch(name):
            yield f"{name!r} is no participant's name"
    yield from (f"{model!r} is no model's name" for model in models if not _is_model(model))
    for name, value in options.items():
        if (reason := _option_fault(workflow, name, value, settings)) is not None:
            yield f"options.{name}: {reason}"


def _is_model(name: str) -> bool:
    return _MODEL.fullmatch(name) is not None and not name.startswith(("scripted:", "/"))


def is_open(workflow: str, name: str) -> bool:
    """Whether an option may be set by somebody who is not at the terminal, to some value at least."""
    if name in WORKFLOWS[workflow].commands:
        return False
    trust = _trust_of(workflow, name)
    return name in OPEN if trust is Trust.NEVER else trust not in _NAMED_ELSEWHERE


def _trust_of(workflow: str, name: str) -> Trust:
    key = known_options(workflow)[name].key
    own = dict(settings_of(WORKFLOWS[workflow].options)).get(name)
    setting = KEYS[key].setting if key is not None and key in KEYS else own
    return Trust.NEVER if setting is None else setting.trust


def _option_fault(workflow: str, name: str, value: JsonValue, settings: Settings) -> str | None:
    if not is_open(workflow, name):
        return "only the configuration and a person at the terminal set it"
    key, trust = known_options(workflow)[name].key, _trust_of(workflow, name)
    if trust in _LIMITS:
        return _higher(value, None if key is None else settings.value(key))
    if trust in _KEPT:
        return "it can only be false from here" if value is not False else None
    if trust is Trust.BUILT_IN:
        return "name a preset, not a file" if is_file(str(value)) else None
    if trust is Trust.ASKS:
        return _decides(value)
    return None


def _higher(value: JsonValue, own: object) -> str | None:
    if not isinstance(own, int | float):
        return None
    if isinstance(value, int | float) and not isinstance(value, bool) and value <= own:
        return None
    return f"it is {own:g} here, and can only be lowered: give a number"


def _decides(value: JsonValue) -> str | None:
    choice = decision_choices().get(str(value))
    if value == ASK or (choice is not None and not choice.writes):
        return None
    return "what changes something is decided by a person, after a look"


def _path_faults(paths: Sequence[str], folder: Path, reach: RemoteReach) -> Iterator[str]:
    for path in paths:
        if not reach.allows(folder / path):
            opened = "there is none" if not reach.roots else "it is below none of them"
            yield (
                f"{path}: files and repositories are named below a folder that the operator opened "
                f"(`quorate serve --allow-directory`), and {opened}; send the text itself"
            )


def _typed_paths(subject: SubjectInput) -> list[str]:
    """The files and repositories that a command names, or looks for where it is typed."""
    named: tuple[str | None, ...]
    match subject:
        case ChangeInput():
            named = (subject.diff or ".", *subject.targets)
        case QuestionInput():
            named = (subject.file, *subject.contexts)
        case TaskInput():
            named = (subject.file, subject.repository or ".")
        case CaseSource():
            named = (subject.case, *subject.similar, *subject.documents)
        case _:
            raise AssertionError(f"nobody types {type(subject).__name__}")
    return [path for path in named if path not in (None, STORED, STDIN)]


def _paths(item: BatchItem) -> list[str]:
    """The files and repositories that it names; a revision is looked up in a repository even where none is named."""
    stated = item.stated
    named: tuple[str | None, ...]
    match stated:
        case StatedChange():
            named = (stated.diff_file, stated.repository or (stated.revision and "."))
        case StatedQuestion():
            named = (stated.file, *stated.contexts)
        case StatedTask():
            named = (stated.file, stated.repository)
        case StatedRecord():
            named = (stated.file, *stated.similar, *stated.documents)
        case _:
            raise AssertionError(f"no run is about {type(stated).__name__}")
    return [path for path in named if path not in (None, STORED)]
