"""The comments of a request on GitHub and GitLab: one is edited in place, findings are commented at their lines once.

A request that may have reached the host is not simply sent again: what is there is listed anew, so that an answer that
was lost leaves no second comment. Only comments of the token's own account are edited: whoever opens a request could
write one that looks like ours.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, Protocol, TypeVar
from urllib.parse import quote, urlsplit

import httpx

from orchestrator.presentation.formats.review_comments import (
    InlineComment,
    is_whole,
    known_fingerprints,
)
from shared.errors import CredentialsRejected, EnvironmentFault

T = TypeVar("T")
ATTEMPTS = 4
LONGEST_WAIT_S = 60.0
TIMEOUT_S = 20.0
MOST_PAGES = 30
_PAGE = 100
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


class CommentRefused(EnvironmentFault):
    """The host does not take what was sent: 400, 404, 409, 422 and the like. It is not sent again."""


class HostUnavailable(EnvironmentFault):
    """The host is slow, away or busy (429, 5xx, rate limits); `wait_s` is what it asks for."""

    def __init__(self, sentence: str, wait_s: float | None = None, /, **values: object) -> None:
        """With how long to wait, where the host says it."""
        super().__init__(sentence, **values)
        self.wait_s = wait_s


@dataclass(frozen=True)
class PostedComment:
    """A comment of the token's own account."""

    id: str
    body: str


@dataclass(frozen=True)
class HostAccess:
    """Where the API is, and the header with the token: both from the environment alone."""

    api: str
    headers: Mapping[str, str] = field(repr=False)
    timeout_s: float = TIMEOUT_S

    def __post_init__(self) -> None:
        """Raises EnvironmentFault for an address to which the token would travel in plain text."""
        address = urlsplit(self.api)
        if address.scheme != "https" and address.hostname not in _LOOPBACK:
            raise EnvironmentFault(
                "{api} is no https address: no token is sent there.", api=self.api
            )

    @cached_property
    def _client(self) -> httpx.Client:
        return httpx.Client(headers=dict(self.headers), timeout=self.timeout_s, trust_env=True)

    def send(self, method: str, path: str, content: Mapping[str, Any] | None = None) -> Any:
        """One request; its JSON. Raises CredentialsRejected, CommentRefused or HostUnavailable."""
        answer = self._answer(method, path, content)
        try:
            return answer.json()
        except ValueError:
            raise HostUnavailable(
                "{method} {api}{path}: what answers sends no JSON.",
                method=method,
                api=self.api,
                path=path,
            ) from None

    def pages(self, path: str) -> Iterator[dict[str, Any]]:
        """The entries of a list."""
        for number in range(1, MOST_PAGES + 1):
            entries = self.send("GET", f"{path}?per_page={_PAGE}&page={number}")
            yield from (entry for entry in entries if isinstance(entry, dict))
            if len(entries) < _PAGE:
                return

    def _answer(self, method: str, path: str, content: Mapping[str, Any] | None) -> httpx.Response:
        try:
            answer = self._client.request(method, f"{self.api}{path}", json=content)
        except httpx.HTTPError as error:
            raise HostUnavailable(
                "{api} does not answer: {why}.", api=self.api, why=type(error).__name__
            ) from None
        _check(answer, f"{method} {self.api}{path}")
        return answer


def _check(answer: httpx.Response, what: str) -> None:
    status = answer.status_code
    if status < 300:
        return
    wait_s = _wait_of(answer)
    limited = status == 403 and (wait_s is not None or _is_spent(answer))
    if status == 429 or status >= 500 or limited:
        raise HostUnavailable(
            "{what}: {status}, the host is busy or limits requests.",
            wait_s,
            what=what,
            status=status,
        )
    if status in (401, 403):
        raise CredentialsRejected(
            "{what}: {status}, the token may not do that. GitHub: `permissions: pull-requests: "
            "write` (requests from forks have a read-only token); GitLab: a token with the scope "
            "`api` in GITLAB_TOKEN.",
            what=what,
            status=status,
        )
    if status == 404:
        raise CommentRefused(
            "{what}: 404, there is no such request, or the token cannot see it.", what=what
        )
    raise CommentRefused("{what}: {status}, the host does not take it.", what=what, status=status)


