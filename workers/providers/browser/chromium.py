"""The only file that knows Playwright: a Chromium with a profile, for the length of one call.

Playwright's synchronous interface belongs to the thread that started it, and a call starts its own: nothing is
shared between turns. A profile serves one browser at a time; a lock file beside it says whose turn it is.
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from shared.errors import NotYet, ProviderError
from shared.models.notices import notice
from shared.models.outcomes import FailureKind
from shared.programs import how_to_add
from shared.providers.browser import PROFILE_FLAGS, browser_program
from workers.providers.guard import Guard
from workers.providers.http.statuses import one_line

LAUNCH_S = 30.0
BUSY_PROFILE_S = 5.0
_PASSED = (
    *("PATH", "HOME", "USER", "LANG", "LC_ALL", "TZ", "TMPDIR", "DISPLAY", "WAYLAND_DISPLAY"),
    *("XAUTHORITY", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME", "DBUS_SESSION_BUS_ADDRESS"),
    *("HTTPS_PROXY", "HTTP_PROXY", "NO_PROXY", "https_proxy", "http_proxy", "no_proxy"),
)


@contextmanager
def page_of(profile: Path, program: str | None, *, visible: bool, guard: Guard) -> Iterator[Any]:
    """A page of a browser with that profile; everything is closed at the end.

    Raises ProviderError: no Chromium, no Playwright, it does not start; NotYet while another turn has the profile.
    """
    path = browser_program(program, os.environ)
    if path is None:
        raise ProviderError(
            FailureKind.UNREACHABLE,
            f"{guard.participant} needs a Chromium on the worker's PATH (Debian: `apt install chromium`), "
            "or name one as `program`.",
        )
    start, errors = _playwright(guard.participant)
    with _alone(profile, guard.participant), start() as playwright:
        try:
            context = playwright.chromium.launch_persistent_context(
                str(profile),
                executable_path=path,
                headless=not visible,
                # Without its sandbox only where it cannot have one.
                chromium_sandbox=os.geteuid() != 0,
                args=list(PROFILE_FLAGS),
                env={name: os.environ[name] for name in _PASSED if name in os.environ},
                timeout=max(min(LAUNCH_S, guard.remaining_s()), 0.1) * 1000,
                handle_sigint=False,
                handle_sigterm=False,
                handle_sighup=False,
            )
        except errors as error:
            guard.check()
            raise ProviderError(
                FailureKind.UNREACHABLE,
                f"{guard.participant}: Chromium does not start: {one_line(str(error))}",
            ) from None
        try:
            yield context.pages[0] if context.pages else context.new_page()
        except errors as error:
            guard.check()
            raise ProviderError(
                FailureKind.UNREACHABLE,
                f"{guard.participant}: the browser failed: {one_line(str(error))}",
                retryable=False,
            ) from None
        finally:
            context.close()


def _playwright(participant: str) -> tuple[Any, Any]:
    # 60 MB and a Node process: loaded when somebody speaks through a browser.
    try:
        from playwright.sync_api import Error, sync_playwright  # noqa: PLC0415
    except ImportError:
        raise ProviderError(
            FailureKind.UNREACHABLE,
            f"{participant} needs Playwright where the worker runs: {how_to_add('browser')}.",
        ) from None
    return sync_playwright, Error


@contextmanager
def _alone(profile: Path, participant: str) -> Iterator[None]:
    profile.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (profile.parent / f"{profile.name}.lock").open("w") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise NotYet(
                FailureKind.RATE_LIMITED,
                f"{participant} waits: another turn is using its browser profile.",
                retry_after_s=BUSY_PROFILE_S,
                notice=notice("waits_profile", who=participant),
            ) from None
        yield
