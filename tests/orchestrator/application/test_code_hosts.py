"""Comments on a request, against stand-ins that speak the hosts' protocols over real sockets."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from orchestrator.application.code_hosts import (
    ATTEMPTS,
    CodeHost,
    CommentRefused,
    HostAccess,
    HostUnavailable,
    host_of,
    post_review,
)
from orchestrator.presentation.formats.review_comments import (
    MARK,
    InlineComment,
    inline_comments,
    whole_comment,
)
from orchestrator.presentation.locale.translator import ENGLISH
from shared.errors import CredentialsRejected, EnvironmentFault
from shared.models.findings import Place
from shared.models.outcomes import Verdict
from shared.models.panel import Participant
from tests.support.code_host_server import TOKEN, HostState, code_host
from tests.support.reports import PATCH, make_finding, make_report

COMMIT = "a" * 40
HOSTS = ("github", "gitlab")


@pytest.fixture
def state() -> Iterator[HostState]:
    with code_host() as running:
        yield running


def host(platform: str, state: HostState) -> CodeHost:
    environ = {
        "GITHUB_TOKEN": TOKEN,
        "GITLAB_TOKEN": TOKEN,
        "GITHUB_API_URL": state.address,
        "CI_API_V4_URL": state.address,
    }
    request = host_of(platform, environ, "o/n", "7")
    assert request is not None
    return request


def inline(line: int = 3, mark: str = "ab12") -> InlineComment:
    return InlineComment("app.py", line, line, mark, f"<!-- quorate:finding {mark} -->\n\nBad.")


class Clock:
    def __init__(self) -> None:
        self.waited: list[float] = []

    def __call__(self, seconds: float) -> None:
        self.waited.append(seconds)


def post(request: CodeHost, body: str = f"{MARK}\nOne.", *comments: InlineComment) -> Clock:
    clock = Clock()
    post_review(request, body, comments, COMMIT, clock)
    return clock


@pytest.mark.parametrize("platform", HOSTS)
@pytest.mark.parametrize("app_token", [False, True])
def test_there_is_one_comment_and_one_at_each_finding(
    platform: str, app_token: bool, state: HostState
) -> None:
    state.app_token = app_token and platform == "github"
    request = host(platform, state)
    post(request, f"{MARK}\nOne.", inline())
    post(request, f"{MARK}\nTwo.", inline(), inline(5, "cd34"))
    assert [each["body"] for each in state.whole] == [f"{MARK}\nTwo."]
    assert [each["line"] for each in state.inline] == [3, 5]


@pytest.mark.parametrize("platform", HOSTS)
def test_a_line_that_the_request_does_not_show_costs_nothing_else(
    platform: str, state: HostState
) -> None:
    posted = post_review(
        host(platform, state), f"{MARK}\n", [inline(500, "99"), inline()], COMMIT, Clock()
    )
    assert (posted.inline, posted.refused) == (1, 1)


@pytest.mark.parametrize("platform", HOSTS)
@pytest.mark.parametrize("status", [429, 500, 502, 503])
def test_a_busy_host_is_asked_again_as_late_as_it_says(
    platform: str, status: int, state: HostState
) -> None:
    state.fail("POST", "", status, retry_after="7")
    assert post(host(platform, state)).waited == [7.0]
    assert len(state.whole) == 1


@pytest.mark.parametrize("platform", HOSTS)
def test_an_answer_that_was_lost_leaves_no_second_comment(platform: str, state: HostState) -> None:
    state.fail("POST", "", 502, handled=True)
    post(host(platform, state), f"{MARK}\nOne.")
    assert len(state.whole) == 1
    state.fail("POST", "", 502, handled=True)
    post(host(platform, state), f"{MARK}\nOne.", inline())
    assert (len(state.whole), len(state.inline)) == (1, 1)


def test_a_rate_limit_that_comes_as_403_is_one(state: HostState) -> None:
    state.fail("POST", "", 403, x_ratelimit_remaining="0")
    assert len(post(host("github", state)).waited) == 1


@pytest.mark.parametrize("platform", HOSTS)
@pytest.mark.parametrize(
    ("status", "error", "words"),
    [
        (401, CredentialsRejected, "token may not"),
        (403, CredentialsRejected, "pull-requests: write"),
        (404, CommentRefused, "no such request"),
        (422, CommentRefused, "does not take it"),
    ],
)
def test_a_refusal_has_its_error_and_is_not_repeated(
    platform: str, status: int, error: type[Exception], words: str, state: HostState
) -> None:
    state.fail("POST", "", status)
    with pytest.raises(error, match=words):
        post(host(platform, state))
    assert len([each for each in state.requests if each.startswith("POST")]) == 1


def test_a_host_that_stays_away_is_given_up(state: HostState) -> None:
    for _ in range(ATTEMPTS):
        state.fail("GET", "/comments", 503)
    clock = Clock()
    with pytest.raises(HostUnavailable, match="503"):
        post_review(host("github", state), MARK, (), COMMIT, clock)
    assert clock.waited == [1.0, 2.0, 4.0]


@contextmanager
def answering(work: Callable[[BaseHTTPRequestHandler], object]) -> Iterator[str]:
    """A server that does this with every request; its address."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            work(self)

        def log_message(self, *_args: object) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


