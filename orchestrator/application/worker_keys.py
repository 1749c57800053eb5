"""See to it that the embedded workers have the keys that a run reads.

The usual first day: a review without a key, then a key, then a question. The workers of the first run have no key,
and every turn of the second would fail for it. While nothing runs they are restarted with what this shell has.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from orchestrator.application.backend import Backend
from orchestrator.application.notice_listener import NoticeListener
from orchestrator.embedded.key_marks import unknown_keys
from orchestrator.embedded.starting import start_supervisor
from orchestrator.embedded.supervisor import stop_supervisor
from shared.models.notices import notice
from shared.models.outcomes import FailureKind, RunStatus
from shared.models.panel import Panel, Participant
from shared.providers.keys import key_variables
from shared.providers.limits import BreakerState, account_of, breakers, paused, resume
from shared.store.views import count_live_runs


def renew_workers(backend: Backend, members: Sequence[Participant]) -> None:
    """Restart the embedded processes with this environment; refused keys of `members` are forgotten."""
    stop_supervisor(backend.settings.instance)
    start_supervisor(backend.settings, backend.environ)
    forget_refusals(backend.settings.endpoints.redis_url, members)


def hand_over_keys(
    backend: Backend,
    panel: Panel,
    listener: NoticeListener,
    *,
    renew: Callable[[Backend, Sequence[Participant]], None] = renew_workers,
) -> None:
    """Before a run is submitted: workers without the panel's keys are restarted, or a warning says what to do.

    The warning where other runs are under way: their calls may have been paid. External workers are nobody's here.
    """
    if backend.settings.external is not None:
        return
    members = (*panel.critics, panel.author, panel.chair)
    wanted = [name for member in members for name in key_variables(member)]
    missing = unknown_keys(backend.settings.instance, backend.environ, wanted)
    if not missing:
        return
    names = ", ".join(missing)
    if backend.read(count_live_runs).get(RunStatus.RUNNING):
        listener.warn(notice("other_keys", names=names))
        return
    listener.inform(notice("workers_renewed", names=names))
    renew(backend, [member for member in members if set(key_variables(member)) & set(missing)])


def forget_refusals(redis_url: str, members: Sequence[Participant]) -> None:
    """A key that was refused a moment ago is not the one that is tried now; an operator's pause stays."""
    accounts = {
        account_of(participant) for member in members for participant in (member, *member.fallback)
    }
    pauses = {pause.name for pause in paused(redis_url)}
    for breaker in breakers(redis_url):
        refused = breaker.state is not BreakerState.CLOSED and (
            breaker.why == FailureKind.CREDENTIALS
        )
        if refused and breaker.account in accounts - pauses:
            resume(redis_url, breaker.account)
