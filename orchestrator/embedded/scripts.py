"""Our console scripts, and the environment in which Python keeps off foreign folders."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from shared.errors import EnvironmentFault

# These make Python or Flower run code from where they are told; the last is the supervisor's own.
DROPPED = frozenset(
    {
        "PYTHONPATH",
        "PYTHONSTARTUP",
        "PYTHONHOME",
        "PYTHONINSPECT",
        "CELERY_CONFIG_MODULE",
        "CELERY_LOADER",
        "QUORATE_SUPERVISOR_LOCK",
    }
)


def script(name: str) -> str:
    """The absolute path of one of our console scripts. Raises EnvironmentFault when it is not installed."""
    path = Path(sys.executable).with_name(name)
    if not path.is_file():
        raise EnvironmentFault(
            "The program {path} is missing: install Quorate again into this environment.", path=path
        )
    return str(path)


def service_environment(environ: Mapping[str, str]) -> dict[str, str]:
    """What the turn workers get: everything, and Python keeps off foreign folders."""
    kept = {name: value for name, value in environ.items() if name not in DROPPED}
    return {**kept, "PYTHONSAFEPATH": "1", "PYTHONUNBUFFERED": "1"}
