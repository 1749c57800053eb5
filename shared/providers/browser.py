"""Where web chats are and where a browser keeps a person's log-in for them: the two sides agree on it.

The command line opens the browser for a person to log in, a worker uses the same profile afterwards.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from shared.programs import find_program

SITES: dict[str, str] = {
    "chatgpt": "https://chatgpt.com/",
    "claude": "https://claude.ai/new",
    "gemini": "https://gemini.google.com/app",
}
"""Where a new conversation begins."""

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")
# The cookies' key in the profile, not in a desktop's keyring, which a worker cannot open.
PROFILE_FLAGS = ("--password-store=basic",)


def profile_folder(site: str, given: str | None, environ: Mapping[str, str]) -> Path:
    """The browser's own folder for a site: `given`, else one below the user's data folder."""
    if given:
        return Path(given).expanduser()
    data = environ.get("XDG_DATA_HOME") or f"{environ.get('HOME', '')}/.local/share"
    return Path(data) / "quorate" / "browser" / re.sub(r"[^a-z]", "", site)


def browser_program(given: str | None, environ: Mapping[str, str]) -> str | None:
    """The path of a Chromium; None when there is none."""
    names = (given,) if given else PROGRAMS
    paths = (find_program(name, environ.get("PATH", "")) for name in names)
    return next((path for path in paths if path), None)
