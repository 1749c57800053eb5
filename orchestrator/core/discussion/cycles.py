"""Names in a run that goes through the same stages several times: reviews of fixes, versions of a plan."""

from __future__ import annotations


def step_key(cycle: str, number: int, *parts: object) -> str:
    """A step's name, unique in the run: `critique/1/ada`, from the second cycle on `review2/critique/1/ada`."""
    named = () if number == 1 else (f"{cycle}{number}",)
    return "/".join(str(part) for part in (*named, *parts))


def finding_prefix(number: int) -> str:
    """What makes a cycle's findings unique in the run: F1 of the second one is `R2F1`."""
    return "" if number == 1 else f"R{number}"
