"""Build the site: the pages, and a reference made from the code, into build/site.

make site
"""

from __future__ import annotations

import re
import shutil
import sys
from pathlib import Path

from sphinx.cmd.build import main as sphinx

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build"
REFERENCE = "reference"
_LINK = re.compile(r"\[([^\]\n]+)\]\(((?:\.\./)+[^)\s]+)\)")
_TITLE = re.compile(r"^# (.+)$", re.MULTILINE)

sys.path.insert(0, str(HERE))
from reference import PAGES  # noqa: E402 - a script's neighbour, which is no package


def main() -> int:
    """The exit code of Sphinx, for which a warning is an error."""
    source = BUILD / "site-source"
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(ROOT / "docs", source, ignore=shutil.ignore_patterns("site"))
    for page in source.rglob("*.md"):
        page.write_text(within(page, source), encoding="utf-8")
    (source / REFERENCE).mkdir()
    for name, page in PAGES.items():
        (source / REFERENCE / f"{name}.md").write_text(page(), encoding="utf-8")
    (source / "index.md").write_text(index(source), encoding="utf-8")
    return sphinx(["-W", "--keep-going", "-q", "-c", str(HERE), str(source), str(BUILD / "site")])


def within(page: Path, source: Path) -> str:
    """The page, in which a link to a file of the repository is only its name: the site holds the pages."""

    def kept(link: re.Match[str]) -> str:
        target = (page.parent / link[2].partition("#")[0]).resolve()
        return link[0] if target.is_relative_to(source) else link[1]

    return _LINK.sub(kept, page.read_text(encoding="utf-8"))


def index(source: Path) -> str:
    """The first page, with all others in the navigation: users' by title, then the reference, then the design."""
    parts = {
        "Pages": sorted({*source.glob("*.md")} - {source / "index.md"}),
        "Reference": sorted((source / REFERENCE).glob("*.md")),
        "How it is built": sorted((source / "design").glob("*.md")),
    }
    trees = (_tree(head, files, source) for head, files in parts.items())
    return "\n".join(((source / "index.md").read_text(encoding="utf-8"), *trees))


def _tree(head: str, files: list[Path], source: Path) -> str:
    titled = sorted(
        (_title(file).lower(), file.relative_to(source).with_suffix("")) for file in files
    )
    names = "\n".join(path.as_posix() for _, path in titled)
    return f"```{{toctree}}\n:hidden:\n:caption: {head}\n\n{names}\n```\n"


def _title(file: Path) -> str:
    found = _TITLE.search(file.read_text(encoding="utf-8"))
    return found[1] if found else file.stem


if __name__ == "__main__":
    sys.exit(main())
