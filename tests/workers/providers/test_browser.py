"""Web chats in a real Chromium, against pages on loopback that behave like them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from shared.errors import NotYet, ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.providers.browser import SITES
from shared.providers.catalogue import Reach, provider_type
from tests.support.chat_pages import ChatPages
from workers.providers import browser
from workers.providers.browser.sites import shipped, site_named
from workers.providers.calls import ProviderCall
from workers.providers.registry import load_provider
from workers.turns.replies import ReplyProblem, parse

pytestmark = [
    pytest.mark.component,
    pytest.mark.needs_chromium,
    pytest.mark.skipif(
        find_spec("playwright") is None, reason="Playwright is not installed (extra `browser`)"
    ),
]

ANSWER = json.dumps({"verdict": "APPROVED", "summary": "The change is fine, 좋습니다."})
NEVER = threading.Event()


@pytest.fixture(scope="module")
def pages() -> Iterator[ChatPages]:
    with ChatPages(ANSWER) as served:
        yield served


def call(tmp_path: Path, url: str, site: str = "chatgpt", **more: Any) -> ProviderCall:
    options = {
        "site": site,
        "i_accept_the_sites_terms": True,
        "profile": str(tmp_path / "profile"),
        "base_url": url,
        **more.pop("options", {}),
    }
    values: dict[str, Any] = {
        "participant": Participant(name="web", provider="browser", options=options),
        "role": "critique",
        "round": 1,
        "reply_model": "critique.review",
        "step": "r/s",
        "system": "You review changes.",
        "user": 'The change:\n+ a = "<b>&amp;"\nAnswer with JSON.',
        "deadline_s": 60.0,
    }
    return ProviderCall(**{**values, **more})


def impatient(tmp_path: Path, **parts: Any) -> str:
    """A file of selectors for pages that need not be waited for."""
    own = tmp_path / "own.yaml"
    rows = {
        name: {**row.model_dump(), "patience_s": 1.5, **parts} for name, row in shipped().items()
    }
    own.write_text(json.dumps(rows))
    return str(own)


def failure(made: ProviderCall, cancel: threading.Event = NEVER) -> ProviderError:
    with pytest.raises(ProviderError) as raised:
        browser.complete(made, cancel)
    assert "\n" not in str(raised.value)
    return raised.value


@pytest.mark.parametrize("site", SITES)
def test_every_site_is_asked_and_its_whole_answer_read(
    pages: ChatPages, tmp_path: Path, site: str
) -> None:
    pages.asked.clear()
    pieces: list[str] = []
    made = call(tmp_path, pages.url(site), site, watch=pieces.append)
    completion = browser.complete(made, NEVER)
    assert completion.text == ANSWER
    assert "".join(pieces) == ANSWER
    assert completion.usage.cost_usd is None
    assert not isinstance(parse(completion.text, "critique.review"), ReplyProblem)
    # What was typed is what was to be asked, to the letter.
    (asked,) = pages.asked
    typed = [part.strip() for part in asked.splitlines() if part.strip()]
    assert typed == [
        "You review changes.", "The change:", '+ a = "<b>&amp;"', "Answer with JSON.",
    ]  # fmt: skip


def test_a_slow_answer_is_waited_for(pages: ChatPages, tmp_path: Path) -> None:
    assert browser.complete(call(tmp_path, pages.url("chatgpt", "slow")), NEVER).text == ANSWER


def test_an_answer_that_pauses_while_the_page_is_busy_is_not_cut_off(
    pages: ChatPages, tmp_path: Path
) -> None:
    assert shipped()["claude"].settle_s < 2.5  # the pause of the page is longer
    pieces: list[str] = []
    made = call(tmp_path, pages.url("claude", "pausing"), "claude", watch=pieces.append)
    assert browser.complete(made, NEVER).text == ANSWER
    assert len(pieces) > 1  # what stands before the pause is seen in it


@pytest.mark.parametrize("mode", ["login", "stranger"])
@pytest.mark.parametrize("site", SITES)
def test_a_log_in_wall_is_a_matter_of_credentials(
    pages: ChatPages, tmp_path: Path, site: str, mode: str
) -> None:
    error = failure(call(tmp_path, pages.url(site, mode), site))
    assert error.kind is FailureKind.CREDENTIALS
    assert "quorate participants login web" in str(error)
    assert not error.retryable


@pytest.mark.parametrize(("mode", "part"), [("changed", "ready"), ("no-send", "send")])
def test_a_changed_layout_names_the_selector(
    pages: ChatPages, tmp_path: Path, mode: str, part: str
) -> None:
    options = {"selectors": impatient(tmp_path)}
    error = failure(call(tmp_path, pages.url("chatgpt", mode), options=options))
    assert error.kind is FailureKind.BAD_REQUEST
    assert f"layout changed): selector {part} ({getattr(shipped()['chatgpt'], part)})" in str(error)
    assert not error.retryable


def test_an_account_at_its_limit_says_so(pages: ChatPages, tmp_path: Path) -> None:
    assert failure(call(tmp_path, pages.url("gemini", "limit"), "gemini")).kind is (
        FailureKind.RATE_LIMITED
    )


@pytest.mark.parametrize("mode", ["mute", "endless", "blank"])
def test_a_page_that_does_not_end_is_a_timeout_at_the_deadline(
    pages: ChatPages, tmp_path: Path, mode: str
) -> None:
    started = time.monotonic()
    error = failure(call(tmp_path, pages.url("chatgpt", mode), deadline_s=6.0))
    assert error.kind is FailureKind.TIMEOUT
    assert time.monotonic() - started < 40.0  # the page would be given up after a minute


def test_a_cancelled_turn_closes_its_browser(pages: ChatPages, tmp_path: Path) -> None:
    cancel = threading.Event()
    timer = threading.Timer(3.0, cancel.set)
    timer.start()
    started = time.monotonic()
    error = failure(call(tmp_path, pages.url("chatgpt", "endless")), cancel)
    timer.cancel()
    assert error.kind is FailureKind.CANCELLED
    assert time.monotonic() - started < 40.0


def test_an_address_where_nothing_listens_is_unreachable(tmp_path: Path) -> None:
    assert failure(call(tmp_path, "http://127.0.0.1:9/")).kind is FailureKind.UNREACHABLE


def test_a_profile_serves_one_turn_at_a_time_and_the_other_is_given_back(
    pages: ChatPages, tmp_path: Path
) -> None:
    answers: list[Any] = []
    made = call(tmp_path, pages.url("chatgpt", "slow"))
    first = threading.Thread(target=lambda: answers.append(browser.complete(made, NEVER)))
    first.start()
    lock = tmp_path / "profile.lock"
    ends_at = time.monotonic() + 30
    while not lock.exists() and time.monotonic() < ends_at:
        time.sleep(0.01)
    error = failure(made)
    assert isinstance(error, NotYet)
    assert not error.counted
    first.join(60)
    assert answers[0].text == ANSWER


def test_two_profiles_speak_at_the_same_time(pages: ChatPages, tmp_path: Path) -> None:
    answers: list[str] = []

    def ask(name: str) -> None:
        made = call(tmp_path, pages.url("chatgpt"), options={"profile": str(tmp_path / name)})
        answers.append(browser.complete(made, NEVER).text)

    threads = [threading.Thread(target=ask, args=(name,)) for name in ("one", "two")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert answers == [ANSWER, ANSWER]


def test_a_log_in_stays_in_the_profile(pages: ChatPages, tmp_path: Path) -> None:
    browser.complete(call(tmp_path, pages.url("chatgpt")), NEVER)
    assert (tmp_path / "profile" / "Default").is_dir()
    assert (tmp_path / "profile").stat().st_mode & 0o077 == 0


def test_selectors_of_ones_own_mend_a_changed_page(pages: ChatPages, tmp_path: Path) -> None:
    own = impatient(tmp_path, ready="#elsewhere")
    error = failure(call(tmp_path, pages.url("chatgpt", "changed"), options={"selectors": own}))
    assert "selector ready (#elsewhere)" in str(error)
    assert site_named("claude", own).ready == "#elsewhere"


# ---- without a browser ---------------------------------------------------------------------------


def test_it_is_off_until_the_terms_are_accepted(tmp_path: Path) -> None:
    made = call(tmp_path, "http://127.0.0.1:9/", options={"i_accept_the_sites_terms": False})
    error = failure(made)
    assert error.kind is FailureKind.NOT_ALLOWED
    assert "terms" in str(error)


def test_a_missing_browser_says_what_to_install(tmp_path: Path) -> None:
    made = call(tmp_path, "http://127.0.0.1:9/", options={"program": "no-such-chromium"})
    assert failure(made).kind is FailureKind.UNREACHABLE
    assert "Chromium" in str(failure(made))


@pytest.mark.parametrize("text", ["chatgpt: {ready: x}", "[]", "chatgpt: [", "chatgpt: {}"])
def test_a_file_of_selectors_that_is_none_says_so(tmp_path: Path, text: str) -> None:
    own = tmp_path / "own.yaml"
    own.write_text(text)
    made = call(tmp_path, "http://127.0.0.1:9/", options={"selectors": str(own)})
    assert failure(made).kind is FailureKind.BAD_REQUEST


def test_the_catalogue_knows_that_it_leaves_and_that_it_is_billable() -> None:
    assert load_provider("browser") is browser
    assert provider_type("browser").reach is Reach.WEB_PAGE
    assert provider_type("browser").billable
    assert shipped().keys() == SITES.keys()
