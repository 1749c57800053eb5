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
_AZURE = (
    "?path=/{path}&version=GC{commit}&line={first}&lineEnd={end}&lineStartColumn=1&lineEndColumn=1"
)
_GITLAB = Forge("-/blob/{commit}/{path}#L{first}", "-/blob/{commit}/{path}#L{first}-{last}")
_BITBUCKET = Forge("src/{commit}/{path}#lines-{first}", "src/{commit}/{path}#lines-{first}:{last}")
FORGES: Mapping[str, Forge] = MappingProxyType(
    {
        "github.com": _GITHUB,
        "gitlab.com": _GITLAB,
        "codeberg.org": Forge(
            "src/commit/{commit}/{path}#L{first}", "src/commit/{commit}/{path}#L{first}-L{last}"
        ),
        "bitbucket.org": _BITBUCKET,
    }
)
PIPELINE_FORGES: Mapping[str, Forge] = MappingProxyType(
    {
        "github": _GITHUB,
        "gitlab": _GITLAB,
        "azure": Forge(_AZURE, _AZURE),
        "bitbucket": _BITBUCKET,
    }
)
"""How the hosts of pipelines address lines, also those on servers of a team's own: by the platform's name."""


class PublishedCommit(Wire):
    """A commit that everybody who may see the `project`'s page can see.

    `platform`: the pipeline that says so, where the host itself is not known.
    """

    project: str
    commit: str
    platform: str = ""

    @classmethod
    def read(cls, stored: object) -> Self | None:
        """As a run's labels hold it; None without one."""
        try:
            return cls.model_validate(stored)
        except ValidationError:
            return None

    def link(self, place: Place) -> str | None:
        """The address of the lines; None where the host is not known."""
        host = urlsplit(self.project).hostname or ""
        forge = PIPELINE_FORGES.get(self.platform) or FORGES.get(host)
        if forge is None:
            return None
        form = forge.lines if place.last_line > place.line else forge.one_line
        path = quote(place.path, safe="/")
        path_and_lines = form.format(
            commit=self.commit,
            path=path,
            first=place.line,
            last=place.last_line,
            end=place.last_line + 1,
        )
        between = "" if path_and_lines.startswith("?") else "/"
        return f"{self.project}{between}{path_and_lines}"
