"""A batch's file from a repository's history: a line for each commit, the oldest first."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from shared.configuration import Duration
from shared.errors import UserError
from shared.git.repository import open_repository
from shared.patterns import regex

_PULL_REQUEST = regex(
    r"(?:[Mm]erge pull request #|[Mm]erged in \S+ \(pull request #|\(#)([0-9]{1,9})\b"
)
_SHORT = 12


@dataclass(frozen=True)
class HistoryRange:
    """Which commits: since a date or for so long (`2w`), or those of a range `A..B`; with neither all of HEAD's.

    `pull_requests`: only commits of the first line of parents whose subject names a pull request, each with all that it
    brought, as merges (`Merge pull request #12`) and squashed ones (`... (#12)`) do. Nothing is asked of a platform.
    """

    since: str | None = None
    commits: str | None = None
    pull_requests: bool = False
    newest: int | None = None


def items_from_git(
    repository: Path, wanted: HistoryRange, environ: Mapping[str, str], now: datetime
) -> Iterator[dict[str, Any]]:
    """The lines. Raises UserError for a range or a date that means nothing, or where there is no commit."""
    found = open_repository(repository, environ)
    output = found.git.attempt(
        "log",
        "--topo-order",
        "--reverse",
        "--format=%H%x00%aI%x00%s",
        *_chosen(wanted, now),
        "--end-of-options",
        wanted.commits or "HEAD",
        "--",
    )
    if output.code != 0:
        raise UserError(
            "{commits} names no commits of {repository}: expected a range like v1.0..HEAD",
            commits=wanted.commits or "HEAD",
            repository=repository,
        )
    top = str(found.place.resolve())
    rows = (row.split("\0", 2) for row in output.stdout.decode("utf-8", "replace").split("\n"))
    items = [_item(top, *row, pull_requests=wanted.pull_requests) for row in rows if len(row) == 3]
    if not any(items):
        raise UserError(
            "there is no such commit in {repository}: nothing to submit", repository=repository
        )
    yield from filter(None, items)


def _chosen(wanted: HistoryRange, now: datetime) -> Iterator[str]:
    yield "--first-parent" if wanted.pull_requests else "--no-merges"
    if wanted.since is not None:
        yield f"--since={_moment(wanted.since, now).isoformat()}"
    if wanted.newest is not None:
        yield f"--max-count={wanted.newest}"


def _item(
    top: str, commit: str, date: str, subject: str, *, pull_requests: bool
) -> dict[str, Any] | None:
    number = _PULL_REQUEST.search(subject)
    if pull_requests and number is None:
        return None
    about = {"commit": commit, "subject": subject, "date": date}
    if number is not None:
        about["pull_request"] = number.group(1)
    short = commit[:_SHORT]
    return {
        "custom_id": f"pr-{number.group(1)}-{short}" if pull_requests and number else short,
        "workflow": "review",
        "input": {
            "repository": top,
            "revision": f"{commit}^1..{commit}" if pull_requests else commit,
        },
        "metadata": about,
    }


def _moment(text: str, now: datetime) -> datetime:
    """When that was: a date, a moment, or so long ago."""
    try:
        moment = datetime.fromisoformat(text)
        return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    except ValueError:
        pass
    try:
        return now - timedelta(seconds=TypeAdapter[float](Duration).validate_python(text))
    except (ValidationError, OverflowError):
        raise UserError(
            "--since {text}: expected a date like 2026-05-01 or a duration like 12h, 7d or 4w",
            text=text,
        ) from None
