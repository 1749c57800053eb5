"""JSON schemas of reply models, and bending foreign data to them where nothing is lost."""

from __future__ import annotations

from typing import cast

from pydantic import JsonValue

from shared.text.bounded_json import storable

Schema = dict[str, JsonValue]

# Keywords that strict structured output does not know everywhere; pydantic checks them afterwards.
_NOT_STRICT = frozenset(
    "default title minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
    " minItems maxItems uniqueItems prefixItems".split()
)


def plain_schema(schema: Schema) -> Schema:
    """The schema without pydantic's titles: what a reader of the prompt needs."""
    return cast(Schema, _without_titles(schema, in_properties=False))


def _without_titles(value: JsonValue, *, in_properties: bool) -> JsonValue:
    if isinstance(value, dict):
        return {
            name: _without_titles(inner, in_properties=name in ("properties", "$defs"))
            for name, inner in value.items()
            if in_properties or name != "title"
        }
    if isinstance(value, list):
        return [_without_titles(inner, in_properties=False) for inner in value]
    return value


def strict_schema(schema: Schema) -> Schema:
    """The schema in the subset that OpenAI's strict mode (and with it the others) accepts.

    Every object is closed, every property required, `$ref` stands alone, only `anyOf` combines.
    Source: the providers' structured-output guides.
    """
    return cast(Schema, _strict(schema))


def _strict(value: JsonValue) -> JsonValue:
    if isinstance(value, list):
        return [_strict(inner) for inner in value]
    if not isinstance(value, dict):
        return value
    if "$ref" in value:
        return {"$ref": value["$ref"]}
    kept = dict(
        _strict_keyword(name, inner) for name, inner in value.items() if name not in _NOT_STRICT
    )
    if value.get("type") == "object":
        kept["additionalProperties"] = False
        kept["required"] = list(cast(Schema, kept.setdefault("properties", {})))
    return kept


def _strict_keyword(name: str, inner: JsonValue) -> tuple[str, JsonValue]:
    if name in ("properties", "$defs") and isinstance(inner, dict):
        return name, {key: _strict(entry) for key, entry in inner.items()}
    if name == "const":
        return "enum", [inner]
    return name, _strict(inner)


def adapted(value: JsonValue, schema: Schema) -> JsonValue:
    """`value` bent to the schema without inventing anything.

    Fixed words get their exact case, a null for an optional field that has no null is left out, a
    lone value for a list of texts becomes a list of one. Everything else stays for the validation
    to refuse.
    """
    return _adapted(value, schema, cast(Schema, schema.get("$defs", {})))


def _adapted(value: JsonValue, schema: Schema, definitions: Schema) -> JsonValue:
    if not isinstance(value, (str, dict, list)):
        return value
    schema = _resolved(schema, value, definitions)
    if "enum" in schema and isinstance(value, str):
        return _exact_word(value, cast(list[JsonValue], schema["enum"]))
    if isinstance(value, dict) and "properties" in schema:
        return _adapted_object(value, schema, definitions)
    if schema.get("type") == "array":
        entries = cast(Schema, schema.get("items", {}))
        value = _as_list(value, entries)
        if isinstance(value, list):
            return [_adapted(entry, entries, definitions) for entry in value]
    return storable(value) if isinstance(value, str) else value


def _as_list(value: JsonValue, entries: Schema) -> JsonValue:
    """A lone text where texts belong, as a list."""
    if isinstance(value, str) and entries.get("type") == "string":
        return [value] if value.strip() else []
    return value


def _adapted_object(value: Schema, schema: Schema, definitions: Schema) -> Schema:
    properties = cast(dict[str, Schema], schema["properties"])
    required = cast(list[str], schema.get("required", []))
    result: Schema = {}
    for name, inner in value.items():
        known = properties.get(name)
        if known is None:
            continue
        if inner is None and name not in required and not _allows_null(known):
            continue
        result[name] = _adapted(inner, known, definitions)
    return result


def _allows_null(schema: Schema) -> bool:
    branches = cast(list[Schema], schema.get("anyOf", [schema]))
    return any(branch.get("type") == "null" for branch in branches)


def _resolved(schema: Schema, value: JsonValue, definitions: Schema) -> Schema:
    """The schema that `$ref` names, and of an optional one the branch that is not null."""
    if "anyOf" in schema and value is not None:
        branches = [
            branch for branch in cast(list[Schema], schema["anyOf"]) if branch.get("type") != "null"
        ]
        if len(branches) == 1:
            return _resolved(branches[0], value, definitions)
    if "$ref" in schema:
        name = str(schema["$ref"]).rpartition("/")[2]
        return cast(Schema, definitions.get(name, {}))
    return schema


def _exact_word(value: str, words: list[JsonValue]) -> JsonValue:
    if value in words:
        return value
    plain = _plain_word(value)
    return next(
        (word for word in words if isinstance(word, str) and _plain_word(word) == plain), value
    )


def _plain_word(text: str) -> str:
    return "_".join(text.replace("-", " ").replace("_", " ").split()).casefold()
