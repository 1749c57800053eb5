"""Web pages on loopback that behave like a web chat: they stream, think, want a log-in, have changed.

    /            streams its answer in pieces
    /slow        thinks for a second first, and shows that it is busy
    /pausing     stops in the middle for longer than a text has to stand still, and shows that it is busy
    /login       shows a log-in and no box
    /stranger    shows a box and a log-in
    /changed     has no box that anybody knows
    /no-send     has a box and nothing to send with
    /mute        takes the question and never answers
    /endless     never stops writing
    /limit       says that the account may not ask more
    /blank       answers after half a minute, or never

The pages are made from a site's selectors, so that each row of the data file is used.
"""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Mapping
from contextlib import AbstractContextManager

_PARTS: dict[str, dict[str, str]] = {
    "chatgpt": {
        "ready": '<div id="prompt-textarea" contenteditable="true" style="min-height:2em"></div>',
        "send": '<button data-testid="send-button">send</button>',
        "answer": '<div data-message-author-role="assistant"></div>',
        "busy": '<button data-testid="stop-button">stop</button>',
        "login": '<button data-testid="login-button">Log in</button>',
        "limit": '<div data-testid="rate-limit-banner">Too many requests</div>',
    },
    "claude": {
        "ready": '<div class="ProseMirror" contenteditable="true" style="min-height:2em"></div>',
        "send": '<button aria-label="Send message">send</button>',
        "answer": '<div class="font-claude-message"></div>',
        "busy": '<button aria-label="Stop response">stop</button>',
        "login": '<form><input type="email" placeholder="mail"></form>',
        "limit": '<div data-testid="message-limit">Message limit reached</div>',
    },
    "gemini": {
        "ready": "<rich-textarea><div contenteditable='true' style='min-height:2em'></div></rich-textarea>",
        "send": '<button class="send-button">send</button>',
        "answer": "<model-response><message-content></message-content></model-response>",
        "busy": '<button aria-label="Stop response">stop</button>',
        "login": '<a href="/ServiceLogin">Sign in</a>',
        "limit": '<div class="rate-limit-message">Try again later</div>',
    },
}
_SCRIPT = """
const parts = %(parts)s, mode = %(mode)s, text = %(text)s;
const put = (html) => { const box = document.createElement('div'); box.innerHTML = html;
  document.body.append(box.firstElementChild); return document.body.lastElementChild; };
const has = (...modes) => modes.includes(mode);
if (has('login', 'stranger')) put(parts.login);
if (has('changed')) put('<textarea id="new"></textarea>');
if (!has('login', 'changed', 'blank')) {
  const box = put(parts.ready), type = box.isContentEditable ? box : box.querySelector('[contenteditable]');
  if (!has('no-send')) put(parts.send).addEventListener('click', () => {
    fetch('/asked', {method: 'POST', body: type.innerText});
    type.innerText = '';
    if (has('limit')) { put(parts.limit); return; }
    const busy = put(parts.busy);
    if (has('mute')) { busy.remove(); return; }
    const start = has('slow') ? 1000 : 50;
    setTimeout(() => {
      const answer = put(parts.answer), place = answer.querySelector('message-content') || answer;
      let at = 0;
      const write = () => {
        at += 12;
        place.innerText = has('endless') ? 'x'.repeat(at) : text.slice(0, at);
        if (!has('endless') && at >= text.length) { busy.remove(); return; }
        setTimeout(write, has('pausing') && at === 24 ? 2500 : 120);
      };
      write();
    }, start);
  });
}
"""


class ChatPages(AbstractContextManager["ChatPages"]):
    """The pages of all sites with one answer; `asked` is what was typed and sent."""

    def __init__(self, text: str) -> None:
        self.asked: list[str] = []
        pages = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                _, site, mode = (*self.path.split("/"), "")[:3]
                known = site in _PARTS
                self._answer(200 if known else 404, _page(_PARTS.get(site, {}), mode, text))

            def do_POST(self) -> None:
                length = int(self.headers["content-length"])
                pages.asked.append(self.rfile.read(length).decode())
                self._answer(204, b"")

            def _answer(self, status: int, body: bytes) -> None:
                self.send_response(status)
                self.send_header("content-type", "text/html; charset=utf-8")
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_args: object) -> None:
                """Quiet."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True
        )
        self._thread.start()
        self._url = f"http://127.0.0.1:{self._server.server_port}"

    def url(self, site: str, mode: str = "") -> str:
        """The address of a site's page that behaves in that way."""
        return f"{self._url}/{site}/{mode}"

    def __exit__(self, *_why: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _page(parts: Mapping[str, str], mode: str, text: str) -> bytes:
    script = _SCRIPT % {
        "parts": json.dumps(parts).replace("</", "<\\/"),
        "mode": json.dumps(mode),
        "text": json.dumps(text),
    }
    return f"<!doctype html><title>chat</title><body><script>{script}</script></body>".encode()
