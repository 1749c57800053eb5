"""Where pipelines run, as their environment says it: which change is meant, and what the platform takes. Pure.

Every platform is a row of `PLATFORMS`. Names of variables are the platforms' documented ones; the first that is set
counts. A value is text that whoever opens a change may have chosen (a branch's name): it is only ever given to git as a
revision after `--end-of-options`, shown, or compared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any
from urllib.parse import urlsplit

from orchestrator.core.forges import PublishedCommit

REQUEST = "!"
"""What parts repository and number in the line of a request, whose runs all look at the whole of it."""
NO_COMMIT = "0" * 40


class OnError(StrEnum):
    """What becomes of a job whose review came to no conclusion: it fails, passes, or passes with a warning."""

    FAIL = "fail"
    PASS = "pass"  # noqa: S105 - no password
    NEUTRAL = "neutral"


@dataclass(frozen=True)
class Platform:
    """How a platform names things; each field but the first and the last ones has names of variables.

    `before` is what a branch was before the push, `default` the repository's default branch; the values of `page`,
    joined by slashes, are the address of the project's page, and `sign` stands before a request's number. `event` names
    a file with the event as JSON, `summary` the file to which Markdown is appended, `outputs` that of a step's values;
    `files` are written as FORMAT:NAME. `warning` is the log line that marks a step which passed with a warning,
    without its text.
    """

    name: str
    marks: tuple[str, ...]
    base_commit: tuple[str, ...] = ()
    base: tuple[str, ...] = ()
    head: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    change: tuple[str, ...] = ()
    branch: tuple[str, ...] = ()
    repository: tuple[str, ...] = ()
    default: tuple[str, ...] = ()
    page: tuple[str, ...] = ()
    sign: str = "#"
    event: str | None = None
    summary: str | None = None
    outputs: str | None = None
    annotations: str | None = None
    warning: str | None = None
    files: tuple[str, ...] = ()


PLATFORMS = (
    Platform(
        name="github",
        marks=("GITHUB_ACTIONS",),
        base=("GITHUB_BASE_REF",),
        head=("GITHUB_SHA",),
        branch=("GITHUB_HEAD_REF", "GITHUB_REF_NAME"),
        repository=("GITHUB_REPOSITORY",),
        page=("GITHUB_SERVER_URL", "GITHUB_REPOSITORY"),
        event="GITHUB_EVENT_PATH",
        summary="GITHUB_STEP_SUMMARY",
        outputs="GITHUB_OUTPUT",
        annotations="annotations",
        warning="::warning title=Quorate::",
        files=("sarif:quorate.sarif",),
    ),
    Platform(
        name="gitlab",
        marks=("GITLAB_CI",),
        base_commit=("CI_MERGE_REQUEST_DIFF_BASE_SHA",),
        base=("CI_MERGE_REQUEST_TARGET_BRANCH_NAME",),
        head=("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA", "CI_COMMIT_SHA"),
        before=("CI_COMMIT_BEFORE_SHA",),
        change=("CI_MERGE_REQUEST_IID",),
        branch=("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME", "CI_COMMIT_REF_NAME"),
        repository=("CI_PROJECT_PATH",),
        default=("CI_DEFAULT_BRANCH",),
        page=("CI_PROJECT_URL",),
        sign="!",
        files=("gitlab:gl-code-quality-report.json", "junit:quorate.xml"),
    ),
    Platform(
        name="azure",
        marks=("TF_BUILD",),
        base=("SYSTEM_PULLREQUEST_TARGETBRANCH",),
        head=("SYSTEM_PULLREQUEST_SOURCECOMMITID", "BUILD_SOURCEVERSION"),
        change=("SYSTEM_PULLREQUEST_PULLREQUESTNUMBER", "SYSTEM_PULLREQUEST_PULLREQUESTID"),
        branch=("SYSTEM_PULLREQUEST_SOURCEBRANCH", "BUILD_SOURCEBRANCHNAME"),
        repository=("BUILD_REPOSITORY_NAME",),
        page=("BUILD_REPOSITORY_URI",),
        annotations="azure",
        warning="##vso[task.complete result=SucceededWithIssues;]",
        files=("sarif:quorate.sarif", "junit:quorate.xml", "markdown:quorate.md"),
    ),
    Platform(
        name="bitbucket",
        marks=("BITBUCKET_BUILD_NUMBER",),
        base_commit=("BITBUCKET_PR_DESTINATION_COMMIT",),
        base=("BITBUCKET_PR_DESTINATION_BRANCH",),
        head=("BITBUCKET_COMMIT",),
        change=("BITBUCKET_PR_ID",),
        branch=("BITBUCKET_BRANCH",),
        repository=("BITBUCKET_REPO_FULL_NAME",),
        page=("BITBUCKET_GIT_HTTP_ORIGIN",),
        files=("junit:quorate.xml", "sarif:quorate.sarif"),
    ),
    Platform(
        name="jenkins",
        marks=("JENKINS_URL", "JENKINS_HOME"),
        base=("CHANGE_TARGET",),
        head=("GIT_COMMIT",),
        before=("GIT_PREVIOUS_SUCCESSFUL_COMMIT",),
        change=("CHANGE_ID",),
        branch=("CHANGE_BRANCH", "BRANCH_NAME", "GIT_BRANCH"),
        repository=("GIT_URL",),
        files=("junit:quorate.xml", "sarif:quorate.sarif"),
    ),
)
CHECKOUT = Platform(name="checkout", marks=())
"""A plain checkout: the branch since it left the default branch."""


@dataclass(frozen=True)
class PipelineContext:
    """The change that a pipeline runs for. `bases` are revisions to compare with, the first that is known here counts.

    `change` is the number of a pull or merge request; empty values are what the platform does not say.
    """

    platform: Platform
    bases: tuple[str, ...] = ()
    heads: tuple[str, ...] = ()
    change: str = ""
    branch: str = ""
    target: str = ""
    repository: str = ""
    head_commit: str = ""
    page: str = ""

    def titled(self, title: str) -> str:
        """What lists call the run: the request with its branch, else the title by the name of the branch."""
        if self.change:
            return f"{self.platform.sign}{self.change} {self.branch}".rstrip()
        commit = self.head_commit[:10]
        named = self.branch and commit and title.startswith(f"{commit} ")
        return f"{self.branch}{title.removeprefix(commit)}" if named else title

    @property
    def published(self) -> PublishedCommit | None:
        """Where the reviewed commit is to be seen; None where the platform does not say it."""
        if not self.page or not self.head_commit:
            return None
        return PublishedCommit(
            project=self.page, commit=self.head_commit, platform=self.platform.name
        )

    @property
    def line(self) -> str | None:
        """What pushes belong together: those of one request, else of one branch; None where nobody says it."""
        if self.repository and self.change:
            return f"{self.repository}{REQUEST}{self.change}"
        return f"{self.repository}@{self.branch}" if self.repository and self.branch else None

    @property
    def target_line(self) -> str | None:
        """The pushes of the branch that the request goes to."""
        return f"{self.repository}@{self.target}" if self.target else None


def platform_of(environ: Mapping[str, str]) -> Platform:
    """The platform whose mark is set; a plain checkout without one."""
    return next(
        (row for row in PLATFORMS if any(environ.get(mark) for mark in row.marks)), CHECKOUT
    )


def read_pipeline(environ: Mapping[str, str], event: Mapping[str, Any]) -> PipelineContext:
    """The change that the environment names; `event` is GitHub's, empty elsewhere."""
    platform = platform_of(environ)

    def first(names: tuple[str, ...]) -> str:
        return next((environ[name] for name in names if environ.get(name)), "")

    request = _mapping(event.get("pull_request"))
    head = _text(_mapping(request.get("head")).get("sha")) or first(platform.head)
    target = _plain_branch(first(platform.base))
    default = _text(_mapping(event.get("repository")).get("default_branch"))
    number = request.get("number") or _mapping(event.get("issue")).get("number")
    return PipelineContext(
        platform=platform,
        bases=(
            *_bases(platform, environ, event, first(platform.base_commit), target),
            *([] if target else _branches(default or first(platform.default))),
        ),
        heads=tuple(dict.fromkeys(filter(None, (head, first(platform.head))))),
        change=str(number) if isinstance(number, int) else first(platform.change),
        branch=_plain_branch(first(platform.branch)),
        target=target,
        repository=first(platform.repository),
        head_commit=head,
        page=_page([environ.get(name, "") for name in platform.page]),
    )


