"""What a person is told about a panel before it starts: who takes part as what, what is doubtful, who is missing."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from orchestrator.core.findings.verdict import effective_votes, voice_of
from orchestrator.participants.catalogue import BASE_URL, KEY, MODEL, MODELS_GROUP, Catalogue
from orchestrator.participants.members import Wanted
from orchestrator.participants.phrases import phrase
from orchestrator.settings.loading import user_file
from orchestrator.settings.schema import Settings
from shared.models.panel import Participant
from shared.providers.catalogue import CATALOGUE, ProviderTypes, key_variables_of, services
from shared.providers.locality import leaves_machine, sends_key_in_clear
from shared.providers.sections import SpeakerSection

# People look at their inbox once a day.
PATIENT_S = 24 * 3600.0


@dataclass(frozen=True)
class PanelReport:
    """What a person should know about the panel: `found` in a line each, `hints` for more, `warnings`.

    `advice` is long and the same every time: how a machine without models comes to have some. `joined` are those whom
    the repository's own file adds.
    """

    found: tuple[str, ...]
    hints: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    language: str = "en"
    advice: tuple[str, ...] = ()
    joined: tuple[str, ...] = ()

    def lines(self, *, with_advice: bool = True) -> tuple[str, ...]:
        """The message of a first run; without its advice that of a later one."""
        return (
            phrase("participants", self.language, names=", ".join(self.found)),
            *(phrase("warning", self.language, text=warning) for warning in self.warnings),
            *self.hints,
            *(told for one in self.advice if with_advice for told in one.splitlines()),
        )


@dataclass(frozen=True)
class Part:
    """A part in a run, by its name in `phrases.py`, and who has it."""

    title: str
    holders: tuple[Participant, ...]


def described(parts: Sequence[Part], language: str) -> tuple[str, ...]:
    """Everybody once, in the order of the parts, with all parts that they have."""
    everybody = {member.name: member for part in parts for member in part.holders}
    return tuple(_describe(member, parts, language) for member in everybody.values())


def _describe(member: Participant, parts: Sequence[Part], language: str) -> str:
    titles = [
        phrase(part.title, language)
        for part in parts
        if member.name in {one.name for one in part.holders}
    ]
    kind = member.family
    if not member.is_model:
        kind = phrase("rule_based" if member.rule_based else "person", language)
    elif member.provider == "scripted":
        kind = phrase("scripted", language)
    kind += f", {phrase('external', language)}" if leaves_machine(member) else ""
    return f"{member.name} ({kind}; {', '.join(titles)})"


def one_family(members: Iterable[Participant], language: str) -> tuple[str, ...]:
    """A warning when several models are of one origin."""
    models = {member.name: member for member in members if not member.rule_based}
    voices = {voice_of(member) for member in models.values()}
    if len(models) < 2 or len(voices) > 1:
        return ()
    return (phrase("one_family", language, family=voices.pop()),)


def few_votes(voters: Sequence[Participant], language: str) -> tuple[str, ...]:
    """A hint when several voices are of one origin, but not all."""
    votes = effective_votes(voters)
    if votes in (1, len(voters)):
        return ()
    return (phrase("few_votes", language, voices=len(voters), votes=votes),)


def impatience(
    members: Iterable[Participant], settings: Settings, language: str
) -> tuple[str, ...]:
    """A run that may end before its people have looked."""
    people = [
        member.name
        for member in members
        if member.is_person and "answer_within_s" not in member.options
    ]
    limit_s = settings.budget.per_run_time
    if not people or limit_s is None or limit_s >= PATIENT_S:
        return ()
    return (phrase("impatience", language, names=", ".join(people), hours=f"{limit_s / 3600:g}"),)


def open_keys(members: Iterable[Participant], language: str) -> tuple[str, ...]:
    """A warning for every address to which a key would go unencrypted."""
    sent = [member for member in members if sends_key_in_clear(member)]
    return tuple(
        phrase("open_key", language, name=one.name, url=one.options["base_url"]) for one in sent
    )


def left_out(wanted: Wanted, catalogue: Catalogue) -> tuple[str, ...]:
    """Configured models that a group would have brought."""
    if not any(entry.name == MODELS_GROUP for entry in wanted.entries):
        return ()
    reasons = (
        catalogue.obstacle(name, provider)
        for name, provider in catalogue.settings.providers.items()
        if isinstance(provider, SpeakerSection)
    )
    language = catalogue.language
    return tuple(phrase("left_out", language, reason=one.reason) for one in reasons if one)


def how_to_add_models(catalogue: Catalogue, language: str = "en") -> str:
    """What to set, install or start: a sentence, or a line for each way."""
    environ, names = catalogue.environ, {"key": KEY, "model": MODEL, "url": BASE_URL}
    if environ.get(MODEL):
        return phrase("model_alone", language, **names)
    if environ.get(BASE_URL):
        return phrase("endpoint_alone", language, **names)
    file = user_file(environ) or Path("~/.config/quorate/config.yaml")
    told = {what: _either(known, language) for what, known in ways_to_models().items()}
    return phrase("add_models", language, file=file, **names, **told)


def ways_to_models(catalogue: ProviderTypes = CATALOGUE) -> dict[str, tuple[str, ...]]:
    """The keys, programs and servers that bring a model. Services behind another's protocol are found all the same."""
    known = [(row, one) for row, one in services(catalogue) if one.routed or not one.key_variables]
    keys = dict.fromkeys(key_variables_of(row, one)[0] for row, one in known)
    programs: list[str] = []
    servers: list[str] = []
    for row in catalogue.values():
        programs += [f"`{cli.name}`" for cli in row.coding_clis]
        servers += [row.local_server.name] if row.local_server is not None else []
    return {"keys": tuple(keys), "programs": tuple(programs), "servers": tuple(servers)}


def _either(names: Sequence[str], language: str) -> str:
    """`A, B or C`; Korean says after the list that one of it is enough."""
    if language == "ko" or len(names) < 2:
        return ", ".join(names)
    return f"{', '.join(names[:-1])} or {names[-1]}"
