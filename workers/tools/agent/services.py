"""docker-compose files, Kubernetes manifests and Terraform: what runs with too much power, or open to everyone."""

from __future__ import annotations

import re
from collections.abc import Iterator

from shared.models.findings import Severity
from workers.tools.agent.dockerfiles import SECRET_NAME, is_given_secret, is_unpinned_image
from workers.tools.agent.examination import Points
from workers.tools.agent.yaml_nodes import YamlNode, yaml_documents

RULES = {
    "ops.compose-privileged": Severity.MAJOR,
    "ops.compose-docker-socket": Severity.MAJOR,
    "ops.compose-host-mount": Severity.MAJOR,
    "ops.compose-password": Severity.MINOR,
    "ops.kubernetes-privileged": Severity.MAJOR,
    "ops.kubernetes-root": Severity.MAJOR,
    "ops.kubernetes-host": Severity.MAJOR,
    "ops.kubernetes-limits": Severity.MINOR,
    "ops.terraform-open": Severity.MAJOR,
}
_COMPOSE = re.compile(r"(?:^|/)(?:docker-)?compose(?:[.-][\w.-]+)?\.ya?ml$")
_WORKLOADS = frozenset(
    "Pod Deployment StatefulSet DaemonSet Job CronJob ReplicaSet ReplicationController".split()
)
_HOST_FOLDERS = re.compile(r"^(?:/|/etc|/root|/var|/usr|/home|/proc|/sys|/boot|/dev)/?$")
_VARIABLE_WITH_DEFAULT = re.compile(r"\$\{\w+:?-([^}]+)\}")
_OPEN = re.compile(r"\"(?:0\.0\.0\.0/0|::/0)\"")
_BLOCK = re.compile(
    r'^[ \t]*(ingress|resource\s+"(?:aws_security_group_rule|aws_vpc_security_group_ingress_rule'
    r'|google_compute_firewall)"\s+"[^"]+")\s*\{', re.M,
)  # fmt: skip
_WEB_PORTS = re.compile(r"(?:from_port|to_port|ports)\s*=\s*\[?\s*\"?(?:80|443)\"?\b")


def is_compose(path: str) -> bool:
    """A file of docker compose, by its name."""
    return bool(_COMPOSE.search(path))


def check_compose(points: Points, path: str, text: str) -> None:
    """Raise what is unwise in a compose file."""
    for document in yaml_documents(text):
        services = document.get("services")
        for _, service in services.items() if services else ():
            _check_service(points, path, service)


def _check_service(points: Points, path: str, service: YamlNode) -> None:
    privileged, image, volumes = map(service.get, ("privileged", "image", "volumes"))
    if privileged and privileged.is_true():
        points.add("ops.compose-privileged", path, privileged.line)
    if image and is_unpinned_image(image.text) and not service.get("build"):
        points.add("ops.image-latest", path, image.line, image=image.text)
    for volume in volumes.entries() if volumes else ():
        _check_volume(points, path, volume)
    for name, value, line in _environment(service):
        _check_variable(points, path, line, name, value)


def _check_variable(points: Points, path: str, line: int, name: str, value: str) -> None:
    given = _VARIABLE_WITH_DEFAULT.sub(r"\1", value)
    if SECRET_NAME.search(name) and is_given_secret(given):
        points.add("ops.compose-password", path, line, name=name)


def _check_volume(points: Points, path: str, volume: YamlNode) -> None:
    source = volume.get("source")
    folder = source.text if source else volume.text.partition(":")[0]
    if folder.endswith("docker.sock"):
        points.add("ops.compose-docker-socket", path, volume.line)
    elif _HOST_FOLDERS.match(folder):
        points.add("ops.compose-host-mount", path, volume.line, folder=folder)


def _environment(service: YamlNode) -> Iterator[tuple[str, str, int]]:
    environment = service.get("environment")
    for name, value in environment.items() if environment else ():
        yield name.text, value.text, name.line
    for entry in environment.entries() if environment else ():
        name_text, _, value_text = entry.text.partition("=")
        yield name_text, value_text, entry.line


def check_kubernetes(points: Points, path: str, text: str) -> None:
    """Raise what is unwise in the workloads of a manifest; other YAML has none."""
    for document in yaml_documents(text) if "apiVersion" in text else ():
        kind = document.get("kind")
        for key, node in document.walk() if kind and kind.text in _WORKLOADS else ():
            if key in ("containers", "initContainers") and not node.is_list:
                _check_container(points, path, node, key == "containers")
            if key in ("hostNetwork", "hostPID", "hostIPC") and node.is_true():
                points.add("ops.kubernetes-host", path, node.line, setting=key)


def _check_container(points: Points, path: str, container: YamlNode, lasting: bool) -> None:
    image = container.get("image")
    if image is None:
        return
    if is_unpinned_image(image.text):
        points.add("ops.image-latest", path, image.line, image=image.text)
    security = container.get("securityContext")
    for key, node in security.items() if security else ():
        _check_security(points, path, key.text, node)
    if lasting and not container.get("resources", "limits"):
        name = container.get("name") or image
        points.add("ops.kubernetes-limits", path, container.line, name=name.text)


def _check_security(points: Points, path: str, key: str, node: YamlNode) -> None:
    if key == "privileged" and node.is_true():
        points.add("ops.kubernetes-privileged", path, node.line)
    if (key == "runAsUser" and node.text == "0") or (key == "runAsNonRoot" and node.is_false()):
        points.add("ops.kubernetes-root", path, node.line)


def check_terraform(points: Points, path: str, text: str) -> None:
    """Raise rules that let everyone in, but for the ports of the web."""
    for match in _BLOCK.finditer(text):
        block = text[match.start() : _block_end(text, match.end())]
        rule = "security_group_rule" in match.group()
        if _WEB_PORTS.search(block) or (rule and '"egress"' in block):
            continue
        opened = _OPEN.search(block)
        if opened:
            points.add(
                "ops.terraform-open", path, text.count("\n", 0, match.start() + opened.start()) + 1
            )


def _block_end(text: str, at: int) -> int:
    depth = 1
    for bracket in re.finditer(r"[{}]", text[at:]):
        depth += 1 if bracket.group() == "{" else -1
        if not depth:
            return at + bracket.end()
    return len(text)
