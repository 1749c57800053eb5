"""The pictures of the README and the pages, made by running what they show.

    make pictures                 all of them, into docs/pictures
    pictures.py terminals|pages   some of them

A terminal's picture is the command's own coloured output, set in a frame by rich. The participants read from a
script and are labelled so. Pages are seen by a Chromium, where there is one (`page_pictures.py`).
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

import page_pictures
from rich.console import Console
from rich.text import Text

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "docs" / "examples"
PICTURES = ROOT / "docs" / "pictures"
COLUMNS = 112
ENDED = (0, 1, 8)
"""A picture shows an answer, also that of a gate or of an open question."""

FRAME = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" \
aria-label="ABOUT">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; \
font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
.{unique_id}-title {{ font-family: ui-sans-serif, system-ui, sans-serif; font-size: 15px; font-weight: 600; }}
{styles}
</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}"/>\
</clipPath>{lines}</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""
"""rich's own frame fetches a font from outside."""


@dataclass(frozen=True)
class TerminalPicture:
    """A command whose output is shown, and what is typed before it."""

    name: str
    command: Sequence[str]
    shown: str
    before: Sequence[Sequence[str]] = ()


REVIEW = (
    "quorate", "review", "--config", "review.yaml", "--diff", "prices.diff", "--decide", "later", "--quiet",
)  # fmt: skip
TERMINALS = (
    TerminalPicture("review", REVIEW, "quorate review"),
    TerminalPicture("rounds", ("quorate", "show", "last", "--rounds"), "quorate show last --rounds"),
    TerminalPicture("inbox", ("quorate", "inbox"), "quorate inbox"),
)  # fmt: skip


def main() -> int:
    """Make the pictures with the `quorate` of this environment, in an instance that ends with them."""
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="ql-pictures-") as home:
        environ = _environ(Path(home))
        try:
            for picture in TERMINALS:
                svg = drawn(picture, environ)
                if "pages" not in sys.argv[1:]:
                    (PICTURES / f"{picture.name}.svg").write_text(svg, encoding="utf-8")
            if "terminals" not in sys.argv[1:]:
                page_pictures.take(PICTURES, Path(home), environ)
        finally:
            _run(("quorate", "down"), environ)
    return 0


def drawn(picture: TerminalPicture, environ: Mapping[str, str]) -> str:
    """The command's output as a terminal shows it. Raises RuntimeError when it does not end as expected."""
    output = _run(picture.command, environ)
    console = Console(
        record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, legacy_windows=False
    )
    console.print(Text("$ ", "dim") + Text(picture.shown, "bold"))
    console.print(Text.from_ansi(output), soft_wrap=False)
    frame = FRAME.replace("ABOUT", escape(picture.shown, quote=True))
    svg = console.export_svg(title=picture.shown, code_format=frame, unique_id=picture.name)
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def _run(command: Sequence[str], environ: Mapping[str, str]) -> str:
    program = Path(sys.executable).with_name(command[0])
    done = subprocess.run(
        (program, *command[1:]), cwd=EXAMPLES, env=dict(environ), capture_output=True, text=True, check=False
    )  # fmt: skip
    if done.returncode not in ENDED:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def _environ(home: Path) -> Mapping[str, str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
    return kept | {"HOME": str(home), "CLICOLOR_FORCE": "1", "COLUMNS": str(COLUMNS)}


if __name__ == "__main__":
    sys.exit(main())
