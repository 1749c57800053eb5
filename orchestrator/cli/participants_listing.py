"""The flow of `quorate participants list`: the panel, who else is here, what is missing, who is held up."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from orchestrator.cli.terminal import Terminal
from orchestrator.core.document import Line, Span, Style, line
from orchestrator.participants.catalogue import Catalogue
from orchestrator.participants.discovery import Found
from orchestrator.participants.panels import PanelReport, build_panel
from orchestrator.presentation.formats.json import SCHEMA_VERSION, dumps
from orchestrator.presentation.listings import heads
from orchestrator.presentation.locale.words import say
from orchestrator.presentation.tables import table
from orchestrator.settings.loading import load_configuration
from shared.errors import EnvironmentFault
from shared.models.panel import Panel, Participant
from shared.providers.limits import Breaker, BreakerState, Pause, account_of, breakers, paused
from shared.providers.locality import leaves_machine
from shared.settings import Settings

UNKNOWN = "-"


@dataclass(frozen=True)
class Held:
    """What the servers know of accounts and pauses; `known` False when no server answers."""

    known: bool
    accounts: tuple[Breaker, ...] = ()
    pauses: tuple[Pause, ...] = ()

    def state_of(self, who: Participant) -> str:
        """`ready`, or what keeps the participant's calls back."""
        if not self.known or who.rule_based:
            return UNKNOWN
        account = account_of(who)
        for pause in self.pauses:
            if pause.name in (who.name, who.provider, account):
                return f"paused ({pause.name}){': ' + pause.reason if pause.reason else ''}"
        found = next((breaker for breaker in self.accounts if breaker.account == account), None)
        if found is None:
            return "ready"
        if found.state is not BreakerState.CLOSED:
            return f"{found.state}, {found.why}: tried again in {found.opens_in_s:.0f} s"
        return f"waits {found.cooldown_s:.0f} s" if found.cooldown_s > 0 else "ready"


@dataclass(frozen=True)
class Listing:
    """Everything that `list` says."""

    panel: Panel
    report: PanelReport
    others: tuple[tuple[Participant, str], ...]
    missing: tuple[tuple[str, str], ...]
    held: Held


def run_list(
    names: Sequence[str],
    config: Path | None,
    environ: Mapping[str, str],
    *,
    as_json: bool,
    language: str = "en",
) -> int:
    """Print the listing; the exit code."""
    listing = gather(names, config, environ, Path.cwd())
    terminal = Terminal.of(environ)
    if as_json:
        terminal.result(dumps(listing_json(listing)))
        return 0
    terminal.result(_panel_table(listing, language))
    if listing.others:
        also = Span(say("also_here", language), Style.STRONG)
        terminal.result([line(""), line(also), *_others_table(listing, language)])
    if listing.missing:
        terminal.talk([line(Span(say("not_here", language), Style.DIM))])
        terminal.talk([line(Span(f"  {who}: {todo}", Style.DIM)) for who, todo in listing.missing])
    terminal.talk([line(_without_itself(text)) for text in listing.report.lines()[1:]])
    return 0


def _without_itself(text: str) -> str:
    """A hint without the remark in brackets that sends its reader to this very command."""
    return re.sub(r" ?\([^()]*`quorate participants list`[^()]*\)", "", text)


def gather(
    names: Sequence[str], config: Path | None, environ: Mapping[str, str], directory: Path
) -> Listing:
    """Look at configuration, environment and servers. Nothing is started, nobody is called."""
    configuration = load_configuration(directory, environ, explicit=config, workflow="review")
    panel, report = build_panel(names or None, configuration, environ, directory)
    catalogue = Catalogue(configuration.settings, environ, directory)
    taking_part = {who.name for who in everybody(panel)}
    others = [
        (one.participant, _how(one))
        for one in catalogue.discovery.found
        if one.participant.name not in taking_part
    ]
    missing = list(catalogue.discovery.missing)
    for name, provider in configuration.settings.providers.items():
        obstacle = catalogue.obstacle(name, provider)
        if obstacle is not None:
            missing.append((name, obstacle.reason))
        elif name not in taking_part:
            others.append((catalogue.configured(name), configuration.source(f"providers.{name}")))
    return Listing(panel, report, tuple(others), tuple(missing), _held(environ))


def everybody(panel: Panel) -> tuple[Participant, ...]:
    """Each participant of a panel once."""
    found = {who.name: who for who in (*panel.critics, panel.author, panel.chair)}
    return tuple(found.values())


def _how(found: Found) -> str:
    return found.how + (f"; also `{'`, `'.join(found.aliases)}`" if found.aliases else "")


def _held(environ: Mapping[str, str]) -> Held:
    url = Settings.from_environment(environ).endpoints.redis_url
    try:
        return Held(True, tuple(breakers(url)), tuple(paused(url)))
    except EnvironmentFault:
        return Held(False)


def _panel_table(listing: Listing, language: str) -> list[Line]:
    panel = listing.panel
    parts = [("critic", who) for who in panel.critics]
    parts += [("author", panel.author), ("chair", panel.chair)]
    rows = [
        (
            who.name,
            say(f"part_{part}", language),
            *_columns(who, language),
            listing.held.state_of(who),
        )
        for part, who in parts
    ]
    names = ("name", "part", "provider", "model", "family", "reached", "state")
    return table(heads(names, language), rows)


def _others_table(listing: Listing, language: str) -> list[Line]:
    rows = [
        (who.name, how, *_columns(who, language), listing.held.state_of(who))
        for who, how in listing.others
    ]
    names = ("name", "found", "provider", "model", "family", "reached", "state")
    return table(heads(names, language), rows)


def _columns(who: Participant, language: str) -> tuple[str, str, str, str]:
    reached = say("reached_external" if leaves_machine(who) else "reached_local", language)
    return who.provider, who.model or who.tool or UNKNOWN, who.family, reached


def listing_json(listing: Listing) -> dict[str, Any]:
    """The listing for machines."""
    return {
        "schema_version": SCHEMA_VERSION,
        "panel": listing.panel.model_dump(mode="json"),
        "warnings": list(listing.report.warnings),
        "hints": [*listing.report.hints, *listing.report.advice],
        "participants": [
            {
                "name": who.name,
                "provider": who.provider,
                "model": who.model,
                "family": who.family,
                "external": leaves_machine(who),
                "account": None if who.rule_based else account_of(who),
                "state": listing.held.state_of(who),
                "found": how,
                "in_panel": how is None,
            }
            for who, how in (
                *((who, None) for who in everybody(listing.panel)),
                *listing.others,
            )
        ],
        "missing": [{"name": who, "todo": todo} for who, todo in listing.missing],
        "servers": listing.held.known,
        "accounts": [breaker.__dict__ for breaker in listing.held.accounts],
        "paused": [pause.__dict__ for pause in listing.held.pauses],
    }
