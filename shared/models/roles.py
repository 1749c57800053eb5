"""What somebody may do over the network: four roles, each of which may do what those before it may."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    """`viewer` reads, `submitter` starts and ends runs, `decider` answers what runs ask, `operator` does the rest."""

    VIEWER = "viewer"
    SUBMITTER = "submitter"
    DECIDER = "decider"
    OPERATOR = "operator"

    def includes(self, other: Role) -> bool:
        """Whether who has this role may do what the other one may."""
        order = list(Role)
        return order.index(self) >= order.index(other)
