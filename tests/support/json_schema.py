"""What of a JSON value does not fit a JSON schema: the part of the standard that pydantic writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

TYPES: Mapping[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "boolean": bool,
    "integer": int,
    "number": (int, float),
    "null": type(None),
}
ANNOTATIONS = {
    *("title", "description", "default", "$defs", "records", "examples", "deprecated"),
    *(
        "minLength",
        "maxLength",
        "minimum",
        "maximum",
        "exclusiveMinimum",
        "minItems",
        "maxItems",
        "pattern",
    ),
    *("format", "discriminator"),
}
KNOWN = {
    *("$ref", "anyOf", "oneOf", "const", "enum", "type", "properties", "required"),
    *("additionalProperties", "items", "prefixItems", "propertyNames"),
}


def misfits(value: Any, schema: Mapping[str, Any], place: str = "$") -> list[str]:
    """Every place that does not fit, with why; raises AssertionError for a keyword that it does not know."""
    return list(_misfits(value, schema, schema, place))


def _misfits(value: Any, schema: Any, root: Mapping[str, Any], place: str) -> Iterator[str]:
    if schema is True:
        return
    unknown = schema.keys() - KNOWN - ANNOTATIONS
    assert not unknown, f"{place}: {unknown}"
    if name := schema.get("$ref"):
        yield from _misfits(value, root["$defs"][name.rpartition("/")[2]], root, place)
    for choice in (schema.get("anyOf"), schema.get("oneOf")):
        tried = [list(_misfits(value, each, root, place)) for each in choice or ()]
        if tried and all(tried):
            yield f"{place}: fits none of {len(tried)}: {min(tried, key=len)[0]}"
    if value not in schema.get("enum", [value]) or value != schema.get("const", value):
        yield f"{place}: {value!r} is not allowed"
    kind = schema.get("type")
    is_number = isinstance(value, bool) and kind in ("integer", "number")
    if kind is not None and (is_number or not isinstance(value, TYPES[kind])):
        yield f"{place}: {value!r} is no {kind}"
    elif isinstance(value, dict):
        yield from _object(value, schema, root, place)
    elif isinstance(value, list):
        yield from _array(value, schema, root, place)


def _object(
    value: dict[str, Any], schema: Mapping[str, Any], root: Mapping[str, Any], place: str
) -> Iterator[str]:
    known, more = schema.get("properties", {}), schema.get("additionalProperties", True)
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place}: {name} is missing"
    for name, each in value.items():
        if name in known:
            yield from _misfits(each, known[name], root, f"{place}.{name}")
        elif more is False:
            yield f"{place}: {name} is unknown"
        else:
            yield from _misfits(each, more, root, f"{place}.{name}")


def _array(
    value: list[Any], schema: Mapping[str, Any], root: Mapping[str, Any], place: str
) -> Iterator[str]:
    first = schema.get("prefixItems", [])
    for at, each in enumerate(value):
        form = first[at] if at < len(first) else schema.get("items", True)
        yield from _misfits(each, form, root, f"{place}[{at}]")
