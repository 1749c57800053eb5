"""The processes behind the embedded servers: their programs, and what each may know of the environment."""

from __future__ import annotations

import re
from collections.abc import Mapping

from orchestrator.embedded.scripts import script, service_environment
from orchestrator.embedded.supervisor import ProcessSpec
from orchestrator.embedded.supervisor_files import scheduled_of
from shared.instance import Instance
from shared.patterns import regex
from shared.providers.catalogue import CATALOGUE, ProviderTypes, all_key_variables
from shared.settings import ENCRYPTION_VARIABLE

# What reads hostile text in the tool workers must find nothing worth sending away.
SECRET = regex(
    r"KEY|SECRET|TOKEN|PASSW|CREDENTIAL|AUTH(?!OR)|COOKIE|SESSION|PRIVATE|_DSN$|WEBHOOK",
    re.IGNORECASE,
)
WITH_PASSWORD = regex(r"://[^/\s@]*:[^/\s@]+@")
# Services that have no row in the catalogue, by how their variables begin.
_OTHERS = (
    "COHERE GROQ TOGETHER PERPLEXITY HF HUGGINGFACE HUGGING_FACE AZURE AWS VERTEX BEDROCK GITHUB GH GITLAB SSH"
).split()
OURS = frozenset(
    {
        "QUORATE_REDIS_URL",
        "QUORATE_DATABASE_URL",
        "QUORATE_BROKER_URL",
        "QUORATE_WEBHOOK_NETWORKS",
        ENCRYPTION_VARIABLE,
    }
)
"""What these processes need although its name or its value looks like a secret's."""


def keyless_environment(
    environ: Mapping[str, str], catalogue: ProviderTypes = CATALOGUE
) -> dict[str, str]:
    """What the tool workers and the orchestrator get: no key, no token, no variable of a provider."""
    provider = _variables_of_providers(catalogue)
    return {
        name: value
        for name, value in service_environment(environ).items()
        if name in OURS
        or not (SECRET.search(name) or provider.match(name) or WITH_PASSWORD.search(value))
    }


def _variables_of_providers(catalogue: ProviderTypes) -> re.Pattern[str]:
    """Every variable that begins as one of a provider's does, such as GEMINI_ for GEMINI_API_KEY."""
    servers = (row.local_server.variable for row in catalogue.values() if row.local_server)
    known = {name.partition("_")[0] for name in (*all_key_variables(catalogue), *servers)}
    return re.compile(rf"(?:{'|'.join(sorted({*known, *_OTHERS}))})_", re.IGNORECASE)


def specs(instance: Instance, environ: Mapping[str, str]) -> tuple[ProcessSpec, ...]:
    """The processes of an embedded instance. Of the three that every instance has only the turn workers get keys.

    The supervisor has them, too: it must be able to start a turn worker again. So has the scheduler, which is there
    when there are schedules: it runs commands as a person in a shell does, and those see who can be asked.
    """
    keyless, whole = keyless_environment(environ), service_environment(environ)
    return (
        ProcessSpec("orchestrator", (script("quorate"), "orchestrator"), keyless),
        ProcessSpec("tools", (script("quorate-worker"), "tools"), keyless),
        ProcessSpec("turns", (script("quorate-worker"), "turns"), whole),
        ProcessSpec(
            "scheduler", (script("quorate"), "scheduler"), whole, needed=scheduled_of(instance)
        ),
    )
