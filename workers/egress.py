"""What leaves this machine: whether it may, and that it carries no secrets."""

from __future__ import annotations

from ipaddress import ip_address
from urllib.parse import urlsplit

from shared.errors import ProviderError
from shared.masking.mask import mask
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.rendering import RenderedPrompt
from workers.providers.registry import entry


def leaves_machine(participant: Participant) -> bool:
    """True when a call to the participant sends text elsewhere. An address says more than the provider."""
    base_url = participant.options.get("base_url")
    if isinstance(base_url, str):
        return not _is_loopback(base_url)
    return entry(participant.provider).external


def check_allowed(participant: Participant, *, allows_external: bool) -> None:
    """Refuse a participant that is elsewhere, unless the run allows it. Raises ProviderError (not_allowed)."""
    if leaves_machine(participant) and not allows_external:
        raise ProviderError(
            FailureKind.NOT_ALLOWED,
            f"{participant.name} is reached over the network and this run's texts stay on this machine: "
            "leave it out, or submit the run with privacy.allow_external: true.",
        )


def without_secrets(
    prompt: RenderedPrompt, participant: Participant
) -> tuple[RenderedPrompt, tuple[str, ...]]:
    """The prompt as it may leave, and what the step's note says about it."""
    if not leaves_machine(participant):
        return prompt, ()
    system, user = mask(prompt.system), mask(prompt.user)
    total = system.total + user.total
    if not total:
        return prompt, ()
    kinds = ", ".join(dict.fromkeys((*system.counts, *user.counts)))
    note = f"masked {total} secret{'' if total == 1 else 's'} ({kinds})"
    return RenderedPrompt(system.text, user.text, _stable(prompt, user.text)), (note,)


def _stable(prompt: RenderedPrompt, masked: str) -> int:
    """How far the masked message begins as every turn's does: placeholders are numbered from its beginning."""
    opening = mask(prompt.user[: prompt.stable]).text
    return len(opening) if masked.startswith(opening) else 0


def _is_loopback(address: str) -> bool:
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        return False
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
