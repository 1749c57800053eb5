"""What a supervisor tells others about itself: a status file, written whole or not at all."""

import json
import os
from dataclasses import asdict, dataclass
from datetime import datetime
from pathlib import Path

from shared.folders import os_error_as_fault


@dataclass(frozen=True, slots=True)
class ChildStatus:
    """One supervised process."""

    name: str
    pid: int | None
    """None while it waits for its next start."""
    restarts: int
    since: datetime | None
    crashes: int = 0
    """How many starts in a row ended at once, with an error of its own."""


@dataclass(frozen=True, slots=True)
class SupervisorStatus:
    """A supervisor and its children; `children` is empty when none runs."""

    running: bool
    pid: int | None = None
    since: datetime | None = None
    children: tuple[ChildStatus, ...] = ()
    killed: bool = False
    """None runs, and nobody stopped it."""
    build: str = ""
    """What it and its children run; empty until it has written, and of versions before builds."""
    mark: str = ""
    """That of its files (shared/build.py); empty where the build is."""


def write_record(path: Path, status: SupervisorStatus) -> None:
    """Replace the file at `path`; raises EnvironmentFault if the disk refuses."""
    text = json.dumps(asdict(status), default=datetime.isoformat, indent=1)
    scratch = path.with_name(path.name + ".new")
    with os_error_as_fault("write", path):
        scratch.write_text(text + "\n")
        os.replace(scratch, path)


def read_record(path: Path, pid: int) -> SupervisorStatus:
    """What the supervisor `pid` wrote; one that has not written yet has no children."""
    try:
        facts = json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return SupervisorStatus(running=True, pid=pid)
    if facts.get("pid") != pid:  # its predecessor's
        return SupervisorStatus(running=True, pid=pid)
    children = tuple(
        ChildStatus(
            child["name"],
            child["pid"],
            child["restarts"],
            _moment(child["since"]),
            child.get("crashes", 0),
        )
        for child in facts["children"]
    )
    build, mark = facts.get("build", ""), facts.get("mark", "")
    return SupervisorStatus(True, pid, _moment(facts["since"]), children, build=build, mark=mark)


def read_build_of_record(path: Path) -> tuple[str, str] | None:
    """The build and the mark in a record, whoever wrote it; empty for those before these, None without a record."""
    try:
        facts = json.loads(path.read_text())
    except (FileNotFoundError, json.JSONDecodeError):
        return None
    return str(facts.get("build", "")), str(facts.get("mark", ""))


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
