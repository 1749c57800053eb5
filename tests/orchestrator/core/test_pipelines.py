"""Every platform is recognised by its documented variables, and names the change that is meant."""

from collections.abc import Mapping

import pytest

from orchestrator.core.pipelines import CHECKOUT, NO_COMMIT, PLATFORMS, platform_of, read_pipeline
from shared.models.findings import Place

SHA, BASE = "1" * 40, "2" * 40
REQUESTS: Mapping[str, Mapping[str, str]] = {
    "github": {
        "GITHUB_ACTIONS": "true",
        "GITHUB_BASE_REF": "main",
        "GITHUB_HEAD_REF": "work",
        "GITHUB_REPOSITORY": "o/n",
        "GITHUB_SHA": "3" * 40,
    },
    "gitlab": {
        "GITLAB_CI": "true",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "work",
        "CI_MERGE_REQUEST_IID": "7",
        "CI_COMMIT_SHA": SHA,
        "CI_PROJECT_PATH": "o/n",
    },
    "azure": {
        "TF_BUILD": "True",
        "SYSTEM_PULLREQUEST_TARGETBRANCH": "refs/heads/main",
        "SYSTEM_PULLREQUEST_SOURCEBRANCH": "refs/heads/work",
        "SYSTEM_PULLREQUEST_PULLREQUESTID": "7",
        "SYSTEM_PULLREQUEST_SOURCECOMMITID": SHA,
        "BUILD_REPOSITORY_NAME": "o/n",
    },
    "bitbucket": {
        "BITBUCKET_BUILD_NUMBER": "1",
        "BITBUCKET_PR_DESTINATION_BRANCH": "main",
        "BITBUCKET_BRANCH": "work",
        "BITBUCKET_PR_ID": "7",
        "BITBUCKET_COMMIT": SHA,
        "BITBUCKET_REPO_FULL_NAME": "o/n",
    },
    "jenkins": {
        "JENKINS_URL": "http://localhost",
        "CHANGE_TARGET": "main",
        "CHANGE_BRANCH": "work",
        "CHANGE_ID": "7",
        "GIT_COMMIT": SHA,
        "GIT_URL": "o/n",
    },
}
EVENT = {"pull_request": {"number": 7, "head": {"sha": SHA}, "base": {"sha": BASE}}}


def test_every_platform_has_a_case():
    assert REQUESTS.keys() == {row.name for row in PLATFORMS}


@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_has_its_head_its_target_and_its_number(name: str) -> None:
    context = read_pipeline(REQUESTS[name], EVENT if name == "github" else {})
    assert context.platform.name == name
    assert context.heads[0] == context.head_commit == SHA
    assert context.bases[0] == "refs/remotes/origin/main"
    assert (context.branch, context.target) == ("work", "main")
    assert context.line == "o/n!7"
    assert context.target_line == "o/n@main"


PAGES = {
    "github": ({"GITHUB_SERVER_URL": "https://git.example.org"}, "https://git.example.org/o/n"),
    "gitlab": (
        {"CI_PROJECT_URL": "https://gitlab.example.org/o/n"},
        "https://gitlab.example.org/o/n",
    ),
    "azure": (
        {"BUILD_REPOSITORY_URI": "https://o@dev.azure.com/o/p/_git/n"},
        "https://dev.azure.com/o/p/_git/n",
    ),
    "bitbucket": (
        {"BITBUCKET_GIT_HTTP_ORIGIN": "http://bitbucket.org/o/n"},
        "http://bitbucket.org/o/n",
    ),
}
LINES = {
    "github": f"/blob/{SHA}/a%20b.py#L3-L5",
    "gitlab": f"/-/blob/{SHA}/a%20b.py#L3-5",
    "azure": f"?path=/a%20b.py&version=GC{SHA}&line=3&lineEnd=6&lineStartColumn=1&lineEndColumn=1",
    "bitbucket": f"/src/{SHA}/a%20b.py#lines-3:5",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_request_says_where_its_lines_are_to_be_seen(name: str) -> None:
    named, page = PAGES[name]
    context = read_pipeline({**REQUESTS[name], **named}, EVENT if name == "github" else {})

    assert context.published is not None
    link = context.published.link(Place(path="a b.py", line=3, end_line=5))
    assert link == f"{page}{LINES[name]}"
    assert read_pipeline(REQUESTS[name], EVENT).published is None


def test_a_run_is_called_by_its_request_else_by_its_branch() -> None:
    title = f"{SHA[:10]} since it left main (1 commit)"
    request = read_pipeline(REQUESTS["github"], EVENT)
    merge = read_pipeline(REQUESTS["gitlab"], {})
    pushed = {"GITHUB_ACTIONS": "true", "GITHUB_SHA": SHA, "GITHUB_REF_NAME": "work"}

    assert request.titled(title) == "#7 work"
    assert merge.titled(title) == "!7 work"
    assert read_pipeline(pushed, {}).titled(title) == "work since it left main (1 commit)"
    assert read_pipeline({}, {}).titled(title) == title


def test_a_new_branch_is_compared_with_the_default_branch_that_the_platform_names() -> None:
    pushed = {"GITHUB_ACTIONS": "true", "GITHUB_SHA": SHA, "GITHUB_REF_NAME": "work"}
    new = {"before": NO_COMMIT, "repository": {"default_branch": "develop"}}
    gitlab = {"GITLAB_CI": "true", "CI_COMMIT_SHA": SHA, "CI_DEFAULT_BRANCH": "develop"}

    both = ("refs/remotes/origin/develop", "refs/heads/develop")
    assert read_pipeline(pushed, new).bases == both
    assert read_pipeline(gitlab, {}).bases == both
    assert read_pipeline(pushed, {**new, "before": BASE}).bases == (BASE, *both)


def test_a_push_is_compared_with_what_the_branch_was():
    pushed = {"GITHUB_ACTIONS": "true", "GITHUB_SHA": SHA, "GITHUB_REF_NAME": "main"}
    assert read_pipeline(pushed, {"before": BASE}).bases == (BASE,)
    assert read_pipeline(pushed, {"before": NO_COMMIT}).bases == ()
    assert read_pipeline(pushed, {"before": BASE}).line is None
    pushed["GITHUB_REPOSITORY"] = "o/n"
    assert read_pipeline(pushed, {"before": BASE}).line == "o/n@main"


@pytest.mark.parametrize(
    "event", [{"pull_request": 3}, {"pull_request": {"head": []}}, {"before": 1}]
)
def test_an_event_of_another_form_says_nothing(event: dict[str, object]) -> None:
    assert read_pipeline({"GITHUB_ACTIONS": "true"}, event).bases == ()


def test_without_a_mark_it_is_a_plain_checkout():
    assert platform_of({}) is CHECKOUT
    assert read_pipeline({}, {}).bases == ()
    assert read_pipeline({}, {}).line is None
