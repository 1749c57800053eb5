"""`quorate docs`: the documentation of this very version, wherever Quorate is installed.

A wheel carries the pages inside the package (pyproject.toml puts them there); in a checkout they are read where they
are written.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path

import click

from orchestrator.cli.options import example, json_option
from orchestrator.cli.reader import words_in
from orchestrator.core.lines import clean
from orchestrator.presentation.json_rows import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.tables import table
from orchestrator.presentation.terminal import Terminal
from shared.errors import EnvironmentFault, UserError
from shared.sentences import Sentence

_PACKAGE = Path(__file__).resolve().parents[2]
FOLDERS = (_PACKAGE / "documents", _PACKAGE.parent / "docs")
"""In a wheel, and in a checkout."""
_SUFFIX = ".md"


@click.command(
    epilog=example("quorate docs", "quorate docs exit-codes", "quorate docs trust --path")
)
@click.argument("page", required=False)
@click.option("--path", "as_path", is_flag=True, help="Print where it is instead of the text.")
@json_option
def docs(page: str | None, as_path: bool, as_json: bool) -> int:
    """List the documentation's pages, or print one as Markdown.

    PAGE is a name from the list, its end (`trust` for design/trust), or what a sentence calls it (docs/json.md).
    """
    folder = manual()
    if page is None:
        return _list(folder, as_path=as_path, as_json=as_json)
    file = find_page(page, folder)
    text = file.read_text(encoding="utf-8")
    terminal = Terminal.of(os.environ)
    if as_json:
        name = _name(file, folder)
        content = {"schema_version": SCHEMA_VERSION, "page": name, "file": str(file), "text": text}
        terminal.result(dumps(content))
    elif as_path:
        terminal.result(str(file))
    elif terminal.can_ask:
        click.echo_via_pager(text)
    else:
        terminal.result(text)
    return 0


def manual() -> Path:
    """The folder that holds the pages. Raises EnvironmentFault when there is none."""
    for folder in FOLDERS:
        if folder.is_dir():
            return folder
    raise EnvironmentFault(
        "This installation has no documentation ({folder} is missing): install Quorate again.",
        folder=FOLDERS[0],
    )


def pages(folder: Path) -> Mapping[str, Path]:
    """Every page by its name: those at the top first."""
    files = sorted(folder.rglob(f"*{_SUFFIX}"), key=lambda file: (len(file.parts), file))
    return {_name(file, folder): file for file in files}


def find_page(wanted: str, folder: Path) -> Path:
    """The page that somebody means. Raises UserError for none, or for several."""
    known = pages(folder)
    name = wanted.strip().removeprefix("docs/").partition("#")[0].removesuffix(_SUFFIX).lower()
    if name in known:
        return known[name]
    ending = [page for page in known if page.endswith(f"/{name}")]
    if len(ending) == 1:
        return known[ending[0]]
    short = {page.rpartition("/")[2]: page for page in known}
    near = ending or [short[word] for word in get_close_matches(name, short, n=2, cutoff=0.6)]
    meant = " or ".join(f"`quorate docs {page}`" for page in near)
    hint = Sentence(" Did you mean {names}?", names=meant) if near else ""
    raise UserError(
        "There is no page '{wanted}' in the documentation.{hint} `quorate docs` lists them.",
        wanted=clean(wanted),
        hint=hint,
    )


def _name(file: Path, folder: Path) -> str:
    return file.relative_to(folder).with_suffix("").as_posix().lower()


def title_of(file: Path) -> str:
    """The heading of a page."""
    with file.open(encoding="utf-8") as lines:
        return next((line.lstrip("# ").strip() for line in lines if line.startswith("#")), "")


def _list(folder: Path, *, as_path: bool, as_json: bool) -> int:
    rows = [(name, title_of(file)) for name, file in pages(folder).items()]
    terminal = Terminal.of(os.environ)
    if as_json:
        listed = [{"page": name, "title": title} for name, title in rows]
        content = {"schema_version": SCHEMA_VERSION, "folder": str(folder), "pages": listed}
        terminal.result(dumps(content))
    elif as_path:
        terminal.result(str(folder))
    else:
        terminal.result(table(heads(("page", "about"), words_in()), rows))
    return 0
