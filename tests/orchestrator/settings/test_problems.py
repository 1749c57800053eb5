"""What a wrong configuration is told: the line, the problem, a suggestion."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from shared.errors import ConfigurationError, EnvironmentFault

# ---- wrong files -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("language: en\nreveiw: {}\n", "config.yaml:2: unknown key 'reveiw'; did you mean 'review'?"),
        ("review:\n  max_round: 3\n", "config.yaml:2: unknown key 'max_round'; did you mean 'max_rounds'?"),
        ("zzz: 1\n", "config.yaml:1: unknown key 'zzz' (known: version, language, preset,"),
        ("review:\n  max_rounds: many\n", "config.yaml:2: review.max_rounds: expected a whole number."),
        ("review:\n  max_rounds: 0\n", "config.yaml:2: review.max_rounds: expected at least 1"),
        ("review: {strategy: reviw}\n", "review.strategy: 'reviw' is not known here; did you mean 'review'?"),
        ("gate: {fail_on: crtical}\n", "gate.fail_on: 'crtical' is not known here; did you mean 'critical'?"),
        ("gate: {fail_on: [a]}\n", "gate.fail_on: expected one of critical, major, minor, info, none."),
        ("version: 9\n", "config.yaml:1: version: expected 1."),
        ("language: fr\n", "config.yaml:1: language: 'fr' is not known here (known: en, ko)"),
        ("settings: {timeout: soon}\n", "settings.timeout: expected a duration like 300, 90s"),
        ("review: strict\n", "config.yaml:1: review: expected a mapping of keys."),
        ("participants: ruff\n", "config.yaml:1: participants: expected a list."),
        ("participants: []\n", "participants: name at least one participant"),
        ("participants:\n- ruff\n- {persona: x}\n", "config.yaml:3: participants.1.name: this key is required."),
        ("providers:\n  x: {model: m}\n", "config.yaml:2: providers.x: this needs a `type`"),
        ("providers:\n  x: {type: opneai, model: m}\n", "'opneai' is not known here; did you mean 'openai'?"),
        ("providers:\n  x:\n    type: openai\n    modle: m\n", "config.yaml:4: unknown key 'modle'; did you mean"),
        ("providers:\n  x: {type: openai}\n", "config.yaml:2: providers.x.model: this key is required."),
        ("providers:\n  x: {type: openai, model: m, base_url: 'ftp://h'}\n", "expected an http:// or https:// address"),
        ("providers:\n  x y: {type: rules}\n", "the provider name 'x y' may hold"),
        ("decision: {on_timeout: apply_fix}\n", "decision.on_timeout: 'apply_fix' is not known here"),
        ("a: 1\na: 2\n", "config.yaml:2: the key 'a' appears here a second time."),
        ("review: {a\n", "config.yaml:2: this is not YAML:"),
        ("review:\n\tmax_rounds: 3\n", "config.yaml:2: this is not YAML:"),
        ("x: !!python/object/apply:os.system [touch /tmp/x]\n", "config.yaml:1:"),
        ("- a\n", "config.yaml:1: expected a mapping of keys"),
        ("? [a]\n: 1\n", "config.yaml:1: a key must be a word of at most 100 letters."),
    ],
)  # fmt: skip
def test_a_wrong_file_is_told_line_and_suggestion(place: Any, text: str, message: str) -> None:
    assert message in place.refuse(text)


def test_a_problem_is_told_once_and_ends_like_a_sentence(place: Any) -> None:
    refusal = place.refuse("gate: {fail_on: huge}\nreveiw: {}\n")
    gate, key = (line.partition("config.yaml:")[2] for line in refusal.splitlines())
    assert (
        gate
        == "1: gate.fail_on: 'huge' is not known here (known: critical, major, minor, info, none)"
    )
    assert key == "2: unknown key 'reveiw'; did you mean 'review'?"


def test_every_problem_is_named_at_once(place: Any) -> None:
    said = place.refuse("""\
language: fr
presett: x
providers:
  x y: {type: rules}
  z: {type: openai, modle: m, api_key: sk-1, timeout: soon}
