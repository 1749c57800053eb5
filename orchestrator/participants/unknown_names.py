"""What is said of a name that nobody has here."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from difflib import get_close_matches

from orchestrator.participants.discovery import Discovery
from shared.errors import CredentialsRejected, UnknownParticipant
from shared.providers.catalogue import services
from shared.sentences import Sentence
from shared.tools.commands import reporting_linter


def unknown_name(
    name: str, discovery: Discovery, known_names: Callable[[], Sequence[str]]
) -> UnknownParticipant | CredentialsRejected:
    """Why nobody is meant by a name: missing here, takes part otherwise, or never heard of."""
    if advice := reporting_linter(name):
        return UnknownParticipant(
            "'{name}' takes part by its report: {advice}.", name=name, advice=advice
        )
    meant = {
        name,
        *(known.name for _, known in services() if name in known.aliases and not known.routed),
    }
    lacking = [todo for lost, todo in discovery.missing if lost.split(" ")[0] in meant]
    if lacking:
        return CredentialsRejected(
            "'{name}' cannot be asked here. To make it available: {lacking}.",
            name=name,
            lacking=", or ".join(lacking),
        )
    near = get_close_matches(name.lower(), known := list(known_names()), n=1, cutoff=0.6)
    hint = Sentence(" Did you mean '{near}'?", near=near[0]) if near else ""
    return UnknownParticipant(
        "No participant is called '{name}'.{hint} Known here: {known}; also scripted:FILE[#NAME] "
        "and openai:MODEL[@BASE_URL]. Other names need an entry under `providers:` in your own "
        "configuration, for example `NAME: {{type: openai, model: MODEL, base_url: URL, "
        "api_key_env: VARIABLE}}`.",
        name=name,
        hint=hint,
        known=", ".join(known),
    )
