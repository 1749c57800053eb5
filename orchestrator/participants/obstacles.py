"""Why the participant that an entry under `providers:` describes cannot be asked."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from shared.programs import find_program, how_to_add
from shared.providers import key_store
from shared.providers.catalogue import CATALOGUE
from shared.providers.keys import KeySource, key_sources
from shared.providers.options import BrowserOptions, CommandOptions, HttpOptions
from shared.providers.sections import ProviderSection
from shared.sentences import Sentence

LOGIN_TERMS = (
    "{name} would use the web chat of {site} with your own account. The sites' terms of use may forbid automation "
    "and your account may be closed for it; the APIs are the supported way."
)
ACCEPT_TERMS = "{terms} If you have read the terms and want it anyway, set `i_accept_the_sites_terms: true` for {name}"


def browser_terms(name: str, site: str) -> Sentence:
    """What somebody must know and say before their own account is used."""
    return Sentence(ACCEPT_TERMS, terms=Sentence(LOGIN_TERMS, name=name, site=site), name=name)


@dataclass(frozen=True)
class Obstacle:
    """Why a participant cannot be asked; `key` when a key is what is missing."""

    reason: str
    key: bool = False


def obstacle(name: str, provider: ProviderSection, environ: Mapping[str, str]) -> Obstacle | None:
    """What stands in the way here; None when nothing does, or when the workers are elsewhere and it cannot be seen."""
    options = provider.checked_options
    if isinstance(options, BrowserOptions) and not options.i_accept_the_sites_terms:
        return Obstacle(browser_terms(name, options.site))
    # With servers elsewhere keys and programs are the workers', which cannot be seen from here.
    if environ.get("QUORATE_REDIS_URL"):
        return None
    if isinstance(options, HttpOptions):
        sources = key_sources(CATALOGUE[provider.provider], options)
        return next(filter(None, (_lacking(name, source, environ) for source in sources)), None)
    if isinstance(options, CommandOptions):
        program = options.executable
        if find_program(program, environ.get("PATH", "")) is None:
            return Obstacle(
                Sentence(
                    "{name} needs the command `{program}`, which is not on PATH",
                    name=name,
                    program=program,
                )
            )
    if isinstance(options, BrowserOptions) and find_spec("playwright") is None:
        return Obstacle(
            Sentence(
                "{name} needs Playwright in Quorate's environment: {how}",
                name=name,
                how=how_to_add("browser"),
            )
        )
    return None


def has_program(program: str, environ: Mapping[str, str]) -> bool:
    """Whether an analyser's program is here; True where the workers are elsewhere, which cannot be seen."""
    if environ.get("QUORATE_REDIS_URL") or find_program(program, environ.get("PATH", "")):
        return True
    return os.access(Path(sys.executable).parent / program, os.X_OK)  # where workers look first


def _lacking(name: str, source: KeySource, environ: Mapping[str, str]) -> Obstacle | None:
    """What is missing of a key on this machine. A keyring is not asked: it might ask the person."""
    if source.header is None:
        what, takes = Sentence("a key in"), Sentence("its key")
    else:
        what = Sentence("its header {header} from", header=source.header)
        takes = Sentence("a header")
    if source.keyring is not None:
        reason = Sentence(
            "{name} takes {what} from the keyring, which needs a package: {how}",
            name=name,
            what=takes,
            how=how_to_add(key_store.EXTRA),
        )
        is_here = key_store.is_installed()
    elif source.file is not None:
        reason = Sentence(
            "{name} needs {what} the file {file}, which cannot be read",
            name=name,
            what=what,
            file=str(source.file),
        )
        is_here = os.access(source.file, os.R_OK)
    else:
        reason = Sentence(
            "{name} needs {what} the environment variable {variable}, which is not set",
            name=name,
            what=what,
            variable=str(source.env),
        )
        is_here = bool(environ.get(source.env or ""))
    return None if is_here else Obstacle(reason, key=True)
