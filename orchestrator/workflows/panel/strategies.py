"""How a debate is held: one row a strategy."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from shared.errors import ConfigurationError


class SpeakingOrder(StrEnum):
    """In which order a round's debaters speak."""

    ONE_AFTER_ANOTHER = "one_after_another"
    AT_ONCE = "at_once"


class Hears(StrEnum):
    """What a debater learns of the others: their arguments, or only a summary without anybody in it."""

    ARGUMENTS = "arguments"
    FEEDBACK = "feedback"


@dataclass(frozen=True)
class PanelStrategy:
    """`opening`: a blind vote precedes the first round, which itself is not blind. `most_rounds` bounds the option."""

    order: SpeakingOrder
    hears: Hears = Hears.ARGUMENTS
    opening: bool = False
    moderated: bool = True
    ballot: bool = True
    most_rounds: int | None = None

    def rounds(self, wanted: int) -> int:
        """The maximum number of rounds when this many are wanted."""
        return wanted if self.most_rounds is None else min(self.most_rounds, wanted)


STRATEGIES: dict[str, PanelStrategy] = {
    "sequential": PanelStrategy(SpeakingOrder.ONE_AFTER_ANOTHER, opening=True),
    "parallel": PanelStrategy(SpeakingOrder.AT_ONCE),
    "quick": PanelStrategy(SpeakingOrder.AT_ONCE, moderated=False, ballot=False, most_rounds=1),
    "delphi": PanelStrategy(SpeakingOrder.AT_ONCE, hears=Hears.FEEDBACK),
}


def strategy_named(name: str) -> PanelStrategy:
    """The strategy of that name. Raises ConfigurationError with the known ones."""
    if name not in STRATEGIES:
        known = ", ".join(STRATEGIES)
        raise ConfigurationError(
            "A panel has no strategy '{name}' (known: {known}).", name=name, known=known
        )
    return STRATEGIES[name]
