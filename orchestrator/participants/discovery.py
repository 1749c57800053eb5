"""Who is here without any configuration: keys in the environment, agents on PATH, an Ollama on this machine.

Looking sends nothing to anybody else: a key counts when its variable is set, an agent when its program is on PATH (it
is not started), and Ollama is asked for its list on loopback only, for a fifth of a second. `QUORATE_DISCOVER=off`
finds nobody; in CI (`CI` is set) Ollama is asked only with `QUORATE_DISCOVER=all` or OLLAMA_HOST.
"""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pydantic import JsonValue

from shared.models.panel import Participant
from shared.programs import find_program
from shared.providers.catalogue import (
    CATALOGUE,
    LocalServer,
    ProviderType,
    ProviderTypes,
    Service,
    key_variables_of,
    services,
)
from shared.providers.coding_clis import CodingCli
from shared.providers.families import family_of, plain_name
from shared.providers.locality import is_hosted
from shared.sentences import Sentence

DISCOVER = "QUORATE_DISCOVER"
PROBE_S = 0.2
_LONGEST_LIST = 1_000_000
_LOOPBACK = ("127.0.0.1", "localhost", "::1")

Probe = Callable[[str, int, float], list[str] | None]
"""Host, port, seconds: the models that a server on this machine lists, None when none answers."""


@dataclass(frozen=True)
class DiscoveredParticipant:
    """A participant that could take part, `how` it was found, and the other names that mean it.

    `shares_machine`: its model runs here, on a server that holds others.
    """

    participant: Participant
    how: str
    aliases: tuple[str, ...] = ()
    shares_machine: bool = False


@dataclass(frozen=True)
class Discovery:
    """Everybody that was found, best way first, and what is missing for the others (name, what to do)."""

    participants: tuple[DiscoveredParticipant, ...] = ()
    missing: tuple[tuple[str, str], ...] = ()

    def named(self, name: str) -> Participant | None:
        """The participant of that name; an alias means the best way to it."""
        for discovered in self.participants:
            if discovered.participant.name == name:
                return discovered.participant
        for discovered in self.participants:
            if name in discovered.aliases:
                return discovered.participant.model_copy(update={"name": name})
        return None

    def names(self) -> list[str]:
        """All names that `named` knows."""
        every = (
            name
            for discovered in self.participants
            for name in (discovered.participant.name, *discovered.aliases)
        )
        return list(dict.fromkeys(every))

    def panel(self, taken: Iterable[str] = ()) -> tuple[Participant, ...]:
        """One of each family that is not `taken` yet: copies of one model agree with each other easily.

        Of the models on this machine only the most recently changed one: they share its memory.
        """
        families = set(taken)
        chosen: list[DiscoveredParticipant] = []
        for discovered in self.participants:
            second = discovered.shares_machine and any(other.shares_machine for other in chosen)
            if discovered.participant.family not in families and not second:
                families.add(discovered.participant.family)
                chosen.append(discovered)
        return tuple(discovered.participant for discovered in chosen)


@dataclass
class _Search:
    """What one look gathers. Names are given once: a second way to the same is called after its way."""

    timeout_s: float
    participants: list[DiscoveredParticipant] = field(default_factory=list)
    missing: list[tuple[str, str]] = field(default_factory=list)

    def add(
        self,
        participant: Participant,
        how: str,
        suffix: str,
        aliases: Sequence[str] = (),
        *,
        shares_machine: bool = False,
    ) -> None:
        """Keep a participant under a name that nobody has."""
        names = {discovered.participant.name for discovered in self.participants}
        name = participant.name
        if name in names:
            aliases = (*aliases, name)
            name = f"{name}-{suffix}"
        named = participant.model_copy(update={"name": name, "timeout_s": self.timeout_s})
        self.participants.append(DiscoveredParticipant(named, how, tuple(aliases), shares_machine))


def discover(
    environ: Mapping[str, str],
    timeout_s: float = 300.0,
    probe: Probe | None = None,
    catalogue: ProviderTypes = CATALOGUE,
) -> Discovery:
    """Look around. `timeout_s` is for a turn of anyone who is found, `probe` lists the models of a local server."""
    if environ.get(DISCOVER, "").lower() == "off":
        return Discovery(missing=((Sentence("anybody"), Sentence("{name} is off", name=DISCOVER)),))
    search = _Search(timeout_s)
    for row, service in services(catalogue):
        if not service.routed:
            _find_key(search, row, service, environ)
    for row in catalogue.values():
        for cli in row.coding_clis:
            _find_program(search, row, cli, environ)
    _find_routers(search, services(catalogue), environ)
    for row in catalogue.values():
        if row.local_server is not None and _may_ask(row.local_server, environ):
            _find_server(search, row, row.local_server, environ, probe or installed_models)
    return Discovery(tuple(search.participants), tuple(search.missing))


def _may_ask(server: LocalServer, environ: Mapping[str, str]) -> bool:
    """In CI a server on this machine is asked only when somebody said so."""
    wanted = environ.get(server.variable) or environ.get(DISCOVER, "").lower() == "all"
    return bool(wanted or not environ.get("CI"))


