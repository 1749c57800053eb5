"""A TOML text is looked at before a parser pays for it."""

from __future__ import annotations

import pytest

from shared.text.toml_bounds import MAX_KEY_PARTS, TomlTooLargeError, check_toml
from tests.support.linear import assert_linear

MANY = MAX_KEY_PARTS + 1


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * MANY) + " = 1",
        "x = 1\n[" + ".".join("a" * MANY) + "]",
        "[[" + " . ".join(["'a'"] * MANY) + "]]",
        "x = {" + '."b".'.join("a" * MANY) + " = 1}",
        '"""\n"""\n' + ".".join("a" * MANY) + " = 1",
        "x = '\\'\n" + ".".join("a" * MANY) + " = 1",
        "가." * MANY + "a = 1",
        "x = " + "[" * 101,
    ],
)
def test_a_bomb_is_refused_with_its_line(text: str) -> None:
    with pytest.raises(TomlTooLargeError, match=r"at line \d"):
        check_toml(text)


@pytest.mark.parametrize(
    "text",
    [
        ".".join("a" * MAX_KEY_PARTS) + " = 1",
        "a = '" + "a." * MANY + "'",
        'a = """\n' + "a." * MANY + '"""',
        "a = '''\n" + "a." * MANY + "'''",
        "# " + "a." * MANY,
        'a = "\\"' + "a." * MANY + '"',
        "a = [\n" + "1.5,\n" * MANY + "]",
        "a.b = 1.5\n" * MANY,
        "a = [[1], [2]]\n" * 200,
        'a = """x""""\nb.c = 1',
    ],
)
def test_what_people_write_passes(text: str) -> None:
    check_toml(text)


@pytest.mark.parametrize(
    "piece",
    [
        "a.",
        "[a.",
        '"',
        "'",
        '"""',
        "'''",
        "\\",
        '"\\',
        "a=1\n",
        "#",
        " ",
        "\n",
        "{",
        "].",
        "'.",
        "x",
    ],
)
@pytest.mark.parametrize("before", ["", '"', '"""', "'''", "a = "])
def test_looking_takes_linear_time(before: str, piece: str) -> None:
    def look(text: str) -> None:
        try:
            check_toml(text)
        except TomlTooLargeError:
            return

    assert_linear(look, lambda size: before + piece * (size // len(piece)), most=500_000)