def _wait_of(answer: httpx.Response) -> float | None:
    stated = answer.headers.get("retry-after", "")
    return min(float(stated), LONGEST_WAIT_S) if stated.isdigit() else None


def _is_spent(answer: httpx.Response) -> bool:
    names = ("x-ratelimit-remaining", "ratelimit-remaining")
    return any(answer.headers.get(name) == "0" for name in names)


class CodeHost(Protocol):
    """A host of requests, as far as comments need it."""

    def comments(self) -> list[PostedComment]:
        """Our own comments on the whole request."""

    def inline(self) -> list[PostedComment]:
        """Our own comments at lines."""

    def post(self, body: str) -> None:
        """Add a comment on the whole request."""

    def edit(self, comment: str, body: str) -> None:
        """Replace a comment's text."""

    def post_inline(self, comment: InlineComment, commit: str) -> None:
        """Add a comment at lines. Raises CommentRefused where the request does not show these."""


@dataclass(frozen=True)
class GitHubRequest:
    """A pull request."""

    access: HostAccess
    repository: str
    number: str

    def comments(self) -> list[PostedComment]:
        """Our own comments on the whole request."""
        return self._own(f"/repos/{self.repository}/issues/{self.number}/comments")

    def inline(self) -> list[PostedComment]:
        """Our own comments at lines."""
        return self._own(f"/repos/{self.repository}/pulls/{self.number}/comments")

    def post(self, body: str) -> None:
        """Add a comment on the whole request."""
        path = f"/repos/{self.repository}/issues/{self.number}/comments"
        self.access.send("POST", path, {"body": body})

    def edit(self, comment: str, body: str) -> None:
        """Replace a comment's text."""
        path = f"/repos/{self.repository}/issues/comments/{comment}"
        self.access.send("PATCH", path, {"body": body})

    def post_inline(self, comment: InlineComment, commit: str) -> None:
        """Add a comment at lines. Raises CommentRefused where the request does not show these."""
        content: dict[str, Any] = {
            "body": comment.body,
            "commit_id": commit,
            "path": comment.path,
            "line": comment.last_line,
            "side": "RIGHT",
        }
        if comment.last_line > comment.line:
            content |= {"start_line": comment.line, "start_side": "RIGHT"}
        self.access.send("POST", f"/repos/{self.repository}/pulls/{self.number}/comments", content)

    def _own(self, path: str) -> list[PostedComment]:
        name = self._account()
        return [
            PostedComment(str(entry["id"]), entry.get("body") or "")
            for entry in self.access.pages(path)
            if _is_by(entry.get("user") or {}, name)
        ]

    def _account(self) -> str | None:
        """The token's account; None for the token of a job, which may not ask and writes as a bot."""
        try:
            return str(self.access.send("GET", "/user")["login"])
        except (CredentialsRejected, CommentRefused):
            return None


def _is_by(user: Mapping[str, Any], name: str | None) -> bool:
    return user.get("type") == "Bot" if name is None else user.get("login") == name


