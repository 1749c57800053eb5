"""Forms: whoever is signed in sends the token that our own pages put into them (CSRF)."""

from __future__ import annotations

import secrets

from fastapi import Request

from orchestrator.web.pages.rendering import FORM_FIELD
from orchestrator.web.problems import FORBIDDEN, RequestRefused
from orchestrator.web.sessions import WebSession

READING = frozenset({"GET", "HEAD"})


async def require_form_token(request: Request) -> None:
    """The dependency of every page: what changes something came from a form of ours. Raises RequestRefused.

    Who is not signed in has nothing that another site's page could use; its Origin was checked before.
    """
    session: WebSession | None = getattr(request.state, "session", None)
    if request.method in READING or session is None:
        return
    given = (await request.form()).get(FORM_FIELD, "")
    if not secrets.compare_digest(
        str(given).encode("utf-8", "replace"), session.form_token.encode()
    ):
        raise RequestRefused(FORBIDDEN, "the form is not of this session: open the page again")
