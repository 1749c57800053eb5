"""The sections under `providers:`, made from the rows of the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, get_args

from pydantic import GetCoreSchemaHandler, create_model
from pydantic_core import CoreSchema, core_schema

from shared.providers.catalogue import CATALOGUE, ProviderType, ProviderTypes
from shared.providers.field_types import OneOf, OwnFile
from shared.providers.options import HttpOptions
from shared.providers.sections import HttpSection, ProviderSection, SpeakerSection


def section_of(row: ProviderType) -> type[ProviderSection]:
    """What an entry of that type may say."""
    kind: Any = Annotated[str, OneOf(*row.names)]
    bases: Any = row.section
    if row.section is None:
        speaker = HttpSection if issubclass(row.options, HttpOptions) else SpeakerSection
        bases = (speaker, row.options)
    create: Any = create_model
    section: type[ProviderSection] = create(f"{row.name} section", __base__=bases, type=(kind, ...))
    section.provider = row.name
    section.options_model = row.options
    section.speaks = row.speaks
    return section


def sections_of(catalogue: ProviderTypes = CATALOGUE) -> Mapping[str, type[ProviderSection]]:
    """The sections by what `type:` may say."""
    made = ((row, section_of(row)) for row in catalogue.values())
    return MappingProxyType({name: section for row, section in made for name in row.names})


class ByType:
    """Makes a field one of the sections, chosen by its `type`."""

    def __init__(self, sections: Mapping[str, type[ProviderSection]]) -> None:
        self.sections = sections

    def __get_pydantic_core_schema__(
        self, _source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        choices = {
            name: handler.generate_schema(section) for name, section in self.sections.items()
        }
        return core_schema.tagged_union_schema(choices, discriminator="type")


SECTIONS = sections_of()
Provider = Annotated[ProviderSection, ByType(SECTIONS)]
"""An entry of the product's catalogue."""


def file_keys(sections: Mapping[str, type[ProviderSection]] = SECTIONS) -> frozenset[str]:
    """The keys whose values are paths (or mappings to paths), relative to the file that they are in."""
    return frozenset(
        name
        for section in sections.values()
        for name, field in section.model_fields.items()
        if any(map(_names_a_file, (field.annotation, *field.metadata)))
    )


def _names_a_file(kind: object) -> bool:
    return isinstance(kind, OwnFile) or any(map(_names_a_file, get_args(kind)))
