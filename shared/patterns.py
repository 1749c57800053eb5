"""Regular expressions that are compiled when they are first used.

Hundreds of them stand in tables that a command imports and hardly ever asks: compiling them all took a quarter of a
second of every `quorate list`. A service compiles them when it starts (`compile_all`), before it serves.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast

_pending: list[_Pending] = []


class _Pending:
    """Stands for a compiled pattern; what was asked of it once is an attribute of its own afterwards."""

    def __init__(self, source: str | bytes, flags: int) -> None:
        self.pattern = source
        self._options = flags

    def __getattr__(self, name: str) -> Any:
        # A copy that is being made has no fields yet, and asks for names like these first.
        if name.startswith("_") and name != "_compiled":
            raise AttributeError(name)
        if name == "_compiled":
            value: Any = re.compile(self.pattern, self._options)
        else:
            value = getattr(self._compiled, name)
        setattr(self, name, value)
        return value


def regex(source: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, but whether `source` is well formed shows at the first use."""
    pending = _Pending(source, flags)
    _pending.append(pending)
    return cast("re.Pattern[AnyStr]", pending)


def compile_all() -> None:
    """Compile what is imported by now: a service does not want to pay for it in the middle of its work."""
    while _pending:
        _ = _pending.pop()._compiled
