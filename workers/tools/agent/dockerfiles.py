"""Dockerfiles: instructions with their lines, and what is unwise in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from shared.models.findings import Severity
from workers.tools.agent.examination import Points

RULES = {
    "ops.docker-root": Severity.MINOR,
    "ops.image-latest": Severity.MINOR,
    "ops.docker-add-url": Severity.MINOR,
    "ops.docker-secret": Severity.MAJOR,
    "ops.docker-apt-lists": Severity.INFO,
    "ops.docker-apt-update": Severity.MINOR,
    "ops.docker-healthcheck": Severity.INFO,
    "ops.pipe-to-shell": Severity.MAJOR,
}
SECRET_NAME = re.compile(
    r"(?:^|_)(?:PASSWORD|PASSWD|PASS|SECRET|SECRET_KEY|TOKEN|API_?KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?)$",
    re.IGNORECASE,
)
PIPE_TO_SHELL = re.compile(
    r"\b(?:curl|wget)\b[^|;&\n]*https?:[^|;&\n]*\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b"
)
_NAME = re.compile(
    r"(?:^|/)(?:Dockerfile|Containerfile)(?:\.[\w.-]+)?$|\.dockerfile$", re.IGNORECASE
)
_STAGE_NAME = re.compile(r"^\s*FROM\s.*\sAS\s+(\S+)", re.IGNORECASE | re.MULTILINE)
_EMPTY_SECRET = re.compile(
    r"^['\"]?(?:|\$.*|<.*>|changeme|none|null|true|false|\d+)['\"]?$", re.IGNORECASE
)


@dataclass(frozen=True)
class DockerInstruction:
    """An instruction with its continuation lines joined."""

    word: str
    rest: str
    line: int


def is_dockerfile(path: str) -> bool:
    """Whether the file is one, by its name."""
    return bool(_NAME.search(path)) and not path.endswith(
        (".dockerignore", ".j2", ".tmpl", ".template", ".md")
    )


def instructions(text: str) -> Iterator[DockerInstruction]:
    """The instructions of a Dockerfile, comments left out."""
    joined, first = "", 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            continue
        first = first if joined else number
        joined += line.rstrip().removesuffix("\\").strip() + " "
        if not line.rstrip().endswith("\\"):
            word, _, rest = joined.strip().partition(" ")
            joined = ""
            if word:
                yield DockerInstruction(word.upper(), rest.strip(), first)


def is_unpinned_image(image: str) -> bool:
    """`latest`, or no tag at all; what a variable decides is not known."""
    if "$" in image or "@" in image or image in ("scratch", ""):
        return False
    tag = image.rsplit("/", 1)[-1].partition(":")[2]
    return tag in ("", "latest")


def is_given_secret(value: str) -> bool:
    """A value that is written down, no variable and no placeholder."""
    return not _EMPTY_SECRET.match(value.strip())


def check_dockerfile(points: Points, path: str, text: str) -> None:
    """Raise what is unwise in one Dockerfile."""
    found = list(instructions(text))
    stages = [row for row in found if row.word == "FROM"]
    if not stages:
        return
    named = {name.casefold() for name in _STAGE_NAME.findall(text)}
    for row in stages:
        _check_image(points, path, row, named)
    for row in found:
        _check_instruction(points, path, row)
    _check_last_stage(points, path, [row for row in found if row.line >= stages[-1].line], named)


def _check_image(points: Points, path: str, row: DockerInstruction, named: set[str]) -> None:
    image = image_of(row)
    if image.casefold() not in named and is_unpinned_image(image):
        points.add("ops.image-latest", path, row.line, image=image)


def _check_last_stage(
    points: Points, path: str, rows: list[DockerInstruction], named: set[str]
) -> None:
    """The image that is run; one without a command is a base of others."""
    if {row.word for row in rows} & {"CMD", "ENTRYPOINT"}:
        _check_user(points, path, rows, named)
        _check_health(points, path, rows)


def image_of(row: DockerInstruction) -> str:
    """The image that a stage begins with."""
    return next((word for word in row.rest.split() if not word.startswith("--")), "")


def _check_instruction(points: Points, path: str, row: DockerInstruction) -> None:
    if (
        row.word == "ADD"
        and re.search(r"(?:^|\s)https?://\S+", row.rest)
        and "--checksum" not in row.rest
    ):
        points.add("ops.docker-add-url", path, row.line)
    if row.word in ("ENV", "ARG"):
        _check_variables(points, path, row)
    if row.word == "RUN":
        _check_run(points, path, row)


def _check_variables(points: Points, path: str, row: DockerInstruction) -> None:
    pairs = re.findall(r"([A-Za-z_]\w*)=(\"[^\"]*\"|'[^']*'|\S*)", row.rest)
    if row.word == "ENV" and not pairs:
        name, _, value = row.rest.partition(" ")
        pairs = [(name, value)]
    for name, value in pairs:
        if SECRET_NAME.search(name) and is_given_secret(value):
            points.add("ops.docker-secret", path, row.line, name=name)


def _check_run(points: Points, path: str, row: DockerInstruction) -> None:
    installs = re.search(r"\bapt(?:-get)?\s+(?:-\S+\s+)*install\b", row.rest)
    updates = re.search(r"\bapt(?:-get)?\s+(?:-\S+\s+)*update\b", row.rest)
    mounted = "--mount=type=cache" in row.rest
    if installs and updates and "/var/lib/apt/lists" not in row.rest and not mounted:
        points.add("ops.docker-apt-lists", path, row.line)
    if (
        updates
        and not installs
        and not re.search(r"\b(?:upgrade|build-dep|download)\b|\.sh\b", row.rest)
    ):
        points.add("ops.docker-apt-update", path, row.line)
    if PIPE_TO_SHELL.search(row.rest):
        points.add("ops.pipe-to-shell", path, row.line)


def _check_user(points: Points, path: str, rows: list[DockerInstruction], named: set[str]) -> None:
    """Whom the image runs as; one without a command is a base of others, and is not asked."""
    base = image_of(rows[0])
    users = [row for row in rows if row.word == "USER"]
    if users:
        if users[-1].rest.partition(":")[0] in ("root", "0"):
            points.add("ops.docker-root", path, users[-1].line)
    elif base.casefold() not in named and not re.search("nonroot|distroless|unprivileged", base):
        points.add("ops.docker-root", path, rows[0].line)


def _check_health(points: Points, path: str, rows: list[DockerInstruction]) -> None:
    words = {row.word for row in rows}
    if "EXPOSE" in words and "HEALTHCHECK" not in words:
        points.add("ops.docker-healthcheck", path, rows[0].line)
