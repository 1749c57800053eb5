"""A question and its files are read once; what cannot be used is named, and nothing is stored for it."""

import os
import threading
from pathlib import Path

import pytest

from orchestrator.subjects.question import (
    QuestionLimits,
    QuestionRequest,
    capture_question,
)
from orchestrator.subjects.request import MAY_BE_SENT, Screen
from shared.errors import SubjectError
from shared.text.masking.mask import count_secrets

TOKEN = "ghp_" + "a1B2" * 9


class Store(dict[str, bytes]):
    def put(self, content: bytes) -> str:
        self[f"d{len(self)}"] = content
        return f"d{len(self) - 1}"


def captured(request: QuestionRequest):
    store = Store()
    return capture_question(request, store.put, count_secrets), store


def refused(request: QuestionRequest) -> str:
    store = Store()
    with pytest.raises(SubjectError) as error:
        capture_question(request, store.put, count_secrets)
    assert not store
    return str(error.value)


def test_words_file_and_pipe_are_one_question_in_that_order(tmp_path: Path):
    (tmp_path / "q.md").write_text("\ufeff# From a file\n", encoding="utf-8")
    request = QuestionRequest(
        tmp_path, words="typed ", file="q.md", piped_words="파이프로\n".encode()
    )
    found, store = captured(request)
    assert found.question.text == "typed\n\n# From a file\n\n파이프로"
    assert found.question.title == "typed"
    assert not store


def test_context_files_are_stored_under_the_names_they_were_given(tmp_path: Path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "app.py").write_text("print(1)\n")
    request = QuestionRequest(
        tmp_path,
        words="why?",
        contexts=("src/app.py", "src/app.py", str(tmp_path / "src" / "app.py")),
        piped_context=b"from a pipe",
    )
    found, store = captured(request)
    names = [context.path for context in found.question.contexts]
    assert names == ["src/app.py", str(tmp_path / "src" / "app.py"), "stdin"]
    assert store[found.question.contexts[0].document] == b"print(1)\n"
    assert store[found.question.contexts[2].document] == b"from a pipe"


def test_secrets_are_counted_in_all_texts_and_stay_as_they_are(tmp_path: Path):
    (tmp_path / "log.txt").write_text(f"tokens {TOKEN} and ghp_{'c3D4' * 9}\n")
    found, store = captured(
        QuestionRequest(tmp_path, words=f"is {TOKEN} leaked?", contexts=("log.txt",))
    )
    assert found.secrets == 2
    assert TOKEN.encode() in store["d0"]


@pytest.mark.parametrize("name", [".env", "deploy.pem", "id_rsa", ".aws/credentials"])
@pytest.mark.parametrize("option", ["file", "contexts"])
def test_a_file_that_may_hold_secrets_is_never_read(tmp_path: Path, name: str, option: str):
    file = tmp_path / name
    file.parent.mkdir(exist_ok=True)
    file.write_text("SECRET=1")
    value = name if option == "file" else (name,)
    said = refused(QuestionRequest(tmp_path, words="why?", **{option: value}))
    assert "privacy.never_send" in said


def test_a_link_to_such_a_file_is_one(tmp_path: Path):
    (tmp_path / ".env").write_text("SECRET=1")
    (tmp_path / "notes.txt").symlink_to(".env")
    assert "never sent" in refused(QuestionRequest(tmp_path, words="?", contexts=("notes.txt",)))


def test_an_exception_of_the_configuration_lets_it_through(tmp_path: Path):
    (tmp_path / "staging.env").write_text("LEVEL=debug")
    screen = Screen(may_be_sent=(*MAY_BE_SENT, "staging.env"))
    request = QuestionRequest(tmp_path, words="?", contexts=("staging.env",), screen=screen)
    assert len(captured(request)[0].question.contexts) == 1


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x00\x01\x02", "binary"),
        (b"a" * 9000 + b"\x00", "binary"),
        ("한글".encode("cp949"), "not UTF-8 text"),
        (b"", "it is empty"),
        (b" \n", "it is empty"),
        (b"x" * 101, "too large"),
    ],
)
def test_what_is_no_text_is_refused_by_name(tmp_path: Path, content: bytes, said: str):
    (tmp_path / "notes").write_bytes(content)
    limits = QuestionLimits(file_bytes=10_000 if len(content) > 1000 else 100)
    request = QuestionRequest(tmp_path, words="?", contexts=("notes",), limits=limits)
    reason = refused(request)
    assert said in reason
    assert reason.startswith("--context notes: ")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("missing.md", "there is no such file"),
        ("folder", "it is a folder"),
        ("/dev/null", "neither a plain file nor a pipe"),
        ("loop", "cannot be read"),
        ("a\x1b[2Jb", "cannot be shown"),
        ("a\0b", "cannot be shown"),
        ("x" * 5000, "cannot be read"),
    ],
)
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, said: str):
    (tmp_path / "folder").mkdir()
    (tmp_path / "loop").symlink_to("loop")
    for option in ({"file": name}, {"contexts": (name,)}):
        assert said in refused(QuestionRequest(tmp_path, words="?", **option))


def test_a_pipe_with_a_name_is_read_to_its_end(tmp_path: Path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_text("piped"))
    holder = os.open(pipe, os.O_RDWR)  # a reader, so that the writer does not wait for ours
    writer.start()
    writer.join()
    reading = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    os.close(holder)
    found, store = captured(QuestionRequest(tmp_path, words="?", contexts=(f"/dev/fd/{reading}",)))
    os.close(reading)
    assert store[found.question.contexts[0].document] == b"piped"


def test_a_pipe_that_nobody_writes_is_empty_and_holds_nobody_up(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe")
    assert "it is empty" in refused(QuestionRequest(tmp_path, words="?", contexts=("pipe",)))


@pytest.mark.parametrize("words", ["", "  \n", "\udcff", "a\0b"])
def test_no_question_and_no_text_are_refused(tmp_path: Path, words: str):
    assert refused(QuestionRequest(tmp_path, words=words))


def test_a_question_that_is_too_long_is_refused_and_says_what_to_do(tmp_path: Path):
    limits = QuestionLimits(words_bytes=10)
    assert "--context FILE" in refused(QuestionRequest(tmp_path, words="왜" * 4, limits=limits))


def test_too_many_and_too_much_together_are_refused(tmp_path: Path):
    for name in "abc":
        (tmp_path / name).write_text(name * 50)
    contexts = ("a", "b", "c")
    few = QuestionLimits(files=2)
    small = QuestionLimits(files_bytes=149)
    for limits, said in ((few, "3 files are too many"), (small, "too large together")):
        request = QuestionRequest(tmp_path, words="?", contexts=contexts, limits=limits)
        assert said in refused(request)
