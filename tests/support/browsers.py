"""A browser without a screen: it keeps cookies, sends forms as pages have them, and follows what it is told to see."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from httpx2 import Response
from starlette.testclient import TestClient

from orchestrator.web.application import create_app
from shared.models.roles import Role
from tests.fixtures.web import PORT, WebService

ORIGIN = f"http://127.0.0.1:{PORT}"


@dataclass
class _Fields(HTMLParser):
    """The hidden fields and checked boxes of every form, by the form's action."""

    forms: dict[str, list[tuple[str, str]]] = field(default_factory=dict)
    by_id: dict[str, str] = field(default_factory=dict)
    action: str = ""

    def __post_init__(self) -> None:
        super().__init__()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self.action = values.get("action", "")
            self.forms.setdefault(self.action, [])
            if "id" in values:
                self.by_id[values["id"]] = self.action
        elif tag == "input" and (values.get("type") == "hidden" or "checked" in values):
            owner = self.by_id.get(values.get("form", ""), self.action)
            self.forms.setdefault(owner, []).append((values["name"], values.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self.action = ""


def forms_of(page: str) -> dict[str, list[tuple[str, str]]]:
    """The hidden fields and checked boxes of a page's forms, by action."""
    fields = _Fields()
    fields.feed(page)  # once for the forms' names: a box may stand before its form
    fields.forms = {}
    fields.feed(page)
    return fields.forms


@dataclass
class PlainBrowser:
    """Somebody at a browser without scripts."""

    client: TestClient

    @classmethod
    def signed_in(
        cls, web: WebService, role: Role = Role.DECIDER, actor: str = "ada"
    ) -> PlainBrowser:
        """Whoever opened a link."""
        browser = cls.of(web)
        code = web.context.sessions.make_link(actor, role)
        assert browser.send(browser.get(f"/enter/{code}"), "/enter").status_code == 303
        return browser

    @classmethod
    def of(cls, web: WebService) -> PlainBrowser:
        """Whoever is not signed in."""
        app = web.clients[0].app if web.clients else create_app(web.context)
        client = TestClient(app, base_url=ORIGIN, follow_redirects=False)
        web.clients.append(client)
        return cls(client)

    def get(self, path: str, **headers: str) -> Response:
        """Open a page."""
        return self.client.get(path, headers={"Accept": "text/html", **headers})

    def send(self, page: Response, action: str, *fields: tuple[str, str], **typed: str) -> Response:
        """Send the page's form with that action, with what somebody typed and checked besides."""
        values = [*forms_of(page.text)[action], *fields, *typed.items()]
        return self.post(action, values)

    def post(self, path: str, values: list[tuple[str, str]], **headers: str) -> Response:
        """Send a form that may not be the page's."""
        data: dict[str, Any] = {}
        for name, value in values:
            data.setdefault(name, []).append(value)
        return self.client.post(
            path, data=data, headers={"Accept": "text/html", "Origin": ORIGIN, **headers}
        )
