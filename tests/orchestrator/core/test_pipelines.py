"""Every platform is recognised by its documented variables, and names the change that is meant."""

from collections.abc import Mapping

import pytest

from orchestrator.core.pipelines import CHECKOUT, NO_COMMIT, PLATFORMS, platform_of, read_pipeline

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