@dataclass(frozen=True)
class GitLabRequest:
    """A merge request; `project` is its number or its path."""

    access: HostAccess
    project: str
    number: str

    @property
    def _path(self) -> str:
        return f"/projects/{quote(self.project, safe='')}/merge_requests/{self.number}"

    def comments(self) -> list[PostedComment]:
        """Our own comments on the whole request."""
        return [note for note, is_inline in self._own() if not is_inline]

    def inline(self) -> list[PostedComment]:
        """Our own comments at lines."""
        return [note for note, is_inline in self._own() if is_inline]

    def post(self, body: str) -> None:
        """Add a comment on the whole request."""
        self.access.send("POST", f"{self._path}/notes", {"body": body})

    def edit(self, comment: str, body: str) -> None:
        """Replace a comment's text."""
        self.access.send("PUT", f"{self._path}/notes/{comment}", {"body": body})

    def post_inline(self, comment: InlineComment, commit: str) -> None:
        """Add a comment at a line. Raises CommentRefused where the request does not show it."""
        refs = self.access.send("GET", self._path).get("diff_refs") or {}
        position = {
            "position_type": "text",
            "base_sha": refs.get("base_sha"),
            "start_sha": refs.get("start_sha"),
            "head_sha": refs.get("head_sha") or commit,
            "old_path": comment.path,
            "new_path": comment.path,
            "new_line": comment.last_line,
        }
        content = {"body": comment.body, "position": position}
        self.access.send("POST", f"{self._path}/discussions", content)

    def _own(self) -> list[tuple[PostedComment, bool]]:
        account = self.access.send("GET", "/user")["id"]
        return [
            (PostedComment(str(note["id"]), note.get("body") or ""), note.get("type") == "DiffNote")
            for note in self.access.pages(f"{self._path}/notes")
            if (note.get("author") or {}).get("id") == account
        ]


@dataclass(frozen=True)
class Posted:
    """What was posted: comments at lines, and how many the host did not take there."""

    inline: int
    refused: int


def host_of(
    platform: str, environ: Mapping[str, str], repository: str, number: str
) -> CodeHost | None:
    """The host of a platform's request; None where comments are not known there. Raises CredentialsRejected."""
    if platform == "github":
        token = _token(environ, "GITHUB_TOKEN")
        headers = {"Authorization": f"Bearer {token}", "Accept": "application/vnd.github+json"}
        api = environ.get("GITHUB_API_URL") or "https://api.github.com"
        return GitHubRequest(HostAccess(api, headers), repository, number)
    if platform == "gitlab":
        token = _token(environ, "GITLAB_TOKEN")
        api = environ.get("CI_API_V4_URL") or "https://gitlab.com/api/v4"
        project = environ.get("CI_PROJECT_ID") or repository
        return GitLabRequest(HostAccess(api, {"PRIVATE-TOKEN": token}), project, number)
    return None


def _token(environ: Mapping[str, str], name: str) -> str:
    token = environ.get(name, "").strip()
    if not token:
        raise CredentialsRejected(
            "--comment needs a token in {name}, and it is not set.", name=name
        )
    return token


def post_review(
    host: CodeHost,
    body: str,
    inline: Sequence[InlineComment],
    commit: str,
    sleep: Callable[[float], None] = time.sleep,
) -> Posted:
    """Write the one comment, and those at lines that are not there. Raises CredentialsRejected or EnvironmentFault."""
    _again(lambda: _write_whole(host, body), sleep)
    known = _again(lambda: known_fingerprints(each.body for each in host.inline()), sleep)
    fresh = [comment for comment in inline if comment.fingerprint not in known]
    taken = [_again(partial(_write_inline, host, each, commit), sleep) for each in fresh]
    return Posted(sum(taken), len(taken) - sum(taken))


def _write_whole(host: CodeHost, body: str) -> None:
    ours = next((each for each in host.comments() if is_whole(each.body)), None)
    if ours is None:
        host.post(body)
    elif ours.body.strip() != body.strip():
        host.edit(ours.id, body)


def _write_inline(host: CodeHost, comment: InlineComment, commit: str) -> bool:
    """Whether the host took it, or has it from an attempt whose answer was lost."""
    try:
        host.post_inline(comment, commit)
    except CommentRefused:
        return False
    except HostUnavailable as error:
        if comment.fingerprint in known_fingerprints(each.body for each in host.inline()):
            return True
        raise error
    return True


def _again(work: Callable[[], T], sleep: Callable[[float], None]) -> T:
    """What comes of the work, tried again while the host is busy or away."""
    for attempt in _attempts():
        try:
            return work()
        except HostUnavailable as error:
            sleep(error.wait_s if error.wait_s is not None else float(2**attempt))
    return work()


def _attempts() -> Iterable[int]:
    return range(ATTEMPTS - 1)
