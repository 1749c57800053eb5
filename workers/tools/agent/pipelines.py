"""Pipelines of GitHub Actions and GitLab CI: what in them gives others a way in."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.models.findings import Severity
from workers.tools.agent.dockerfiles import PIPE_TO_SHELL, is_unpinned_image
from workers.tools.agent.examination import Points
from workers.tools.agent.yaml_nodes import YamlNode, yaml_documents

RULES = {
    "ops.action-unpinned": Severity.MINOR,
    "ops.action-branch": Severity.MAJOR,
    "ops.action-target-checkout": Severity.CRITICAL,
    "ops.action-injection": Severity.MAJOR,
    "ops.ci-secret-echo": Severity.MAJOR,
    "ops.action-write-all": Severity.MAJOR,
}
_COMMIT = re.compile(r"[0-9a-f]{40}$")
_BRANCH = re.compile(r"^(?:main|master|develop|trunk|latest|head)$", re.IGNORECASE)
_ECHO_SECRET = re.compile(
    r"^\s*(?:echo|printf)\b(?![^\n]*(?:::add-mask|>>?\s*\S|\|))[^\n]*\$\{\{\s*secrets\.[\w]+\s*\}\}",
    re.M,
)
# What a stranger writes: titles, texts, names of branches.
_STRANGERS = re.compile(
    r"\$\{\{\s*github\.(?:head_ref|event\.(?:issue|pull_request|comment|review|discussion)\.(?:title|body|head\.ref|head\.label)"
    r"|event\.(?:issue|pull_request|comment|review|head_commit)\.(?:message|author\.(?:name|email)))\s*\}\}"
)


def is_workflow(path: str) -> bool:
    """A workflow of GitHub Actions, or an action."""
    return bool(re.search(r"(?:^|/)\.github/workflows/[^/]+\.ya?ml$|(?:^|/)action\.ya?ml$", path))


def is_gitlab(path: str) -> bool:
    """A pipeline of GitLab."""
    return path.rsplit("/", 1)[-1] in (".gitlab-ci.yml", ".gitlab-ci.yaml")


def check_workflow(points: Points, path: str, text: str) -> None:
    """Raise what is unwise in a workflow of GitHub."""
    for document in yaml_documents(text):
        for key, node in document.walk():
            if not node.text:
                continue
            if key == "permissions" and node.text == "write-all":
                points.add("ops.action-write-all", path, node.line)
            elif key == "uses":
                _check_uses(points, path, node)
            elif key == "run":
                _check_script(points, path, node)
        _check_target(points, path, document)


def _line(node: YamlNode, at: int) -> int:
    """The line of a letter in a block of text, which begins after its mark."""
    return node.line + (1 if "\n" in node.text else 0) + node.text.count("\n", 0, at)


def _check_uses(points: Points, path: str, node: YamlNode) -> None:
    action, _, version = node.text.partition("@")
    if action.startswith((".", "docker://")) or "$" in node.text:
        return
    owner = action.partition("/")[0]
    if not version or _BRANCH.match(version):
        points.add("ops.action-branch", path, node.line, action=action, version=version)
    elif owner not in ("actions", "github") and not _COMMIT.match(version):
        points.add("ops.action-unpinned", path, node.line, action=action, version=version)


def _check_script(points: Points, path: str, node: YamlNode) -> None:
    for match in _ECHO_SECRET.finditer(node.text):
        points.add("ops.ci-secret-echo", path, _line(node, match.start()))
    for match in PIPE_TO_SHELL.finditer(node.text):
        points.add("ops.pipe-to-shell", path, _line(node, match.start()))
    for match in _STRANGERS.finditer(node.text):
        expression = match.group().strip("${} ")
        points.add("ops.action-injection", path, _line(node, match.start()), expression=expression)


def _check_target(points: Points, path: str, document: YamlNode) -> None:
    """A stranger's code checked out where the repository's secrets are."""
    triggers = document.get("on")
    if triggers is None or "pull_request_target" not in {node.text for _, node in _names(triggers)}:
        return
    for step in _steps(document):
        uses, reference = step.get("uses"), step.get("with", "ref")
        checks_out = uses is not None and uses.text.startswith("actions/checkout")
        if checks_out and reference is not None and "head" in reference.text:
            points.add("ops.action-target-checkout", path, reference.line)


def _names(triggers: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    """The events, however they are written: one, a list, or a mapping."""
    yield "", triggers
    yield from (("", entry) for entry in triggers.entries())
    yield from (("", name) for name, _ in triggers.items())


def _steps(document: YamlNode) -> Iterator[YamlNode]:
    jobs = document.get("jobs")
    for _, job in jobs.items() if jobs else ():
        steps = job.get("steps")
        yield from steps.entries() if steps else ()


def check_gitlab(points: Points, path: str, text: str) -> None:
    """Raise what is unwise in a pipeline of GitLab."""
    for document in yaml_documents(text):
        for key, node in document.walk():
            if key == "image" and node.text and is_unpinned_image(node.text):
                points.add("ops.image-latest", path, node.line, image=node.text)
            if key in ("script", "before_script", "after_script") and PIPE_TO_SHELL.search(
                node.text
            ):
                points.add("ops.pipe-to-shell", path, node.line)
