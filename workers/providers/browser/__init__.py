"""Web chats in a browser, with the person's own account: ChatGPT, Claude, Gemini.

Off unless the participant says that the site's terms were looked at. One provider, a row of selectors a site.
"""

from __future__ import annotations

import os

from shared.errors import ConfigurationError, ProviderError
from shared.models.outcomes import FailureKind
from shared.models.panel import Participant
from shared.models.steps import Usage
from shared.providers.browser import SITES, profile_folder
from shared.providers.options import BrowserOptions
from workers.providers.browser.chromium import page_of
from workers.providers.browser.exchange import Exchange
from workers.providers.browser.sites import Site, site_named
from workers.providers.calls import Cancelled, Completion, ProviderCall
from workers.providers.guard import Guard
from workers.providers.options import options_of


def complete(call: ProviderCall, cancel: Cancelled) -> Completion:
    """Ask once in a new conversation. What it cost is not known. Raises ProviderError."""
    guard = Guard.of(call, cancel)
    guard.check()
    options = options_of(call.participant, BrowserOptions)
    if not options.i_accept_the_sites_terms:
        raise ProviderError(
            FailureKind.NOT_ALLOWED,
            f"{call.participant.name} would use the web chat of {options.site}, whose terms may forbid automation: "
            "it is off until `i_accept_the_sites_terms: true` is set for it.",
        )
    site = _site(options)
    profile = profile_folder(options.site, options.profile, os.environ)
    address = options.base_url or SITES[options.site]
    with page_of(profile, options.program, visible=options.visible, guard=guard) as page:
        text = Exchange(page, options.site, site, guard, call.watch).ask(address, call.as_text)
    return Completion(text=text, usage=Usage(), model=call.participant.model or options.site)


def structured(participant: Participant) -> bool:  # noqa: ARG001 - the protocol's signature
    """Never: a web chat is asked in words."""
    return False


def _site(options: BrowserOptions) -> Site:
    try:
        return site_named(options.site, options.selectors)
    except ConfigurationError as error:
        raise ProviderError(FailureKind.BAD_REQUEST, str(error)) from None
