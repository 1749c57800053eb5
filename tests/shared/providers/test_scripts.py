"""Scripts as files: read, checked, and refused with file, line and a suggestion."""

from __future__ import annotations

from pathlib import Path

import pytest

from shared.errors import ConfigurationError
from shared.providers.scripts import load_script, parse_entries


def write(folder: Path, text: str, name: str = "s.yaml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("s.yaml", "- when: {role: critique, round: 2}\n  reply: 한글\n- fault: hang\n"),
        ("s.yml", "replies:\n- when: {role: critique, round: 2}\n  reply: 한글\n- fault: hang\n"),
        (
            "s.jsonl",
            '{"when": {"role": "critique", "round": 2}, "reply": "한글"}\n\n{"fault":\t"hang"}\n',
        ),
    ],
)
def test_all_formats_give_the_same_entries(tmp_path: Path, name: str, text: str) -> None:
    assert load_script(write(tmp_path, text, name)) == [
        {"when": {"role": "critique", "round": 2}, "reply": "한글"},
        {"fault": "hang"},
    ]


def test_loaded_entries_can_be_parsed_again(tmp_path: Path) -> None:
    entries = load_script(write(tmp_path, "- reply: x\n  latency_s: [0.1, 0.2]\n"))
    assert parse_entries(list(entries), "gpt")[0].latency_s == (0.1, 0.2)


@pytest.mark.parametrize(
    ("text", "name", "complaint"),
    [
        (
            "- reply: x\n- repyl: y\n",
            "s.yaml",
            r"s.yaml:2: unknown key `repyl`; did you mean `repl",
        ),
        (
            "- reply: x\n  when:\n    role: critique\n    rounds: 2\n",
            "s.yaml",
            r"s.yaml:4: unknown key `rounds`; did you mean `round`",
        ),
        ('{"reply": "x"}\n{"reply": "y", "fualt": "hang"}\n', "s.jsonl", r":2: .*`fault`"),
        (
            "- reply: x\n  fault: explode\n",
            "s.yaml",
            r"s.yaml:2: `fault`: known faults are timeout, .*hang",
        ),
        (
            "- reply: x\n- when: {role: A critic}\n  reply: x\n",
            "s.yaml",
            r"s.yaml:2: .*`when.role`",
        ),
        (
            "- when: {role: [critique, risk_analysis]}\n  reply: x\n",
            "s.yaml",
            r"s.yaml:1: `when.role`: String should match pattern",
        ),
        ("- when: {round: 1}\n", "s.yaml", r"s.yaml:1: an entry needs `reply`"),
        ("- reply: x\n  latency_s: [2, 1]\n", "s.yaml", r"\[least, most\]"),
        ("- reply: x\n  latency_s: -1\n", "s.yaml", r"s.yaml:2: `latency_s`"),
        ("- reply: x\n  latency_s: .nan\n", "s.yaml", r"s.yaml:2: `latency_s`"),
        ("- just text\n", "s.yaml", r"s.yaml:1: "),
        ("reply: x\n", "s.yaml", r"unknown key 'reply'; a script is a list"),
        ("replies: x\n", "s.yaml", r"a script is a list of entries"),
        ("- reply: [x\n- y: z\n", "s.yaml", r"s.yaml:\d: "),
        ('{"reply": "x"}\n{"reply": "y"\n', "s.jsonl", r"s.jsonl:3?2?: "),
        ("- &a [*a]\n", "s.yaml", r"s.yaml:1: "),
        ("- !!python/object/apply:os.system [id]\n", "s.yaml", r"s.yaml:1: "),
        ("[" * 5000, "s.yaml", r"s.yaml"),
        ("", "s.yaml", r"a script is a list"),
        ("[]", "s.yaml", r"holds no entry"),
        ("\n\n", "s.jsonl", r"holds no entry"),
    ],
)
def test_a_malformed_script_is_refused_where_it_is_wrong(
    tmp_path: Path, text: str, name: str, complaint: str
) -> None:
    with pytest.raises(ConfigurationError, match=complaint):
        load_script(write(tmp_path, text, name))


def test_a_script_that_cannot_be_read_says_why(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="No such file"):
        load_script(tmp_path / "absent.yaml")
    with pytest.raises(ConfigurationError, match="directory"):
        load_script(tmp_path)
    binary = tmp_path / "b.yaml"
    binary.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ConfigurationError, match="UTF-8"):
        load_script(binary)
