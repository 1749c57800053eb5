"""The tables of docs/configuration.md, made from the fields of the configuration and from the catalogue of providers.

`python -m orchestrator.settings.tables` writes them into the page; a test holds that the page is as it would write it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from orchestrator.core.setting import Trust, blanks_of
from orchestrator.settings.layers import ENVIRONMENT
from orchestrator.settings.schema import KEYS, Key
from shared.providers.tables import configuration_tables, table, written

PAGE = Path(__file__).parents[2] / "docs" / "configuration.md"
_LONG_S = {"d": 86_400, "h": 3600}


def page_tables() -> Mapping[str, str]:
    """Every generated table of the page, by its mark."""
    keys = [(f"`{name}`", default_of(key), _help(key)) for name, key in KEYS.items()]
    variables = [(f"`{variable}`", f"`{key}`") for variable, key in ENVIRONMENT]
    return {
        **configuration_tables(),
        "keys": table(("key", "default", "meaning"), keys),
        "trust": table(("it may set", "as long as"), list(_trusted())),
        "variables": table(("variable", "sets"), variables),
    }


def _help(key: Key) -> str:
    return key.setting.help.format(**blanks_of(key.setting, key.field))


def default_of(key: Key) -> str:
    """What holds where nobody sets it, as Markdown; empty where that is nothing."""
    if key.setting.shown is not None:
        return key.setting.shown
    default = key.field.get_default(call_default_factory=True)
    return "" if default in (None, (), {}) else f"`{_written(default)}`"


def _written(value: Any) -> str:
    """A value as a file has it."""
    match value:
        case bool():
            return str(value).lower()
        case tuple():
            return f"[{', '.join(map(str, value))}]"
        case float():
            units = ((value / seconds, unit) for unit, seconds in _LONG_S.items())
            return next((f"{n:g}{unit}" for n, unit in units if n.is_integer()), f"{value:g}")
        case _:
            return f"{value}"


def _trusted() -> Iterator[tuple[str, str]]:
    for trust in Trust:
        keys = [_trusted_key(name, key) for name, key in KEYS.items() if key.setting.trust is trust]
        if trust is not Trust.NEVER:
            yield ", ".join(keys), "" if trust is Trust.FREE else trust.value


def _trusted_key(name: str, key: Key) -> str:
    tightens = key.setting.tightens
    return f"`{name}`" if tightens is None else f"`{name}: {_written(tightens)}`"


def main() -> None:
    """Rewrite the tables."""
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8"), page_tables()), encoding="utf-8")


if __name__ == "__main__":
    main()