def _find_key(
    search: _Search, row: ProviderType, service: Service, environ: Mapping[str, str]
) -> None:
    variables = key_variables_of(row, service)
    variable = next((name for name in variables if environ.get(name)), None)
    if variable is None:
        search.missing.append((service.name, _set(variables)))
        return
    pointing = next((name for name in service.elsewhere if environ.get(name)), None)
    if pointing is not None:
        todo = Sentence(
            "{pointing} says where {variable} goes: describe it under `providers:`",
            pointing=pointing,
            variable=variable,
        )
        search.missing.append((service.name, todo))
        return
    participant = service_participant(row, service, variable)
    search.add(
        participant, Sentence("key in {variable}", variable=variable), "key", service.aliases
    )


def service_participant(
    row: ProviderType, service: Service, variable: str, model: str | None = None
) -> Participant:
    """The service's default model under its name, or another `model` of it under its own, with that variable's key."""
    # The name of the variable, never what it holds.
    options: dict[str, JsonValue] = {"api_key_env": variable}
    if service.base_url is not None:
        options["base_url"] = service.base_url
    return Participant(
        name=service.name if model is None else plain_name(model),
        provider=row.name,
        model=model or service.model,
        family=family_of(model or service.model),
        options=options,
    )


def _set(variables: Sequence[str]) -> Sentence:
    """Which variables would help; any of them."""
    names, *others = variables
    for other in others:
        names = Sentence("{first} or {other}", first=names, other=other)
    return Sentence("set {variable}", variable=names)


def _find_routers(
    search: _Search,
    known: Iterable[tuple[ProviderType, Service]],
    environ: Mapping[str, str],
) -> None:
    """The models that a router sells; without its key the router itself is what is missing."""
    for row, service in known:
        if not service.routed:
            continue
        variables = key_variables_of(row, service)
        lacking = (service.routed, _set(variables))
        if any(environ.get(name) for name in variables):
            _find_key(search, row, service, environ)
        elif lacking not in search.missing:
            search.missing.append(lacking)


def _find_program(
    search: _Search, row: ProviderType, cli: CodingCli, environ: Mapping[str, str]
) -> None:
    program = find_program(cli.name, environ.get("PATH", ""))
    if program is None:
        todo = Sentence("install `{program}` so that it is on PATH", program=cli.name)
        search.missing.append((Sentence("{program} (command)", program=cli.name), todo))
        return
    family, options = family_of(cli.name), {"agent": cli.name}
    participant = Participant.model_validate(
        {"name": cli.name, "provider": row.name, "family": family, "options": options}
    )
    search.add(participant, Sentence("command {program}", program=str(program)), "cli")


def _find_server(
    search: _Search,
    row: ProviderType,
    server: LocalServer,
    environ: Mapping[str, str],
    probe: Probe,
) -> None:
    usual = urlsplit(row.address or "")
    host, port = _listening(environ.get(server.variable, ""), usual.hostname or "", usual.port or 0)
    if host not in _LOOPBACK:
        todo = Sentence(
            "{variable} is not on this machine: describe it under `providers:`",
            variable=server.variable,
        )
        search.missing.append((row.name, todo))
        return
    models = probe(host, port, PROBE_S)
    if not models:
        start = Sentence("start it (`{command}`)", command=server.start)
        add = Sentence("pull a model (`{command}`)", command=server.add_model)
        search.missing.append((row.name, start if models is None else add))
        return
    shown = f"[{host}]" if ":" in host else host
    for model in models:
        options: dict[str, JsonValue] = {"base_url": f"http://{shown}:{port}"}
        participant = Participant(
            name=plain_name(model),
            provider=row.name,
            model=model,
            family=family_of(model),
            options=options,
        )
        how = f"{server.name} at {shown}:{port}"
        search.add(participant, how, row.name, shares_machine=True)


def _listening(address: str, usual_host: str, usual_port: int) -> tuple[str, int]:
    """`host`, `host:port` or an address; 0.0.0.0 is where it listens, so it is asked on loopback."""
    if not address:
        return usual_host, usual_port
    try:
        parts = urlsplit(address if "://" in address else f"http://{address}")
        host, port = parts.hostname or usual_host, parts.port or usual_port
    except ValueError:
        return "", usual_port
    return (usual_host if host == "0.0.0.0" else host), port  # noqa: S104 - compared, not bound


def installed_models(host: str, port: int, limit_s: float) -> list[str] | None:
    """The chat models that an Ollama holds, the most recently changed first; None when none answers in time."""
    try:
        head, _, body = _tags(host, port, limit_s).partition(b"\r\n\r\n")
        listed = json.loads(body) if head.split(b" ", 2)[1:2] == [b"200"] else {}
        # A hosted model under another name could not be told from one that runs here.
        names = [
            name
            for model in listed["models"]
            if is_hosted(name := str(model["name"])) or not model.get("remote_host")
        ]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return [name for name in names if "embed" not in name.lower()]


def _tags(host: str, port: int, limit_s: float) -> bytes:
    """The whole answer, over plain sockets: no proxy is asked, and `limit_s` holds for the exchange.

    Raises OSError, a TimeoutError among them.
    """
    ends_at = time.monotonic() + limit_s
    received = bytearray()
    with socket.create_connection((host, port), timeout=limit_s) as connection:
        connection.sendall(b"GET /api/tags HTTP/1.0\r\nHost: localhost\r\n\r\n")
        while len(received) < _LONGEST_LIST:
            left_s = ends_at - time.monotonic()
            if left_s <= 0:
                raise TimeoutError
            connection.settimeout(left_s)
            piece = connection.recv(65536)
            if not piece:
                break
            received += piece
    return bytes(received)
