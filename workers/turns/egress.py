"""What leaves this machine: whether it may, and that it carries no secrets."""

from __future__ import annotations

from shared.errors import ProviderError
from shared.models.notices import Notice, notice
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.locality import leaves_machine
from shared.store.steps import Promises
from shared.text.masking.mask import mask
from shared.text.rendering import RenderedPrompt


def check_allowed(participant: Participant, promises: Promises) -> None:
    """Refuse a participant that the run promised not to ask. Raises ProviderError (not_allowed).

    This is the last look before a call: whatever the panel was made from, nothing is sent that was promised away.
    """
    if participant.is_model and not promises.allow_models:
        raise ProviderError(
            FailureKind.NOT_ALLOWED,
            f"{participant.name} is a model, and this run was promised that no model is asked: leave it out, or "
            "submit the run without the preset keyless (privacy.allow_models: true).",
        )
    if leaves_machine(participant) and not promises.allow_external:
        raise ProviderError(
            FailureKind.NOT_ALLOWED,
            f"{participant.name} is reached over the network and this run's texts stay on this machine: "
            "leave it out, or submit the run with privacy.allow_external: true.",
        )


def without_secrets(
    prompt: RenderedPrompt, participant: Participant
) -> tuple[RenderedPrompt, tuple[Notice, ...]]:
    """The prompt as it may leave, and what the step's note says about it."""
    if not leaves_machine(participant):
        return prompt, ()
    system, user = mask(prompt.system), mask(prompt.user)
    total = system.total + user.total
    if not total:
        return prompt, ()
    kinds = dict.fromkeys((*system.counts, *user.counts))
    note = notice("note_masked", n=total, kinds=kinds)
    return RenderedPrompt(system.text, user.text, _stable(prompt, user.text)), (note,)


def _stable(prompt: RenderedPrompt, masked: str) -> int:
    """How far the masked message begins as every turn's does: placeholders are numbered from its beginning."""
    opening = mask(prompt.user[: prompt.stable]).text
    return len(opening) if masked.startswith(opening) else 0
