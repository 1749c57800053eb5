"""Do the packages `shared`, `workers` and `orchestrator` belong to us? Their names are common ones.

Console scripts put their own directory on sys.path and not the one they are started in, so a repository's folders
of these names are not found; `python -m` and `PYTHONPATH=.` would find them. And another distribution may install
packages of the same names into our environment. This module imports nothing of ours, so it can speak up then.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

DISTRIBUTION = "quorate"
PACKAGES = ("shared", "workers", "orchestrator")
HOME = Path(__file__).resolve().parent.parent


def intruder(names: Sequence[str] = PACKAGES, home: Path = HOME) -> str | None:
    """One sentence when Python would take one of `names` from elsewhere than `home`; None when all is well.

    Looks without importing: a tenth of a millisecond.
    """
    for name in names:
        found = _folder(name)
        if found is None:
            return f"the package `{name}` of Quorate is missing from {home}: install it again."
        if found != home / name:
            return (
                f"the package `{name}` comes from {found}{_owner(name)} and not from Quorate's own {home / name}: "
                "install Quorate into an environment of its own, and start it by its scripts, not by `python -m` "
                "or with that folder on PYTHONPATH."
            )
    return None


def rivals() -> dict[str, list[str]]:
    """Other distributions that installed files below one of our packages, by package. Reads every RECORD."""
    from importlib.metadata import distributions  # slow to load, and asked for after a failure only

    found: dict[str, list[str]] = {}
    for distribution in distributions():
        name = distribution.metadata["Name"] or "unknown"
        if name.lower() == DISTRIBUTION:
            continue
        tops = {path.parts[0] for path in distribution.files or () if len(path.parts) > 1}
        for package in sorted(tops & set(PACKAGES)):
            found.setdefault(package, []).append(name)
    return found


def diagnosis() -> str | None:
    """One sentence when a failed import is another distribution's doing; slower than `intruder`."""
    elsewhere = intruder()
    if elsewhere is not None:
        return elsewhere
    for package, names in rivals().items():
        return (
            f"the distribution {names[0]} has installed its own package `{package}` over Quorate's: "
            "install Quorate into an environment of its own."
        )
    return None


def _folder(name: str) -> Path | None:
    spec = find_spec(name)
    if spec is None:
        return None
    places = list(spec.submodule_search_locations or ())
    if not places:
        return Path(spec.origin or name).resolve()
    return Path(places[0]).resolve()


def _owner(name: str) -> str:
    names = rivals().get(name)
    return f" (distribution {names[0]})" if names else ""
