"""The reference of the site, made from the code: each page is what the program itself would say."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import click

from orchestrator.cli.main import cli as command_line
from orchestrator.cli.registry import COMMANDS
from orchestrator.core.formats import FORMATS
from orchestrator.presentation.locale.catalogue import catalogue
from orchestrator.settings.languages import LANGUAGES
from orchestrator.settings.tables import page_tables
from orchestrator.web.identity import role_of
from orchestrator.web.openapi import described_routes
from orchestrator.web.problems import PROBLEMS
from orchestrator.web.scoping import is_open
from shared.models.metrics import METRICS
from shared.models.outcomes import FailureKind
from shared.providers.tables import table


def commands() -> str:
    """Every command with its help, below the headings of `quorate --help`."""
    root = click.Context(command_line, info_name="quorate")
    lines = ["# Commands", "", "What `quorate COMMAND --help` prints, command by command.", ""]
    group = None
    for name, entry in sorted(
        COMMANDS.items(), key=lambda row: list(type(row[1].group)).index(row[1].group)
    ):
        if entry.hidden:
            continue
        if entry.group is not group:
            group = entry.group
            lines += [f"## {group}", ""]
        command = command_line.get_command(root, name)
        if command is not None:
            lines += _help_of(command, name, root, "###")
    return "\n".join(lines)


def _help_of(command: click.Command, name: str, parent: click.Context, mark: str) -> Iterator[str]:
    context = click.Context(
        command, info_name=name, parent=parent, max_content_width=100, terminal_width=100
    )
    yield from (
        f"{mark} {context.command_path}",
        "",
        "```text",
        command.get_help(context),
        "```",
        "",
    )
    if isinstance(command, click.Group):
        for below in command.list_commands(context):
            found = command.get_command(context, below)
            if found is not None:
                yield from _help_of(found, below, context, f"{mark}#")


def settings() -> str:
    """Every key of the configuration, and the variables that set some."""
    tables = page_tables()
    text = "\n".join(
        (
            "# Settings",
            "",
            "What each level may set, and how: [configuration](../configuration.md).",
            "",
            "## Keys",
            "",
            tables["keys"],
            "",
            "## Variables",
            "",
            tables["variables"],
        )
    )
    # The tables stand in configuration.md, one folder above.
    return (
        text.replace("](#", "](configuration.md#")
        .replace("](", "](../")
        .replace("](../../", "](../")
    )


def formats() -> str:
    """What a result can be written as."""
    rows = [
        (
            f"`{row.name}`",
            ", ".join(f"`{suffix}`" for suffix in row.suffixes),
            f"`{row.media_type}`",
        )
        for row in FORMATS
    ]
    head = "# Formats\n\n`-o FILE` picks by suffix, `-o NAME:FILE` and `--format NAME` by name.\n"
    return f"{head}\n{table(('name', 'files', 'media type'), rows)}\n"


def failures() -> str:
    """Why a turn can fail, as it stands in JSON and in the API."""
    english = catalogue("en")
    rows = [(f"`{kind}`", _words(english.forms(f"failure_{kind}"))) for kind in FailureKind]
    head = "# Failures\n\n`failure.kind` of a turn that brought no reply.\n"
    return f"{head}\n{table(('kind', 'words'), rows)}\n"


def notices() -> str:
    """Every entry of the catalogues: what the product tells, in each language."""
    books = [catalogue(language) for language in LANGUAGES]
    rows = [
        (f"`{code}`", *(_words(book.forms(code)) for book in books))
        for code in sorted(books[0].entries)
    ]
    head = "# Notices\n\nThe code stands in JSON, the words are told. Braces are filled in.\n"
    return f"{head}\n{table(('code', *LANGUAGES), rows)}\n"


def metrics() -> str:
    """What `GET /metrics` and `quorate metrics` show."""
    rows = [
        (
            f"`{metric.name}`",
            metric.kind,
            ", ".join(f"`{label}`" for label in metric.labels),
            metric.help,
        )
        for metric in METRICS
    ]
    return f"# Metrics\n\n{table(('name', 'kind', 'labels', 'what it counts'), rows)}\n"


def http_api() -> str:
    """The operations of the HTTP API, and the problems that it answers with."""
    operations = [
        (f"`{method} {path}`", role_of(route) or "", _yes(is_open(path)), route.summary)
        for path, route in described_routes()
        for method in sorted(route.methods or ())
    ]
    problems = [(f"`{kind.code}`", str(kind.status), kind.when) for kind in PROBLEMS]
    head = (
        "The schemas are in `GET /api/v1/openapi.json` of `quorate serve`; the guide is [the HTTP API](../api.md). "
        "Each operation needs the role beside it, or one above it; *projects*: a "
        "[token with projects](../data.md#projects) may call it."
    )
    return (
        f"# HTTP API\n\n{head}\n\n{table(('operation', 'role', 'projects', 'what it does'), operations)}\n\n"
        f"## Problems\n\n{table(('code', 'status', 'when'), problems)}\n"
    )


def _yes(said: bool) -> str:
    return "yes" if said else "no"


def _words(forms: tuple[str, ...] | None) -> str:
    text = " / ".join(forms or ())
    return f"`` {text} ``".replace("|", "\\|").replace("\n", " ") if text.strip() else ""


PAGES: Mapping[str, Callable[[], str]] = {
    "commands": commands,
    "settings": settings,
    "formats": formats,
    "failures": failures,
    "notices": notices,
    "metrics": metrics,
    "http-api": http_api,
}
