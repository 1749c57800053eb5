"""Several variants at once: `agreement=0.5:0.9:0.1` is a row for each value, two sweeps a row for each pair."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from itertools import product

from orchestrator.whatif.changes import OPTIONS, Change, change_of
from shared.errors import UserError
from shared.models.run import RunSpec

MOST_VARIANTS = 200
LARGEST = Decimal(1_000_000)


def sweep_of(spec: RunSpec, text: str) -> tuple[Change, ...]:
    """The changes of one `NAME=START:STOP:STEP` or `NAME=VALUE,VALUE,...`. Raises UserError."""
    name, separator, values = text.partition("=")
    if not separator or not name.strip() or not values.strip():
        raise UserError(
            f"--sweep {text}: expected NAME=START:STOP:STEP or NAME=VALUE,VALUE, "
            "as in agreement=0.5:0.9:0.1 or detector=stance,lexical"
        )
    listed = (
        _range(text, values) if ":" in values else [value.strip() for value in values.split(",")]
    )
    if not all(listed):
        raise UserError(f"--sweep {text}: a value is missing between two commas")
    return tuple(change_of(spec, name.strip(), value) for value in dict.fromkeys(listed))


def _range(text: str, values: str) -> list[str]:
    """Decimal steps, so that 0.5:0.9:0.1 ends at 0.9 and shows 0.7 as 0.7."""
    try:
        start, stop, step = (Decimal(part.strip()) for part in values.split(":"))
        if not all(part.is_finite() and abs(part) < LARGEST for part in (start, stop, step)):
            raise ValueError
        if step < 1 / LARGEST or stop < start:
            raise ValueError
    except (ValueError, InvalidOperation):
        raise UserError(
            f"--sweep {text}: a range is START:STOP:STEP, three numbers, upwards, as in 0.5:0.9:0.1"
        ) from None
    if (stop - start) / step >= MOST_VARIANTS:
        raise UserError(f"--sweep {text}: that is more than {MOST_VARIANTS} values")
    steps = []
    while start <= stop:
        steps.append(f"{start.normalize():f}")
        start += step
    return steps


def variants(sweeps: list[tuple[Change, ...]], always: list[Change]) -> list[tuple[Change, ...]]:
    """One combination a variant, `always` in each. Raises UserError for too many, or an option that is given twice."""
    paths = [sweep[0].path for sweep in sweeps] + [change.path for change in always]
    twice = sorted(
        {".".join(path).removeprefix(f"{OPTIONS}.") for path in paths if paths.count(path) > 1}
    )
    if twice:
        raise UserError(f"{', '.join(twice)} is given twice")
    total = 1
    for sweep in sweeps:
        total *= len(sweep)
    if total > MOST_VARIANTS:
        raise UserError(f"that makes {total} variants: at most {MOST_VARIANTS} are computed")
    return [(*combined, *always) for combined in product(*sweeps)]
