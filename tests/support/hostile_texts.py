"""Texts that want to do something on a page, and how a page is searched for anything that could do something."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass, field
from html.parser import HTMLParser
from urllib.parse import urlsplit

HOSTILE = {
    "script": "<script>alert(1)</script>",
    "script in capitals": "<ScRiPt src=//evil.example/x.js></sCrIpT>",
    "broken tag": "<script<script>>alert(1)</script</script>>",
    "handler": '<img src=x onerror="alert(1)">',
    "handler without blanks": "<svg/onload=alert(1)>",
    "svg": '<svg><a xlink:href="javascript:alert(1)"><text>x</text></a><animate onbegin=alert(1)></svg>',
    "svg foreign object": "<svg><foreignObject><iframe srcdoc='<script>x()</script>'></iframe></foreignObject>",
    "math": '<math><mtext><table><mglyph><style><img src=x onerror="alert(1)">',
    "style": "<style>body{background:url(//evil.example/x)}</style><div style='position:fixed;inset:0'>",
    "frame": '<iframe src="https://evil.example/"></iframe><object data=x></object><embed src=x>',
    "form": '<form action="https://evil.example/"><button name=choice value=apply_fix>OK</button></form>',
    "meta": '<meta http-equiv="refresh" content="0;url=https://evil.example/"><base href="https://evil.example/">',
    "link tag": '<link rel="stylesheet" href="https://evil.example/x.css">',
    "htmx": '<div hx-get="/sign-out" hx-trigger="load" data-hx-on:click="alert(1)"></div>',
    "key": '<button data-key="a" data-send>x</button>',
    "attribute break": "\" onmouseover=\"alert(1)\" x=\"' onfocus='alert(1)' autofocus='",
    "comment": "<!--><img src=x onerror=alert(1)>-->",
    "cdata": "<![CDATA[<img src=x onerror=alert(1)>]]>",
    "entity": "&lt;script&gt;alert(1)&lt;/script&gt;&#x3C;img src=x onerror=alert(1)&#x3E;",
    "template": "{{ 7 * 7 }}{% for x in ().__class__.__mro__ %}{{ x }}{% endfor %}${7*7}#{7*7}",
    "markdown link": "[click](javascript:alert(1)) [other](https://evil.example/?q=secret 'title')",
    "markdown picture": "![x](https://evil.example/x.png) ![y](data:image/svg+xml;base64,PHN2Zy8+)",
    "markdown reference": "[click][r]\n\n[r]: javascript:alert(1)\n[s]: <data:text/html,<script>alert(1)</script>>",
    "markdown autolink": "<javascript:alert(1)> <https://evil.example/> https://evil.example/ www.evil.example",
    "markdown html": "text\n\n<div onclick=alert(1)>\n\n**x**\n\n</div>\n",
    "markdown code": "```\"onmouseover=alert(1)\n</code></pre><script>alert(1)</script>\n```",
    "markdown table": "| <img src=x onerror=alert(1)> | [x](javascript:1) |\n|---|---|\n| a | `</td><script>` |",
    "data address": "data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==",
    "bidi": "if access \u202e\u2066} \u2069 \u2066 // admins only",
    "zero width": "ap\u200bprove\u00ad \ufeff\U000e0041",
    "controls": "\x1b[2J\x1b]0;owned\x07\x00\x08\r\x0b\x0c\x9b31m",
    "surrogate": "\ud800<script>",
    "null in tag": "<scr\x00ipt>alert(1)</scr\x00ipt>",
}  # fmt: skip

UNSEEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200b\u202a-\u202e\u2066-\u2069\ufeff]")
_LEADING = {
    "href",
    "src",
    "action",
    "formaction",
    "xlink:href",
    "data",
    "srcdoc",
    "poster",
    "srcset",
}
_LOADING = {"img", "iframe", "object", "embed", "base", "audio", "video", "math", "style"}


@dataclass
class _Search(HTMLParser):
    """Collects what a browser would run, load or follow."""

    text: list[str] = field(default_factory=list)
    active: list[str] = field(default_factory=list)
    controls: Counter[str] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        shown = f"<{tag} {dict(attrs)}>"
        self.controls.update({tag} & {"form", "button", "input", "textarea", "select"})
        self.controls.update(name for name, _ in attrs if name.startswith(("data-", "hx-")))
        if tag in _LOADING or (tag == "script" and not _is_ours(dict(attrs).get("src") or "")):
            self.active.append(shown)
        for name, value in attrs:
            runs = name.startswith("on") or name == "style" or "hx-on" in name
            if runs or (name in _LEADING and not _is_ours((value or "").strip())):
                self.active.append(shown)

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def _is_ours(address: str) -> bool:
    parts = urlsplit(address)
    return not parts.scheme and not parts.netloc and address[:1] in ("/", "#", "?")


def active_parts(page: str) -> list[str]:
    """The elements of a page that run, load or lead to anything that is not ours."""
    search = _Search()
    search.feed(page)
    search.close()
    return search.active


def controls(page: str) -> Counter[str]:
    """How many elements of a page can be pressed, sent, or are known to our own script, by what makes them so."""
    search = _Search()
    search.feed(page)
    search.close()
    return search.controls


def text_of(page: str) -> str:
    """What a page says."""
    search = _Search()
    search.feed(page)
    search.close()
    return "".join(search.text)
