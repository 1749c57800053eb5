"""A provider whose calls are paid from a budget.

What a call may cost at most is put aside before it is made, under the run's row, so that turns that speak at the same
moment cannot spend the same dollar twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from shared.errors import NotYet, ProviderError
from shared.models.notices import notice
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.catalogue import provider_type
from shared.providers.prices import expected_usd
from shared.store.database import Database
from shared.store.reservations import CallNeed, Short, Shortage, reserve
from shared.store.steps import Claim
from shared.text.amounts import exact_dollars
from workers.providers.calls import Cancelled, Completion, Provider, ProviderCall

UNTIL_SETTLED_S = 5.0


@dataclass(frozen=True, slots=True)
class BudgetGuard:
    """A provider within the budget of one claim's run; satisfies the provider's protocol.

    `attempt` gives the name that the next call's usage row will have.
    """

    provider: Provider
    database: Database
    claimed: Claim
    attempt: Callable[[], str]
    usd_a_day: float | None = None

    def structured(self, participant: Participant) -> bool:
        """As the provider says."""
        return self.provider.structured(participant)

    def complete(self, call: ProviderCall, cancel: Cancelled) -> Completion:
        """Reserve, then ask. Raises ProviderError (over_budget), NotYet while others hold the rest, else as it does."""
        if provider_type(call.participant.provider).billable:
            self._reserve(call)
        return self.provider.complete(call, cancel)

    def _reserve(self, call: ProviderCall) -> None:
        need = need_of(call)
        lacking = self.database.run(
            lambda connection: reserve(
                connection, self.claimed, self.attempt(), need, self.usd_a_day
            ),
            atomic=True,
        )
        if lacking is not None:
            raise _refused(call.participant, need, lacking)


def need_of(call: ProviderCall) -> CallNeed:
    """The most that a call can use: its prompt as estimated, and an answer of full length."""
    usd = expected_usd(call.participant, call.prompt_tokens, call.max_output_tokens)
    return CallNeed(call.prompt_tokens + call.max_output_tokens, usd)


def _refused(participant: Participant, need: CallNeed, lacking: Shortage) -> ProviderError:
    name = participant.name
    if lacking.passing:
        return NotYet(
            FailureKind.OVER_BUDGET,
            f"{name} waits: calls in progress have reserved the rest of the budget.",
            retry_after_s=UNTIL_SETTLED_S,
            notice=notice("waits_budget", who=name),
        )
    return ProviderError(
        FailureKind.OVER_BUDGET, f"{name} does not speak: {_why(participant, need, lacking)}"
    )


def _why(participant: Participant, need: CallNeed, lacking: Shortage) -> str:
    limit, spent = exact_dollars(lacking.limit), exact_dollars(round(lacking.spent, 6))
    match lacking.what:
        case Short.PRICE:
            return (
                f"no price is known for {participant.model or participant.provider}, so a limit in dollars cannot "
                f"be kept: give {participant.name} `price: {{in: 3.0, out: 15.0}}` (dollars per million tokens)."
            )
        case Short.MONEY:
            return f"the run has cost {spent} of {limit}, and this call may cost {_at_most(need)}."
        case Short.BATCH:
            return (
                f"the batch has cost {spent} of {limit}, and this call may cost {_at_most(need)}."
            )
        case Short.DAY:
            return f"{spent} of {limit} for today (UTC) are spent, and this call may cost {_at_most(need)}."
        case Short.TOKENS:
            return (
                f"the run has used {lacking.spent:,.0f} of {lacking.limit:,.0f} tokens, and this call may use "
                f"{need.tokens:,}."
            )
        case Short.CALLS:
            return f"the run has made or begun all of its {lacking.limit:.0f} calls."


def _at_most(need: CallNeed) -> str:
    return "the rest" if need.usd is None else exact_dollars(round(need.usd, 6))
