"""A provider is a module and a row: everything else follows, with no other line changed and nothing patched."""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import TypeAdapter, ValidationError

from orchestrator.embedded.services import keyless_environment
from orchestrator.participants.discovery import discover
from shared.allowed import identity_of
from shared.models.panel import Participant
from shared.providers import tables
from shared.providers.catalogue import CATALOGUE, catalogue_of, provider_type
from shared.providers.configuration import ByType, file_keys, sections_of
from shared.providers.keys import key_variables
from shared.providers.locality import leaves_machine
from shared.providers.prices import expected_usd
from shared.providers.sections import ProviderSection
from tests.support.echo_provider import ROW
from tests.workers.providers.calls import call_of
from workers.providers.registry import load_provider

EXTENDED = catalogue_of(*CATALOGUE.values(), ROW)


def entry(**stated: Any) -> ProviderSection:
    either: TypeAdapter[Any] = TypeAdapter(Annotated[object, ByType(sections_of(EXTENDED))])
    section = either.validate_python({"type": "echo", **stated})
    assert isinstance(section, ProviderSection)
    return section


def echo(**options: Any) -> Participant:
    return Participant(name="echo", provider="echo", model="echo-large", options=options)


def test_its_entry_says_what_its_options_are_and_what_every_model_may_say() -> None:
    made = entry(model="m", volume=3, rpm=50, persona="sceptic", api_key_env="MINE", family="f")
    participant = made.participant("loud", 60.0)
    assert (participant.provider, participant.model, participant.family) == ("echo", "m", "f")
    assert participant.options == {"volume": 3, "rpm": 50.0, "api_key_env": "MINE"}
    with pytest.raises(ValidationError, match="did you mean 'volume'"):
        entry(model="m", volum=3)
    assert file_keys(sections_of(EXTENDED)) == file_keys()


def test_it_takes_part_by_itself_when_its_key_is_set() -> None:
    found = discover({"ECHO_KEY": "k", "CI": "true"}, catalogue=EXTENDED).named("echo")
    assert found is not None
    assert (found.provider, found.model) == ("echo", "echo-large")
    assert found.options == {"api_key_env": "ECHO_KEY"}
    missing = dict(discover({"CI": "true"}, catalogue=EXTENDED).missing)
    assert missing["echo"] == "set ECHO_KEY"


def test_its_key_is_known_and_kept_from_the_tool_workers() -> None:
    assert key_variables(echo(), EXTENDED) == ("ECHO_KEY",)
    assert key_variables(echo(base_url="http://127.0.0.1:1"), EXTENDED) == ()
    assert key_variables(echo(header_env={"X-Echo-Key": "MINE"}), EXTENDED) == ("MINE",)
    environ = {"ECHO_KEY": "k", "ECHO_REGION": "here", "LANG": "C"}
    assert keyless_environment(environ, EXTENDED).keys() & environ.keys() == {"LANG"}


def test_it_is_elsewhere_and_costs_what_is_known_of_it() -> None:
    assert leaves_machine(echo(), EXTENDED)
    assert not leaves_machine(echo(base_url="http://127.0.0.1:1"), EXTENDED)
    assert provider_type("echo", EXTENDED).billable
    assert expected_usd(echo(), 1000, 1000, EXTENDED) is None
    priced = echo(price={"in": 1.0, "out": 1.0})
    assert expected_usd(priced, 500_000, 500_000, EXTENDED) == pytest.approx(1.0)


def test_an_option_that_nobody_called_harmless_has_to_be_entered_on_the_workers_machine() -> None:
    assert identity_of(echo(volume=3), EXTENDED) is None
    steered = {"provider": "echo", "mirror": "http://evil.example"}
    assert identity_of(echo(mirror="http://evil.example"), EXTENDED) == steered


def test_the_documentation_has_its_rows() -> None:
    assert "| `echo` | a service that repeats" in tables.configuration_tables(EXTENDED)["providers"]
    design = tables.design_tables(EXTENDED)
    assert "`x-echo-key`" in design["providers"]
    assert "| `ECHO_KEY` | `echo` | `echo` | `echo-large` |" in design["discovery"]


class _Echo(http.server.BaseHTTPRequestHandler):
    """Repeats, and remembers who asked with which key."""

    seen: list[tuple[str, str | None]]

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        self.seen.append((self.path, self.headers.get("x-echo-key")))
        body = json.dumps({"said": asked["say"] * asked["volume"]}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_args: object) -> None:
        """Quiet."""


@pytest.fixture
def service() -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    handler = type("Echo", (_Echo,), {"seen": []})
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(
        target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
    )
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/v1", handler.seen
    server.shutdown()
    server.server_close()
    thread.join()


def test_a_worker_loads_its_module_and_its_key_goes_into_its_header(
    service: tuple[str, list[tuple[str, str | None]]], tmp_path: Path
) -> None:
    address, seen = service
    (tmp_path / "key").write_text("echo-secret")
    options = {"base_url": address, "api_key_file": str(tmp_path / "key"), "volume": 2}
    call = call_of("echo", "echo-large", options={**options}, user="hallo")
    completion = load_provider("echo", EXTENDED).complete(call, threading.Event())
    assert completion.text.count("hallo") == 2
    assert seen == [("/v1/echo", "echo-secret")]