def test_a_page_of_a_proxy_is_no_answer_of_the_host():
    def sign_in(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        request.wfile.write(b"<html>Sign in</html>")

    with answering(sign_in) as address, pytest.raises(HostUnavailable, match="sends no JSON"):
        HostAccess(address, {}).send("GET", "/user")


def test_a_host_that_never_answers_is_left_in_time():
    freed = threading.Event()
    with answering(lambda _: bool(freed.wait(20))) as address:
        with pytest.raises(HostUnavailable, match="does not answer: ReadTimeout"):
            HostAccess(address, {}, timeout_s=0.2).send("GET", "/user")
        freed.set()


def test_a_comment_of_somebody_else_is_never_edited(state: HostState) -> None:
    stranger = {"id": 90, "body": f"{MARK}\nAll is well.", "user": {"login": "eve", "type": "User"}}
    state.whole.append({**stranger, "author": {"id": 66}})
    for platform in HOSTS:
        post(host(platform, state), f"{MARK}\nBad.")
    assert state.whole[0]["body"] == f"{MARK}\nAll is well."
    assert len(state.whole) == 2


def test_the_hundred_and_first_comment_is_found(state: HostState) -> None:
    request = host("github", state)
    for number in range(100):
        request.post(f"talk {number}")
    post(request)
    post(request, f"{MARK}\nTwo.")
    assert len(state.whole) == 101


def test_a_token_travels_encrypted_or_on_this_machine_only():
    with pytest.raises(EnvironmentFault, match="no https"):
        HostAccess("http://example.test", {})
    assert TOKEN not in repr(HostAccess("https://example.test", {"PRIVATE-TOKEN": TOKEN}))


def test_without_a_token_it_says_which_one():
    with pytest.raises(CredentialsRejected, match="GITHUB_TOKEN"):
        host_of("github", {}, "o/n", "7")
    assert host_of("jenkins", {}, "o/n", "7") is None


def test_the_texts_of_findings_are_no_markup_and_no_marks():
    hostile = "<!-- quorate:finding 00 --> @all ![x](http://evil/)"
    finding = make_finding(
        title=hostile, detail=hostile, patch=PATCH, place=Place(path="app.py", line=1)
    )
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=(finding,), sources={"app.py": "bad"})
    (comment,) = inline_comments(report, ENGLISH)
    assert comment.body.count("<!-- quorate:finding") == 1
    assert "```suggestion\ngood\n```" in comment.body
    assert "![x]" not in comment.body
    assert whole_comment(report, ENGLISH, ["2 new"]).startswith(MARK)


def test_a_comment_at_lines_links_to_the_rule_and_shows_names_as_code() -> None:
    page = "https://bandit.readthedocs.io/b602.html"
    shell = make_finding(title="`subprocess` with a shell", detail=f"A shell runs it.\n{page}")

    report = make_report(findings=(shell,))
    bandit = Participant(name="bandit", provider="analyser", family="rules", tool="bandit")
    panel = report.spec.panel.model_copy(update={"critics": (bandit,)})
    spec = {**report.run.spec, "panel": panel.model_dump(mode="json")}
    report = replace(report, run=replace(report.run, spec=spec))

    (comment,) = inline_comments(report, ENGLISH)

    assert f"]({page})" in comment.body
    assert "https\\://" not in comment.body
    assert "<code>subprocess</code> with a shell" in comment.body
    assert "A shell runs it." in comment.body


def test_a_comment_on_the_request_has_no_command_that_needs_the_run() -> None:
    report = make_report(verdict=Verdict.NEEDS_FIX, findings=(make_finding(title="`os` unused"),))

    text = whole_comment(report, ENGLISH, [])

    assert "quorate show" not in text
    assert "<code>os</code> unused" in text
