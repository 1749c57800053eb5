"""Hosts of repositories whose addresses of lines are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Self
from urllib.parse import quote, urlsplit

from pydantic import ValidationError

from shared.models.findings import Place
from shared.models.wire import Wire


@dataclass(frozen=True)
class Forge:
    """How a host addresses lines of a file at a commit."""

    one_line: str
    lines: str


_GITHUB = Forge("blob/{commit}/{path}#L{first}", "blob/{commit}/{path}#L{first}-L{last}")
FORGES: Mapping[str, Forge] = MappingProxyType(
    {
        "github.com": _GITHUB,
        "gitlab.com": Forge(
            "-/blob/{commit}/{path}#L{first}", "-/blob/{commit}/{path}#L{first}-{last}"
        ),
        "codeberg.org": Forge(
            "src/commit/{commit}/{path}#L{first}", "src/commit/{commit}/{path}#L{first}-L{last}"
        ),
        "bitbucket.org": Forge(
            "src/{commit}/{path}#lines-{first}", "src/{commit}/{path}#lines-{first}:{last}"
        ),
    }
)


class PublishedCommit(Wire):
    """A commit that everybody who may see the `project`'s page can see."""

    project: str
    commit: str

    @classmethod
    def read(cls, stored: object) -> Self | None:
        """As a run's labels hold it; None without one."""
        try:
            return cls.model_validate(stored)
        except ValidationError:
            return None

    def link(self, place: Place) -> str | None:
        """The address of the lines; None where the host is not known."""
        forge = FORGES.get(urlsplit(self.project).hostname or "")
        if forge is None:
            return None
        form = forge.lines if place.last_line > place.line else forge.one_line
        path = quote(place.path, safe="/")
        path_and_lines = form.format(
            commit=self.commit, path=path, first=place.line, last=place.last_line
        )
        return f"{self.project}/{path_and_lines}"
