"""One question to a web chat: type it, send it, read the answer until it stands still."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from shared.errors import ProviderError
from shared.models.outcomes import FailureKind
from workers.providers.browser.sites import Site
from workers.providers.guard import POLL_S, Guard

LOAD_S = 20.0
STARTS_S = 60.0
_STEP_S = 10.0


@dataclass(frozen=True)
class Exchange:
    """An open page of `site`. `name` is the site's, `watch` gets each piece of text as it is written."""

    page: Any
    name: str
    site: Site
    guard: Guard
    watch: Callable[[str], None] | None = None

    def ask(self, address: str, text: str) -> str:
        """The answer to `text` in a new conversation. Raises ProviderError, and what Playwright raises."""
        self.page.goto(address, wait_until="domcontentloaded", timeout=self._left_ms(LOAD_S))
        self._wait_until_ready()
        before = self.page.locator(self.site.answer).count()
        self.page.locator(self.site.ready).first.fill(text, timeout=self._left_ms(_STEP_S))
        self._click_send()
        self._wait_for_answer(before)
        return self._read_to_the_end()

    def _wait_until_ready(self) -> None:
        ends_at = time.monotonic() + self.site.patience_s
        while not self._sees(self.site.ready):
            self._check_logged_in()
            if time.monotonic() > ends_at:
                raise self._changed("ready")
            self.guard.pause(POLL_S)
        # A page may offer its box to strangers, and a log-in beside it.
        self._check_logged_in()

    def _check_logged_in(self) -> None:
        if self._sees(self.site.login):
            raise ProviderError(
                FailureKind.CREDENTIALS,
                f"{self.guard.participant} is not logged in at {self.name}: "
                f"`quorate participants login {self.guard.participant}` opens its browser for that.",
            )

    def _click_send(self) -> None:
        ends_at = time.monotonic() + self.site.patience_s
        while not self._sees(self.site.send):
            if time.monotonic() > ends_at:
                raise self._changed("send")
            self.guard.pause(POLL_S)
        self.page.locator(self.site.send).first.click(timeout=self._left_ms(_STEP_S))

    def _wait_for_answer(self, before: int) -> None:
        ends_at = time.monotonic() + STARTS_S
        while self.page.locator(self.site.answer).count() <= before:
            self._check_limit()
            # While it is busy it may think for as long as the turn may take.
            if time.monotonic() > ends_at and not self._sees(self.site.busy):
                raise self._changed("answer")
            self.guard.pause(POLL_S)

    def _read_to_the_end(self) -> str:
        text, since = "", time.monotonic()
        while True:
            now = str(
                self.page.locator(self.site.answer).last.inner_text(timeout=self._left_ms(_STEP_S))
            )
            if now != text:
                if self.watch is not None and now.startswith(text):
                    self.watch(now[len(text) :])
                text, since = now, time.monotonic()
            still_s = time.monotonic() - since
            if still_s >= self.site.settle_s and not self._sees(self.site.busy):
                self._check_whole()
                return text.strip()
            self._check_limit()
            self.guard.pause(POLL_S)

    def _check_whole(self) -> None:
        if self.site.unfinished and self._sees(self.site.unfinished):
            raise ProviderError(
                FailureKind.TRUNCATED,
                f"{self.guard.participant}'s answer at {self.name} stopped in the middle.",
            )

    def _check_limit(self) -> None:
        if self._sees(self.site.limit):
            raise ProviderError(
                FailureKind.RATE_LIMITED,
                f"{self.guard.participant}'s account at {self.name} may not ask more for now.",
            )

    def _sees(self, selector: str) -> bool:
        self.guard.check()
        return bool(self.page.locator(selector).first.is_visible())

    def _changed(self, part: str) -> ProviderError:
        return ProviderError(
            FailureKind.BAD_REQUEST,
            f"{self.guard.participant}: the page of {self.name} is not laid out as expected (layout changed): "
            f"selector {part} ({getattr(self.site, part)}) not found. A file of your own can fix it: `selectors`.",
        )

    def _left_ms(self, at_most_s: float) -> float:
        self.guard.check()
        return max(min(at_most_s, self.guard.remaining_s()), 0.05) * 1000
