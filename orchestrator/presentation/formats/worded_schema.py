"""The JSON schema of what is printed, where the words of a notice stand in its place (`Translator.in_words`)."""

from __future__ import annotations

from typing import Any

from shared.models.notices import Notice

Schema = dict[str, Any]
_NOTICE = {"$ref": f"#/$defs/{Notice.__name__}"}
_TEXT = {"type": "string"}
_TOLD = ("title", "description", "default")


def worded_schema(schema: Schema) -> Schema:
    """The schema of a model's JSON as the schema of the same JSON in words."""
    definitions = {
        name: each if name == Notice.__name__ else _worded(each)
        for name, each in schema.get("$defs", {}).items()
    }
    return {**_worded(schema), **({"$defs": definitions} if definitions else {})}


def _worded(schema: Schema) -> Schema:
    properties: Schema = {}
    for name, each in schema.get("properties", {}).items():
        properties |= _property(name, each)
    return {**schema, "properties": properties} if properties else schema


def _property(name: str, schema: Schema) -> Schema:
    """A field; of a notice its words and `<name>_notice`, of several `<name>_notices`, which is left out for none."""
    forms: list[Schema] = schema.get("anyOf", [schema])
    if _NOTICE in [{key: form[key] for key in form if key == "$ref"} for form in forms]:
        return {name: _in_words(schema, forms, _TEXT), f"{name}_notice": _NOTICE}
    if _NOTICE in [form.get("items") for form in forms]:
        beside = "notices" if name == "warnings" else f"{name}_notices"
        words = {"type": "array", "items": _TEXT}
        return {
            name: _in_words(schema, forms, words),
            beside: {"type": "array", "items": _NOTICE},
        }
    return {name: schema}


def _in_words(schema: Schema, forms: list[Schema], words: Schema) -> Schema:
    """The words with what else the field may be, and what is told of it."""
    others = [form for form in forms if form.get("type") == "null"]
    descriptive: Schema = {key: schema[key] for key in schema if key in _TOLD}
    return {**({"anyOf": [words, *others]} if others else words), **descriptive}
