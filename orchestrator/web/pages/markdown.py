"""What models and people wrote, as markup: paragraphs, lists, tables and code; nothing that leads or loads anywhere.

Markup of theirs is text, links and pictures stay as they were written, and what the renderer makes goes through a
sanitiser that knows no address and no script.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import nh3
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from orchestrator.core.lines import drop_unseen
from orchestrator.web.pages.highlighting import coloured

MOST_LETTERS = 200_000
"""A longer text is shown as it is, without a look at its Markdown."""

_TAGS = {"p", "ul", "ol", "li", "strong", "em", "s", "code", "pre", "blockquote", "br", "hr", "div"}
_TAGS |= {"table", "thead", "tbody", "tr", "th", "td", "span"}
_CLASSES = {"class"}
_ATTRIBUTES = {
    "span": _CLASSES,
    "p": _CLASSES,
    "div": _CLASSES,
    "pre": {"tabindex"},
    "ol": {"start"},
}
_LEADING_AWAY = ("link", "image", "autolink", "reference", "html_block", "html_inline")


class _Renderer(RendererHTML):
    """Headings are strong paragraphs, since the page has its own; code is in colours."""

    def heading_open(self, tokens: Sequence[Token], idx: int, *_: object) -> str:
        return f'<p class="title-{min(int(tokens[idx].tag[1:]), 3)}">'

    def heading_close(self, *_: object) -> str:
        return "</p>\n"

    def fence(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        language = tokens[idx].info.strip().split(" ")[0].lower()
        return f'<pre tabindex="0"><code>{coloured(tokens[idx].content, language)}</code></pre>\n'

    def code_block(
        self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType
    ) -> str:
        return f'<pre tabindex="0"><code>{coloured(tokens[idx].content)}</code></pre>\n'


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("commonmark", {"html": False, "breaks": True}, renderer_cls=_Renderer)
    return reader.enable(["table", "strikethrough"]).disable(list(_LEADING_AWAY))


def prose(text: str) -> str:
    """The text as markup that can be put into a page."""
    seen = drop_unseen(text)
    if len(seen) > MOST_LETTERS:
        return f'<pre tabindex="0"><code>{coloured(seen)}</code></pre>'
    return nh3.clean(
        str(_reader().render(seen)),
        tags=_TAGS,
        attributes=_ATTRIBUTES,
        url_schemes=set(),
        link_rel=None,
    )