participants: [{name: a, label: b, persna: c}]
review: {max_rounds: x, strateg: review}
gate: {quorum: 0}
""")
    place_and_words = [line.partition("config.yaml:")[2] for line in said.splitlines()]
    expected = [
        *("1: language: 'fr'", "2: unknown key 'presett'; did you mean 'preset'?"),
        *("4: providers.x y: the provider name", "5: unknown key 'modle'; did you mean 'model'?"),
        *("5: 'api_key' would put", "5: providers.z.timeout: expected a duration"),
        *("6: unknown key 'persna'; did", "6: participants.0.label: `label` names a persona"),
        *("7: unknown key 'strateg'; did", "7: review.max_rounds: expected", "8: gate.quorum:"),
    ]
    assert len(place_and_words) == len(expected)
    for line, beginning in zip(place_and_words, expected, strict=True):
        assert line.startswith(beginning)
    assert "sk-1" not in said


@pytest.mark.parametrize("key", ["api_key", "token", "password", "client_secret"])
def test_plaintext_keys_are_refused_and_not_repeated(place: Any, key: str) -> None:
    said = place.refuse(f"providers:\n  x: {{type: openai, model: m, {key}: sk-12345}}\n")
    assert f"config.yaml:2: '{key}' would put a secret into the file" in said
    assert "api_key_env" in said
    assert "sk-12345" not in said


def test_a_key_in_the_place_of_a_variables_name_is_not_repeated(place: Any) -> None:
    said = place.refuse("providers:\n  x: {type: openai, model: m, api_key_env: sk-123-456}\n")
    assert "expected the name of an environment variable, not a key" in said
    assert "sk-123" not in said


def test_a_file_that_grows_by_aliases_is_refused(place: Any) -> None:
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    assert "too large or nested too deeply" in place.refuse("\n".join(lines))
    assert "too large or nested too deeply" in place.refuse("a: &a [*a]\n")
    assert "nested too deeply" in place.refuse("a: " + "[" * 2000 + "]" * 2000)


def test_a_wrong_variable_or_option_names_its_source(place: Any) -> None:
    with pytest.raises(
        ConfigurationError, match=r"command line: review\.max_rounds: expected a whole"
    ):
        place.load(overrides={"review.max_rounds": "x"})
    place.environ["QUORATE_STRATEGY"] = "redteam"
    with pytest.raises(
        ConfigurationError, match=r"\$QUORATE_STRATEGY.*'redteam' is not known.*'red-team'"
    ):
        place.load()


def test_files_that_cannot_be_read_are_named(place: Any) -> None:
    with pytest.raises(ConfigurationError, match=r"--config names .*nope\.yaml"):
        place.load(explicit=Path("nope.yaml"))
    place.environ["QUORATE_CONFIG"] = "nope.yaml"
    with pytest.raises(ConfigurationError, match=r"\$QUORATE_CONFIG names .*nope\.yaml"):
        place.load()
    del place.environ["QUORATE_CONFIG"]
    file = place.file(".quorate.yaml", "language: en")
    file.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="is not UTF-8"):
        place.load()
    file.write_text("#" * 262_145)
    with pytest.raises(ConfigurationError, match="over 262144 bytes"):
        place.load()


def test_a_file_without_permission_is_the_environments_fault(place: Any) -> None:
    file = place.file(".quorate.yaml", "language: en")
    file.chmod(0)
    try:
        file.read_bytes()
    except PermissionError:
        with pytest.raises(EnvironmentFault, match="No permission to read the configuration"):
            place.load()
    else:
        pytest.skip("this user may read everything")


def test_a_wrong_pyproject_table_is_told_its_line(place: Any) -> None:
    place.file("pyproject.toml", '[project]\nname = "x"\n\n[tool.quorate.review]\nmax_round = 3\n')
    with pytest.raises(ConfigurationError, match=r"pyproject\.toml:5: unknown key 'max_round'"):
        place.load()
    place.file("pyproject.toml", "[tool.quorate\n")
    with pytest.raises(ConfigurationError, match=r"not TOML: .*line 1"):
        place.load()


def test_a_key_that_stands_in_another_section_is_named(place: Any) -> None:
    told = place.refuse("panel: {consensus_threshold: 0.9}\n")
    assert told.startswith("config.yaml:1: unknown key 'consensus_threshold' (known: author,")
    assert told.endswith("; there is `debate.consensus_threshold`.")
