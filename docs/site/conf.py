"""The site of the documentation, for Sphinx: `make site`. Pages are Markdown; nothing is fetched from outside."""

from pygments.lexers.special import TextLexer
from sphinx.application import Sphinx

project = "Quorate"
author = "The Quorate authors"
html_title = "Quorate"
extensions = ["myst_parser", "sphinx.ext.githubpages"]
exclude_patterns = ["site", "examples/**/*.md"]
html_theme = "furo"
html_copy_source = False
html_show_sphinx = False
# A heading's place as the repository's pages name it.
myst_heading_anchors = 4


class _PlainDiagram(TextLexer):
    """A diagram's source: drawing it would need a script of somebody else's."""

    name = "mermaid"
    aliases = ("mermaid",)


def setup(app: Sphinx) -> None:
    """Called by Sphinx."""
    app.add_lexer("mermaid", _PlainDiagram)
