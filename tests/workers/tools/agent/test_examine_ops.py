"""Files of operation are checked by their kind, with the line of each point."""

from __future__ import annotations

import pytest

from tests.workers.tools.agent.examined import Row, examine, rows

GOOD_IMAGE = (
    "FROM python:3.12-slim AS build\nRUN apt-get update && apt-get install -y gcc && rm -rf /var/lib/apt/lists/*\n"
    "FROM build\nUSER app\nEXPOSE 80\nHEALTHCHECK CMD true\nCMD run\n"
)


def points(path: str, text: str) -> set[Row]:
    return {(rule, place, line) for rule, place, line in rows(examine("ops", {path: text}))}


def test_a_careful_image_has_no_points() -> None:
    assert points("Dockerfile", GOOD_IMAGE) == set()


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("FROM a:1\nCMD x\n", "docker-root", 1),
        ("FROM a:1\nUSER app\nUSER root\nCMD x\n", "docker-root", 3),
        ("FROM a\n", "image-latest", 1),
        ("FROM --platform=x reg.io:5000/a:latest\n", "image-latest", 1),
        ("FROM a:1\nADD https://x.y/z /z\n", "docker-add-url", 2),
        ("FROM a:1\nENV X=1 \\\n  DB_PASSWORD=hunter2\n", "docker-secret", 2),
        ("FROM a:1\nARG API_KEY=abc\n", "docker-secret", 2),
        ("FROM a:1\nRUN apt-get update\nRUN apt-get install x\n", "docker-apt-update", 2),
        ("FROM a:1\nRUN apt-get update && apt-get install -y x\n", "docker-apt-lists", 2),
        ("FROM a:1\n# c\nRUN curl -sSL https://x.sh | sh\n", "pipe-to-shell", 3),
    ],
)
def test_a_careless_instruction_is_named(text: str, rule: str, line: int) -> None:
    assert points("docker/Dockerfile.prod", text) == {(rule, "docker/Dockerfile.prod", line)}


@pytest.mark.parametrize(
    "text",
    [
        "ARG V=1\nFROM a:$V\nARG TOKEN\nENV PASSWORD=$PASSWORD\n",
        "FROM a@sha256:abc\nUSER 1000:1000\nCMD x\n",
        "FROM gcr.io/distroless/static:nonroot\nENTRYPOINT x\n",
        "FROM scratch\nENV TOKEN_LIMIT=100\n",
    ],
)
def test_variables_digests_and_other_users_are_no_points(text: str) -> None:
    assert points("Dockerfile", text) == set()


def test_a_compose_file_is_checked_service_by_service() -> None:
    text = (
        "services:\n  db:\n    image: postgres\n    privileged: true\n    environment:\n"
        "      POSTGRES_PASSWORD: postgres\n"
        "      OTHER_TOKEN: ${TOKEN}\n    volumes:\n"
        "      - /var/run/docker.sock:/var/run/docker.sock\n      - /etc:/host\n"
        "      - ./data:/data\n  app:\n    build: .\n    image: app\n    environment:\n"
        "      - API_KEY=${KEY:-abc}\n"
    )
    path = "docker-compose.yml"
    assert points(path, text) == {
        ("image-latest", path, 3),
        ("compose-privileged", path, 4),
        ("compose-password", path, 6),
        ("compose-docker-socket", path, 9),
        ("compose-host-mount", path, 10),
        ("compose-password", path, 16),
    }


WORKFLOW = ".github/workflows/ci.yml"


@pytest.mark.parametrize(
    ("text", "rule", "line"),
    [
        ("jobs:\n  a:\n    steps:\n      - uses: x/y@v1\n", "action-unpinned", 4),
        ("jobs:\n  a:\n    steps:\n      - uses: actions/checkout@main\n", "action-branch", 4),
        ("permissions: write-all\n", "action-write-all", 1),
        ("jobs:\n  a:\n    steps:\n      - run: |\n          ls\n          echo ${{ secrets.KEY }}\n",
         "ci-secret-echo", 6),
        ("jobs:\n  a:\n    steps:\n      - run: echo ${{ github.event.issue.title }}\n", "action-injection", 4),
        ("on:\n  pull_request_target:\njobs:\n  a:\n    steps:\n      - uses: actions/checkout@v4\n        with:\n"
         "          ref: ${{ github.event.pull_request.head.sha }}\n", "action-target-checkout", 8),
        ("jobs:\n  a:\n    steps:\n      - run: curl https://x | sudo bash\n", "pipe-to-shell", 4),
    ],
)  # fmt: skip
def test_a_dangerous_workflow_is_named(text: str, rule: str, line: int) -> None:
    assert points(WORKFLOW, text) == {(rule, WORKFLOW, line)}


def test_a_careful_workflow_has_no_points() -> None:
    text = (
        "on: [push, pull_request_target]\npermissions:\n  contents: read\njobs:\n  a:\n"
        "    steps:\n      - uses: actions/checkout@v4\n"
        f"      - uses: x/y@{'a' * 40}\n      - uses: ./local\n"
        f'      - run: echo "x=${{{{ secrets.KEY }}}}" >> $GITHUB_ENV\n'
        "        env:\n          TITLE: ${{ github.event.issue.title }}\n"
    )
    assert points(WORKFLOW, text) == set()


def test_workloads_of_kubernetes_are_checked_and_templates_left_alone() -> None:
    text = (
        "apiVersion: apps/v1\nkind: Deployment\nspec:\n  template:\n    spec:\n"
        "      hostNetwork: true\n      containers:\n"
        "        - name: a\n          image: a:latest\n          securityContext:\n"
        "            privileged: true\n            runAsUser: 0\n"
    )
    path = "deploy/a.yaml"
    assert points(path, text) == {
        ("kubernetes-host", path, 6),
        ("kubernetes-limits", path, 8),
        ("image-latest", path, 9),
        ("kubernetes-privileged", path, 11),
        ("kubernetes-root", path, 12),
    }
    assert points(path, text.replace("a:latest", "{{ .Values.image }}")) == set()


def test_terraform_that_lets_everyone_in_is_named_but_for_the_web_and_the_way_out() -> None:
    text = (
        'resource "aws_security_group" "a" {\n  ingress {\n    from_port = 22\n'
        '    cidr_blocks = ["0.0.0.0/0"]\n  }\n'
        '  ingress {\n    from_port = 443\n    cidr_blocks = ["0.0.0.0/0"]\n  }\n  egress {\n'
        '    cidr_blocks = ["0.0.0.0/0"]\n  }\n}\n'
    )
    assert points("main.tf", text) == {("terraform-open", "main.tf", 4)}


def test_a_pipeline_of_gitlab_is_checked() -> None:
    text = "image: python\ntest:\n  script:\n    - wget -O- https://x | sh\n"
    path = ".gitlab-ci.yml"
    assert points(path, text) == {("image-latest", path, 1), ("pipe-to-shell", path, 4)}
