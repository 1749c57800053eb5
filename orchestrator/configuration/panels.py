"""The panel of a run: who criticises, who speaks for the author, who merges.

With models: the first one speaks for the author and does not criticise, so that nobody answers their own
finding; the others criticise together with the analysers. A single model has to do both, and the report says
so. The chair is `panel.chair`, else `orchestrator.ai`, else the last model, which is not the author when there
are two. Without models the rules speak for the author and merge.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.configuration.catalogue import (
    ANALYSERS_GROUP,
    BASE_URL,
    KEY,
    MODEL,
    MODELS_GROUP,
    RULES,
    Catalogue,
)
from orchestrator.configuration.configured import is_external
from orchestrator.configuration.loading import Configuration, user_file
from orchestrator.configuration.providers import ModelProvider
from orchestrator.configuration.schema import ParticipantEntry, Settings
from shared.errors import ConfigurationError
from shared.models.panel import Panel, Participant

AUTHOR, CHAIR = "author=", "chair="
_DEFAULT = (MODELS_GROUP, ANALYSERS_GROUP)
# People look at their inbox once a day.
PATIENT_S = 24 * 3600.0


@dataclass(frozen=True)
class PanelReport:
    """What a person should know about the panel: `found` in a line each, `hints` for more, `warnings`."""

    found: tuple[str, ...]
    hints: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    def lines(self) -> tuple[str, ...]:
        """The message of a first run."""
        return (
            f"Participants: {', '.join(self.found)}.",
            *(f"Warning: {warning}" for warning in self.warnings),
            *self.hints,
        )


@dataclass(frozen=True)
class _Wanted:
    """The entries of a panel, and who was asked for by role."""

    entries: tuple[ParticipantEntry, ...]
    author: str | None
    chair: str | None
    chosen: bool


def build_panel(
    names: Sequence[str] | None,
    configuration: Configuration,
    environ: Mapping[str, str],
    directory: Path,
) -> tuple[Panel, PanelReport]:
    """The panel of `names` (the command line's), else of the configuration, else of all that is found.

    `author=NAME` and `chair=NAME` among the names give a role. Files in names are relative to `directory`.
    Raises ConfigurationError for an unknown or doubled participant, CredentialsRejected for a missing key.
    """
    settings = configuration.settings
    catalogue = Catalogue(settings, environ, directory)
    wanted = _wanted(names, settings)
    members = [found for entry in wanted.entries for found in catalogue.resolve(entry)]
    _check_doubles(members)
    # A person speaks for the author, or merges, only when named for it.
    models = [m for m in members if not m.rule_based and m.provider != "person"]
    author = _role(wanted.author, catalogue, members) or (models[0] if models else None)
    chair = _role(wanted.chair, catalogue, members) or (models[-1] if models else None)
    critics = [member for member in members if member.provider != "rules"]
    others = [member for member in models if member != author]
    # Somebody else than the author's voice must judge; a lone model has to do both.
    if author is not None and (others or wanted.author is not None) and len(critics) > 1:
        critics = [member for member in critics if member != author]
    if not critics:
        raise ConfigurationError(
            "The panel has no critic: name a model or an analyser besides the author and the chair."
        )
    rules = Participant(name=RULES, provider="rules", family="rules")
    panel = Panel(critics=tuple(critics), author=author or rules, chair=chair or rules)
    return panel, _report(panel, wanted, catalogue)


def _wanted(names: Sequence[str] | None, settings: Settings) -> _Wanted:
    author, chair = settings.panel.author, settings.panel.chair or settings.orchestrator.ai
    if not names:
        entries = settings.participants or tuple(ParticipantEntry(name=name) for name in _DEFAULT)
        return _Wanted(entries, author, chair, chosen=settings.participants is not None)
    listed = []
    for name in (part.strip() for given in names for part in given.split(",")):
        if name.startswith(AUTHOR):
            author = name.removeprefix(AUTHOR)
        elif name.startswith(CHAIR):
            chair = name.removeprefix(CHAIR)
        elif name:
            listed.append(ParticipantEntry(name=name))
    entries = tuple(listed) or tuple(ParticipantEntry(name=name) for name in _DEFAULT)
    return _Wanted(entries, author, chair, chosen=bool(listed))


def _role(name: str | None, catalogue: Catalogue, members: list[Participant]) -> Participant | None:
    if name is None:
        return None
    present = [member for member in members if member.name == name]
    found = present or catalogue.resolve(ParticipantEntry(name=name))
    if len(found) != 1 or found[0].provider == "analyser":
        raise ConfigurationError(
            f"'{name}' cannot speak for the author or chair: that takes one model, or `rules`."
        )
    return found[0]


def _check_doubles(members: list[Participant]) -> None:
    seen: set[str] = set()
    for member in members:
        if member.name in seen:
            raise ConfigurationError(
                f"The participant '{member.name}' is named twice. Give one of them a persona, or another name "
                "(scripted:FILE#NAME, or an entry under `providers:`)."
            )
        seen.add(member.name)


def _report(panel: Panel, wanted: _Wanted, catalogue: Catalogue) -> PanelReport:
    everybody = {member.name: member for member in (*panel.critics, panel.author, panel.chair)}
    found = tuple(_describe(member, panel) for member in everybody.values())
    hints = () if wanted.chosen else _hints(panel, catalogue)
    warnings = (
        *_warnings(panel),
        *_impatience(everybody.values(), catalogue.settings),
        *_left_out(wanted, catalogue),
    )
    return PanelReport(found, hints, warnings)


def _describe(member: Participant, panel: Panel) -> str:
    roles = [
        role
        for role, holds in (
            ("critic", member.name in {critic.name for critic in panel.critics}),
            ("author's side", member.name == panel.author.name),
            ("chair", member.name == panel.chair.name),
        )
        if holds
    ]
    kind = "rule-based" if member.rule_based else member.family
    kind += ", external" if is_external(member) else ""
    return f"{member.name} ({kind}; {', '.join(roles)})"


def _warnings(panel: Panel) -> tuple[str, ...]:
    models = {m.name: m for m in (*panel.critics, panel.author) if not m.rule_based}
    if not models:
        return (
            "this panel is rule-based only: it finds what its rules know, and no model reads the change.",
        )
    warnings = []
    families = {member.family for member in models.values()}
    if len(models) > 1 and len(families) == 1:
        warnings.append(
            f"all models are of one family ({families.pop()}); copies of one model agree with each other easily."
        )
    if panel.author in panel.critics:
        warnings.append(f"{panel.author.name} speaks for both sides: there is no other model.")
    return tuple(warnings)


def _impatience(members: Iterable[Participant], settings: Settings) -> tuple[str, ...]:
    """A run that may end before its people have looked."""
    people = [member.name for member in members if member.provider == "person"]
    limit_s = settings.budget.per_run_time
    if not people or limit_s is None or limit_s >= PATIENT_S:
        return ()
    return (
        f"{', '.join(people)} must answer within {limit_s / 3600:g} h, when the run ends: "
        "budget.per_run_time gives more.",
    )


def _left_out(wanted: _Wanted, catalogue: Catalogue) -> tuple[str, ...]:
    """Configured models that a group would have brought."""
    if not any(entry.name == MODELS_GROUP for entry in wanted.entries):
        return ()
    reasons = (
        catalogue.obstacle(name, provider)
        for name, provider in catalogue.settings.providers.items()
        if isinstance(provider, ModelProvider)
    )
    return tuple(f"{found.reason}; it does not take part." for found in reasons if found)


def _hints(panel: Panel, catalogue: Catalogue) -> tuple[str, ...]:
    if any(not critic.rule_based for critic in panel.critics):
        return ()
    environ = catalogue.environ
    if environ.get(MODEL):
        return (f"{MODEL} is set: set {KEY} too, or {BASE_URL} for another endpoint.",)
    if environ.get(BASE_URL):
        return (f"An endpoint was found, and no model: set {MODEL} to the model to ask.",)
    file = user_file(environ) or Path("~/.config/quorate/config.yaml")
    return (
        f"To add models: set ANTHROPIC_API_KEY, GEMINI_API_KEY, {KEY} or OPENROUTER_API_KEY; or install `claude`, "
        f"`gemini` or `codex`; or start Ollama; or for any OpenAI-compatible server set {BASE_URL} and {MODEL}; or "
        f"describe several under `providers:` in {file}. `quorate participants list` says what is missing.",
    )
