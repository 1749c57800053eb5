"""What holds for every row of the catalogue, by being in it."""

from __future__ import annotations

from collections import Counter

import pytest

from shared.providers.browser import SITES
from shared.providers.catalogue import CATALOGUE, Billing, Reach, provider_type, secret_headers
from shared.providers.coding_clis import CODING_CLIS
from shared.providers.configuration import SECTIONS
from shared.providers.families import FAMILIES, family_of
from shared.providers.locality import is_loopback
from shared.providers.options import HttpOptions
from shared.providers.sections import SpeakerSection
from workers.providers.coding_cli.outputs import OUTPUTS


def test_no_type_has_two_rows() -> None:
    names = Counter(name for row in CATALOGUE.values() for name in row.names)
    assert set(names.values()) == {1}
    assert names.keys() == SECTIONS.keys()


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_row_agrees_with_itself(name: str) -> None:
    row = provider_type(name)
    assert (row.reach is Reach.ADDRESS) is issubclass(row.options, HttpOptions)
    assert (row.reach is Reach.ADDRESS) is (row.address is not None)
    assert (row.reach is Reach.NOBODY) is not issubclass(SECTIONS[name], SpeakerSection)
    assert (row.billing is Billing.OWN_MACHINE) is is_loopback(row.address or "")
    assert row.options.harmless <= row.options.model_fields.keys()
    assert row.streams or not row.streams_unwatched
    assert row.summary[:1].strip()


def test_whatever_leaves_this_machine_is_billable() -> None:
    assert all(row.billable for row in CATALOGUE.values() if row.reach is not Reach.NOBODY)


def test_every_header_that_carries_a_key_is_known_as_a_secret() -> None:
    usual = {"authorization", "api-key", "cookie", "x-api-key", "x-goog-api-key"}
    assert secret_headers() == usual | {row.key_header for row in CATALOGUE.values()}


def test_every_coding_cli_has_a_reader_a_price_and_a_family() -> None:
    assert OUTPUTS.keys() == {"text", *CODING_CLIS}
    families = {family for _, family in FAMILIES}
    for cli in CODING_CLIS.values():
        assert cli.price_of in CATALOGUE
        assert cli.command[0] == cli.name
        assert family_of(cli.name) in families
    assert {family_of(site) for site in SITES} <= families
