"""The tables of providers in the documentation, made from the catalogue.

`python -m shared.providers.tables` writes them into docs/design/providers.md, `orchestrator.settings.tables` into
docs/configuration.md; a test holds that the pages are as they would be written.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel

from shared.configuration import Documented
from shared.providers.catalogue import CATALOGUE, ProviderType, ProviderTypes
from shared.providers.configuration import section_of
from shared.providers.options import HttpOptions, ProviderOptions
from shared.providers.sections import SpeakerSection

DESIGN_PAGE = Path(__file__).parents[2] / "docs" / "design" / "providers.md"
_YES = {True: "yes", False: ""}


def configuration_tables(catalogue: ProviderTypes = CATALOGUE) -> Mapping[str, str]:
    """What docs/configuration.md says of each type's keys."""
    rows = [_entry(row) for row in catalogue.values()]
    heads = ("provider type", "reaches", "keys besides those of every model")
    keys = [row for model in (SpeakerSection, ProviderOptions) for row in _documented(model)]
    return {
        "providers": table(heads, rows),
        "speakers": table(("key of every model", "default", "meaning"), keys),
    }


def design_tables(catalogue: ProviderTypes = CATALOGUE) -> Mapping[str, str]:
    """What docs/design/providers.md says of each row, and of the services that take part by themselves."""
    rows = [_facts(row) for row in catalogue.values()]
    heads = ("type", "module", "reaches", "bills", "key variable", "key header", "streams")
    announced = [line for row in catalogue.values() for line in _announced(row)]
    return {
        "providers": table(heads, rows),
        "discovery": table(("announced by", "type", "takes part as", "default model"), announced),
    }


def written(page: str, tables: Mapping[str, str]) -> str:
    """The page with the tables between their marks. Raises KeyError for a mark without a table."""
    return re.sub(
        r"(<!-- generated (\w+)[^>]* -->\n).*?(<!-- end -->)",
        lambda match: f"{match[1]}{tables[match[2]]}{match[3]}",
        page,
        flags=re.DOTALL,
    )


def table(heads: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    lines = (heads, tuple("---" for _ in heads), *rows)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def _entry(row: ProviderType) -> tuple[str, ...]:
    names = f"`{row.name}`" + "".join(f" (or `{alias}`)" for alias in row.aliases)
    section, common = section_of(row), set[str](("type",))
    if issubclass(section, SpeakerSection):
        common |= _fields(SpeakerSection) | _fields(ProviderOptions)
    over_http = issubclass(row.options, HttpOptions)
    if over_http:
        common |= _fields(HttpOptions)
    own = [_key(section, name) for name in section.model_fields if name not in common]
    if not issubclass(section, SpeakerSection):
        own = [f"only {', '.join(own)}"] if own else ["none at all"]
    return names, row.summary, ", ".join([*(["HTTP"] if over_http else []), *own])


def _key(section: type[BaseModel], name: str) -> str:
    """The key and, where they are a few, the words that it may have."""
    schema = section.model_json_schema()["properties"][name]
    words = [word for part in (schema, *schema.get("anyOf", ())) for word in part.get("enum", ())]
    return f"`{name}`" + (f" ({', '.join(f'`{word}`' for word in words)})" if words else "")


def _documented(model: type[BaseModel]) -> Iterator[tuple[str, ...]]:
    for name, field in model.model_fields.items():
        for fact in field.metadata:
            if isinstance(fact, Documented):
                yield f"`{name}`", fact.shown, fact.help


def _fields(model: type[BaseModel]) -> set[str]:
    return set(model.model_fields)


def _facts(row: ProviderType) -> tuple[str, ...]:
    over_http = issubclass(row.options, HttpOptions)
    header = f"`{row.key_header}`" if over_http else ""
    streams = "always" if row.streams_unwatched else _YES[row.streams]
    variable = ", ".join(f"`{name}`" for name in row.key_variables)
    module = f"`{row.module.removeprefix('workers.providers.')}`"
    return f"`{row.name}`", module, row.summary, row.billing.value, variable, header, streams


def _announced(row: ProviderType) -> Iterator[tuple[str, ...]]:
    kind = f"`{row.name}`"
    for service in row.services:
        variables = service.key_variables or row.key_variables
        announced = " or ".join(f"`{name}`" for name in variables)
        yield announced, kind, f"`{service.name}`", f"`{service.model}`"
    for cli in row.coding_clis:
        yield f"the program `{cli.name}`", kind, f"`{cli.name}`", "its own"
    if row.local_server is not None:
        yield (
            f"`{row.address}`, or `{row.local_server.variable}`",
            kind,
            "its models' names",
            "the last changed",
        )


def main() -> None:
    """Write the tables again."""
    page = DESIGN_PAGE.read_text(encoding="utf-8")
    DESIGN_PAGE.write_text(written(page, design_tables()), encoding="utf-8")


if __name__ == "__main__":
    main()
