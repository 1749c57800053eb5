"""Whether a call to a participant leaves this machine: said once, for the panel's report and for the last check.

Nothing is resolved. An address is local only in the few forms that cannot mean anything else: a name, a short or mapped
number, a user name before the host may lead elsewhere, and count as elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import assert_never

from shared.models.panel import Participant
from shared.patterns import regex
from shared.providers.catalogue import CATALOGUE, ProviderTypes, Reach

_NUMBER = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_LOOPBACK = regex(
    rf"https?://(?:localhost|127(?:\.{_NUMBER}){{3}}|\[::1\])(?::[0-9]{{1,5}})?(?:/[\w.~%/-]*)?",
    re.IGNORECASE | re.ASCII,
)


def leaves_machine(participant: Participant, catalogue: ProviderTypes = CATALOGUE) -> bool:
    """True unless the participant is plainly on this machine; a provider that nobody knows is elsewhere.

    `external: true` among the options says that what answers here passes everything on (a gateway), `external: false`
    that a program keeps it here: what a program sends is its own affair, until somebody answers for it.
    """
    row, declared = catalogue.get(participant.provider), participant.options.get("external")
    if row is None:
        return True
    match row.reach:
        case Reach.NOBODY:
            return False
        case Reach.PROGRAM:
            return declared is not False
        case Reach.WEB_PAGE:
            return True
        case Reach.ADDRESS:
            return declared is True or not _answers_here(participant, row.address or "")
        case _:
            assert_never(row.reach)


def _answers_here(participant: Participant, usual: str) -> bool:
    """True when its address is on this machine, and what answers there passes nothing on."""
    stated = participant.options.get("base_url")
    here = is_loopback(stated if isinstance(stated, str) else usual)
    return here and not any(map(is_hosted, _models(participant)))


def is_loopback(address: str) -> bool:
    """True for an http address on this machine, written so that no two programs can read it differently."""
    return _LOOPBACK.fullmatch(address) is not None


def is_hosted(model: str) -> bool:
    """True for a model that a server on this machine only passes on, as Ollama does with `gpt-oss:120b-cloud`."""
    return "cloud" in model.lower()


def sends_key_in_clear(participant: Participant) -> bool:
    """True when a key would cross a network that anybody on the way can read."""
    address = participant.options.get("base_url")
    if not isinstance(address, str) or not address.lower().startswith("http://"):
        return False
    keys = any(name.startswith(("api_key_", "header_")) for name in participant.options)
    return keys and not is_loopback(address)


def _models(participant: Participant) -> Iterator[str]:
    """What is asked for; the free part of a body may name another one."""
    body = participant.options.get("extra_body")
    asked = (participant.model, body.get("model") if isinstance(body, Mapping) else None)
    return (str(model) for model in asked if model is not None)
