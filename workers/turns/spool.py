"""Paid answers that Postgres could not take yet: fsynced files, brought in as soon as it is back.

A response is money. If the database is away when it arrives, it is written here first; whoever
comes next (this process once the server answers, or the next one after a kill) stores it, and the
step's next attempt adopts it.
"""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path

import structlog

from shared.errors import EnvironmentFault
from shared.models.steps import Usage
from shared.store.database import Database
from shared.store.ends import StoredResponse, store_response

log = structlog.get_logger(__name__)


class Spool:
    """A folder of responses, one file each, named by run, step and attempt."""

    def __init__(self, folder: Path) -> None:
        """The folder is made on first use."""
        self._folder = folder

    def keep(self, response: StoredResponse) -> Path:
        """Write a response so that it survives a power cut; its file."""
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        name = f"{response.run}-{response.step}-{response.attempt}".replace("/", "_")
        path = self._folder / f"{name}.json"
        fields = {**asdict(response), "usage": response.usage.model_dump()}
        fields["content"] = base64.b64encode(response.content).decode()
        temporary = path.with_suffix(".part")
        with temporary.open("w", encoding="utf-8") as file:
            json.dump(fields, file)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        return path

    def drain(self, database: Database) -> int:
        """Store what was kept; how many. What cannot be stored yet stays."""
        stored = 0
        for path, response in self._waiting():
            try:
                database.run(partial(store_response, response=response))
            except EnvironmentFault:
                break
            path.unlink(missing_ok=True)
            stored += 1
        if stored:
            log.info("spool.drained", responses=stored)
        return stored

    def _waiting(self) -> Iterator[tuple[Path, StoredResponse]]:
        for path in sorted(self._folder.glob("*.json")) if self._folder.is_dir() else ():
            try:
                fields = json.loads(path.read_text(encoding="utf-8"))
                fields["content"] = base64.b64decode(fields["content"])
                fields["usage"] = Usage.model_validate(fields["usage"])
                yield path, StoredResponse(**fields)
            except FileNotFoundError:
                continue
            except (ValueError, TypeError, KeyError) as error:
                log.warning("spool.unreadable", file=path.name, why=type(error).__name__)
                path.replace(path.with_suffix(".unreadable"))