def _bases(
    platform: Platform,
    environ: Mapping[str, str],
    event: Mapping[str, Any],
    commit: str,
    target: str,
) -> Iterator[str]:
    """Of a request its target; of a push what the branch was before."""
    yield from _branches(target)
    if commit:
        yield commit
    base = _mapping(_mapping(event.get("pull_request")).get("base")).get("sha")
    if isinstance(base, str):
        yield base
    if target:
        return
    pushed = next((environ[name] for name in platform.before if environ.get(name)), "")
    before = _text(event.get("before")) or pushed
    if before and before != NO_COMMIT:
        yield before


def _branches(name: str) -> tuple[str, ...]:
    """A branch as a clone may know it."""
    return (f"refs/remotes/origin/{name}", f"refs/heads/{name}") if name else ()


def _page(parts: Sequence[str]) -> str:
    """The project's page without anybody's name or password; empty where a part of it is missing."""
    address = urlsplit("/".join(parts) if all(parts) else "")
    host = address.netloc.rpartition("@")[2]
    is_page = address.scheme in ("http", "https") and host
    return (
        f"{address.scheme}://{host}{address.path.removesuffix('.git').rstrip('/')}"
        if is_page
        else ""
    )


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _plain_branch(name: str) -> str:
    return name.removeprefix("refs/heads/").removeprefix("origin/")
