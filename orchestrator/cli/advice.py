"""What a person has been told once on this machine, and need not be told with every run."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from shared.instance import Instance

FILE = "told"


def first_time(instance: Instance, advice: Sequence[str]) -> bool:
    """True where this very advice was not given before; it counts as given from now on.

    Where nothing can be remembered (no folder, a read-only one) everything is news.
    """
    if not advice:
        return False
    mark = hashlib.sha256("\n".join(advice).encode()).hexdigest()[:16]
    file = instance.state_dir / FILE
    try:
        told = file.read_text(encoding="ascii", errors="replace").split()
    except OSError:
        told = []
    if mark in told:
        return False
    try:
        with file.open("a", encoding="ascii") as stream:
            stream.write(f"{mark}\n")
    except OSError:
        pass  # said again next time
    return True
