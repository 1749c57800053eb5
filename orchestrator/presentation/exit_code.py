"""What a command ends with (docs/exit-codes.md); `exit_codes.py` has the rule for runs."""

from __future__ import annotations

from enum import IntEnum


class ExitCode(IntEnum):
    """The exit codes of `quorate`."""

    OK = 0
    GATE_TRIPPED = 1
    USAGE = 2
    INCONCLUSIVE = 3
    CREDENTIALS = 4
    UNREACHABLE = 5
    CONFLICT = 6
    PENDING = 8
    BUG = 70
    INTERRUPTED = 130
    TERMINATED = 143
